// SPDX-License-Identifier: Apache-2.0
// Checksums of the columns of a fragment, batch by batch: what a writer leaves in the footer, and a
// reader compares (docs/formats/fragments.md). Within table only.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/result.h"
#include "columnar/arrow/array.h"

namespace braid::table {

/// CRC-32C of the buffers of an array as the file has them, uncompressed. `corrupt` if there is a
/// dictionary, which has none. Requires: no slice.
Result<std::uint32_t> sum_of(const columnar::arrow::Array& array);

std::string encode_sums(const std::vector<std::uint32_t>& sums);
/// `corrupt` unless it is what encode_sums() makes of `count` sums.
Result<std::vector<std::uint32_t>> decode_sums(std::string_view text, std::size_t count);

}  // namespace braid::table
