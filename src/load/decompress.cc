// SPDX-License-Identifier: Apache-2.0
#include "load/decompress.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#define ZLIB_CONST  // the input is not written to
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/assert.h"

namespace braid::load {
namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10;

/// What a step of decoding did.
struct Step {
  enum class Outcome : std::uint8_t { more, complete, damaged, too_large };
  std::size_t consumed = 0;
  std::size_t produced = 0;
  /// complete: a member or frame has ended, and all of it has come out. too_large: it takes more
  /// memory than there is, or than a window may have.
  Outcome outcome = Outcome::more;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::string_view name() const = 0;
  virtual Step step(std::string_view in, char* out, std::size_t size) = 0;
};

class GzipDecoder final : public Decoder {
 public:
  // 16 more than the window: nothing but gzip.
  GzipDecoder() : begun_(inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK) {}
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  std::string_view name() const override { return "gzip"; }
  Step step(std::string_view in, char* out, std::size_t size) override {
    if (!begun_) return {.outcome = Step::Outcome::too_large};
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const std::size_t in_size = std::min(in.size(), kMost);
    const std::size_t out_size = std::min(size, kMost);
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = static_cast<uInt>(in_size);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(out_size);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    Step done{in_size - stream_.avail_in, out_size - stream_.avail_out, Step::Outcome::more};
    if (result == Z_STREAM_END) {
      done.outcome = Step::Outcome::complete;
      inflateReset(&stream_);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      done.outcome = Step::Outcome::damaged;
    }
    return done;
  }

 private:
  z_stream stream_{};
  bool begun_;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {}
  std::string_view name() const override { return "Zstandard"; }
  Step step(std::string_view in, char* out, std::size_t size) override {
    if (stream_ == nullptr) return {.outcome = Step::Outcome::too_large};
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, size, 0};
    const std::size_t left = ZSTD_decompressStream(stream_.get(), &to, &from);
    Step done{from.pos, to.pos, Step::Outcome::more};
    if (left == 0) done.outcome = Step::Outcome::complete;
    if (ZSTD_isError(left) != 0) {
      const bool window = ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge;
      done.outcome = window ? Step::Outcome::too_large : Step::Outcome::damaged;
    }
    return done;
  }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
};

class Decompression {
 public:
  Decompression(std::unique_ptr<Decoder> decoder, std::string file, ByteSource source)
      : decoder_(std::move(decoder)), file_(std::move(file)), source_(std::move(source)) {}

  Result<std::size_t> read(char* out, std::size_t size) {
    BRAID_ASSERT(size > 0);
    for (;;) {
      if (begin_ == end_ && !ended_) BRAID_TRY(fill());
      // J8: the end is the end only between two members.
      if (begin_ == end_ && ended_ && between_) return std::size_t{0};
      const Step step =
          decoder_->step(std::string_view(buffer_).substr(begin_, end_ - begin_), out, size);
      begin_ += step.consumed;
      byte_ += step.consumed;
      if (step.outcome == Step::Outcome::too_large) {
        return Error(ErrorCode::resource_limit, "it takes too much memory to decompress this")
            .with("file", file_)
            .with("resource", "zstd_window_bytes")
            .with("limit", std::uint64_t{1} << 27);
      }
      if (step.outcome == Step::Outcome::damaged) return damaged("is damaged");
      between_ = step.outcome == Step::Outcome::complete;
      if (step.produced > 0) return step.produced;
      // All that is there has been looked at, and it wants more.
      if (step.consumed == 0 && ended_ && !between_) return damaged("is cut short");
    }
  }

 private:
  Status fill() {
    buffer_.resize(kInputBytes);
    BRAID_ASSIGN(end_, source_(buffer_.data(), buffer_.size()));
    begin_ = 0;
    ended_ = end_ == 0;
    return Unit{};
  }
  Error damaged(std::string_view what) const {
    const std::string format(decoder_->name());
    return Error(ErrorCode::parse_error, "the " + format + " file " + std::string(what))
        .with("file", file_)
        .with("byte", byte_)
        .with("expected", format);
  }

  std::unique_ptr<Decoder> decoder_;
  std::string file_;
  ByteSource source_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
  /// A member or frame has just ended. Not before the first: an empty file is none.
  bool between_ = false;
  std::uint64_t byte_ = 0;
};

}  // namespace

std::optional<Compression> compression_of(std::string_view file) {
  if (file.ends_with(".gz")) return Compression::gzip;
  if (file.ends_with(".zst")) return Compression::zstd;
  return std::nullopt;
}

ByteSource decompressed(Compression compression, std::string file, ByteSource source) {
  std::unique_ptr<Decoder> decoder;
  if (compression == Compression::gzip) {
    decoder = std::make_unique<GzipDecoder>();
  } else {
    decoder = std::make_unique<ZstdDecoder>();
  }
  const auto shared =
      std::make_shared<Decompression>(std::move(decoder), std::move(file), std::move(source));
  return [shared](char* out, std::size_t size) { return shared->read(out, size); };
}

}  // namespace braid::load
