// SPDX-License-Identifier: Apache-2.0
// Any bytes as a fragment of nodes and as one of edges: refused, or looked up in, read and checked
// without an assertion and without leaving them. What check() finds good keeps T8 and T9.
#include "table/fragment.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "schema/catalog.h"

namespace braid::table {
namespace {

constexpr std::uint64_t kRowsMax = 512;

void require(bool condition) {
  if (!condition) std::abort();
}

const schema::Schema& small_schema() {
  static const schema::Catalog catalog = *schema::make_catalog(R"(
node Person { name: String @key
  age: I32? @unique
  tags: [String]?
  place: Vector(2)?
  mood: enum(good, bad)?
  yes: Bool? }
edge Knows: Person -> Person { since: Date? }
)");
  return catalog.schema();
}

void require_refusal(const Error& error) {
  require(error.code() == ErrorCode::corrupt || error.code() == ErrorCode::format_mismatch ||
          error.code() == ErrorCode::unsupported || error.code() == ErrorCode::resource_limit);
}

void look_up(const Fragment& fragment, std::string_view id, bool is_good) {
  const auto place = fragment.find(id);
  if (!place) return require_refusal(place.error());
  require(!is_good || place->has_value());
  if (!*place) return;
  const auto row = fragment.read(**place);
  if (!row) return require_refusal(row.error());
  require(!is_good || row->row.id == id);
  const auto stamp = fragment.stamp(**place);
  require(stamp.ok() && *stamp == row->stamp);
}

void read_edges(const Fragment& fragment) {
  const std::vector<std::uint32_t> ordinals = {0, 1, 2, 5, 100, UINT32_MAX};
  std::size_t seen = 0;
  const Status read =
      fragment.edges_at(ordinals, [&](FragmentPlace, const FragmentEdge& edge) -> Status {
        seen += edge.id.size() + edge.src.size() + edge.dst.size();
        return Unit{};
      });
  if (!read) require_refusal(read.error());
  for (std::size_t batch = 0; batch < fragment.batch_count() && batch < 4; ++batch) {
    const auto ends = fragment.ends(batch);
    if (!ends) return require_refusal(ends.error());
    for (std::size_t row = 0; row < ends->src->length() && row < kRowsMax; ++row) {
      seen += ends->src->bytes(row).size() + ends->dst->bytes(row).size();
    }
  }
}

void read_all(std::string_view bytes, const schema::RecordType& type, bool is_edge) {
  const std::shared_ptr<const void> nobody;
  const std::shared_ptr<const schema::RecordType> borrowed(nobody, &type);
  const auto opened = Fragment::open(bytes, nobody, borrowed, is_edge);
  if (!opened) return require_refusal(opened.error());
  const auto& fragment = *opened;
  const Status checked = fragment->check();
  if (!checked) require_refusal(checked.error());
  for (const std::string_view id : {"", "a", "b", "c", "zzz"}) look_up(*fragment, id, false);
  if (is_edge) read_edges(*fragment);
  FragmentCursor cursor(fragment);
  Status moved = cursor.seek("");
  std::string before;
  for (std::uint64_t row = 0; moved && cursor.valid() && row < kRowsMax; ++row) {
    require(!checked || row == 0 || before < cursor.id());  // T8
    before = cursor.id();
    look_up(*fragment, before, checked.ok());  // T9
    moved = cursor.next();
  }
  if (!moved) require_refusal(moved.error());
}

}  // namespace
}  // namespace braid::table

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Aligned, as a mapping is, and of its exact size, so that ASan sees what reads beyond it.
  const auto exact = std::make_unique<std::uint64_t[]>((size + 7) / 8);
  if (size > 0) std::memcpy(exact.get(), data, size);
  const std::string_view bytes(reinterpret_cast<const char*>(exact.get()), size);
  const braid::schema::Schema& schema = braid::table::small_schema();
  braid::table::read_all(bytes, *schema.node_type("Person"), false);
  braid::table::read_all(bytes, *schema.edge_type("Knows"), true);
  return 0;
}
