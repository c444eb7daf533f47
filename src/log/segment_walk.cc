// SPDX-License-Identifier: Apache-2.0
#include "log/segment_walk.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/coding.h"

namespace braid::log {

LogTail WalkState::tail() const {
  return {.last = {next.value - 1}, .hash = hash, .epoch = epoch, .time_ms = time_ms};
}

WalkState start_of(const SegmentHeader& header) {
  WalkState state;
  state.next = header.first;
  state.hash = header.hash_before;
  state.epoch = header.epoch;
  state.time_ms = header.time_ms;
  state.log_first = header.log_first;
  return state;
}

void advance(WalkState& state, const FrameHeader& frame) {
  BRAID_ASSERT(state.offset == frame.offset);
  BRAID_ASSERT(state.next == frame.first);  // L4
  state.offset += frame.frame_bytes();
  state.next = frame.next();
  state.hash = frame.hash_after;
  state.epoch = frame.epoch;
  state.time_ms = frame.time_ms;
  state.frames_count += 1;
  state.last_kind = frame.kind;
}

Result<std::string_view> WindowReader::view(std::uint64_t offset, std::size_t size) {
  const bool is_inside = offset >= begin_ && offset - begin_ <= window_.size() &&
                         size <= window_.size() - (offset - begin_);
  if (!is_inside) {
    window_.resize(std::max(window_bytes_, size));
    begin_ = offset;
    auto read_bytes = file_.read_at(offset, window_.data(), window_.size());
    window_.resize(read_bytes ? *read_bytes : 0);
    if (!read_bytes) return std::move(read_bytes).error();
  }
  return std::string_view(window_).substr(offset - begin_, size);
}

Result<std::optional<FrameHeader>> SegmentWalker::step(WalkState& state) {
  why_not_.reset();
  if (state.last_kind == FrameKind::kContinued) return std::nullopt;
  auto read = reader_.view(state.offset, kBlockBytes);
  if (!read) return at_place(read.error(), segment_.path, state.offset);
  const std::string_view block = *read;
  auto header = decode_frame_header(segment_.header.key, block, state.offset);
  if (!header) {
    why_not_ = std::move(header).error();
    return std::nullopt;
  }
  if (header->kind != FrameKind::kRecords) {
    Status whole = check_frame_bytes(segment_.header.key, *header, block);
    if (!whole) {
      why_not_ = std::move(whole).error();
      return std::nullopt;
    }
  }
  BRAID_TRY(check_successor(state, *header));
  advance(state, *header);
  if (header->kind == FrameKind::kTruncated) {
    auto first = decode_truncated(*header, block);
    if (!first) return at_place(first.error(), segment_.path, header->offset);
    state.log_first = std::max(state.log_first, *first);
  }
  return *header;
}

Status SegmentWalker::check_successor(const WalkState& state, const FrameHeader& header) const {
  const auto broken = [&](std::string_view message, std::string expected, std::string actual) {
    return corrupt_at(segment_.path, header.offset, message, std::move(expected),
                      std::move(actual));
  };
  if (header.first != state.next) {  // L10
    return broken("positions are not dense", fmt::format("{}", state.next.value),
                  fmt::format("{}", header.first.value));
  }
  if (header.hash_before != state.hash) {  // L10
    return broken("the chain is broken", base::hex_of(state.hash),
                  base::hex_of(header.hash_before));
  }
  if (header.epoch < state.epoch) {  // L10
    return broken("an epoch went back", fmt::format("{}", state.epoch.value),
                  fmt::format("{}", header.epoch.value));
  }
  if (header.time_ms < state.time_ms) {  // L10
    return broken("time went back", fmt::format("{}", state.time_ms),
                  fmt::format("{}", header.time_ms));
  }
  return Unit{};
}

Result<std::string_view> SegmentWalker::frame_bytes(const FrameHeader& header) {
  auto read = reader_.view(header.offset, header.frame_bytes());
  if (!read) return at_place(read.error(), segment_.path, header.offset);
  return *read;
}

Result<std::optional<std::uint64_t>> SegmentWalker::find_frame_after(std::uint64_t offset,
                                                                     std::uint64_t bytes_max) {
  const std::uint64_t end = bytes_max < UINT64_MAX - offset ? offset + bytes_max : UINT64_MAX;
  for (std::uint64_t at = offset + kBlockBytes; at < end; at += kBlockBytes) {
    auto read = reader_.view(at, kFrameHeaderBytes);
    if (!read) return at_place(read.error(), segment_.path, at);
    if (read->size() < kFrameHeaderBytes) return std::nullopt;
    if (has_frame_magic(*read) && decode_frame_header(segment_.header.key, *read, at)) return at;
  }
  return std::nullopt;
}

Error SegmentWalker::missing_frame(const WalkState& state, std::string_view message) const {
  const std::string* expected = why_not_ ? why_not_->detail("expected") : nullptr;
  const std::string* actual = why_not_ ? why_not_->detail("actual") : nullptr;
  return corrupt_at(segment_.path, state.offset, message,
                    fmt::format("a frame of position {} ({})", state.next.value,
                                expected != nullptr ? *expected : "any"),
                    actual != nullptr ? *actual : "the last frame of the segment");
}

}  // namespace braid::log
