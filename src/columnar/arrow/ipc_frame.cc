// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow/ipc_frame.h"

#include <string>

#include <wire_generated.h>

namespace braid::columnar::arrow {
namespace {

constexpr std::size_t kMetadataAlignment = 8;
constexpr std::size_t kTailSize = sizeof(std::uint32_t) + kFileMagic.size();

std::uint32_t u32_at(const Buffer& file, std::uint64_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, file.data() + offset, sizeof(value));
  return value;
}

Buffer part_of(const Buffer& file, std::uint64_t offset, std::uint64_t size) {
  return {file.bytes().substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)),
          file.owner()};
}

Status check_version(wire::MetadataVersion version) {
  if (version == wire::MetadataVersion::V5 || version == wire::MetadataVersion::V4) return Unit{};
  return Error(ErrorCode::unsupported, "Arrow metadata of an unknown version")
      .with("version", std::to_string(static_cast<int>(version) + 1));
}

/// The root table, or nullptr.
template <class Table>
const Table* verified(Buffer& metadata) {
  if (!metadata.is_aligned(kMetadataAlignment))
    metadata = Buffer::copy_of(metadata.bytes());  // A10
  flatbuffers::Verifier verifier(metadata.data(), metadata.size());
  if (!verifier.VerifyBuffer<Table>(nullptr)) return nullptr;
  return flatbuffers::GetRoot<Table>(metadata.data());
}

}  // namespace

Error damaged_ipc(std::string_view what, std::uint64_t offset) {
  return Error(ErrorCode::corrupt, "Arrow file: " + std::string(what)).with("offset", offset);
}

Result<MessageView> read_message(const Buffer& file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < kPrefixSize) {
    return damaged_ipc("a message is cut", offset);
  }
  if (u32_at(file, offset) != kContinuation) {
    return damaged_ipc("a message does not begin as one does", offset);
  }
  const std::uint32_t metadata_size = u32_at(file, offset + sizeof(kContinuation));
  const std::uint64_t metadata_offset = offset + kPrefixSize;
  MessageView view;
  if (metadata_size == 0) {
    view.end = metadata_offset;
    return view;
  }
  if (metadata_size > kMetadataSizeMax || metadata_size > file.size() - metadata_offset) {
    return damaged_ipc("the metadata of a message is cut", offset);
  }
  view.metadata = part_of(file, metadata_offset, metadata_size);
  view.message = verified<wire::Message>(view.metadata);
  if (view.message == nullptr) return damaged_ipc("the metadata of a message is damaged", offset);
  BRAID_TRY(check_version(view.message->version()));
  view.body_offset = metadata_offset + metadata_size;
  const std::int64_t body_size = view.message->body_length();
  if (body_size < 0 || static_cast<std::uint64_t>(body_size) > file.size() - view.body_offset) {
    return damaged_ipc("the body of a message is cut", offset);
  }
  view.body = part_of(file, view.body_offset, static_cast<std::uint64_t>(body_size));
  view.end = view.body_offset + static_cast<std::uint64_t>(body_size);
  return view;
}

Result<FooterView> read_footer(const Buffer& file) {
  const std::string_view bytes = file.bytes();
  if (bytes.size() < kFileMagicPadded.size() + kTailSize || !bytes.starts_with(kFileMagic)) {
    return damaged_ipc("it does not begin as one does", 0);
  }
  if (!bytes.ends_with(kFileMagic)) {
    return damaged_ipc("it does not end as one does: it is cut", bytes.size());
  }
  const std::uint64_t tail = bytes.size() - kTailSize;
  const std::uint32_t size = u32_at(file, tail);
  if (size == 0 || size > kMetadataSizeMax || size > tail - kFileMagicPadded.size()) {
    return damaged_ipc("a footer of impossible size", tail);
  }
  FooterView view;
  view.offset = tail - size;
  view.metadata = part_of(file, view.offset, size);
  view.footer = verified<wire::Footer>(view.metadata);
  if (view.footer == nullptr) return damaged_ipc("the footer is damaged", view.offset);
  BRAID_TRY(check_version(view.footer->version()));
  return view;
}

}  // namespace braid::columnar::arrow
