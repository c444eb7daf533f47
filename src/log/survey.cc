// SPDX-License-Identifier: Apache-2.0
#include "log/survey.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/coding.h"

namespace braid::log {
namespace {

/// How far behind the end a follower looks for damage each time.
constexpr std::uint64_t kNearbyBytes = std::uint64_t{256} << 10;
constexpr std::size_t kScanWindowBytes = std::size_t{1} << 20;

struct OpenedSegment {
  std::unique_ptr<env::File> file;
  std::shared_ptr<const SegmentFile> segment;
  std::uint64_t size_bytes = 0;
};

/// A failure to open is `corrupt` when the file is gone: the directory named it.
Result<OpenedSegment> open_segment(env::FileSystem& files, const std::string& directory,
                                   Position first, const std::optional<GraphId>& graph) {
  OpenedSegment opened;
  const std::string path = env::join(directory, segment_name(first));
  auto file = files.open(path, env::OpenMode::kRead);
  if (!file) {
    if (file.error().code() != ErrorCode::not_found) return std::move(file).error();
    return corrupt_at(path, 0, "a log segment is missing", "a segment", "no file");
  }
  opened.file = *std::move(file);
  BRAID_ASSIGN(opened.size_bytes, opened.file->size());
  BRAID_ASSIGN(SegmentHeader header, read_segment_header(*opened.file, path));
  if (header.first != first) {
    return corrupt_at(path, 0, "a log segment has another name than it was given",
                      segment_name(header.first), segment_name(first));
  }
  if (graph.has_value() && header.key.graph != *graph) {
    return corrupt_at(path, 0, "a log segment belongs to another graph", graph->to_string(),
                      header.key.graph.to_string());
  }
  opened.segment = std::make_shared<const SegmentFile>(SegmentFile{path, header});
  return opened;
}

/// The `continued` frame in the last block of the file, where it stands unless a crash came first.
Result<std::optional<FrameHeader>> continued_at_end(const OpenedSegment& opened) {
  if (opened.size_bytes < 2 * kBlockBytes || opened.size_bytes % kBlockBytes != 0) {
    return std::optional<FrameHeader>();
  }
  const SegmentKey& key = opened.segment->header.key;
  const std::uint64_t offset = opened.size_bytes - kBlockBytes;
  BRAID_ASSIGN(const std::string block,
               env::read_exactly(*opened.file, opened.segment->path, offset, kBlockBytes));
  const auto header = decode_frame_header(key, block, offset);
  if (!header || header->kind != FrameKind::kContinued) return std::optional<FrameHeader>();
  if (!check_frame_bytes(key, *header, block)) return std::optional<FrameHeader>();
  return std::optional<FrameHeader>(*header);
}

/// `corrupt` if the segment says that another one follows it than the one that does.
Status check_follower(const OpenedSegment& opened, const SegmentFile& next,
                      const std::optional<FrameHeader>& continued) {
  if (!continued.has_value() || continued->first == next.header.first) return Unit{};
  const std::string directory = env::parent_of(opened.segment->path);
  return corrupt_at(env::join(directory, segment_name(continued->first)), 0,
                    "a log segment is missing", "a segment", "no file");  // L12
}

/// What a walk through an older segment found.
struct ClosedWalk {
  /// Whether its frames reach the next segment's first position with the right hash.
  bool reaches_next = false;
  bool is_continued = false;
  WalkState before_last;
  WalkState end;
  Position last_first;
};

Error does_not_line_up(const SegmentFile& next, const base::Digest& found) {
  return corrupt_at(next.path, 0, "a log segment does not continue the one before it",
                    base::hex_of(found), base::hex_of(next.header.hash_before));
}

Result<ClosedWalk> walk_closed(const OpenedSegment& opened, const SegmentFile& next) {
  SegmentWalker walker(*opened.file, *opened.segment);
  ClosedWalk walk;
  walk.end = start_of(opened.segment->header);
  while (true) {
    if (walk.end.next == next.header.first) {
      if (walk.end.hash != next.header.hash_before) return does_not_line_up(next, walk.end.hash);
      walk.reaches_next = true;
    }
    const WalkState before = walk.end;
    BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(walk.end));
    if (!frame.has_value()) break;
    walk.before_last = before;
    walk.last_first = frame->first;
    walk.is_continued = frame->kind == FrameKind::kContinued && frame->first == next.header.first;
  }
  if (walk.is_continued) return walk;
  if (!walk.reaches_next) {
    return walker.missing_frame(walk.end, "frames are missing before the next log segment");  // L12
  }
  BRAID_ASSIGN(const auto later, walker.find_frame_after(walk.end.offset));
  if (later.has_value()) return walker.missing_frame(walk.end, "a frame is damaged");  // L12
  return walk;
}

/// Where `continued` belongs in the segment before one that has only its initial frames: over the
/// last frame if that is superseded or a marker, which may not be durable; else behind it.
Result<WalkState> find_continued_place(const OpenedSegment& opened, const SegmentFile& next) {
  BRAID_ASSIGN(const auto continued, continued_at_end(opened));
  BRAID_TRY(check_follower(opened, next, continued));
  BRAID_ASSIGN(const ClosedWalk walk, walk_closed(opened, next));
  if (walk.end.next < next.header.first || walk.end.frames_count == 0) {
    return corrupt_at(opened.segment->path, walk.end.offset, "frames are missing",
                      fmt::format("position {}", next.header.first.value - 1),
                      fmt::format("position {}", walk.end.next.value - 1));
  }
  if (walk.last_first >= next.header.first) {
    if (walk.end.next > next.header.first && next.header.epoch <= walk.end.epoch) {
      return corrupt_at(next.path, 0, "two segments hold one position and none is newer",
                        fmt::format("an epoch over {}", walk.end.epoch.value),
                        fmt::format("{}", next.header.epoch.value));
    }
    return walk.before_last;
  }
  return walk.end;
}

Status check_closed(const OpenedSegment& opened, const SegmentFile& next) {
  if (opened.segment->header.epoch > next.header.epoch) {
    return corrupt_at(next.path, 0, "an epoch went back",
                      fmt::format("at least {}", opened.segment->header.epoch.value),
                      fmt::format("{}", next.header.epoch.value));
  }
  BRAID_ASSIGN(const auto continued, continued_at_end(opened));
  BRAID_TRY(check_follower(opened, next, continued));
  if (continued.has_value() && continued->hash_before == next.header.hash_before) return Unit{};
  BRAID_ASSIGN(const ClosedWalk walk, walk_closed(opened, next));
  if (walk.is_continued) return Unit{};
  return corrupt_at(opened.segment->path, walk.end.offset,
                    "the frame that leads to the next log segment is missing", "a continued frame",
                    "none");
}

/// Reads the last frame as a whole, if it is a group: `survey.unproven`, or nothing if it is torn.
Status check_last_group(const OpenedSegment& opened, SegmentWalker& walker,
                        const FrameHeader& frame, Survey& survey) {
  BRAID_ASSIGN(const std::string_view bytes, walker.frame_bytes(frame));
  if (decode_frame_records(opened.segment->header.key, frame, bytes)) {
    survey.unproven = UnprovenGroup{frame, std::string(payload_of(frame, bytes))};
    return Unit{};
  }
  survey.end = survey.before_last;
  return Unit{};
}

/// Walks to the end of the last segment, as far as valid frames go.
Status walk_frames(SegmentWalker& walker, Survey& survey, std::optional<FrameHeader>& last) {
  while (true) {
    const WalkState before = survey.end;
    BRAID_ASSIGN(const std::optional<FrameHeader> frame, walker.step(survey.end));
    if (!frame.has_value()) return Unit{};
    survey.before_last = before;
    last = frame;
  }
}

/// Walks on from survey.end to the end of the last segment. `nearby_bytes`: how far behind the end
/// to look for frames.
Status walk_last(const OpenedSegment& opened, Survey& survey, std::uint64_t nearby_bytes) {
  const SegmentFile& segment = *opened.segment;
  const std::size_t scan_window_bytes =
      std::min<std::uint64_t>({kScanWindowBytes, nearby_bytes, opened.size_bytes});
  std::optional<FrameHeader> last;
  while (true) {
    SegmentWalker walker(*opened.file, segment);
    const std::uint64_t from = survey.end.offset;
    BRAID_TRY(walk_frames(walker, survey, last));
    SegmentWalker scanner(*opened.file, segment, scan_window_bytes);
    BRAID_ASSIGN(const auto later, scanner.find_frame_after(survey.end.offset, nearby_bytes));
    if (!later.has_value()) break;
    // A writer beside us may have appended since: then a fresh look goes on from here.
    if (from == survey.end.offset) return walker.missing_frame(survey.end, "a frame is damaged");
  }
  if (survey.end.last_kind == FrameKind::kContinued) {
    return corrupt_at(env::join(env::parent_of(segment.path), segment_name(survey.end.next)), 0,
                      "a log segment is missing", "a segment", "no file");  // L12
  }
  if (opened.size_bytes != segment.header.segment_bytes) {
    return corrupt_at(segment.path, opened.size_bytes, "the log segment has another size",
                      fmt::format("{} bytes", segment.header.segment_bytes),
                      fmt::format("{} bytes", opened.size_bytes));  // L12
  }
  survey.is_clean = survey.end.last_kind == FrameKind::kCleanStop;
  if (last.has_value() && last->kind == FrameKind::kRecords) {
    SegmentWalker walker(*opened.file, segment);
    BRAID_TRY(check_last_group(opened, walker, *last, survey));
  }
  if (survey.end.frames_count < segment.header.initial_frames) {  // L9
    SegmentWalker walker(*opened.file, segment);
    return walker.missing_frame(survey.end, "a frame is damaged");
  }
  return Unit{};
}

/// Splits the names; `corrupt` if there is no segment.
Result<std::vector<Position>> sort_names(env::FileSystem& files, const std::string& directory,
                                         Survey& survey) {
  auto names = files.list(directory);
  if (!names) {
    if (names.error().code() != ErrorCode::not_found) return std::move(names).error();
    return corrupt_at(directory, 0, "the log's directory is missing", "a directory", "nothing");
  }
  std::vector<Position> firsts;
  for (std::string& name : *names) {
    const auto first = parse_segment_name(name);
    if (first.has_value()) {
      firsts.push_back(*first);
    } else {
      survey.other_names.push_back(std::move(name));
    }
  }
  if (firsts.empty()) {
    return corrupt_at(directory, 0, "the log has no segment", "a segment", "none");  // L12
  }
  std::sort(firsts.begin(), firsts.end());
  return firsts;
}

}  // namespace

LogTail Survey::proven_tail() const { return (unproven.has_value() ? before_last : end).tail(); }

Result<SegmentHeader> read_segment_header(const env::File& file, const std::string& path) {
  BRAID_ASSIGN(const std::string block, env::read_exactly(file, path, 0, kBlockBytes));
  auto header = decode_segment_header(block);
  if (!header) return at_place(header.error(), path, 0);
  return header;
}

Result<Survey> survey_log(env::FileSystem& files, const std::string& directory,
                          const std::optional<GraphId>& graph) {
  Survey survey;
  BRAID_ASSIGN(std::vector<Position> firsts, sort_names(files, directory, survey));
  BRAID_ASSIGN(const OpenedSegment last, open_segment(files, directory, firsts.back(), graph));
  const GraphId owner = last.segment->header.key.graph;
  BRAID_ASSIGN(const env::FileInfo info, files.stat(last.segment->path));
  survey.last_inode = info.inode;
  survey.end = survey.before_last = start_of(last.segment->header);
  BRAID_TRY(walk_last(last, survey, UINT64_MAX));
  survey.table.first = survey.end.log_first;

  while (firsts.front() < survey.table.first) {
    survey.leftover_names.push_back(segment_name(firsts.front()));
    firsts.erase(firsts.begin());
  }
  if (firsts.empty() || firsts.front() != survey.table.first) {
    return corrupt_at(env::join(directory, segment_name(survey.table.first)), 0,
                      "the first log segment is missing", "a segment", "no file");  // L12
  }
  const bool only_initial = survey.end.frames_count <= last.segment->header.initial_frames;
  std::optional<OpenedSegment> before;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const bool is_last = i + 1 == firsts.size();
    OpenedSegment opened;
    if (!is_last) {
      BRAID_ASSIGN(opened, open_segment(files, directory, firsts[i], owner));
    }
    const auto& segment = is_last ? last.segment : opened.segment;
    if (before.has_value() && is_last && only_initial) {
      BRAID_ASSIGN(survey.continued_place, find_continued_place(*before, *segment));
    } else if (before.has_value()) {
      BRAID_TRY(check_closed(*before, *segment));
    }
    survey.bytes_total += is_last ? last.size_bytes : opened.size_bytes;
    survey.table.segments.push_back(segment);
    before = std::move(opened);
  }
  return survey;
}

Result<std::optional<Survey>> survey_growth(env::FileSystem& files, const std::string& directory,
                                            const Survey& before) {
  Survey survey;
  BRAID_ASSIGN(const std::vector<Position> firsts, sort_names(files, directory, survey));
  const auto& segments = before.table.segments;
  const bool same = firsts.size() == segments.size() + before.leftover_names.size() &&
                    firsts.back() == before.last().header.first &&
                    firsts[firsts.size() - segments.size()] == segments.front()->header.first;
  if (!same) return std::nullopt;
  BRAID_ASSIGN(const env::FileInfo info, files.stat(before.last().path));
  if (info.inode != before.last_inode) return std::nullopt;
  BRAID_ASSIGN(const OpenedSegment last,
               open_segment(files, directory, firsts.back(), before.last().header.key.graph));
  if (!(last.segment->header == before.last().header)) return std::nullopt;
  survey.table = before.table;
  survey.leftover_names = before.leftover_names;
  survey.last_inode = before.last_inode;
  survey.bytes_total = before.bytes_total;
  survey.end = survey.before_last = before.before_last;
  BRAID_TRY(walk_last(last, survey, kNearbyBytes));
  if (survey.end.log_first != before.table.first) return std::nullopt;
  return survey;
}

}  // namespace braid::log
