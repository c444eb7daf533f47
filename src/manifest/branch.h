// SPDX-License-Identifier: Apache-2.0
// A branch: a name, a lifetime, where it was forked from and where its head is. One record of the
// state (family `branch`), and a part of every root.
//
// Invariants
//   M1  A head is a commit whose record is durable.
//   M2  A head moves only to a commit that has the old head among its parents.
// Threads: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"
#include "manifest/commit_meta.h"
#include "table/image.h"

namespace braid::manifest {

/// The name of the branch that every graph has.
inline constexpr std::string_view kMainBranch = "main";

/// Another branch's history up to a position.
struct Fork {
  BranchIncarnation branch;
  Position position;
  friend bool operator==(const Fork&, const Fork&) = default;
};

struct Branch {
  BranchIncarnation incarnation;
  std::string name;
  std::optional<Fork> fork;
  /// Its effective head; none in an empty graph.
  std::optional<CommitRef> head;
  /// Of the head; 0 without one.
  Version version;
  base::Hash128 content_hash;
  /// Of the head, by the log's clock.
  std::int64_t committed_ms = 0;
  /// Of its last outbox event; 0 without one.
  Sequence last_sequence;
  friend bool operator==(const Branch&, const Branch&) = default;
};

/// Where the counters of a graph stand at a position; stored with each branch record so that a
/// reopened graph goes on from them.
struct Counters {
  Version version;
  Sequence sequence;
  Position catalog;
  friend bool operator==(const Counters&, const Counters&) = default;
};

std::string encode(const Branch& branch, const Counters& counters);
struct StoredBranch {
  Branch branch;
  Counters counters;
};
Result<StoredBranch> decode_branch(std::string_view bytes);

}  // namespace braid::manifest
