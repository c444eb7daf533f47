// SPDX-License-Identifier: Apache-2.0
#include "log/log_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/coding.h"
#include "log/append_result.h"

namespace braid::log {
namespace {

constexpr std::size_t kReadWindowBytes = std::size_t{256} << 10;
constexpr std::size_t kPointWindowBytes = std::size_t{16} << 10;

/// The last position that segment `index` answers for.
Position last_of(const SegmentTable& table, std::size_t index, Position tail) {
  if (index + 1 == table.segments.size()) return tail;
  return {table.segments[index + 1]->header.first.value - 1};
}

bool is_same(const SegmentTable& a, const SegmentTable& b) {
  return a.first == b.first &&
         std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
                    [](const auto& x, const auto& y) { return x->header == y->header; });
}

/// All records of a group, everything checked.
Result<std::vector<Record>> decode_group(const SegmentFile& segment, SegmentWalker& walker,
                                         const FrameHeader& frame) {
  BRAID_ASSIGN(const std::string_view bytes, walker.frame_bytes(frame));
  auto records = decode_frame_records(segment.header.key, frame, bytes);
  if (!records) return at_place(records.error(), segment.path, frame.offset);
  return records;
}

}  // namespace

ReadableSegment::ReadableSegment(std::shared_ptr<const SegmentFile> segment,
                                 std::unique_ptr<env::File> file)
    : segment_(std::move(segment)), file_(std::move(file)), end_(start_of(segment_->header)) {}

Result<WalkState> ReadableSegment::locate(Position position) {
  const env::Lock lock(mutex_);
  const auto after = std::partition_point(
      places_.begin(), places_.end(), [&](const Place& place) { return place.first <= position; });
  const bool is_known = end_.next > position;
  WalkState state = after == places_.begin() ? start_of(segment_->header) : (after - 1)->before;
  if (!is_known) state = end_;
  SegmentWalker walker(*file_, *segment_, kPointWindowBytes);
  while (true) {
    const WalkState before = state;
    BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(state));
    if (!frame.has_value()) return walker.missing_frame(state, "a frame is damaged");
    if (!is_known) {
      end_ = state;
      if (frame->kind == FrameKind::kRecords && groups_count_++ % kGroupsBetweenPlaces == 0) {
        places_.push_back({frame->first, before});
      }
    }
    if (state.next > position) return before;
  }
}

void LogReader::publish(SegmentTable table, const LogTail& tail) {
  auto shared = std::make_shared<const SegmentTable>(std::move(table));
  const env::Lock lock(mutex_);
  if (!is_same(*table_, *shared)) table_ = std::move(shared);
  tail_ = tail;
}

bool LogReader::has_changed_since(const View& before) const {
  if (on_doubt_) on_doubt_();
  return view().table != before.table;
}

void LogReader::publish_tail(const LogTail& tail) {
  const env::Lock lock(mutex_);
  tail_ = tail;
}

LogReader::View LogReader::view() const {
  const env::Lock lock(mutex_);
  return {table_, tail_};
}

LogTail LogReader::tail() const {
  const env::Lock lock(mutex_);
  return tail_;
}

Position LogReader::first() const {
  const env::Lock lock(mutex_);
  return table_->first;
}

Result<std::shared_ptr<ReadableSegment>> LogReader::open(
    const std::shared_ptr<const SegmentFile>& segment) const {
  {
    const env::Lock lock(mutex_);
    for (auto it = open_.begin(); it != open_.end(); ++it) {
      if ((*it)->segment().header.key.life != segment->header.key.life) continue;
      open_.splice(open_.begin(), open_, it);
      return open_.front();
    }
  }
  auto file = files_.open(segment->path, env::OpenMode::kRead);
  if (!file) {
    if (file.error().code() != ErrorCode::not_found) return std::move(file).error();
    return corrupt_at(segment->path, 0, "a log segment is missing", "a segment", "no file");
  }
  BRAID_ASSIGN(const SegmentHeader header, read_segment_header(**file, segment->path));
  if (!(header == segment->header)) {
    return corrupt_at(segment->path, 0, "a log segment was replaced",
                      fmt::format("life {:016x}", segment->header.key.life),
                      fmt::format("life {:016x}", header.key.life));
  }
  auto opened = std::make_shared<ReadableSegment>(segment, *std::move(file));
  const env::Lock lock(mutex_);
  open_.push_front(opened);
  if (open_.size() > kOpenSegmentsMax) open_.pop_back();
  return opened;
}

Status LogReader::read(Position first, Position last, const RecordVisitor& visit) const {
  Progress progress;
  progress.next = first;
  while (true) {
    const View now = view();
    const SegmentTable& table = *now.table;
    if (progress.next < table.first) return reclaimed(progress.next, table.first);
    const Position stop = std::min(last, now.tail.last);  // L5
    if (progress.next > stop) return Unit{};
    const auto after =
        std::partition_point(table.segments.begin(), table.segments.end(),
                             [&](const auto& s) { return s->header.first <= progress.next; });
    const auto index = static_cast<std::size_t>(after - table.segments.begin()) - 1;
    const Position end = std::min(stop, last_of(table, index, now.tail.last));
    Status done = read_segment(now, index, end, visit, progress);
    if (done) continue;
    if (progress.was_refused || !has_changed_since(now)) return done;
  }
}

Status LogReader::read_segment(const View& view, std::size_t index, Position last,
                               const RecordVisitor& visit, Progress& progress) const {
  BRAID_ASSIGN(const auto opened, open(view.table->segments[index]));
  BRAID_ASSIGN(WalkState state, opened->locate(progress.next));
  const SegmentFile& segment = opened->segment();
  SegmentWalker walker(opened->file(), segment,
                       last > progress.next ? kReadWindowBytes : kPointWindowBytes);
  while (progress.next <= last) {
    if (progress.has_hash && state.next == progress.next && state.hash != progress.hash) {
      return corrupt_at(segment.path, state.offset, "the chain is broken",
                        base::hex_of(progress.hash), base::hex_of(state.hash));  // L1
    }
    BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(state));
    if (!frame.has_value()) return walker.missing_frame(state, "a frame is damaged");
    if (frame->kind != FrameKind::kRecords) continue;
    BRAID_ASSIGN(const std::vector<Record> records, decode_group(segment, walker, *frame));
    for (const Record& record : records) {
      if (record.position < progress.next || record.position > last) continue;
      Status visited = visit(record);
      progress.was_refused = !visited.ok();
      BRAID_TRY(std::move(visited));
      progress.next = record.position.next();
      progress.hash = record.hash;
      progress.has_hash = true;
    }
  }
  return Unit{};
}

Status LogReader::verify() const {
  while (true) {
    const View now = view();
    Status good = Unit{};
    for (std::size_t i = 0; good.ok() && i < now.table->segments.size(); ++i) {
      good = verify_segment(now, i);
    }
    if (good.ok() || !has_changed_since(now)) return good;
  }
}

Status LogReader::verify_segment(const View& view, std::size_t index) const {
  const SegmentTable& table = *view.table;
  const bool is_last = index + 1 == table.segments.size();
  BRAID_ASSIGN(const auto opened, open(table.segments[index]));
  const SegmentFile& segment = opened->segment();
  BRAID_TRY(read_segment_header(opened->file(), segment.path));
  SegmentWalker walker(opened->file(), segment, kReadWindowBytes);
  WalkState state = start_of(segment.header);
  const Position last = last_of(table, index, view.tail.last);
  while (state.next <= last) {
    BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(state));
    if (!frame.has_value()) return walker.missing_frame(state, "a frame is damaged");
    BRAID_TRY(decode_group(segment, walker, *frame));
  }
  if (is_last) return verify_end(*opened, state);
  const SegmentFile& next = *table.segments[index + 1];
  if (state.next != next.header.first || state.hash != next.header.hash_before) {
    return corrupt_at(next.path, 0, "a log segment does not continue the one before it",
                      base::hex_of(state.hash), base::hex_of(next.header.hash_before));
  }
  while (state.last_kind != FrameKind::kContinued) {
    BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(state));
    if (frame.has_value() && frame->kind != FrameKind::kRecords) continue;
    // A superseded group, or nothing: the writer that made the next segment has not come back yet.
    BRAID_ASSIGN(const bool is_unfinished, has_only_initial_frames(next));
    if (is_unfinished) return Unit{};
    return walker.missing_frame(state, "the frame that leads to the next log segment is missing");
  }
  return Unit{};
}

Result<bool> LogReader::has_only_initial_frames(const SegmentFile& segment) const {
  BRAID_ASSIGN(const auto opened, open(std::make_shared<const SegmentFile>(segment)));
  SegmentWalker walker(opened->file(), segment, kPointWindowBytes);
  WalkState state = start_of(segment.header);
  for (std::uint32_t i = 0; i <= segment.header.initial_frames; ++i) {
    BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(state));
    if (!frame.has_value()) return true;
  }
  return false;
}

Status LogReader::verify_end(const ReadableSegment& opened, WalkState state) const {
  std::uint64_t from = 0;
  while (true) {
    SegmentWalker walker(opened.file(), opened.segment(), kReadWindowBytes);
    while (true) {
      BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(state));
      if (!frame.has_value()) break;
    }
    SegmentWalker scanner(opened.file(), opened.segment(), kReadWindowBytes);
    BRAID_ASSIGN(const auto later, scanner.find_frame_after(state.offset));
    if (!later.has_value() || state.last_kind == FrameKind::kContinued) return Unit{};
    // An appender beside us may have gone on: look again, until nothing new is found.
    if (from == state.offset) return walker.missing_frame(state, "a frame is damaged");
    from = state.offset;
  }
}

}  // namespace braid::log
