// SPDX-License-Identifier: Apache-2.0
// Damage is told from a torn tail, always with file and offset; stale and foreign bytes are never
// believed; a missing piece is never an empty log.
//   BRAID_FLIPS=2000  flips so many random bits of a log of 50 MB (skipped otherwise)
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "env/memory_file_system.h"
#include "log/file_log.h"
#include "log_test_support.h"

namespace braid::log {
namespace {

constexpr const char* kDirectory = "/log";

struct UsedRange {
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_header = false;
  /// The last frame of the log: what a crash may tear, so damage to it is taken for that.
  bool is_last_frame = false;
};

class LogDamage : public testing::Test {
 protected:
  std::unique_ptr<FileLog> create(LogOptions options = {}) {
    auto log = FileLog::create(env_, kDirectory, test_graph(), options);
    EXPECT_TRUE(log) << text_of(log);
    return *std::move(log);
  }
  Result<std::unique_ptr<FileLog>> open() { return FileLog::open(env_, kDirectory, test_graph()); }
  Result<std::unique_ptr<FileLog>> open_read_only() {
    return FileLog::open_read_only(env_, kDirectory, test_graph());
  }
  void append_groups(FileLog& log, int groups, std::size_t records, std::size_t body_bytes) {
    for (int i = 0; i < groups; ++i) {
      const auto group = make_group(random_, records, body_bytes, "g" + std::to_string(i));
      ASSERT_EQ(append(log, group).outcome, AppendOutcome::kDone);
    }
  }
  /// Twelve segments of 32 KiB and more, sealed but not closed; returns the last position.
  std::uint64_t many_segments() {
    LogOptions options;
    options.segment_bytes_min = options.segment_bytes_max = 32 << 10;
    const auto log = create(options);
    append_groups(*log, 40, 2, 3000);
    return log->tail().last.value;
  }
  std::vector<std::string> segment_paths() {
    std::vector<std::string> paths;
    const std::vector<std::string> names = *files_.list(kDirectory);
    for (const std::string& name : names) {
      if (parse_segment_name(name)) paths.push_back(env::join(kDirectory, name));
    }
    return paths;
  }
  std::string bytes_of(const std::string& path) {
    return *env::read_file(files_, path, std::uint64_t{1} << 30);
  }
  void overwrite(const std::string& path, std::uint64_t offset, std::string_view bytes) {
    const auto file = files_.open(path, env::OpenMode::kReadWrite);
    ASSERT_GOOD((*file)->write_at(offset, bytes));
  }
  void flip(const std::string& path, std::uint64_t offset, unsigned bit) {
    const auto file = files_.open(path, env::OpenMode::kReadWrite);
    char byte = 0;
    ASSERT_EQ(*(*file)->read_at(offset, &byte, 1), 1U);
    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << bit));
    ASSERT_GOOD((*file)->write_at(offset, {&byte, 1}));
  }
  /// Headers and frames of all segments.
  std::vector<UsedRange> used_ranges() {
    std::vector<UsedRange> ranges;
    for (const std::string& path : segment_paths()) {
      const auto file = *files_.open(path, env::OpenMode::kRead);
      const SegmentFile segment{path, *read_segment_header(*file, path)};
      ranges.push_back({path, 0, kBlockBytes, true, false});
      SegmentWalker walker(*file, segment);
      WalkState state = start_of(segment.header);
      while (true) {
        const auto frame = *walker.step(state);
        if (!frame.has_value()) break;
        const std::uint64_t payload = frame->offset + kFrameHeaderBytes;
        ranges.push_back({path, frame->offset, payload, true, false});
        ranges.push_back({path, payload, frame->offset + frame->frame_bytes(), false, false});
      }
    }
    (ranges.end() - 1)->is_last_frame = (ranges.end() - 2)->is_last_frame = true;
    return ranges;
  }
  /// What open or verify says; success if neither finds anything. Checks that damage is named, and
  /// that, where the last frame is hit, nothing before it is lost.
  void expect_found(const UsedRange& range, std::uint64_t offset, std::uint64_t last,
                    std::uint64_t last_group_records) {
    auto log = open_read_only();
    const Status status = log ? (*log)->verify() : Status(log.error());
    if (range.is_last_frame && status.ok()) {
      ASSERT_GE((*log)->tail().last.value, last - last_group_records);
      return;
    }
    ASSERT_FALSE(status.ok()) << range.path << " at " << offset;
    const ErrorCode code = status.error().code();
    ASSERT_TRUE(code == ErrorCode::corrupt) << text_of(status);
    ASSERT_NE(status.error().detail("file"), nullptr) << text_of(status);
    ASSERT_NE(status.error().detail("offset"), nullptr) << text_of(status);
    ASSERT_EQ(*status.error().detail("file"), range.path) << text_of(status);
  }

  env::MemoryFileSystem files_;
  env::ManualClock clock_;
  env::SeededRandom random_{7};
  env::ManualWorkers workers_{clock_};
  env::Env env_{files_, clock_, random_, workers_};
};

TEST_F(LogDamage, EveryFlippedBitOfTheMetadataAndSamplesElsewhereAreFound) {  // L1, L8, L9, L12
  {
    const auto log = create();
    append_groups(*log, 8, 2, 1200);
    append_groups(*log, 8, 3, 100'000);
    ASSERT_GOOD(log->close());
  }
  const std::uint64_t last = 8 * 2 + 8 * 3;
  std::uint64_t flips = 0;
  std::uint64_t bytes = 0;
  unsigned bit = 0;
  for (const UsedRange& range : used_ranges()) {
    bytes += range.end - range.begin;
    // A segment header is one block, its frames' headers are short: all of their bytes. Of the
    // rest every 64th, in CI a part of those.
    const std::uint64_t stride = range.is_header ? 1 : 64 * 193;
    for (std::uint64_t offset = range.begin; offset < range.end; offset += stride) {
      bit = (bit + 1) % 8;
      flip(range.path, offset, bit);
      expect_found(range, offset, last, 3);
      flip(range.path, offset, bit);
      if (HasFatalFailure()) return;
      ++flips;
    }
  }
  EXPECT_GT(bytes, std::uint64_t{2} << 20);
  EXPECT_GT(flips, 10'000U);
  EXPECT_GOOD((*open())->verify());
}

TEST_F(LogDamage, RandomFlipsOfALargeLogAreFound) {
  const char* flips = std::getenv("BRAID_FLIPS");
  if (flips == nullptr) GTEST_SKIP() << "set BRAID_FLIPS=2000 to flip bits of a log of 50 MB";
  {
    const auto log = create();
    append_groups(*log, 1000, 8, 6'500);
    ASSERT_GOOD(log->close());
  }
  const std::vector<UsedRange> ranges = used_ranges();
  std::uint64_t bytes = 0;
  for (const UsedRange& range : ranges) bytes += range.end - range.begin;
  EXPECT_GT(bytes, 50'000'000U);
  env::Xoshiro256 chance(11);
  for (std::uint64_t i = std::strtoull(flips, nullptr, 10); i > 0; --i) {
    std::uint64_t place = chance.below(bytes);
    const UsedRange* range = ranges.data();
    while (place >= range->end - range->begin) {
      place -= range->end - range->begin;
      ++range;
    }
    const std::uint64_t offset = range->begin + place;
    const auto bit = static_cast<unsigned>(chance.below(8));
    flip(range->path, offset, bit);
    expect_found(*range, offset, 8000, 8);
    flip(range->path, offset, bit);
    if (HasFatalFailure()) return;
  }
}

TEST_F(LogDamage, DamageToTheUnsealedLastGroupIsTakenForATornTail) {  // L12
  {
    const auto log = create();
    append_groups(*log, 3, 2, 500);
  }
  const std::vector<UsedRange> ranges = used_ranges();
  flip(ranges.back().path, ranges.back().begin + 10, 3);

  const auto log = open();

  ASSERT_TRUE(log) << text_of(log);
  EXPECT_EQ((*log)->tail().last, Position{4});
  EXPECT_GOOD((*log)->verify());
}

TEST_F(LogDamage, SealedLastGroupIsNotTakenForATornTail) {  // L12
  {
    const auto log = create();
    append_groups(*log, 3, 2, 500);
    for (int i = 0; i < 3; ++i) {
      workers_.run_due();
      clock_.advance_ms(25);
    }
  }
  const std::vector<UsedRange> ranges = used_ranges();
  const UsedRange& last_group = ranges[ranges.size() - 3];
  flip(last_group.path, last_group.begin + 10, 3);

  const auto log = open();

  ASSERT_TRUE(log) << text_of(log);  // the payload is not read again to open
  const Status verified = (*log)->verify();
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code(), ErrorCode::corrupt);
  EXPECT_EQ(read_one(**log, {6}).error().code(), ErrorCode::corrupt);
  EXPECT_TRUE(read_one(**log, {4}));
}

TEST_F(LogDamage, ZeroedBlockInTheMiddleIsCorrupt) {  // L12
  {
    const auto log = create();
    append_groups(*log, 5, 1, 500);
  }
  const std::string path = segment_paths().back();
  overwrite(path, 3 * kBlockBytes, std::string(kBlockBytes, '\0'));

  const auto log = open();

  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code(), ErrorCode::corrupt);
  EXPECT_EQ(*log.error().detail("file"), path);
  EXPECT_EQ(*log.error().detail("offset"), std::to_string(3 * kBlockBytes));
}

TEST_F(LogDamage, StaleFramesOfAnOlderLifeAreNeverBelieved) {  // L7
  std::string older_life;
  {
    const auto log = create();
    append_groups(*log, 6, 1, 500);
    older_life = bytes_of(segment_paths().back());
  }
  for (const std::string& path : segment_paths()) ASSERT_GOOD(files_.remove(path));
  {
    const auto log = create();
    append_groups(*log, 2, 1, 500);
  }
  // Header, opened, two groups; the older life's next frames directly behind, and further off.
  const std::string path = segment_paths().back();
  overwrite(path, 4 * kBlockBytes, older_life.substr(4 * kBlockBytes, 3 * kBlockBytes));
  overwrite(path, 100 * kBlockBytes, older_life.substr(2 * kBlockBytes, 5 * kBlockBytes));

  const auto log = open();

  ASSERT_TRUE(log) << text_of(log);
  EXPECT_EQ((*log)->tail().last, Position{2});
  EXPECT_GOOD((*log)->verify());
}

TEST_F(LogDamage, OwnFramesCopiedElsewhereAreNeverBelieved) {  // L7
  {
    const auto log = create();
    append_groups(*log, 3, 1, 500);
  }
  const std::string path = segment_paths().back();
  const std::string bytes = bytes_of(path);
  overwrite(path, 5 * kBlockBytes, bytes.substr(2 * kBlockBytes, 3 * kBlockBytes));

  const auto log = open();

  ASSERT_TRUE(log) << text_of(log);
  EXPECT_EQ((*log)->tail().last, Position{3});
}

TEST_F(LogDamage, FrameInsideAClientsBodyIsNeverBelieved) {  // L7
  const auto log = create();
  append_groups(*log, 2, 1, 500);
  const std::string path = segment_paths().back();
  const std::string valid_frame = bytes_of(path).substr(2 * kBlockBytes, kBlockBytes);
  // The body holds the frame at each 4 KiB boundary of the segment that it can reach.
  const std::size_t before_body = kFrameHeaderBytes + 8 + 56;
  std::string body(kBlockBytes - before_body, 'x');
  for (int i = 0; i < 8; ++i) body += valid_frame;
  ASSERT_EQ(append(*log, {make_draft(random_, body)}).outcome, AppendOutcome::kDone);
  ASSERT_EQ(bytes_of(path).substr(5 * kBlockBytes, kBlockBytes), valid_frame);

  // Its header is lost, as by a torn write: what follows is not taken for frames.
  overwrite(path, 4 * kBlockBytes, std::string(kBlockBytes, '\0'));
  const auto again = open();

  ASSERT_TRUE(again) << text_of(again);
  EXPECT_EQ((*again)->tail().last, Position{2});
  EXPECT_GOOD((*again)->verify());
}

TEST_F(LogDamage, BelievedFrameThatDoesNotContinueTheLogIsCorrupt) {  // L10
  {
    const auto log = create();
    append_groups(*log, 2, 1, 500);
  }
  const std::string path = segment_paths().back();
  const SegmentHeader segment = *decode_segment_header(bytes_of(path).substr(0, kBlockBytes));
  FrameHeader right;
  right.kind = FrameKind::kSeal;
  right.epoch = {1};
  right.offset = 4 * kBlockBytes;
  right.first = {3};
  right.time_ms = 2'000'000'000'000;
  const FrameHeader last =
      *decode_frame_header(segment.key, bytes_of(path).substr(3 * kBlockBytes), 3 * kBlockBytes);
  right.hash_before = right.hash_after = last.hash_after;
  std::vector<FrameHeader> wrong(4, right);
  wrong[0].first = {4};
  wrong[1].hash_before = wrong[1].hash_after = base::Digest{1};
  wrong[2].epoch = {0};
  wrong[3].time_ms = 1;
  for (const FrameHeader& header : wrong) {
    overwrite(path, header.offset, encode_frame(segment.key, header, {}).bytes);
    const auto log = open_read_only();
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code(), ErrorCode::corrupt);
    EXPECT_EQ(*log.error().detail("offset"), std::to_string(header.offset));
  }
  overwrite(path, right.offset, encode_frame(segment.key, right, {}).bytes);
  EXPECT_EQ((*open_read_only())->tail().last, Position{2});
}

TEST_F(LogDamage, SegmentOfAnotherGraphIsCorrupt) {
  create().reset();
  const auto log = FileLog::open(env_, kDirectory, test_graph(2));
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code(), ErrorCode::corrupt);
}

TEST_F(LogDamage, AnyMissingSegmentIsCorrupt) {  // L12
  many_segments();
  const std::vector<std::string> paths = segment_paths();
  ASSERT_GT(paths.size(), 8U);
  for (const std::string& path : paths) {
    ASSERT_GOOD(files_.rename(path, "/aside"));
    for (const auto& log : {open_read_only(), open()}) {
      ASSERT_FALSE(log) << path;
      EXPECT_EQ(log.error().code(), ErrorCode::corrupt) << text_of(log);
      EXPECT_EQ(*log.error().detail("file"), path);
    }
    ASSERT_GOOD(files_.rename("/aside", path));
  }
  EXPECT_TRUE(open());
}

TEST_F(LogDamage, SeveralMissingSegmentsAtTheEndAreCorrupt) {  // L12
  many_segments();
  const std::vector<std::string> paths = segment_paths();
  for (std::size_t i = paths.size(); i > 1; --i) {
    ASSERT_GOOD(files_.remove(paths[i - 1]));
    EXPECT_EQ(open().error().code(), ErrorCode::corrupt);
  }
  ASSERT_GOOD(files_.remove(paths[0]));
  EXPECT_EQ(open().error().code(), ErrorCode::corrupt);
}

TEST_F(LogDamage, AnyRenamedOrDuplicatedSegmentIsCorrupt) {  // L12
  many_segments();
  for (const std::string& path : segment_paths()) {
    const std::string bytes = bytes_of(path);
    for (const std::uint64_t first : {std::uint64_t{2}, std::uint64_t{1'000'000}}) {
      const std::string other = env::join(kDirectory, segment_name({first}));
      const auto copy = files_.open(other, env::OpenMode::kCreateNew);
      ASSERT_GOOD((*copy)->write_at(0, bytes));
      EXPECT_EQ(open().error().code(), ErrorCode::corrupt) << path;
      ASSERT_GOOD(files_.remove(other));
    }
  }
}

TEST_F(LogDamage, AnyTruncatedSegmentIsCorrupt) {  // L12
  many_segments();
  for (const std::string& path : segment_paths()) {
    const std::string bytes = bytes_of(path);
    for (std::uint64_t size = 0; size < bytes.size(); size += 2048) {
      const auto file = *files_.open(path, env::OpenMode::kReadWrite);
      ASSERT_GOOD(file->truncate(size));
      const auto log = open_read_only();
      ASSERT_FALSE(log) << path << " cut to " << size;
      ASSERT_EQ(log.error().code(), ErrorCode::corrupt) << text_of(log);
      ASSERT_GOOD(file->write_at(0, bytes));
    }
  }
  EXPECT_GOOD((*open())->verify());
}

TEST_F(LogDamage, MissingDirectoryIsCorruptAndNeverAnEmptyLog) {  // L12
  EXPECT_EQ(open().error().code(), ErrorCode::corrupt);
  EXPECT_EQ(open_read_only().error().code(), ErrorCode::corrupt);
  ASSERT_GOOD(files_.create_directory(kDirectory));
  EXPECT_EQ(open().error().code(), ErrorCode::corrupt);
}

TEST_F(LogDamage, TruncationPointIsKnownToTheLogItself) {  // L12
  LogOptions options;
  options.segment_bytes_min = options.segment_bytes_max = 32 << 10;
  {
    const auto log = create(options);
    append_groups(*log, 40, 2, 3000);
    ASSERT_GOOD(log->truncate_below({40}));
    append_groups(*log, 20, 2, 3000);
  }
  const std::vector<std::string> paths = segment_paths();
  ASSERT_GT(*parse_segment_name(paths.front().substr(5)), Position{1});
  ASSERT_GOOD(files_.rename(paths.front(), "/aside"));
  EXPECT_EQ(open().error().code(), ErrorCode::corrupt);
  EXPECT_EQ(*open().error().detail("file"), paths.front());
}

TEST_F(LogDamage, CreateNeverOverwritesRecordsOrWhatCannotBeRead) {
  {
    const auto log = create();
    append_groups(*log, 1, 1, 10);
  }
  const auto again = FileLog::create(env_, kDirectory, test_graph());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::already_exists);
  flip(segment_paths().front(), 100, 1);
  EXPECT_EQ(FileLog::create(env_, kDirectory, test_graph()).error().code(),
            ErrorCode::already_exists);
  EXPECT_EQ(open().error().code(), ErrorCode::corrupt);
}

TEST_F(LogDamage, CreateCompletesAnEarlierCreate) {
  create().reset();
  const auto again = FileLog::create(env_, kDirectory, test_graph(2));
  ASSERT_TRUE(again) << text_of(again);
  EXPECT_EQ((*again)->graph(), test_graph(2));
}

TEST_F(LogDamage, OtherFormatIsNamed) {
  create().reset();
  const std::string path = segment_paths().front();
  std::string block = bytes_of(path).substr(0, kBlockBytes);
  block[8] = 9;
  block.resize(kBlockBytes - 4);
  base::ByteWriter crc;
  crc.u32(base::crc32c(block));
  overwrite(path, 0, block + crc.view());

  const auto log = open();

  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code(), ErrorCode::format_mismatch);
  EXPECT_EQ(*log.error().detail("found"), "9");
}

}  // namespace
}  // namespace braid::log
