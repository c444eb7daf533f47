// SPDX-License-Identifier: Apache-2.0
// Compressed buffers of Arrow IPC: the size before compression as i64, then the frame; -1 instead
// of the size says that the bytes follow as they are. An empty buffer has nothing of this.
//
// Invariants
//   A6  Decompressing takes memory for at most the size that the caller allows, and looks at
//       nothing before that size has been compared.
// Layer: columnar.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "braid/result.h"
#include "columnar/arrow/buffer.h"

namespace braid::columnar::arrow {

enum class Compression : std::uint8_t { none, lz4_frame, zstd };

/// The buffer as stored; raw behind -1 if compressing does not make it smaller. Requires: not
/// `none`.
Result<Buffer> compress(Compression codec, std::string_view bytes);

/// What decompress() needs of memory, as `stored` says: 0 if it is raw or says nothing sensible.
std::uint64_t decompressed_size(const Buffer& stored);

/// `corrupt` unless `stored` is what some compress() writes for 1 to `size_max` bytes. Raw bytes
/// stay where they are. Requires: not `none`; not empty.
Result<Buffer> decompress(Compression codec, const Buffer& stored, std::size_t size_max);

}  // namespace braid::columnar::arrow
