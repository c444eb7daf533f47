// SPDX-License-Identifier: Apache-2.0
// How Arrow IPC frames its messages: FF FF FF FF, the size of the metadata (i32, with its padding),
// the metadata, the body. Internal to columnar/arrow.
//
// Invariants
//   A10  Metadata is looked at only after it was verified, and only in 8-byte aligned memory.
// Layer: columnar.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "braid/result.h"
#include "columnar/arrow/buffer.h"

namespace braid::columnar::arrow {

namespace wire {
struct Message;
struct Footer;
}  // namespace wire

inline constexpr std::string_view kFileMagic = "ARROW1";
inline constexpr std::string_view kFileMagicPadded{"ARROW1\0\0", 8};
inline constexpr std::uint32_t kContinuation = 0xFFFF'FFFF;
inline constexpr std::size_t kPrefixSize = 8;
/// Of one message's metadata, or of a footer. flatbuffers itself ends at 2^31.
inline constexpr std::size_t kMetadataSizeMax = std::size_t{256} << 20;

/// `corrupt`, with the place in the file.
Error damaged_ipc(std::string_view what, std::uint64_t offset);

/// A message of a file, verified.
struct MessageView {
  const wire::Message* message = nullptr;  ///< nullptr: the end of a stream
  Buffer metadata;                         ///< keeps `message`
  Buffer body;
  std::uint64_t body_offset = 0;  ///< in the file
  std::uint64_t end = 0;          ///< of the message with its body
};

/// The message at `offset` of `file`. `corrupt` or `unsupported`, never outside (A10).
Result<MessageView> read_message(const Buffer& file, std::uint64_t offset);

struct FooterView {
  const wire::Footer* footer = nullptr;
  Buffer metadata;           ///< keeps `footer`
  std::uint64_t offset = 0;  ///< where it begins: all messages end before
};

/// The footer of a whole file. `corrupt` if it is not one.
Result<FooterView> read_footer(const Buffer& file);

}  // namespace braid::columnar::arrow
