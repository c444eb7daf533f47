// SPDX-License-Identifier: Apache-2.0
#include "load/decompress.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "base/assert.h"

namespace braid::load {
namespace {

constexpr Compression kBoth[] = {Compression::gzip, Compression::zstd};

std::string gzip(const std::string& text) {
  z_stream stream{};
  BRAID_ASSERT(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  BRAID_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// With a checksum, as the program zstd writes it.
std::string zstd(const std::string& text, int window_log = 0) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  if (window_log > 0) {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  }
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  // In two steps: a frame of one step gets the window that its text needs.
  ZSTD_compressStream2(context.get(), &to, &in, ZSTD_e_flush);
  BRAID_ASSERT(ZSTD_compressStream2(context.get(), &to, &in, ZSTD_e_end) == 0);
  out.resize(to.pos);
  return out;
}

std::string packed(Compression compression, const std::string& text) {
  return compression == Compression::gzip ? gzip(text) : zstd(text);
}

/// Gives at most `part` bytes at a time.
ByteSource dripping(std::string_view bytes, std::size_t part) {
  return [bytes, part](char* out, std::size_t size) mutable -> Result<std::size_t> {
    const std::size_t given = bytes.copy(out, std::min(size, part));
    bytes.remove_prefix(given);
    return given;
  };
}

Result<std::string> unpack(Compression compression, std::string_view bytes,
                           std::size_t part = SIZE_MAX, std::size_t room = 1000) {
  const ByteSource source = decompressed(compression, "f", dripping(bytes, part));
  std::string out;
  std::string buffer(room, '\0');
  for (;;) {
    BRAID_ASSIGN(const std::size_t size, source(buffer.data(), buffer.size()));
    if (size == 0) return out;
    out.append(buffer, 0, size);
  }
}

/// "parse_error" and so on, or the text's size.
std::string outcome_of(const Result<std::string>& unpacked) {
  if (unpacked) return std::to_string(unpacked->size());
  const std::string* file = unpacked.error().detail("file");
  EXPECT_TRUE(file != nullptr && *file == "f");
  return std::string(name_of(unpacked.error().code()));
}

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "line " + std::to_string(i * i) + "\n";
  return text;
}

TEST(CompressionOf, IsTheEndOfTheName) {
  EXPECT_EQ(compression_of("rows.jsonl.gz"), Compression::gzip);
  EXPECT_EQ(compression_of("a/b.zst"), Compression::zstd);
  EXPECT_EQ(compression_of("rows.jsonl"), std::nullopt);
  EXPECT_EQ(compression_of("gz"), std::nullopt);
}

TEST(Decompressed, TextComesBackHoweverItIsReadAndAsked) {
  const std::string text = lines(3'000);
  for (const Compression compression : kBoth) {
    const std::string bytes = packed(compression, text);
    for (const std::size_t part : {std::size_t{1}, std::size_t{7}, SIZE_MAX}) {
      for (const std::size_t room : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
        const auto unpacked = unpack(compression, bytes, part, room);
        ASSERT_TRUE(unpacked.ok()) << to_string(unpacked.error());
        ASSERT_EQ(*unpacked, text);
      }
    }
  }
}

TEST(Decompressed, SeveralMembersAreOneText) {
  for (const Compression compression : kBoth) {
    const std::string bytes = packed(compression, "a\n") + packed(compression, "") +
                              packed(compression, lines(500)) + packed(compression, "z");
    for (const std::size_t part : {std::size_t{1}, SIZE_MAX}) {
      const auto unpacked = unpack(compression, bytes, part);
      ASSERT_TRUE(unpacked.ok()) << to_string(unpacked.error());
      EXPECT_EQ(*unpacked, "a\n" + lines(500) + "z");
    }
  }
}

// J8
TEST(Decompressed, EveryCutIsAnError) {
  for (const Compression compression : kBoth) {
    const std::string bytes = packed(compression, lines(20));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(outcome_of(unpack(compression, bytes.substr(0, size))), "parse_error") << size;
    }
    // In the second member as well.
    const std::string two = bytes + bytes;
    for (std::size_t size = bytes.size() + 1; size < two.size(); ++size) {
      EXPECT_EQ(outcome_of(unpack(compression, two.substr(0, size))), "parse_error") << size;
    }
  }
}

// J8
TEST(Decompressed, WhatStandsBehindTheLastMemberIsAnError) {
  for (const Compression compression : kBoth) {
    const std::string bytes = packed(compression, "a\n");
    EXPECT_EQ(outcome_of(unpack(compression, bytes + "x")), "parse_error");
    EXPECT_EQ(outcome_of(unpack(compression, bytes + "{\"type\":\"T\"}\n")), "parse_error");
  }
}

// J8: what is damaged is an error, or the damage is in a part that says nothing (the time in a gzip
// header): never another text.
TEST(Decompressed, FlippedBitNeverGivesAnotherText) {
  const std::string text = lines(60);
  for (const Compression compression : kBoth) {
    const std::string bytes = packed(compression, text);
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      const auto unpacked = unpack(compression, damaged);
      if (!unpacked) {
        ++refused;
      } else {
        ASSERT_EQ(*unpacked, text) << bit;
      }
    }
    EXPECT_GT(refused, bytes.size() * 7);
  }
}

TEST(Decompressed, OtherFormatIsAnErrorAtItsFirstByte) {
  for (const Compression compression : kBoth) {
    const auto unpacked = unpack(compression, "{\"type\":\"Person\",\"data\":{}}\n");
    EXPECT_EQ(outcome_of(unpacked), "parse_error");
    EXPECT_NE(unpacked.error().detail("byte"), nullptr);
  }
  EXPECT_EQ(outcome_of(unpack(Compression::gzip, zstd("a"))), "parse_error");
  EXPECT_EQ(outcome_of(unpack(Compression::zstd, gzip("a"))), "parse_error");
}

// A few bytes may claim much memory.
TEST(Decompressed, WindowBeyondTheLimitIsRefused) {
  EXPECT_EQ(outcome_of(unpack(Compression::zstd, zstd("a\n", 27))), "2");
  EXPECT_EQ(outcome_of(unpack(Compression::zstd, zstd("a\n", 28))), "resource_limit");
}

TEST(Decompressed, ErrorOfTheSourceIsHandedOn) {
  for (const Compression compression : kBoth) {
    const ByteSource source = decompressed(compression, "f", [](char*, std::size_t) {
      return Result<std::size_t>(Error(ErrorCode::io_error, "gone"));
    });
    char out[8];
    const auto read = source(out, sizeof out);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), ErrorCode::io_error);
  }
}

}  // namespace
}  // namespace braid::load
