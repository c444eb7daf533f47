// SPDX-License-Identifier: Apache-2.0
// Any bytes as a section of a commit's record or as a branch record: refused, or decoded and
// encoded again to the same bytes (T3). A batch may be spelled in several ways (MessagePack): it
// decodes to the same batch again (B1). The first byte chooses the decoder.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "commit/batch.h"
#include "commit/outbox.h"
#include "commit/receipt.h"
#include "manifest/branch.h"
#include "manifest/commit_meta.h"
#include "schema/catalog.h"
#include "table/change_set.h"
#include "table/effects.h"

namespace braid {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

const schema::Schema& small_schema() {
  static const schema::Catalog catalog = *schema::make_catalog(R"(
node Person { name: String @key
  age: I32?
  score: F64?
  tags: [String]?
  place: Vector(2)?
  mood: enum(good, bad)? }
edge Knows: Person -> Person @card(0..3) { since: Date? }
)");
  return catalog.schema();
}

void check_batch(std::string_view bytes) {
  const auto batch = commit::decode_batch(bytes);
  if (!batch) return;
  const auto again = commit::decode_batch(encode(*batch));
  require(again.ok() && *again == *batch);
  static_cast<void>(validate(*batch, GraphId{}));
}

void check_change_set(std::string_view bytes) {
  const schema::Schema& schema = small_schema();
  const auto changes = table::decode_change_set(bytes, schema);
  if (!changes) return;
  const table::EncodedChangeSet encoded = table::encode(*changes, schema);
  require(encoded.bytes == bytes);
  for (std::size_t t = 0; t < changes->tables.size(); ++t) {
    const table::TableChanges& rows = changes->tables[t];
    const schema::RecordType& type = *table::type_of(schema, rows.table);
    const bool is_edge = table::edge_type_of(schema, rows.table) != nullptr;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      require(table::decode_row_at(bytes, encoded.places[t][r], type, is_edge).ok());
    }
  }
  std::vector<state::StateWrite> writes;
  table::append_effects(*changes, encoded, schema, {BranchIncarnation{1}, Position{1}}, writes);
  require(writes.size() >= changes->row_count());
}

void check_one(std::uint8_t pick, std::string_view bytes) {
  switch (pick) {
    case 0: return check_batch(bytes);
    case 1: return check_change_set(bytes);
    case 2: {
      const auto meta = manifest::decode_commit_meta(bytes);
      return require(!meta || encode(*meta) == bytes);
    }
    case 3: {
      const auto receipt = commit::decode_receipt(bytes);
      return require(!receipt || encode(*receipt) == bytes);
    }
    case 4: {
      const auto events = commit::decode_outbox(bytes);
      return require(!events || encode(*events) == bytes);
    }
    case 5: {
      const auto stored = manifest::decode_branch(bytes);
      return require(!stored || encode(stored->branch, stored->counters) == bytes);
    }
    case 6: {
      const auto place = table::decode_row_value(bytes);
      return require(!place || table::row_value(*place) == bytes);
    }
    case 7: {
      const auto live = table::decode_adjacency_value(bytes);
      return require(!live || table::adjacency_value(*live) == bytes);
    }
    default: return;
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  braid::check_one(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  return 0;
}
