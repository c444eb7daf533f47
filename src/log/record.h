// SPDX-License-Identifier: Apache-2.0
// A log record: a type and a few sections, chained by hash to the record before it.
//
// Invariants
//   L1  hash(n) = SHA-256(hash(n-1), position, type, and of each section tag, size and digest): the
//       chain covers headers and salted digests only, so a section's body can be erased (a person's
//       right) without breaking it.
//   L2  A section's digest is SHA-256(salt, body); the salt leaves with the body, so an erased body
//       cannot be guessed from its digest.
// What types and tags mean is the registry's business (state/registry.h); here they are numbers.
// Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "env/random.h"

namespace braid::log {

using SectionSalt = std::array<std::uint8_t, 16>;

/// A section that is ready to be appended. Preparing hashes the body: done by the client's thread.
struct Section {
  std::uint16_t tag = 0;
  std::string body;
  SectionSalt salt{};
  base::Digest digest{};
  /// The body and the salt were erased; size_bytes and digest remain.
  bool erased = false;
  /// Size of the body as appended, also after erasure.
  std::uint32_t size_bytes = 0;
};

/// Draws the salt and computes the digest.
Section make_section(std::uint16_t tag, std::string body, env::Random& random);

/// What a writer hands to append().
struct RecordDraft {
  std::uint16_t type = 0;
  std::vector<Section> sections;
};

/// What a reader gets; its digests, chain hash and frame were checked.
struct Record {
  Position position;
  std::uint16_t type = 0;
  Epoch epoch;
  /// The log's clock when the group was appended, milliseconds since the Unix epoch.
  std::int64_t time_ms = 0;
  base::Digest previous_hash{};
  base::Digest hash{};
  std::vector<Section> sections;

  /// The section's body, or nullptr if it is absent or erased.
  const std::string* section(std::uint16_t tag) const;
};

/// The hash before the first record of a graph.
base::Digest genesis_hash(const GraphId& graph);
/// hash(n) (L1).
base::Digest chain_hash(const base::Digest& previous, Position position, std::uint16_t type,
                        const std::vector<Section>& sections);

/// Bytes that encode_record will append for the draft.
std::size_t encoded_size(const RecordDraft& draft);

}  // namespace braid::log
