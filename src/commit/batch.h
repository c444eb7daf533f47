// SPDX-License-Identifier: Apache-2.0
// MutationBatch v2: what a change asks for, as it is stored in its record
// (docs/formats/records.md).
//
// Invariants
//   B1  A batch is a MessagePack map with exactly the named fields of version 2: missing, unknown,
//       repeated or mistyped ones and other versions are refused, never defaulted.
//   B2  The batch id is a function of (graph, principal, idempotency key) and nothing else.
// No text of queries, parameters, paths or bodies is in it: only digests (privacy).
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "braid/ids.h"
#include "braid/result.h"

namespace braid::commit {

inline constexpr std::uint32_t kBatchSchemaVersion = 2;
/// No text of a batch is longer, no list of one has more members.
inline constexpr std::size_t kBatchTextBytesMax = 4'096;
inline constexpr std::size_t kBatchListMax = 1'024;
/// The event that the gateway always adds.
inline constexpr std::string_view kProjectionRebuild = "engine.projection.rebuild";

/// Durability domains. One that nothing implements yet is refused with its name.
#define BRAID_DOMAINS(X) \
  X(graph_rows)          \
  X(graph_snapshot)      \
  X(rdf_dataset)         \
  X(sql_catalog)         \
  X(blob_store)          \
  X(kv_store)            \
  X(time_series)         \
  X(analytics_job)       \
  X(semantic_index) X(broker) X(cross_modal) X(multi_graph) X(lifecycle) X(control_plane)

enum class Domain : std::uint8_t {
#define BRAID_DOMAIN_ENUM(name) name,
  BRAID_DOMAINS(BRAID_DOMAIN_ENUM)
#undef BRAID_DOMAIN_ENUM
};
std::string_view name_of(Domain domain);
std::optional<Domain> domain_named(std::string_view name);
/// `unsupported`, naming the domain, unless this version implements it.
Status check_domain(Domain domain);

struct BatchContext {
  std::string request_id;
  /// "principal:sha256:<64 hex>".
  std::string principal;
  std::optional<std::string> purpose;
  std::optional<std::string> policy_fingerprint;
  std::optional<std::string> trace_id;
  friend bool operator==(const BatchContext&, const BatchContext&) = default;
};

enum class ScopeKind : std::uint8_t { graph, native };

struct BatchScope {
  std::string tenant = "default";
  ScopeKind kind = ScopeKind::graph;
  /// The branch's name.
  std::string name;
  /// The graph's lifetime: a dropped and recreated graph inherits nothing.
  std::string incarnation;
  BranchIncarnation branch;
  friend bool operator==(const BatchScope&, const BatchScope&) = default;
};

/// A sum without a sentinel: which version the client expects, if any.
struct ExpectedVersion {
  enum class Kind : std::uint8_t { unversioned, graph, native };
  Kind kind = Kind::unversioned;
  /// Of kinds graph and native.
  std::uint64_t version = 0;
  friend bool operator==(const ExpectedVersion&, const ExpectedVersion&) = default;
};

/// Bound by the committer after ordering.
struct AuthoritativeState {
  /// The salted digest of the record's changes section: it outlives an erasure of the rows, and
  /// does not help to guess them.
  base::Digest digest{};
  Version source;
  Version target;
  friend bool operator==(const AuthoritativeState&, const AuthoritativeState&) = default;
};

struct Operation {
  /// From 0, dense.
  std::uint32_t ordinal = 0;
  /// "load", "init", …
  std::string surface;
  Domain domain = Domain::graph_rows;
  friend bool operator==(const Operation&, const Operation&) = default;
};

struct MutationBatch {
  base::Digest batch_id{};
  BatchContext context;
  BatchScope scope;
  std::uint64_t placement_epoch = 0;
  std::optional<std::string> fencing_token;
  std::string idempotency_key;
  ExpectedVersion expected_version;
  base::Digest request_digest{};
  /// Absent for batches that change no content.
  std::optional<AuthoritativeState> authoritative_state;
  std::vector<Operation> operations;
  std::vector<std::string> outbox;
  std::int64_t created_at_ms = 0;
  friend bool operator==(const MutationBatch&, const MutationBatch&) = default;
};

/// The pseudonym of an actor in this graph.
std::string principal_of(const GraphId& graph, std::string_view actor);
/// B2.
base::Digest batch_id_of(const GraphId& graph, std::string_view principal, std::string_view key);

/// The rules of section 3 that hold for every batch, stored or new: at least one operation,
/// ordinals from 0, a token with a positive epoch, the batch id matches its key, target = source
/// + 1, texts and lists within their limits: whatever passes can be read back. `bad_request`,
/// `unsupported`, `resource_limit` or `corrupt`.
Status validate(const MutationBatch& batch, const GraphId& graph);

std::string encode(const MutationBatch& batch);
/// `corrupt` for anything but an exact version 2 (B1).
Result<MutationBatch> decode_batch(std::string_view bytes);

}  // namespace braid::commit
