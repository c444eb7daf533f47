// SPDX-License-Identifier: Apache-2.0
// Any bytes as a record, as a frame, and as a whole segment: decoded or refused, never believed too
// far. The first byte chooses; then the checksums and the seal are made right, so that what stands
// behind them is reached too.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "env/manual.h"
#include "env/memory_file_system.h"
#include "log/file_log.h"
#include "log/record_codec.h"

namespace braid::log {
namespace {

SegmentKey fixed_key() {
  SegmentKey key;
  key.graph.ulid.bytes.fill(3);
  key.life = 4;
  key.salt.fill(5);
  return key;
}

void require(bool condition) {
  if (!condition) std::abort();
}

void record_from(std::string_view bytes) {
  base::ByteReader in(bytes);
  const auto draft = decode_record(in);
  if (!draft) return;
  base::ByteWriter again;
  encode_record(again, *draft);
  require(again.view() == bytes.substr(0, in.offset()));  // one record, one encoding
  require(encoded_size(*draft) == in.offset());
}

/// Fields from the input, everything that checks them made right.
void frame_from(std::string_view bytes) {
  base::ByteReader in(bytes);
  const SegmentKey key = fixed_key();
  FrameHeader header;
  header.kind = static_cast<FrameKind>(in.u8() % 8);
  header.first = {in.u64()};
  header.offset = (in.u64() % 1024) * kBlockBytes;
  header.record_count = in.u8();
  header.hash_before.fill(in.u8());
  header.hash_after.fill(in.u8());
  const EncodedFrame frame =
      encode_frame(key, header, bytes.substr(std::min(bytes.size(), in.offset())));
  const auto back = decode_frame_header(key, frame.bytes, header.offset);
  if (!back) return;
  require(*back == frame.header);
  require(check_frame_bytes(key, *back, frame.bytes).ok());
  static_cast<void>(decode_truncated(*back, frame.bytes).ok());
  const auto records = decode_frame_records(key, *back, frame.bytes);
  if (records && back->kind == FrameKind::kRecords) {
    require(records->size() == back->record_count);
    require(records->back().hash == back->hash_after);
  }
}

/// The input as it is, where a frame is expected.
void raw_frame_from(std::string_view bytes) {
  const SegmentKey key = fixed_key();
  const auto header = decode_frame_header(key, bytes, kBlockBytes);
  if (header) static_cast<void>(decode_frame_records(key, *header, bytes).ok());
}

/// A log of one segment: its header as the input says, frames and garbage behind it.
void segment_from(std::string_view bytes) {
  env::MemoryFileSystem files;
  env::ManualClock clock;
  env::SeededRandom random(1);
  env::ManualWorkers workers(clock);
  env::Env env{files, clock, random, workers};
  base::ByteReader in(bytes);
  SegmentHeader header;
  header.key = fixed_key();
  header.first = {1 + in.u8() % 3U};
  header.log_first = {1 + in.u8() % header.first.value};
  header.initial_frames = in.u8() % 3;
  header.segment_bytes = (2 + in.u8() % 14) * kBlockBytes;
  header.hash_before = genesis_hash(header.key.graph);
  std::string file = encode_segment_header(header);
  WalkState at = start_of(header);
  while (in.remaining() > 0 && file.size() < header.segment_bytes) {
    FrameHeader frame;
    frame.kind = static_cast<FrameKind>(in.u8() % 8);
    frame.epoch = {in.u8() % 4U};
    frame.offset = file.size();
    frame.first = {at.next.value + (in.u8() % 8 == 7 ? 1 : 0)};
    frame.hash_before = frame.hash_after = at.hash;
    const std::string_view payload = in.raw(std::min<std::uint64_t>(in.u8(), in.remaining()));
    if (frame.kind == FrameKind::kRecords) {
      RecordDraft draft;
      draft.sections.push_back(make_section(1, std::string(payload), random));
      const EncodedFrame encoded = encode_group(header.key, frame, {&draft, 1});
      file += encoded.bytes;
      at.offset = frame.offset;
      if (encoded.header.first == at.next) advance(at, encoded.header);
    } else {
      file += encode_frame(header.key, frame, payload).bytes;
    }
    const std::uint8_t damage = in.u8();
    if (damage % 4 == 0) file[file.size() - 1 - damage * 16] ^= 1;
  }
  file.resize(header.segment_bytes);
  require(files.create_directory("/log").ok());
  {
    auto out = files.open("/log/" + segment_name(header.first), env::OpenMode::kCreateNew);
    require((*out)->write_at(0, file).ok());
  }
  const auto reader = FileLog::open_read_only(env, "/log", std::nullopt);
  LogOptions options;
  options.segment_bytes_min = 32 << 10;
  const auto writer = FileLog::open(env, "/log", std::nullopt, options);
  require(reader.ok() == writer.ok());
  if (!reader) return;
  const bool is_good = (*reader)->verify().ok();
  require((*writer)->tail().last >= (*reader)->tail().last);
  require((*writer)->verify().ok() || !is_good);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: record_from(bytes); break;
    case 1: frame_from(bytes); break;
    case 2: raw_frame_from(bytes); break;
    default: segment_from(bytes); break;
  }
  return 0;
}

}  // namespace braid::log
