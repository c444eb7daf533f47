// SPDX-License-Identifier: Apache-2.0
// Repeated text, stored once: arrays of numbers into a shared array of entries.
//
// The rule: a column gets a dictionary for a whole file, decided by its first batch. It must have
// 256 rows with a value; among the first 1,024 of them at most half may be new; and in the batch a
// value must repeat four times on average, with 65,536 different ones at most. Later batches of the
// file go into the same dictionary, whatever they hold.
//
// Invariants
//   A7  Entries are in the order of their first appearance and never move: the dictionary of an
//       earlier batch is a prefix of that of a later one.
// Layer: columnar.
// Threads: an encoder belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "braid/result.h"
#include "columnar/arrow/array.h"
#include "columnar/arrow/builder.h"

namespace braid::columnar::arrow {

/// Whether the rule above gives `strings` a dictionary. Requires: utf8 or binary.
bool is_worth_a_dictionary(const Array& strings);

class DictionaryEncoder {
 public:
  /// Requires: utf8 or binary.
  explicit DictionaryEncoder(const DataType& value);

  /// What encode() returns: dictionary<i32, value>.
  DataType type() const { return DataType::dictionary(TypeId::i32, value_); }
  /// The same rows as numbers, over all entries so far (A7). `resource_limit` if the entries are
  /// more than a batch can hold; then the encoder is of no use any more. Requires: of the type
  /// given to the constructor.
  Result<ArrayPointer> encode(const Array& strings);
  std::size_t entry_count() const { return count_; }
  std::size_t memory_bytes() const;

 private:
  std::string_view text_of(std::uint32_t number) const;
  Result<std::uint32_t> number_of(std::string_view text);
  void widen();
  ArrayPointer entries() const;

  DataType value_;
  BufferBuilder bytes_;
  std::vector<std::int32_t> offsets_ = {0};
  std::size_t count_ = 0;
  std::vector<std::uint32_t> slots_;   ///< number + 1, or 0: free; a power of two, half full
  std::vector<std::uint64_t> hashes_;  ///< of each entry
  ArrayPointer last_entries_;          ///< shared while nothing was added
};

}  // namespace braid::columnar::arrow
