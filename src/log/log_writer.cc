// SPDX-License-Identifier: Apache-2.0
#include "log/log_writer.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/coding.h"
#include "log/append_result.h"

namespace braid::log {
namespace {

/// Room kept behind each group for a seal, a clean stop and a `continued` frame.
constexpr std::uint64_t kMarkersRoomBytes = 3 * kBlockBytes;

}  // namespace

Status validate(const LogOptions& options) {
  const bool whole_blocks =
      options.segment_bytes_min % kBlockBytes == 0 && options.segment_bytes_max % kBlockBytes == 0;
  if (!whole_blocks || options.segment_bytes_min < 8 * kBlockBytes ||
      options.segment_bytes_max < options.segment_bytes_min) {
    return Error(ErrorCode::bad_request,
                 "segment sizes are multiples of 4 KiB, at least 32 KiB, minimum before maximum");
  }
  if (options.group.records_max == 0 || options.group.bytes_max > UINT32_MAX / 2 ||
      options.seal_idle_ms < 0) {
    return Error(ErrorCode::bad_request, "a limit of the log is out of bounds");
  }
  return Unit{};
}

LogWriter::LogWriter(env::Env& env, std::string directory, GraphId graph, const LogOptions& options,
                     LogReader& reader)
    : env_(env),
      directory_(std::move(directory)),
      graph_(graph),
      options_(options),
      reader_(reader),
      maker_(env.files, directory_) {
  maker_job_ = env_.workers.start("log-spare", [this] {
    return maker_.step() ? env::NextStep::now() : env::NextStep::when_woken();
  });
  seal_job_ = env_.workers.start("log-seal", [this] { return seal_step(); });
}

LogWriter::~LogWriter() {
  seal_job_->stop();
  maker_job_->stop();
}

LogTail LogWriter::tail() const {
  LogTail tail = at_.tail();
  tail.epoch = epoch_;
  return tail;
}

LogStats LogWriter::stats() const {
  const env::Lock lock(mutex_);
  LogStats stats = stats_;
  stats.files_made = maker_.made_count();
  return stats;
}

Status LogWriter::poison(Error cause) {
  poisoned_ = cause;  // L13
  return cause;
}

Status LogWriter::check_usable() const {
  if (is_closed_) return closed_error();
  if (poisoned_.has_value()) return outcome_unknown_error(*poisoned_);
  return Unit{};
}

FrameHeader LogWriter::next_header(FrameKind kind) const {
  FrameHeader header;
  header.kind = kind;
  header.epoch = epoch_;
  header.offset = at_.offset;
  header.first = at_.next;
  header.time_ms = at_.time_ms;
  header.hash_before = header.hash_after = at_.hash;
  return header;
}

Status LogWriter::write_and_sync(env::File& file, std::uint64_t offset, std::string_view bytes) {
  BRAID_TRY(file.write_at(offset, bytes));
  stats_.bytes_written += bytes.size();
  stats_.syncs += 1;
  return file.sync();
}

Status LogWriter::write_frame(const EncodedFrame& frame) {
  BRAID_ASSERT(!poisoned_.has_value());             // L13
  BRAID_ASSERT(frame.header.offset == at_.offset);  // L6
  Status durable = write_and_sync(*file_, frame.header.offset, frame.bytes);
  if (!durable) return poison(std::move(durable).error());
  advance(at_, frame.header);
  return Unit{};
}

Status LogWriter::write_marker(FrameKind kind, std::string_view payload) {
  stats_.markers += 1;
  const SegmentKey& key = table_.segments.back()->header.key;
  return write_frame(encode_frame(key, next_header(kind), payload));
}

AppendResult LogWriter::append(Position first, std::span<const RecordDraft> group,
                               std::int64_t time_ms) {
  const env::Lock lock(mutex_);
  if (is_closed_) return refused(closed_error());
  if (poisoned_.has_value()) return unknown(outcome_unknown_error(*poisoned_));
  if (Status fits = check_group(group, options_.group); !fits) {
    return refused(std::move(fits).error());
  }
  if (first != at_.next) return lost(at_.next, first);
  std::uint64_t payload_bytes = 0;
  for (const RecordDraft& draft : group) payload_bytes += encoded_size(draft);
  Status room = grow_reserve(frame_bytes_of(payload_bytes));
  if (room) room = make_room(frame_bytes_of(payload_bytes));
  if (!room) {
    if (poisoned_.has_value()) return unknown(outcome_unknown_error(*poisoned_));
    return refused(std::move(room).error());
  }
  FrameHeader header = next_header(FrameKind::kRecords);
  header.time_ms = std::max(header.time_ms, time_ms);
  Status durable = write_frame(encode_group(table_.segments.back()->header.key, header, group));
  if (!durable) return unknown(outcome_unknown_error(*poisoned_));
  stats_.groups += 1;
  stats_.records += group.size();
  reader_.publish_tail(tail());  // L3, L5
  look_ahead();
  return done(tail());
}

void LogWriter::look_ahead() {
  if (options_.seal_idle_ms > 0 && !is_seal_due_) {
    is_seal_due_ = true;
    seal_job_->wake();
  }
  const std::uint64_t segment_bytes = table_.segments.back()->header.segment_bytes;
  if (!is_spare_wanted_ && at_.offset > segment_bytes / 2) {
    is_spare_wanted_ = true;
    if (maker_.want_spare(next_segment_bytes())) maker_job_->wake();
  }
}

env::NextStep LogWriter::seal_step() {
  const env::Lock lock(mutex_);
  const bool can_seal =
      !is_closed_ && !poisoned_.has_value() && at_.last_kind == FrameKind::kRecords;
  if (can_seal && seal_watch_ != at_.next) {
    seal_watch_ = at_.next;
    // Two looks at the same group are needed, so half the time between them.
    return env::NextStep::after_ms(std::max<std::int64_t>(1, options_.seal_idle_ms / 2));
  }
  // A failure poisons the log; the next append reports it.
  if (can_seal) static_cast<void>(write_marker(FrameKind::kSeal).ok());
  is_seal_due_ = false;
  return env::NextStep::when_woken();
}

std::uint64_t LogWriter::next_segment_bytes() const {
  return std::clamp(std::bit_ceil(bytes_total_), options_.segment_bytes_min,
                    options_.segment_bytes_max);
}

Status LogWriter::grow_reserve(std::uint64_t frame_bytes) {
  const std::uint64_t needed_bytes = 2 * kBlockBytes + frame_bytes + kMarkersRoomBytes;
  if (needed_bytes <= options_.segment_bytes_min) return Unit{};
  return maker_.make_reserve_now(std::bit_ceil(needed_bytes));
}

Status LogWriter::make_room(std::uint64_t bytes) {
  const std::uint64_t needed_bytes = bytes + kMarkersRoomBytes;
  const std::uint64_t segment_bytes = table_.segments.back()->header.segment_bytes;
  if (at_.offset + needed_bytes <= segment_bytes) return Unit{};
  return switch_segment(kBlockBytes + needed_bytes);
}

Status LogWriter::switch_segment(std::uint64_t bytes_min) {
  BRAID_ASSIGN(FreshFile fresh, maker_.take(bytes_min, std::max(bytes_min, next_segment_bytes())));
  const SegmentHeader header = new_header(at_, fresh, 0);
  bool was_named = false;
  Status installed = install(fresh, header, {}, was_named);
  if (!installed) return was_named ? poison(std::move(installed).error()) : installed;
  if (options_.failpoints != nullptr) {
    Status hit = options_.failpoints->hit(env::Failpoint::log_after_segment_created);
    if (!hit) return poison(std::move(hit).error());
  }
  if (header.first == table_.segments.back()->header.first) {
    // The old one held no record, and its name is the new one's now.
    bytes_total_ -= table_.segments.back()->header.segment_bytes;
    table_.segments.pop_back();
  } else {
    // Frees what the last group did not need; also without, the frame ends the segment.
    static_cast<void>(file_->truncate(at_.offset + kBlockBytes).ok());
    BRAID_TRY(write_marker(FrameKind::kContinued));  // L14
    bytes_total_ -= table_.segments.back()->header.segment_bytes - at_.offset;
  }
  const LogTail unchanged = tail();
  begin_segment(std::make_shared<const SegmentFile>(
                    SegmentFile{env::join(directory_, segment_name(header.first)), header}),
                std::move(fresh.file));
  reader_.publish(table_, unchanged);
  return Unit{};
}

Status LogWriter::truncate_below(Position keep_from) {
  const env::Lock lock(mutex_);
  BRAID_TRY(check_usable());
  auto& segments = table_.segments;
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    if (segments[i + 1]->header.first > keep_from) break;
    names.push_back(segment_name(segments[i]->header.first));
  }
  if (names.empty()) return Unit{};
  const Position first = segments[names.size()]->header.first;
  BRAID_TRY(make_room(kBlockBytes));
  base::ByteWriter payload;
  payload.u64(first.value);
  BRAID_TRY(write_marker(FrameKind::kTruncated, payload.view()));
  table_.first = at_.log_first = first;
  segments.erase(segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(names.size()));
  reader_.publish(table_, tail());
  return remove_leftovers(names);
}

Status LogWriter::close() {
  {
    const env::Lock lock(mutex_);
    if (is_closed_) return Unit{};
    BRAID_TRY(check_usable());
    BRAID_TRY(write_marker(FrameKind::kCleanStop));
    is_closed_ = true;
  }
  seal_job_->stop();
  maker_job_->stop();
  return Unit{};
}

}  // namespace braid::log
