// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"

namespace braid {
namespace {

using base::ByteReader;
using base::ByteWriter;

TEST(Crc32c, MatchesTheCheckValueOfTheCatalogue) {
  EXPECT_EQ(base::crc32c("123456789"), 0xE3069283U);  // CRC-32/ISCSI "check" value
}

TEST(Crc32c, ContinuesFromItsSeed) {
  EXPECT_EQ(base::crc32c("6789", base::crc32c("12345")), base::crc32c("123456789"));
}

TEST(Sha256, MatchesTheStandardsExample) {
  EXPECT_EQ(base::hex_of(base::sha256("abc")),  // FIPS 180-2, B.1
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(base::sha256({"a", "", "bc"}), base::sha256("abc"));
}

TEST(Hash128, AddsAndSubtractsWithCarry) {
  base::Hash128 sum{~std::uint64_t{0}, 7};
  sum += {1, 0};
  EXPECT_EQ(sum, (base::Hash128{0, 8}));
  sum -= {1, 0};
  EXPECT_EQ(sum, (base::Hash128{~std::uint64_t{0}, 7}));
}

TEST(Ulid, PrintsTheSpecificationsExample) {
  const auto ulid = Ulid::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  ASSERT_TRUE(ulid.has_value());
  EXPECT_EQ(ulid->to_string(), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  EXPECT_EQ(ulid->time_ms(), 1469922850259U);
}

TEST(Ulid, RefusesWhatIsNotOne) {
  EXPECT_FALSE(Ulid::parse(""));
  EXPECT_FALSE(Ulid::parse("81ARZ3NDEKTSV4RRFFQ69G5FAV"));  // over 128 bits
  EXPECT_FALSE(Ulid::parse("01ARZ3NDEKTSV4RRFFQ69G5FAU"));  // U is not a digit
}

TEST(ByteReader, ReadsWhatTheWriterWrote) {
  ByteWriter writer;
  writer.u8(1);
  writer.u16(0x0203);
  writer.u32(0x04050607);
  writer.u64(~std::uint64_t{0});
  writer.varint(300);
  writer.bytes("abc");

  ByteReader reader(writer.view());

  EXPECT_EQ(reader.u8(), 1);
  EXPECT_EQ(reader.u16(), 0x0203);
  EXPECT_EQ(reader.u32(), 0x04050607U);
  EXPECT_EQ(reader.u64(), ~std::uint64_t{0});
  EXPECT_EQ(reader.varint(), 300U);
  EXPECT_EQ(reader.bytes(), "abc");
  EXPECT_TRUE(reader.finish("test"));
}

TEST(ByteReader, ReportsShortLongAndPaddedInput) {
  EXPECT_EQ(ByteReader("x").finish("t").error().code(), ErrorCode::corrupt);
  ByteReader cut(
      "\x05"
      "ab");
  EXPECT_EQ(cut.bytes(), "");
  EXPECT_TRUE(cut.failed());
  ByteReader padded(std::string_view("\x80\x00", 2));
  padded.varint();
  EXPECT_TRUE(padded.failed());
  ByteReader huge("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
  huge.varint();
  EXPECT_TRUE(huge.failed());
}

TEST(BigEndian, OrdersLikeNumbers) {
  std::string small, large;
  base::put_big_endian(small, std::uint64_t{255});
  base::put_big_endian(large, std::uint64_t{256});
  EXPECT_LT(small, large);
  EXPECT_EQ(base::big_endian_u64(large), 256U);
}

Result<int> half(int n) {
  if (n % 2 != 0) return Error(ErrorCode::bad_request, "odd").with("n", static_cast<unsigned>(n));
  return n / 2;
}

Result<int> quarter(int n) {
  BRAID_ASSIGN(const int once, half(n));
  BRAID_ASSIGN(const int twice, half(once));
  return twice;
}

TEST(Result, PassesErrorsUp) {
  EXPECT_EQ(*quarter(8), 2);
  const auto failed = quarter(6);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::bad_request);
  EXPECT_EQ(*failed.error().detail("n"), "3");
  EXPECT_EQ(to_string(failed.error()), "bad_request: odd {n=3}");
}

TEST(ErrorCode, NamesAndExitStatusesFollowTheProtocol) {
  EXPECT_EQ(name_of(ErrorCode::read_set_changed), "read_set_changed");
  EXPECT_EQ(exit_status_of(ErrorCode::parse_error), 1);
  EXPECT_EQ(exit_status_of(ErrorCode::not_found), 3);
  EXPECT_EQ(exit_status_of(ErrorCode::history_reclaimed), 3);
  EXPECT_EQ(exit_status_of(ErrorCode::key_conflict), 4);
  EXPECT_EQ(exit_status_of(ErrorCode::stale_fence), 4);
  EXPECT_EQ(exit_status_of(ErrorCode::locked), 5);
  EXPECT_EQ(exit_status_of(ErrorCode::no_space), 5);
  EXPECT_EQ(exit_status_of(ErrorCode::corrupt), 6);
  EXPECT_EQ(http_status_of(ErrorCode::constraint_violation), 422);
  EXPECT_EQ(http_status_of(ErrorCode::precondition_failed), 412);
}

}  // namespace
}  // namespace braid
