// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/compression.h"

#include <string>

#include <lz4frame.h>
#include <zstd.h>

namespace braid::columnar::arrow {
namespace {

constexpr std::size_t kPrefixSize = sizeof(std::int64_t);
constexpr std::int64_t kRaw = -1;
constexpr int kZstdLevel = 1;

Error damaged(std::string_view what) {
  return Error(ErrorCode::corrupt, "compressed Arrow buffer: " + std::string(what));
}

std::size_t bound_of(Compression codec, std::size_t size) {
  return codec == Compression::zstd ? ZSTD_compressBound(size)
                                    : LZ4F_compressFrameBound(size, nullptr);
}

/// The size of the frame; 0 if it could not be made.
std::size_t make_frame(Compression codec, char* out, std::size_t capacity, std::string_view bytes) {
  if (codec == Compression::zstd) {
    const std::size_t size = ZSTD_compress(out, capacity, bytes.data(), bytes.size(), kZstdLevel);
    return ZSTD_isError(size) != 0 ? 0 : size;
  }
  const std::size_t size = LZ4F_compressFrame(out, capacity, bytes.data(), bytes.size(), nullptr);
  return LZ4F_isError(size) != 0 ? 0 : size;
}

bool open_zstd(std::string_view frame, char* out, std::size_t size) {
  return ZSTD_decompress(out, size, frame.data(), frame.size()) == size;
}

/// One frame of exactly `size` bytes and nothing behind it.
bool open_lz4(std::string_view frame, char* out, std::size_t size) {
  LZ4F_dctx* made = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) != 0) return false;
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      made, &LZ4F_freeDecompressionContext);
  std::size_t done = 0;
  while (true) {
    std::size_t produced = size - done;
    std::size_t consumed = frame.size();
    const std::size_t hint =
        LZ4F_decompress(made, out + done, &produced, frame.data(), &consumed, nullptr);
    if (LZ4F_isError(hint) != 0) return false;
    done += produced;
    frame.remove_prefix(consumed);
    if (hint == 0) return done == size && frame.empty();
    if (produced == 0 && consumed == 0) return false;  // cut, or longer than it says
  }
}

}  // namespace

Result<Buffer> compress(Compression codec, std::string_view bytes) {
  BRAID_ASSERT(codec != Compression::none);
  if (bytes.empty()) return Buffer();
  BufferBuilder out;
  out.push(static_cast<std::int64_t>(bytes.size()));
  const std::size_t bound = bound_of(codec, bytes.size());
  char* const frame = out.extend(bound);
  const std::size_t size = make_frame(codec, frame, bound, bytes);
  if (size == 0) return Error(ErrorCode::internal, "an Arrow buffer could not be compressed");
  if (size < bytes.size()) {
    out.shrink(kPrefixSize + size);
    return out.finish();
  }
  BufferBuilder raw;
  raw.reserve(kPrefixSize + bytes.size());
  raw.push(kRaw);
  raw.append(bytes);
  return raw.finish();
}

std::uint64_t decompressed_size(const Buffer& stored) {
  std::int64_t declared = 0;
  if (stored.size() >= kPrefixSize) std::memcpy(&declared, stored.data(), kPrefixSize);
  return declared > 0 ? static_cast<std::uint64_t>(declared) : 0;
}

Result<Buffer> decompress(Compression codec, const Buffer& stored, std::size_t size_max) {
  BRAID_ASSERT(codec != Compression::none);
  if (stored.size() < kPrefixSize) return damaged("its size is missing");
  std::int64_t declared = 0;
  std::memcpy(&declared, stored.data(), kPrefixSize);
  const std::string_view rest = stored.bytes().substr(kPrefixSize);
  if (declared == kRaw) {
    if (rest.size() > size_max) return damaged("larger than its rows can be");
    return Buffer(rest, stored.owner());
  }
  if (declared <= 0) return damaged("a size that none can have");
  if (static_cast<std::uint64_t>(declared) > size_max) {  // A6
    return damaged("larger than its rows can be").with("size", std::to_string(declared));
  }
  const auto size = static_cast<std::size_t>(declared);
  BufferBuilder out;
  char* const to = out.extend(size);
  const bool opened =
      codec == Compression::zstd ? open_zstd(rest, to, size) : open_lz4(rest, to, size);
  if (!opened) return damaged("its frame is damaged, or not of the size it says");
  return out.finish();
}

}  // namespace braid::columnar::arrow
