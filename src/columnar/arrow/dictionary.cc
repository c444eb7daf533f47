// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/dictionary.h"

#include <unordered_set>

#include "base/hash.h"

namespace braid::columnar::arrow {
namespace {

constexpr std::size_t kRowsMin = 256;
constexpr std::size_t kFirstRows = 1024;
constexpr std::size_t kRowsPerEntry = 4;
constexpr std::size_t kEntriesMax = 65'536;
constexpr std::size_t kSlotsMin = 1024;

}  // namespace

bool is_worth_a_dictionary(const Array& strings) {
  const std::size_t rows = strings.length() - strings.null_count();
  if (rows < kRowsMin) return false;
  std::unordered_set<std::string_view> entries;
  const std::size_t entries_max = std::min(kEntriesMax, rows / kRowsPerEntry);
  std::size_t seen = 0;
  for (std::size_t row = 0; row < strings.length(); ++row) {
    if (strings.is_null(row)) continue;
    entries.insert(strings.bytes(row));
    if (entries.size() > entries_max) return false;
    if (++seen == kFirstRows && entries.size() > kFirstRows / 2) return false;
  }
  return true;
}

DictionaryEncoder::DictionaryEncoder(const DataType& value) : value_(value) {
  BRAID_ASSERT(value.id() == TypeId::utf8 || value.id() == TypeId::binary);
}

std::string_view DictionaryEncoder::text_of(std::uint32_t number) const {
  const auto begin = static_cast<std::size_t>(offsets_[number]);
  const auto end = static_cast<std::size_t>(offsets_[number + 1]);
  return bytes_.bytes().substr(begin, end - begin);
}

void DictionaryEncoder::widen() {
  slots_.assign(std::max(kSlotsMin, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < count_; ++number) {
    std::size_t slot = static_cast<std::size_t>(hashes_[number]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

Result<std::uint32_t> DictionaryEncoder::number_of(std::string_view text) {
  if (count_ * 2 >= slots_.size()) widen();
  const std::uint64_t hash = base::xxh3_128(text).low;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  while (slots_[slot] != 0) {
    const std::uint32_t number = slots_[slot] - 1;
    if (hashes_[number] == hash && text_of(number) == text) return number;
    slot = (slot + 1) & mask;
  }
  if (text.size() > kOffsetMax - bytes_.size() || count_ == kOffsetMax) {
    return Error(ErrorCode::resource_limit, "a dictionary holds at most 2147483647 bytes");
  }
  bytes_.append(text);  // (A7) behind all others
  offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
  hashes_.push_back(hash);
  const auto number = static_cast<std::uint32_t>(count_++);
  slots_[slot] = number + 1;
  return number;
}

ArrayPointer DictionaryEncoder::entries() const {
  const std::string_view offsets(reinterpret_cast<const char*>(offsets_.data()),
                                 offsets_.size() * sizeof(std::int32_t));
  Result<ArrayPointer> made = Array::make({.type = value_,
                                           .length = count_,
                                           .offsets = Buffer::copy_of(offsets),
                                           .values = Buffer::copy_of(bytes_.bytes())});
  BRAID_ASSERT(made.ok());
  return *std::move(made);
}

Result<ArrayPointer> DictionaryEncoder::encode(const Array& strings) {
  BRAID_ASSERT(strings.type() == value_);
  BufferBuilder numbers;
  numbers.reserve(strings.length() * sizeof(std::int32_t));
  for (std::size_t row = 0; row < strings.length(); ++row) {
    std::uint32_t number = 0;
    if (!strings.is_null(row)) {
      BRAID_ASSIGN(number, number_of(strings.bytes(row)));
    }
    numbers.push(static_cast<std::int32_t>(number));
  }
  BitmapBuilder validity;
  if (strings.null_count() > 0) validity.append(strings.validity());
  if (last_entries_ == nullptr || last_entries_->length() != count_) last_entries_ = entries();
  return Array::make({.type = type(),
                      .length = strings.length(),
                      .null_count = strings.null_count(),
                      .validity = validity.finish(),
                      .values = numbers.finish(),
                      .child = last_entries_});
}

std::size_t DictionaryEncoder::memory_bytes() const {
  const std::size_t entries_size =
      last_entries_ == nullptr ? 0 : last_entries_->length() * sizeof(std::int32_t) + bytes_.size();
  return bytes_.capacity() + offsets_.capacity() * sizeof(std::int32_t) +
         slots_.capacity() * sizeof(std::uint32_t) + hashes_.capacity() * sizeof(std::uint64_t) +
         entries_size;
}

}  // namespace braid::columnar::arrow
