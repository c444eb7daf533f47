// SPDX-License-Identifier: Apache-2.0
#include "commit/batch.h"

#include <gtest/gtest.h>

#include "base/coding.h"

namespace braid::commit {
namespace {

GraphId graph_of(std::uint8_t byte) {
  GraphId graph;
  graph.ulid.bytes.fill(byte);
  return graph;
}

MutationBatch example() {
  MutationBatch batch;
  batch.batch_id.fill(0xAA);
  batch.context = {"r", "p", std::nullopt, "f", std::nullopt};
  batch.scope = {"default", ScopeKind::graph, "main", "g", BranchIncarnation{1}};
  batch.placement_epoch = 0;
  batch.idempotency_key = "k";
  batch.expected_version = {ExpectedVersion::Kind::graph, 300};
  batch.request_digest.fill(0xBB);
  batch.authoritative_state.emplace();
  batch.authoritative_state->digest.fill(0xCC);
  batch.authoritative_state->source = Version{1};
  batch.authoritative_state->target = Version{2};
  batch.operations = {{0, "load", Domain::graph_rows}};
  batch.outbox = {"e"};
  batch.created_at_ms = -1;
  return batch;
}

// MessagePack by hand: a short text is its size plus 0xA0, then its bytes.
std::string text(std::string_view value) {
  EXPECT_LT(value.size(), 32U);
  return std::string(1, static_cast<char>(0xA0 + value.size())) + std::string(value);
}
std::string digest(char byte) { return std::string("\xC4\x20") + std::string(32, byte); }
constexpr const char* kNil = "\xC0";
const std::string kZero(1, '\0');

struct Field {
  std::string name;
  std::string value;
};
using Fields = std::vector<Field>;

std::string map_of(const Fields& fields) {
  EXPECT_LT(fields.size(), 16U);
  std::string out(1, static_cast<char>(0x80 + fields.size()));
  for (const Field& field : fields) out += text(field.name) + field.value;
  return out;
}

Fields context_fields() {
  return {{"request_id", text("r")},
          {"principal", text("p")},
          {"purpose", kNil},
          {"policy_fingerprint", text("f")},
          {"trace_id", kNil}};
}
Fields scope_fields() {
  return {{"tenant", text("default")},
          {"kind", text("graph")},
          {"name", text("main")},
          {"incarnation", text("g")},
          {"branch_incarnation", "\x01"}};
}
Fields expected_fields() { return {{"kind", text("graph")}, {"version", "\xCD\x01\x2C"}}; }
Fields state_fields() {
  return {{"algorithm", text("sha256")},
          {"digest", digest('\xCC')},
          {"source_version", "\x01"},
          {"target_version", "\x02"}};
}
Fields operation_fields() {
  return {{"ordinal", kZero}, {"surface", text("load")}, {"domain", text("graph_rows")}};
}
Fields batch_fields() {
  return {{"schema_version", "\x02"},
          {"batch_id", digest('\xAA')},
          {"context", map_of(context_fields())},
          {"scope", map_of(scope_fields())},
          {"placement_epoch", kZero},
          {"fencing_token", kNil},
          {"idempotency_key", text("k")},
          {"expected_version", map_of(expected_fields())},
          {"request_digest", digest('\xBB')},
          {"authoritative_state", map_of(state_fields())},
          {"operations", "\x91" + map_of(operation_fields())},
          {"outbox", "\x91" + text("e")},
          {"created_at_ms", "\xFF"}};
}

// The batch's fields with one of them replaced.
Fields with(Fields fields, std::string_view name, const std::string& value) {
  for (Field& field : fields) {
    if (field.name == name) field.value = value;
  }
  return fields;
}

std::string decode(const std::string& bytes) {
  const auto batch = decode_batch(bytes);
  return batch.ok() ? "a batch" : std::string(name_of(batch.error().code()));
}

// B1
TEST(MutationBatch, IsEncodedByteByByte) {
  EXPECT_EQ(base::hex(encode(example())), base::hex(map_of(batch_fields())));
}

// B1
TEST(MutationBatch, DecodesWhatWasEncoded) {
  MutationBatch full = example();
  full.context.purpose = "purpose";
  full.context.trace_id = "trace";
  full.fencing_token = "token";
  full.placement_epoch = UINT64_MAX;
  full.scope.kind = ScopeKind::native;
  full.expected_version = {ExpectedVersion::Kind::native, 1};
  full.operations.push_back({1, "x", Domain::control_plane});
  full.created_at_ms = INT64_MIN;
  MutationBatch bare = example();
  bare.authoritative_state.reset();
  bare.expected_version = {};
  bare.outbox.clear();
  bare.created_at_ms = INT64_MAX;

  for (const MutationBatch& batch : {example(), full, bare}) {
    const auto decoded = decode_batch(encode(batch));
    ASSERT_TRUE(decoded.ok()) << to_string(decoded.error());
    EXPECT_EQ(*decoded, batch);
  }
}

// B1
TEST(MutationBatch, FieldsMayComeInAnyOrder) {
  Fields fields = batch_fields();
  std::swap(fields[0], fields[12]);
  const auto decoded = decode_batch(map_of(fields));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, example());
}

// How one map stands in the batch.
struct Nested {
  const char* name;
  Fields fields;
  std::string (*whole)(const Fields&);
};

std::vector<Nested> maps_of_a_batch() {
  return {
      {"batch", batch_fields(), [](const Fields& fields) { return map_of(fields); }},
      {"context", context_fields(),
       [](const Fields& fields) {
         return map_of(with(batch_fields(), "context", map_of(fields)));
       }},
      {"scope", scope_fields(),
       [](const Fields& fields) { return map_of(with(batch_fields(), "scope", map_of(fields))); }},
      {"expected_version", expected_fields(),
       [](const Fields& fields) {
         return map_of(with(batch_fields(), "expected_version", map_of(fields)));
       }},
      {"authoritative_state", state_fields(),
       [](const Fields& fields) {
         return map_of(with(batch_fields(), "authoritative_state", map_of(fields)));
       }},
      {"operation", operation_fields(),
       [](const Fields& fields) {
         return map_of(with(batch_fields(), "operations", "\x91" + map_of(fields)));
       }},
  };
}

// B1
TEST(MutationBatch, EveryMissingFieldIsRefused) {
  for (const Nested& map : maps_of_a_batch()) {
    ASSERT_EQ(decode(map.whole(map.fields)), "a batch") << map.name;
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
      Fields fields = map.fields;
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_EQ(decode(map.whole(fields)), "corrupt") << map.name << '.' << map.fields[i].name;
    }
  }
}

// B1
TEST(MutationBatch, EveryRepeatedFieldIsRefusedAlsoInPlaceOfAnother) {
  for (const Nested& map : maps_of_a_batch()) {
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
      Fields added = map.fields;
      added.push_back(map.fields[i]);
      EXPECT_EQ(decode(map.whole(added)), "corrupt") << map.name << '.' << map.fields[i].name;
      Fields instead = map.fields;
      instead[(i + 1) % instead.size()] = map.fields[i];
      EXPECT_EQ(decode(map.whole(instead)), "corrupt") << map.name << '.' << map.fields[i].name;
    }
  }
}

// B1
TEST(MutationBatch, UnknownFieldIsRefusedAlsoInPlaceOfAnother) {
  for (const Nested& map : maps_of_a_batch()) {
    Fields added = map.fields;
    added.push_back({"extra", kNil});
    EXPECT_EQ(decode(map.whole(added)), "corrupt") << map.name;
    Fields renamed = map.fields;
    renamed[0].name += "x";
    EXPECT_EQ(decode(map.whole(renamed)), "corrupt") << map.name;
  }
}

// B1
TEST(MutationBatch, EveryMistypedFieldIsRefused) {
  for (const Nested& map : maps_of_a_batch()) {
    for (std::size_t i = 0; i < map.fields.size(); ++i) {
      Fields fields = map.fields;
      fields[i].value = "\xC3";  // true: no field is a boolean
      EXPECT_EQ(decode(map.whole(fields)), "corrupt") << map.name << '.' << map.fields[i].name;
      fields[i].value = std::string("\xCB\x3F\xF0\0\0\0\0\0\0", 9);  // 1.0
      EXPECT_EQ(decode(map.whole(fields)), "corrupt") << map.name << '.' << map.fields[i].name;
    }
  }
}

// B1
TEST(MutationBatch, OtherVersionsAreRefused) {
  for (const char version : {'\0', '\1', '\3'}) {
    EXPECT_EQ(decode(map_of(with(batch_fields(), "schema_version", std::string(1, version)))),
              "corrupt");
  }
}

// B1
TEST(MutationBatch, ValuesOutsideTheirRangeAreRefused) {
  const auto refused = [](std::string_view field, const std::string& value) {
    EXPECT_EQ(decode(map_of(with(batch_fields(), field, value))), "corrupt") << field;
  };
  refused("batch_id", "\xC4\x1F" + std::string(31, 'x'));
  refused("placement_epoch", "\xFF");                                // -1
  refused("created_at_ms", "\xCF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF");  // over INT64_MAX
  refused("outbox", "\x91\x01");                                     // a number
  refused("context", map_of(with(context_fields(), "request_id", kNil)));
  refused("scope", map_of(with(scope_fields(), "kind", text("other"))));
  refused("expected_version", map_of(with(expected_fields(), "kind", text("unversioned"))));
  refused("expected_version", map_of(with(expected_fields(), "kind", text("other"))));
  refused("authoritative_state", map_of(with(state_fields(), "algorithm", text("md5"))));
  refused("operations", "\x91" + map_of(with(operation_fields(), "ordinal", "\x01")));
  refused("operations", "\x91" + map_of(with(operation_fields(), "domain", text("other"))));
}

// B1
TEST(MutationBatch, CutOrLengthenedBytesAreCorrupt) {
  const std::string whole = encode(example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(decode(whole.substr(0, size)), "corrupt") << size;
  }
  EXPECT_EQ(decode(whole + '\0'), "corrupt");
}

// B2
TEST(BatchId, IsTheDigestOfGraphPrincipalAndKeyWithTheirSizes) {
  // SHA-256("braid batch 2\n" ULID(11…11) u64(1) u64(2) "p" "kk"), by Python's hashlib.
  EXPECT_EQ(base::hex_of(batch_id_of(graph_of(0x11), "p", "kk")),
            "a6bbc45db289430386c05adf1e0cae1ab878212255b3342ccd851ba1145b14d4");
}

// B2
TEST(BatchId, DiffersWhereverOneOfItsPartsDiffers) {
  const base::Digest id = batch_id_of(graph_of(1), "ab", "c");

  EXPECT_EQ(batch_id_of(graph_of(1), "ab", "c"), id);
  EXPECT_NE(batch_id_of(graph_of(2), "ab", "c"), id);
  EXPECT_NE(batch_id_of(graph_of(1), "ab", "d"), id);
  EXPECT_NE(batch_id_of(graph_of(1), "a", "bc"), id);
}

TEST(Principal, IsAPseudonymOfItsGraph) {
  // SHA-256("braid principal 1\n" ULID(11…11) "\nada"), by Python's hashlib.
  EXPECT_EQ(principal_of(graph_of(0x11), "ada"),
            "principal:sha256:890e474c979cac6b47f9fef04d685cc7ff70af2778237213a06a8285254f2ac4");
  EXPECT_NE(principal_of(graph_of(0x11), "ada"), principal_of(graph_of(0x12), "ada"));
}

MutationBatch valid_batch() {
  MutationBatch batch = example();
  batch.batch_id = batch_id_of(graph_of(1), batch.context.principal, batch.idempotency_key);
  return batch;
}

// B2
TEST(ValidateBatch, EveryBrokenRuleIsNamedByItsCode) {
  const auto check = [](void (*spoil)(MutationBatch&)) {
    MutationBatch batch = valid_batch();
    spoil(batch);
    const Status status = validate(batch, graph_of(1));
    return status.ok() ? "ok" : std::string(name_of(status.error().code()));
  };
  EXPECT_EQ(check([](MutationBatch&) {}), "ok");
  EXPECT_EQ(check([](MutationBatch& b) { b.operations.clear(); }), "bad_request");
  EXPECT_EQ(check([](MutationBatch& b) { b.operations[0].ordinal = 1; }), "bad_request");
  EXPECT_EQ(check([](MutationBatch& b) { b.placement_epoch = 1; }), "bad_request");
  EXPECT_EQ(check([](MutationBatch& b) {
              b.placement_epoch = 1;
              b.fencing_token = "t";
            }),
            "ok");
  EXPECT_EQ(check([](MutationBatch& b) { b.idempotency_key.clear(); }), "bad_request");
  EXPECT_EQ(check([](MutationBatch& b) { b.idempotency_key = "other"; }), "corrupt");
  EXPECT_EQ(check([](MutationBatch& b) { b.authoritative_state->target = Version{3}; }), "corrupt");
}

// B1
TEST(ValidateBatch, WhatPassesCanBeReadBackAndWhatIsLargerIsRefused) {
  const auto check = [](std::size_t size, void (*enlarge)(MutationBatch&, std::size_t)) {
    MutationBatch batch = valid_batch();
    enlarge(batch, size);
    batch.batch_id = batch_id_of(graph_of(1), batch.context.principal, batch.idempotency_key);
    const Status status = validate(batch, graph_of(1));
    if (status.ok()) {
      EXPECT_EQ(decode(encode(batch)), "a batch");
      return std::string("ok");
    }
    return std::string(name_of(status.error().code()));
  };
  using Enlarge = void (*)(MutationBatch&, std::size_t);
  const std::vector<Enlarge> texts = {
      [](MutationBatch& b, std::size_t n) { b.context.request_id.assign(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.context.principal.assign(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.context.purpose = std::string(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.context.policy_fingerprint = std::string(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.context.trace_id = std::string(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.scope.tenant.assign(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.scope.name.assign(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.scope.incarnation.assign(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.fencing_token = std::string(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.idempotency_key.assign(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.operations[0].surface.assign(n, 'x'); },
      [](MutationBatch& b, std::size_t n) { b.outbox = {std::string(n, 'x')}; },
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(check(4'096, texts[i]), "ok") << i;
    EXPECT_EQ(check(4'097, texts[i]), "resource_limit") << i;
  }
  const Enlarge events = [](MutationBatch& b, std::size_t n) { b.outbox.assign(n, "e"); };
  EXPECT_EQ(check(1'024, events), "ok");
  EXPECT_EQ(check(1'025, events), "resource_limit");
}

TEST(Domain, ThatNothingImplementsIsRefusedByItsName) {
  EXPECT_TRUE(check_domain(Domain::graph_rows).ok());
  EXPECT_TRUE(check_domain(Domain::lifecycle).ok());
  const Status refused = check_domain(Domain::time_series);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::unsupported);
  EXPECT_EQ(*refused.error().detail("domain"), "time_series");
}

TEST(Domain, NamesReadBack) {
#define BRAID_TEST_DOMAIN(name)            \
  EXPECT_EQ(name_of(Domain::name), #name); \
  EXPECT_EQ(domain_named(#name), Domain::name);
  BRAID_DOMAINS(BRAID_TEST_DOMAIN)
#undef BRAID_TEST_DOMAIN
  EXPECT_EQ(domain_named("other"), std::nullopt);
}

}  // namespace
}  // namespace braid::commit
