// SPDX-License-Identifier: Apache-2.0
#include "table/row_hash.h"

#include "base/assert.h"
#include "columnar/value_codec.h"

namespace braid::table {
namespace {

columnar::RowIdentity identity_of(const RowImage& row, bool is_edge) {
  return is_edge ? columnar::RowIdentity::edge(row.id, row.src, row.dst)
                 : columnar::RowIdentity::node(row.id);
}

}  // namespace

std::uint64_t content_hash_salt(const GraphId& graph) {
  const base::Digest digest = base::sha256({"braid content hash 1\n", graph.to_string()});
  base::ByteReader reader(base::as_view(digest));
  return reader.u64();
}

void RowHash::replace(const schema::RecordType& type, bool is_edge, const RowImage* before,
                      const RowImage* after) {
  BRAID_ASSERT(before != nullptr || after != nullptr);
  const columnar::HashScope scope{salt_, type.id};
  const columnar::RowIdentity identity = identity_of(before != nullptr ? *before : *after, is_edge);
  if (before == nullptr) sums_.add_row(scope, identity);
  if (after == nullptr) sums_.remove_row(scope, identity);
  for (std::size_t i = 0; i < type.properties.size(); ++i) {
    const Value* old_value = before != nullptr ? &before->values[i] : nullptr;
    const Value* new_value = after != nullptr ? &after->values[i] : nullptr;
    const bool same = old_value != nullptr && new_value != nullptr &&
                      columnar::same_value(*old_value, *new_value);
    if (same) continue;
    if (old_value != nullptr) sums_.remove_cell(scope, type.properties[i].id, identity, *old_value);
    if (new_value != nullptr) sums_.add_cell(scope, type.properties[i].id, identity, *new_value);
  }
}

std::vector<HashPart> RowHash::parts() const {
  std::vector<HashPart> out;
  for (const auto& [part, sum] : sums_.parts()) out.push_back({part.table, part.property, sum});
  return out;
}

}  // namespace braid::table
