// SPDX-License-Identifier: Apache-2.0
#include "commit/batch.h"

#include <array>

#include <msgpack.hpp>

#include "base/coding.h"

namespace braid::commit {
namespace {

using Packer = msgpack::packer<msgpack::sbuffer>;

void put(Packer& packer, std::string_view text) {
  packer.pack_str(static_cast<std::uint32_t>(text.size()));
  packer.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
}

void put(Packer& packer, const base::Digest& digest) {
  packer.pack_bin(static_cast<std::uint32_t>(digest.size()));
  packer.pack_bin_body(reinterpret_cast<const char*>(digest.data()),
                       static_cast<std::uint32_t>(digest.size()));
}

void put(Packer& packer, const std::optional<std::string>& text) {
  if (text) {
    put(packer, std::string_view(*text));
  } else {
    packer.pack_nil();
  }
}

template <class T>
void field(Packer& packer, std::string_view name, const T& value) {
  put(packer, name);
  if constexpr (std::is_integral_v<T>) {
    packer.pack(value);
  } else {
    put(packer, value);
  }
}

void put_context(Packer& packer, const BatchContext& context) {
  packer.pack_map(5);
  field(packer, "request_id", std::string_view(context.request_id));
  field(packer, "principal", std::string_view(context.principal));
  field(packer, "purpose", context.purpose);
  field(packer, "policy_fingerprint", context.policy_fingerprint);
  field(packer, "trace_id", context.trace_id);
}

void put_scope(Packer& packer, const BatchScope& scope) {
  packer.pack_map(5);
  field(packer, "tenant", std::string_view(scope.tenant));
  field(packer, "kind", std::string_view(scope.kind == ScopeKind::graph ? "graph" : "native"));
  field(packer, "name", std::string_view(scope.name));
  field(packer, "incarnation", std::string_view(scope.incarnation));
  field(packer, "branch_incarnation", scope.branch.value);
}

constexpr std::array<std::string_view, 3> kExpectedKinds = {"unversioned", "graph", "native"};

void put_expected(Packer& packer, const ExpectedVersion& expected) {
  packer.pack_map(2);
  field(packer, "kind", kExpectedKinds[static_cast<std::size_t>(expected.kind)]);
  field(packer, "version", expected.version);
}

void put_state(Packer& packer, const std::optional<AuthoritativeState>& state) {
  if (!state) {
    packer.pack_nil();
    return;
  }
  packer.pack_map(4);
  field(packer, "algorithm", std::string_view("sha256"));
  field(packer, "digest", state->digest);
  field(packer, "source_version", state->source.value);
  field(packer, "target_version", state->target.value);
}

void put_operations(Packer& packer, const std::vector<Operation>& operations) {
  packer.pack_array(static_cast<std::uint32_t>(operations.size()));
  for (const Operation& operation : operations) {
    packer.pack_map(3);
    field(packer, "ordinal", operation.ordinal);
    field(packer, "surface", std::string_view(operation.surface));
    field(packer, "domain", name_of(operation.domain));
  }
}

// Reads the fields of one map in any order; every named field exactly once (B1).
class MapReader {
 public:
  MapReader(const msgpack::object& object, std::string_view where, std::size_t field_count)
      : where_(where) {
    if (object.type != msgpack::type::MAP || object.via.map.size != field_count) {
      fail("a map of " + std::to_string(field_count) + " fields");
      return;
    }
    map_ = &object.via.map;
  }

  const msgpack::object* find(std::string_view name) {
    if (map_ == nullptr) return nullptr;
    const msgpack::object* found = nullptr;
    for (std::uint32_t i = 0; i < map_->size; ++i) {
      const auto& entry = map_->ptr[i];
      if (entry.key.type != msgpack::type::STR || view(entry.key) != name) continue;
      if (found != nullptr) fail("no repeated field " + std::string(name));
      found = &entry.val;
    }
    if (found == nullptr) fail("a field " + std::string(name));
    return found;
  }

  std::string text(std::string_view name) {
    const msgpack::object* value = find(name);
    if (value == nullptr || value->type != msgpack::type::STR) {
      fail("text in " + std::string(name));
      return {};
    }
    return std::string(view(*value));
  }

  std::optional<std::string> optional_text(std::string_view name) {
    const msgpack::object* value = find(name);
    if (value != nullptr && value->type == msgpack::type::NIL) return std::nullopt;
    return text(name);
  }

  std::uint64_t number(std::string_view name) {
    const msgpack::object* value = find(name);
    if (value == nullptr || value->type != msgpack::type::POSITIVE_INTEGER) {
      fail("an unsigned number in " + std::string(name));
      return 0;
    }
    return value->via.u64;
  }

  std::int64_t signed_number(std::string_view name) {
    const msgpack::object* value = find(name);
    if (value != nullptr && value->type == msgpack::type::NEGATIVE_INTEGER) return value->via.i64;
    const std::uint64_t positive = number(name);
    if (positive > static_cast<std::uint64_t>(INT64_MAX)) fail("a signed number");
    return static_cast<std::int64_t>(positive);
  }

  base::Digest digest(std::string_view name) {
    base::Digest out{};
    const msgpack::object* value = find(name);
    if (value == nullptr || value->type != msgpack::type::BIN ||
        value->via.bin.size != out.size()) {
      fail("32 bytes in " + std::string(name));
      return out;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<std::uint8_t>(value->via.bin.ptr[i]);
    }
    return out;
  }

  const msgpack::object_array* array(std::string_view name) {
    const msgpack::object* value = find(name);
    if (value == nullptr || value->type != msgpack::type::ARRAY) {
      fail("an array in " + std::string(name));
      return nullptr;
    }
    return &value->via.array;
  }

  void fail(std::string expected) {
    if (!error_.empty()) return;
    error_ = where_ + ": expected " + std::move(expected);
  }
  Status status() const {
    if (error_.empty()) return Unit{};
    return Error(ErrorCode::corrupt, "mutation batch: " + error_);
  }

  static std::string_view view(const msgpack::object& text) {
    return {text.via.str.ptr, text.via.str.size};
  }

 private:
  std::string where_;
  const msgpack::object_map* map_ = nullptr;
  std::string error_;
};

Result<BatchContext> get_context(const msgpack::object& object) {
  MapReader map(object, "context", 5);
  BatchContext context;
  context.request_id = map.text("request_id");
  context.principal = map.text("principal");
  context.purpose = map.optional_text("purpose");
  context.policy_fingerprint = map.optional_text("policy_fingerprint");
  context.trace_id = map.optional_text("trace_id");
  BRAID_TRY(map.status());
  return context;
}

Result<BatchScope> get_scope(const msgpack::object& object) {
  MapReader map(object, "scope", 5);
  BatchScope scope;
  scope.tenant = map.text("tenant");
  const std::string kind = map.text("kind");
  if (kind != "graph" && kind != "native") map.fail("kind graph or native");
  scope.kind = kind == "graph" ? ScopeKind::graph : ScopeKind::native;
  scope.name = map.text("name");
  scope.incarnation = map.text("incarnation");
  scope.branch.value = map.number("branch_incarnation");
  BRAID_TRY(map.status());
  return scope;
}

Result<ExpectedVersion> get_expected(const msgpack::object& object) {
  MapReader map(object, "expected_version", 2);
  const std::string kind = map.text("kind");
  ExpectedVersion expected;
  expected.version = map.number("version");
  bool known = false;
  for (std::size_t i = 0; i < kExpectedKinds.size(); ++i) {
    if (kind != kExpectedKinds[i]) continue;
    expected.kind = static_cast<ExpectedVersion::Kind>(i);
    known = true;
  }
  if (!known) map.fail("a kind of expected version");
  if (expected.kind == ExpectedVersion::Kind::unversioned && expected.version != 0) {
    map.fail("no version beside unversioned");
  }
  BRAID_TRY(map.status());
  return expected;
}

Result<std::optional<AuthoritativeState>> get_state(const msgpack::object& object) {
  if (object.type == msgpack::type::NIL) return std::optional<AuthoritativeState>();
  MapReader map(object, "authoritative_state", 4);
  if (map.text("algorithm") != "sha256") map.fail("algorithm sha256");
  AuthoritativeState state;
  state.digest = map.digest("digest");
  state.source.value = map.number("source_version");
  state.target.value = map.number("target_version");
  BRAID_TRY(map.status());
  return std::optional(state);
}

Result<std::vector<Operation>> get_operations(const msgpack::object_array& array) {
  std::vector<Operation> operations;
  for (std::uint32_t i = 0; i < array.size; ++i) {
    MapReader map(array.ptr[i], "operation", 3);
    Operation operation;
    const std::uint64_t ordinal = map.number("ordinal");
    if (ordinal != i) map.fail("ordinals from 0");
    operation.ordinal = i;
    operation.surface = map.text("surface");
    const auto domain = domain_named(map.text("domain"));
    if (!domain) map.fail("a known domain");
    operation.domain = domain.value_or(Domain::graph_rows);
    BRAID_TRY(map.status());
    operations.push_back(std::move(operation));
  }
  return operations;
}

Result<MutationBatch> get_batch(const msgpack::object& object) {
  MapReader map(object, "batch", 13);
  if (map.number("schema_version") != kBatchSchemaVersion) map.fail("schema_version 2");
  MutationBatch batch;
  batch.batch_id = map.digest("batch_id");
  batch.placement_epoch = map.number("placement_epoch");
  batch.fencing_token = map.optional_text("fencing_token");
  batch.idempotency_key = map.text("idempotency_key");
  batch.request_digest = map.digest("request_digest");
  batch.created_at_ms = map.signed_number("created_at_ms");
  const msgpack::object* context = map.find("context");
  const msgpack::object* scope = map.find("scope");
  const msgpack::object* expected = map.find("expected_version");
  const msgpack::object* state = map.find("authoritative_state");
  const msgpack::object_array* operations = map.array("operations");
  const msgpack::object_array* outbox = map.array("outbox");
  BRAID_TRY(map.status());
  BRAID_ASSIGN(batch.context, get_context(*context));
  BRAID_ASSIGN(batch.scope, get_scope(*scope));
  BRAID_ASSIGN(batch.expected_version, get_expected(*expected));
  BRAID_ASSIGN(batch.authoritative_state, get_state(*state));
  BRAID_ASSIGN(batch.operations, get_operations(*operations));
  for (std::uint32_t i = 0; i < outbox->size; ++i) {
    if (outbox->ptr[i].type != msgpack::type::STR) {
      return Error(ErrorCode::corrupt, "mutation batch: outbox: expected text");
    }
    batch.outbox.emplace_back(MapReader::view(outbox->ptr[i]));
  }
  return batch;
}

Error over_limit(std::string_view resource, std::size_t limit, std::size_t actual) {
  return Error(ErrorCode::resource_limit, "a part of the batch is too large")
      .with("resource", std::string(resource))
      .with("limit", limit)
      .with("actual", actual);
}

// What decode_batch() would not take, no batch may hold: its record could never be read (B1).
Status check_limits(const MutationBatch& batch) {
  const auto check_text = [](std::string_view name, std::string_view value) -> Status {
    if (value.size() <= kBatchTextBytesMax) return Unit{};
    return over_limit(name, kBatchTextBytesMax, value.size());
  };
  const BatchContext& context = batch.context;
  BRAID_TRY(check_text("request_id", context.request_id));
  BRAID_TRY(check_text("principal", context.principal));
  BRAID_TRY(check_text("purpose", context.purpose.value_or("")));
  BRAID_TRY(check_text("policy_fingerprint", context.policy_fingerprint.value_or("")));
  BRAID_TRY(check_text("trace_id", context.trace_id.value_or("")));
  BRAID_TRY(check_text("tenant", batch.scope.tenant));
  BRAID_TRY(check_text("scope", batch.scope.name));
  BRAID_TRY(check_text("incarnation", batch.scope.incarnation));
  BRAID_TRY(check_text("fencing_token", batch.fencing_token.value_or("")));
  BRAID_TRY(check_text("idempotency_key", batch.idempotency_key));
  for (const Operation& operation : batch.operations) {
    BRAID_TRY(check_text("surface", operation.surface));
  }
  for (const std::string& event : batch.outbox) BRAID_TRY(check_text("outbox", event));
  for (const std::size_t size : {batch.operations.size(), batch.outbox.size()}) {
    if (size > kBatchListMax) return over_limit("batch_list", kBatchListMax, size);
  }
  return Unit{};
}

}  // namespace

std::string_view name_of(Domain domain) {
  switch (domain) {
#define BRAID_DOMAIN_NAME(name) \
  case Domain::name: return #name;
    BRAID_DOMAINS(BRAID_DOMAIN_NAME)
#undef BRAID_DOMAIN_NAME
  }
  return "unknown";
}

std::optional<Domain> domain_named(std::string_view name) {
#define BRAID_DOMAIN_FIND(known) \
  if (name == #known) return Domain::known;
  BRAID_DOMAINS(BRAID_DOMAIN_FIND)
#undef BRAID_DOMAIN_FIND
  return std::nullopt;
}

Status check_domain(Domain domain) {
  if (domain == Domain::graph_rows || domain == Domain::lifecycle) return Unit{};
  return Error(ErrorCode::unsupported, "nothing implements this durability domain yet")
      .with("domain", std::string(name_of(domain)));
}

std::string principal_of(const GraphId& graph, std::string_view actor) {
  const base::Digest digest = base::sha256({"braid principal 1\n", graph.to_string(), "\n", actor});
  return "principal:sha256:" + base::hex_of(digest);
}

base::Digest batch_id_of(const GraphId& graph, std::string_view principal, std::string_view key) {
  // B2: of nothing else. Lengths keep ("ab","c") and ("a","bc") apart.
  base::ByteWriter sizes;
  sizes.u64(principal.size());
  sizes.u64(key.size());
  return base::sha256({"braid batch 2\n", graph.to_string(), sizes.view(), principal, key});
}

Status validate(const MutationBatch& batch, const GraphId& graph) {
  BRAID_TRY(check_limits(batch));
  if (batch.operations.empty()) {
    return Error(ErrorCode::bad_request, "a batch needs at least one operation");
  }
  for (std::size_t i = 0; i < batch.operations.size(); ++i) {
    if (batch.operations[i].ordinal != i) {
      return Error(ErrorCode::bad_request, "operation ordinals count from 0");
    }
    BRAID_TRY(check_domain(batch.operations[i].domain));
  }
  if (batch.placement_epoch > 0 && !batch.fencing_token) {
    return Error(ErrorCode::bad_request, "a placement epoch needs its fencing token");
  }
  if (batch.idempotency_key.empty()) {
    return Error(ErrorCode::bad_request, "a batch needs an idempotency key");
  }
  if (batch.batch_id != batch_id_of(graph, batch.context.principal, batch.idempotency_key)) {
    return Error(ErrorCode::corrupt, "the batch id does not belong to its idempotency key");
  }
  const auto& state = batch.authoritative_state;
  if (state && state->target != state->source.next()) {
    return Error(ErrorCode::corrupt, "the target version is not the source version plus one");
  }
  return Unit{};
}

std::string encode(const MutationBatch& batch) {
  msgpack::sbuffer buffer(960);  // below what malloc treats as large
  Packer packer(buffer);
  packer.pack_map(13);
  field(packer, "schema_version", kBatchSchemaVersion);
  field(packer, "batch_id", batch.batch_id);
  put(packer, std::string_view("context"));
  put_context(packer, batch.context);
  put(packer, std::string_view("scope"));
  put_scope(packer, batch.scope);
  field(packer, "placement_epoch", batch.placement_epoch);
  field(packer, "fencing_token", batch.fencing_token);
  field(packer, "idempotency_key", std::string_view(batch.idempotency_key));
  put(packer, std::string_view("expected_version"));
  put_expected(packer, batch.expected_version);
  field(packer, "request_digest", batch.request_digest);
  put(packer, std::string_view("authoritative_state"));
  put_state(packer, batch.authoritative_state);
  put(packer, std::string_view("operations"));
  put_operations(packer, batch.operations);
  put(packer, std::string_view("outbox"));
  packer.pack_array(static_cast<std::uint32_t>(batch.outbox.size()));
  for (const std::string& event : batch.outbox) put(packer, std::string_view(event));
  field(packer, "created_at_ms", batch.created_at_ms);
  return {buffer.data(), buffer.size()};
}

Result<MutationBatch> decode_batch(std::string_view bytes) {
  // The library reports malformed input by exception; none leaves this function.
  try {
    std::size_t offset = 0;
    const msgpack::unpack_limit limit(4096, 64, 1U << 20, 1U << 20, 16, 16);
    const msgpack::object_handle handle =
        msgpack::unpack(bytes.data(), bytes.size(), offset, nullptr, nullptr, limit);
    if (offset != bytes.size()) {
      return Error(ErrorCode::corrupt, "mutation batch: bytes after its end");
    }
    return get_batch(handle.get());
  } catch (const msgpack::unpack_error& error) {
    return Error(ErrorCode::corrupt, std::string("mutation batch: ") + error.what());
  } catch (const std::bad_cast& error) {
    return Error(ErrorCode::corrupt, std::string("mutation batch: ") + error.what());
  }
}

}  // namespace braid::commit
