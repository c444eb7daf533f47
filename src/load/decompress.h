// SPDX-License-Identifier: Apache-2.0
// Compressed sources: a text comes out of gzip (RFC 1952) or Zstandard (RFC 8878) bytes as they are
// read, in bounded memory. Several members or frames, one behind the other, are one text.
//
// Invariants
//   J8  A source that ends without an error was whole: its last member or frame is complete, its
//       checksums are right, and nothing else stands behind it.
// Layer: load.
// Threads: one at a time for a source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/result.h"
#include "load/jsonl_reader.h"

namespace braid::load {

enum class Compression : std::uint8_t { gzip, zstd };

/// By the end of the name: `.gz`, `.zst`.
std::optional<Compression> compression_of(std::string_view file);

/// Errors: `parse_error` {file, byte, expected}, the byte being one of the compressed file, for
/// what is damaged, cut short or empty; `resource_limit` {file} for a frame that wants a window of
/// more than 128 MiB; those of `source`.
ByteSource decompressed(Compression compression, std::string file, ByteSource source);

}  // namespace braid::load
