// SPDX-License-Identifier: Apache-2.0
// Arrays as the nodes and buffers of a message's body. Internal to columnar/arrow.
// Layer: columnar.
// Threads: values.
#pragma once

#include <cstdint>
#include <vector>

#include "braid/result.h"
#include "columnar/arrow/array.h"
#include "columnar/arrow/compression.h"

namespace braid::columnar::arrow {

/// What a message says of its arrays, parents before children, and the buffers that it refers to.
struct FlatArrays {
  struct Node {
    std::uint64_t length = 0;
    std::uint64_t null_count = 0;
  };
  std::vector<Node> nodes;
  std::vector<Buffer> buffers;
};

/// Adds an array and what is below it, but for entries of dictionaries. Slices become arrays of
/// their own that begin at 0: of the buffers only the part that is needed, without copying where
/// it can be cut out. `corrupt` if offsets do not rise.
Status flatten(const Array& array, FlatArrays& out);

/// Appends the entries of the dictionaries in `array`, in the order of their fields.
void find_dictionaries(const Array& array, std::vector<ArrayPointer>& out);

/// How many dictionaries a type has, and of what: in the order of their fields.
void find_dictionary_types(const DataType& type, std::vector<DataType>& out);

}  // namespace braid::columnar::arrow
