// SPDX-License-Identifier: Apache-2.0
// How a session of the file log begins: on nothing, after a clean stop, after an unclean one, and
// anew after a failed write. The crash table is in docs/formats/log.md.
#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/coding.h"
#include "log/append_result.h"
#include "log/log_writer.h"

namespace braid::log {
namespace {

/// An `opened` frame, and behind it a seal, a clean stop and a `continued` frame.
constexpr std::uint64_t kSessionRoomBytes = 4 * kBlockBytes;

}  // namespace

SegmentHeader LogWriter::new_header(const WalkState& at, const FreshFile& fresh,
                                    std::uint32_t initial_frames) const {
  SegmentHeader header;
  header.key = make_segment_key(graph_, env_.random);
  header.first = at.next;
  header.epoch = epoch_;
  header.segment_bytes = fresh.size_bytes;
  header.log_first = at.log_first;
  header.initial_frames = initial_frames;
  header.time_ms = at.time_ms;
  header.hash_before = at.hash;
  return header;
}

Status LogWriter::install(FreshFile& fresh, const SegmentHeader& header, std::string_view frames,
                          bool& was_named) {
  was_named = false;
  const std::string bytes = encode_segment_header(header) + std::string(frames);
  Status durable = write_and_sync(*fresh.file, 0, bytes);
  if (!durable) {
    maker_.discard(std::move(fresh));
    return durable;
  }
  was_named = true;  // or half so: only a survey can tell from here on
  BRAID_TRY(maker_.install(fresh, env::join(directory_, segment_name(header.first))));  // L9
  stats_.segments_started += 1;
  return env_.files.sync_directory(directory_);  // L14
}

void LogWriter::begin_segment(std::shared_ptr<const SegmentFile> segment,
                              std::unique_ptr<env::File> file) {
  at_ = start_of(segment->header);
  bytes_total_ += segment->header.segment_bytes;
  table_.segments.push_back(std::move(segment));
  file_ = std::move(file);
  is_spare_wanted_ = false;
  if (maker_.want_reserve(options_.segment_bytes_min)) maker_job_->wake();
}

Status LogWriter::create(const std::vector<std::string>& names) {
  const env::Lock lock(mutex_);
  BRAID_TRY(maker_.adopt(names));
  BRAID_TRY(maker_.make_reserve_now(options_.segment_bytes_min));
  BRAID_ASSIGN(FreshFile fresh,
               maker_.take(options_.segment_bytes_min, options_.segment_bytes_min));
  epoch_ = {1};
  at_ = {};
  at_.next = {1};
  at_.log_first = {1};
  at_.hash = genesis_hash(graph_);
  const SegmentHeader header = new_header(at_, fresh, 1);
  const EncodedFrame opened = encode_frame(header.key, next_header(FrameKind::kOpened), {});
  bool was_named = false;
  BRAID_TRY(install(fresh, header, opened.bytes, was_named));
  table_.first = {1};
  begin_segment(std::make_shared<const SegmentFile>(
                    SegmentFile{env::join(directory_, segment_name(header.first)), header}),
                std::move(fresh.file));
  advance(at_, opened.header);
  reader_.publish(table_, tail());
  return Unit{};
}

Status LogWriter::start(const Survey& survey) {
  const env::Lock lock(mutex_);
  BRAID_TRY(maker_.adopt(survey.other_names));
  BRAID_TRY(survey.is_clean ? resume_clean(survey) : rebuild_tail(survey));
  reader_.publish(table_, tail());
  BRAID_TRY(remove_leftovers(survey.leftover_names));
  if (maker_.want_reserve(options_.segment_bytes_min)) maker_job_->wake();
  return Unit{};
}

Status LogWriter::resume_clean(const Survey& survey) {
  BRAID_ASSIGN(file_, env_.files.open(survey.last().path, env::OpenMode::kReadWrite));
  epoch_ = survey.epoch().next();
  table_ = survey.table;
  bytes_total_ = survey.bytes_total;
  // Over the clean stop: it may be in the cache only, and must not be left behind other frames.
  at_ = survey.before_last;
  at_.log_first = survey.end.log_first;
  BRAID_TRY(make_room(kBlockBytes));
  return write_marker(FrameKind::kOpened);
}

Status LogWriter::rebuild_tail(const Survey& survey) {
  const WalkState& place = survey.before_last;
  const SegmentFile& old = survey.last();
  const std::uint64_t copy_bytes =
      survey.unproven.has_value() ? survey.unproven->header.frame_bytes() : 0;
  const std::uint64_t needed_bytes = kBlockBytes + copy_bytes + kSessionRoomBytes;
  BRAID_ASSIGN(
      FreshFile fresh,
      maker_.take_for_recovery(needed_bytes, std::max(needed_bytes, options_.segment_bytes_min)));
  epoch_ = survey.epoch().next();
  WalkState at = place;
  at.log_first = survey.end.log_first;
  const SegmentHeader header = new_header(at, fresh, survey.unproven.has_value() ? 1 : 0);
  std::optional<EncodedFrame> copy;
  if (survey.unproven.has_value()) {
    FrameHeader again = survey.unproven->header;
    again.epoch = epoch_;
    again.offset = kBlockBytes;
    copy = encode_frame(header.key, again, survey.unproven->payload);
  }
  bool was_named = false;
  BRAID_TRY(install(fresh, header, copy.has_value() ? copy->bytes : std::string(), was_named));

  const bool replaces_old = header.first == old.header.first;
  table_ = survey.table;
  bytes_total_ = survey.bytes_total;
  if (replaces_old) {
    table_.segments.pop_back();
    bytes_total_ -= old.header.segment_bytes;
  } else {
    bytes_total_ -= old.header.segment_bytes - place.offset - kBlockBytes;
  }
  begin_segment(std::make_shared<const SegmentFile>(
                    SegmentFile{env::join(directory_, segment_name(header.first)), header}),
                std::move(fresh.file));
  if (copy.has_value()) advance(at_, copy->header);
  // Readers leave the old place of the group before its block is written again. What they may read
  // stays what it was until the session is open.
  if (reader_.tail().last.value > 0) reader_.publish(table_, reader_.tail());
  if (survey.continued_place.has_value()) {
    const SegmentFile& before = *survey.table.segments[survey.table.segments.size() - 2];
    BRAID_TRY(
        end_segment(before, *survey.continued_place, old.header.first, old.header.hash_before));
  }
  if (!replaces_old) BRAID_TRY(end_segment(old, place, header.first, header.hash_before));
  poisoned_.reset();
  return write_marker(FrameKind::kOpened);
}

Status LogWriter::end_segment(const SegmentFile& segment, const WalkState& place, Position next,
                              const base::Digest& hash) {
  FrameHeader header;
  header.kind = FrameKind::kContinued;
  header.epoch = epoch_;
  header.offset = place.offset;
  header.first = next;
  header.time_ms = place.time_ms;
  header.hash_before = header.hash_after = hash;
  BRAID_ASSIGN(const auto file, env_.files.open(segment.path, env::OpenMode::kReadWrite));
  stats_.markers += 1;
  // Frees the superseded rest; also without, the frame ends the segment.
  static_cast<void>(file->truncate(place.offset + kBlockBytes).ok());
  return write_and_sync(*file, place.offset, encode_frame(segment.header.key, header, {}).bytes);
}

Status LogWriter::remove_leftovers(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    Status removed = env_.files.remove(env::join(directory_, name));
    if (!removed && removed.error().code() != ErrorCode::not_found) return removed;
  }
  return names.empty() ? Status(Unit{}) : env_.files.sync_directory(directory_);
}

Result<LogTail> LogWriter::recover() {
  const env::Lock lock(mutex_);
  if (is_closed_) return closed_error();
  if (!poisoned_.has_value()) return tail();
  const LogTail acknowledged = reader_.tail();
  const Error cause = *poisoned_;
  BRAID_ASSIGN(const Survey survey, survey_log(env_.files, directory_, graph_));
  const LogTail found = survey.unproven.has_value() ? survey.end.tail() : survey.proven_tail();
  const bool is_same = found.last > acknowledged.last || found.hash == acknowledged.hash;
  if (found.last < acknowledged.last || !is_same) {  // L4
    return corrupt_at(survey.last().path, survey.end.offset, "acknowledged records are gone",
                      base::hex_of(acknowledged.hash), base::hex_of(found.hash));
  }
  stats_.recoveries += 1;
  Status rebuilt = rebuild_tail(survey);
  if (!rebuilt) {
    poisoned_ = cause;
    return std::move(rebuilt).error();
  }
  reader_.publish(table_, tail());
  return tail();
}

}  // namespace braid::log
