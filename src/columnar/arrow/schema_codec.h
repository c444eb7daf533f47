// SPDX-License-Identifier: Apache-2.0
// Schemas as the metadata of Arrow IPC, both ways. Internal to columnar/arrow.
// Layer: columnar.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "braid/result.h"
#include "columnar/arrow/data_type.h"

namespace braid::columnar::arrow {

namespace wire {
struct Schema;
struct KeyValue;
}  // namespace wire

/// An element of a vector of numbers or structures, copied: the verifier does not look at how those
/// of 8 bytes are aligned (A10). Requires: index < size.
template <class T, class Vector>
T element_of(const Vector& vector, std::size_t index) {
  T element;
  std::memcpy(&element, vector.Data() + index * sizeof(T), sizeof(T));
  return element;
}

/// Dictionaries are numbered in the order in which their fields are met, parents before children.
flatbuffers::Offset<wire::Schema> encode_schema(flatbuffers::FlatBufferBuilder& out,
                                                const Schema& schema);

using WireMetadata = flatbuffers::Vector<flatbuffers::Offset<wire::KeyValue>>;
/// 0 if there is nothing to say.
flatbuffers::Offset<WireMetadata> encode_metadata(flatbuffers::FlatBufferBuilder& out,
                                                  const Metadata& metadata);
Metadata decode_metadata(const WireMetadata* metadata);

struct DecodedSchema {
  Schema schema;
  /// The ids of the dictionaries, in the order of their fields.
  std::vector<std::int64_t> dictionary_ids;
};

/// `unsupported` with detail `field` for what Braid has no column of; `corrupt` for what has no
/// meaning; both with the `offset` given. Requires: `schema` was verified.
Result<DecodedSchema> decode_schema(const wire::Schema& schema, std::uint64_t offset);

}  // namespace braid::columnar::arrow
