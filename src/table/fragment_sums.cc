// SPDX-License-Identifier: Apache-2.0
#include "table/fragment_sums.h"

#include <charconv>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/hash.h"

namespace braid::table {
namespace {

namespace arrow = columnar::arrow;

constexpr std::size_t kDigits = 8;

// The bits of `count` rows, with zeros behind the last.
std::uint32_t add_bits(const arrow::Buffer& bits, std::size_t count, std::uint32_t sum) {
  sum = base::crc32c(bits.bytes().substr(0, count / 8), sum);
  if (count % 8 == 0) return sum;
  const char last = static_cast<char>(bits.data()[count / 8] & ((1U << count % 8) - 1));
  return base::crc32c({&last, 1}, sum);
}

// Array::make has checked that the buffers have what is summed here.
Result<std::uint32_t> add(const arrow::Array& array, std::uint32_t sum) {
  BRAID_ASSERT(array.first_row() == 0);
  const arrow::ArrayParts& parts = array.parts();
  if (array.null_count() > 0) sum = add_bits(parts.validity, array.length(), sum);
  const arrow::TypeId id = array.type().id();
  std::size_t bytes = array.length() * arrow::width_of(id);
  if (arrow::has_offsets(id)) {
    const auto offsets = array.offsets();
    sum = base::crc32c(parts.offsets.bytes().substr(0, offsets.size_bytes()), sum);
    bytes = offsets.empty() ? 0 : static_cast<std::size_t>(offsets.back());
  }
  switch (id) {
    case arrow::TypeId::dictionary:
      return Error(ErrorCode::corrupt, "a column with a checksum has a dictionary");
    case arrow::TypeId::list:
    case arrow::TypeId::fixed_size_list: return add(array.child(), sum);
    case arrow::TypeId::boolean: return add_bits(parts.values, array.length(), sum);
    case arrow::TypeId::fixed_size_binary: bytes = array.length() * array.type().size(); break;
    default: break;
  }
  return base::crc32c(parts.values.bytes().substr(0, bytes), sum);
}

}  // namespace

Result<std::uint32_t> sum_of(const arrow::Array& array) { return add(array, 0); }

std::string encode_sums(const std::vector<std::uint32_t>& sums) {
  std::string text;
  for (const std::uint32_t sum : sums) text += fmt::format("{:08x}", sum);
  return text;
}

Result<std::vector<std::uint32_t>> decode_sums(std::string_view text, std::size_t count) {
  std::vector<std::uint32_t> sums;
  if (text.size() % kDigits == 0 && text.size() / kDigits == count) {
    for (const char* at = text.data(); sums.size() < count; at += kDigits) {
      std::uint32_t sum = 0;
      const auto [stop, problem] = std::from_chars(at, at + kDigits, sum, 16);
      if (problem != std::errc() || stop != at + kDigits) break;
      sums.push_back(sum);
    }
  }
  if (sums.size() == count && encode_sums(sums) == text) return sums;
  return Error(ErrorCode::corrupt, "the checksums of a fragment are no such");
}

}  // namespace braid::table
