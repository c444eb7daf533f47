// SPDX-License-Identifier: Apache-2.0
// The registry: every number that is stored in a log record or begins a state key, in one place.
// To add one, append a line here, describe its bytes in docs/formats/, write its exact decoder, and
// add a golden test. A number is never reused and never changes its meaning.
//
// Invariants
//   S9   One number, one meaning: numbers and names are unique within their list, and
//        docs/formats/state.md lists exactly these.
// Threads: constants.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace braid::state {

/// The format of state keys and values; part of the stamp that a state directory carries.
/// 2: edges of delta rows of all types, by both ends.
inline constexpr std::uint32_t kStateFormat = 2;

// X(number, name, since format version, what it is).
#define BRAID_RECORD_TYPES(X)                                                                \
  X(1, graph_created, 1, "the first record: identity of the graph and its first schema")     \
  X(2, commit, 1, "a content commit: rows, receipt, event and lineage")                      \
  X(3, receipt_only, 1, "a keyed mutation that matched nothing: a receipt without a commit") \
  X(4, branch_changed, 1, "a branch was created or deleted: a position without a version")   \
  X(5, checkpoint, 1, "a verified copy of the state at a position")                          \
  X(6, staged_commit, 1, "a content commit whose rows are in fragments that it pins")

#define BRAID_SECTION_TAGS(X)                                                            \
  X(1, batch, 1, "the MutationBatch v2 as MessagePack")                                  \
  X(2, changes, 1, "the change set: delta rows")                                         \
  X(3, bound, 1, "what the committer assigned: version, sequence, parents, times, hash") \
  X(4, receipt, 1, "the stored result that the client was given")                        \
  X(5, outbox, 1, "events with their sequence numbers")                                  \
  X(6, schema, 1, "an encoded catalog")                                                  \
  X(7, pins, 1, "the fragments that a staged commit publishes")

#define BRAID_KEY_FAMILIES(X)                                             \
  X('b', branch, 1, "branch incarnation to its record")                   \
  X('c', commit, 1, "commit id to log position")                          \
  X('i', idempotency, 1, "prefix of the batch id digest to log position") \
  X('m', meta, 1, "stamp and applied position of the state itself")       \
  X('n', in_adjacency, 1, "edges by destination, every version")          \
  X('o', out_adjacency, 1, "edges by source, every version")              \
  X('p', pin, 1, "fragments by table, branch and position")               \
  X('r', row, 1, "rows by id, every version")                             \
  X('u', unique, 1, "values of unique constraints, every version")

#define BRAID_REGISTRY_ENUM(number, name, since, text) name = number,
/// What a log record is.
enum class RecordType : std::uint16_t { BRAID_RECORD_TYPES(BRAID_REGISTRY_ENUM) };
/// What a section of a log record holds.
enum class SectionTag : std::uint16_t { BRAID_SECTION_TAGS(BRAID_REGISTRY_ENUM) };
/// The first byte of a state key.
enum class KeyFamily : char { BRAID_KEY_FAMILIES(BRAID_REGISTRY_ENUM) };
#undef BRAID_REGISTRY_ENUM

/// The number under which a log record stores the type or tag.
constexpr std::uint16_t number_of(RecordType type) { return static_cast<std::uint16_t>(type); }
constexpr std::uint16_t number_of(SectionTag tag) { return static_cast<std::uint16_t>(tag); }

// A duplicate number is a duplicate case label, and does not compile (S9).
#define BRAID_REGISTRY_NAME(number, name, since, text) \
  case number: return #name;
#define BRAID_REGISTRY_SINCE(number, name, since, text) \
  case number: return since;
/// The stable name, e.g. "graph_created"; empty for a number that nothing has.
constexpr std::string_view record_type_name(std::uint16_t number) {
  switch (number) { BRAID_RECORD_TYPES(BRAID_REGISTRY_NAME) }
  return {};
}
constexpr std::string_view section_tag_name(std::uint16_t number) {
  switch (number) { BRAID_SECTION_TAGS(BRAID_REGISTRY_NAME) }
  return {};
}
constexpr std::string_view key_family_name(char first_byte) {
  switch (first_byte) { BRAID_KEY_FAMILIES(BRAID_REGISTRY_NAME) }
  return {};
}
/// The format version that introduced it; 0 for a number that nothing has.
constexpr std::uint32_t record_type_since(std::uint16_t number) {
  switch (number) { BRAID_RECORD_TYPES(BRAID_REGISTRY_SINCE) }
  return 0;
}
constexpr std::uint32_t section_tag_since(std::uint16_t number) {
  switch (number) { BRAID_SECTION_TAGS(BRAID_REGISTRY_SINCE) }
  return 0;
}
constexpr std::uint32_t key_family_since(char first_byte) {
  switch (first_byte) { BRAID_KEY_FAMILIES(BRAID_REGISTRY_SINCE) }
  return 0;
}
#undef BRAID_REGISTRY_NAME
#undef BRAID_REGISTRY_SINCE

/// The type, tag or family with this number, or nullopt.
constexpr std::optional<RecordType> record_type_of(std::uint16_t number) {
  if (record_type_since(number) == 0) return std::nullopt;
  return static_cast<RecordType>(number);
}
constexpr std::optional<SectionTag> section_tag_of(std::uint16_t number) {
  if (section_tag_since(number) == 0) return std::nullopt;
  return static_cast<SectionTag>(number);
}
constexpr std::optional<KeyFamily> key_family_of(char first_byte) {
  if (key_family_since(first_byte) == 0) return std::nullopt;
  return static_cast<KeyFamily>(first_byte);
}

}  // namespace braid::state
