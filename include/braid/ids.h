// SPDX-License-Identifier: Apache-2.0
// Strong ids: a mix-up of two kinds of number does not compile. Layer: base.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace braid {

/// A 64-bit number with a meaning of its own.
template <class Tag>
struct Id {
  std::uint64_t value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
  Id next() const { return Id{value + 1}; }
};

/// Ordinal of a record in the commit log; the first record is 1.
using Position = Id<struct PositionTag>;
/// Ordinal of a content commit in its graph; 0 is the empty graph.
using Version = Id<struct VersionTag>;
/// Ordinal of an event in an outbox; the first event is 1.
using Sequence = Id<struct SequenceTag>;
/// Ordinal of a writer's session on a log.
using Epoch = Id<struct EpochTag>;
/// A lifetime of a type: rename keeps it, drop and re-add is a new one.
using TableId = Id<struct TableIdTag>;
/// A lifetime of a property.
using PropertyId = Id<struct PropertyIdTag>;
/// A lifetime of a branch: a branch recreated under its name is another one.
using BranchIncarnation = Id<struct BranchIncarnationTag>;

/// 128 bits that sort by creation time: https://github.com/ulid/spec (Crockford base 32).
struct Ulid {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const Ulid&, const Ulid&) = default;
  /// 26 characters.
  std::string to_string() const;
  /// Milliseconds since the Unix epoch at which it was made.
  std::uint64_t time_ms() const;
  bool is_zero() const { return *this == Ulid{}; }
  /// Accepts the 26 characters of to_string() in either case; anything else is nullopt.
  static std::optional<Ulid> parse(std::string_view text);
  /// Requires: time_ms < 2^48. `chance` fills the lower 80 bits.
  static Ulid make(std::uint64_t time_ms, std::array<std::uint8_t, 10> chance);
};

/// Names a content commit for ever, in every copy of the graph.
struct CommitId {
  Ulid ulid;
  friend auto operator<=>(const CommitId&, const CommitId&) = default;
  std::string to_string() const { return ulid.to_string(); }
};

/// Names a graph for ever; drawn at `init`.
struct GraphId {
  Ulid ulid;
  friend auto operator<=>(const GraphId&, const GraphId&) = default;
  std::string to_string() const { return ulid.to_string(); }
};

}  // namespace braid

template <class Tag>
struct std::hash<braid::Id<Tag>> {
  std::size_t operator()(const braid::Id<Tag>& id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value);
  }
};
