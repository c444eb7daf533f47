// SPDX-License-Identifier: Apache-2.0
// Whatever the text: rows and error do not depend on how it is cut, nor on whether it is read in
// segments (text_rows.h, J7), rows come back from what is written of them, and what is accepted is
// JSON by simdjson's judgement too.
#include "load/jsonl_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "columnar/value_codec.h"
#include "load/row_writer.h"
#include "load/text_rows.h"
#include "schema/catalog.h"

namespace {

using braid::load::LoadRow;

constexpr std::string_view kSchema = R"(
node A { k: String @key
  n: I32? }
node B { s: String?
  b: Blob?
  o: Bool?
  i: I32?
  u: U32?
  l: I64?
  v: U64?
  f: F32?
  d: F64?
  t: Date?
  m: DateTime?
  e: enum(x, y)?
  z: Vector(2)?
  ls: [String]?
  ld: [F64]?
  lm: [DateTime]? }
node C { id: F32?
  n: U64 }
node D { d: Date
  f: F64
  @key(d, f) }
edge E: A -> B { s: String? }
edge F: A -> A { @key(@src, @dst) }
)";

void require(bool condition) {
  if (!condition) std::abort();
}

const braid::schema::Schema& schema() {
  static const braid::schema::Catalog catalog = *braid::schema::make_catalog(kSchema);
  return catalog.schema();
}

struct Outcome {
  std::vector<LoadRow> rows;
  std::optional<braid::Error> error;
};

Outcome read(std::string_view text, std::size_t buffer_bytes) {
  braid::load::JsonlReader reader(
      schema(), braid::load::source_of(text),
      {.file = "f", .buffer_bytes = buffer_bytes, .record_bytes_max = 4096});
  Outcome out;
  for (;;) {
    LoadRow row;
    auto found = reader.next(row);
    if (!found) {
      out.error = found.error();
      return out;
    }
    if (!*found) return out;
    out.rows.push_back(std::move(row));
  }
}

void require_same(const LoadRow& left, const LoadRow& right) {
  require(&left.type() == &right.type() && left.id == right.id);
  require(left.from == right.from && left.to == right.to);
  std::vector<braid::Value> values[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const LoadRow& row = i == 0 ? left : right;
    values[i].resize(row.type().properties.size());
    for (const auto& [at, value] : row.assigned) values[i][at] = value;
  }
  for (std::size_t at = 0; at < values[0].size(); ++at) {
    require(braid::columnar::same_value(values[0][at], values[1][at]));
  }
}

void require_cut_freely(std::string_view text, std::size_t buffer_bytes, const Outcome& whole) {
  const Outcome cut = read(text, buffer_bytes);
  require(cut.rows.size() == whole.rows.size());
  for (std::size_t i = 0; i < cut.rows.size(); ++i) {
    require(cut.rows[i].byte == whole.rows[i].byte && cut.rows[i].line == whole.rows[i].line);
    require_same(cut.rows[i], whole.rows[i]);
  }
  require(cut.error.has_value() == whole.error.has_value());
  if (cut.error) require(to_string(*cut.error) == to_string(*whole.error));
}

/// Segments that end where lines do, of `segment_bytes` at least.
void require_segmented_freely(std::string_view text, std::size_t segment_bytes,
                              const Outcome& whole) {
  braid::load::Text segmented{"f", {}};
  for (std::string_view left = text; !left.empty();) {
    const std::size_t end = left.find('\n', std::min(segment_bytes, left.size()));
    const std::size_t size = end == std::string_view::npos ? left.size() : end + 1;
    segmented.segments.emplace_back(left.substr(0, size));
    left.remove_prefix(size);
  }
  const auto blocks = braid::load::read_rows(schema(), segmented, {1 << 20, 0}, {});
  require(blocks.ok() == !whole.error);
  if (!blocks) return require(to_string(blocks.error()) == to_string(*whole.error));
  std::size_t at = 0;
  for (const braid::load::RowBlock& block : *blocks) {
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      braid::table::RowWrite row;
      block.rows.read(i, row);
      LoadRow expected = whole.rows.at(at++);
      require(row.type == &expected.type() && row.src == expected.from && row.dst == expected.to);
      require(block.place_of(i).line == expected.line && block.place_of(i).byte == expected.byte);
      require(row.type->is_keyed() || row.id == expected.id);
      require(row.assigned.size() == expected.assigned.size());
      for (std::size_t k = 0; k < row.assigned.size(); ++k) {
        require(row.assigned[k].first == expected.assigned[k].first);
        require(braid::columnar::same_value(row.assigned[k].second, expected.assigned[k].second));
      }
    }
  }
  require(at == whole.rows.size());
}

void require_written_back(LoadRow row) {
  std::vector<braid::Value> values(row.type().properties.size());
  for (const auto& [at, value] : row.assigned) {
    require(braid::columnar::check_value(row.type().properties[at].type, value).ok());
    values[at] = value;
  }
  if (!row.id) row.id = "drawn";
  std::string text;
  if (row.is_edge) {
    braid::load::append_edge(text, *row.edge_type, *row.id, row.from, row.to, values);
  } else {
    braid::load::append_node(text, *row.node_type, *row.id, values);
  }
  // Escapes and shortest numbers may be longer than what was read: as large as the limit allows.
  if (text.size() > 4096) return;
  const Outcome again = read(text, 4096);
  require(!again.error && again.rows.size() == 1);
  require_same(row, again.rows.front());
}

void require_json(std::string_view text) {
  simdjson::dom::parser parser;
  const auto error = parser.parse(std::string(text)).error();
  // Its numbers end where its own types do.
  require(error == simdjson::SUCCESS || error == simdjson::NUMBER_ERROR);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t buffer_bytes = std::size_t{data[0]} + 1;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);

  const Outcome whole = read(text, std::size_t{1} << 16);

  require_cut_freely(text, buffer_bytes, whole);
  // Segments know no smaller limit of a record.
  if (text.size() <= 4096) require_segmented_freely(text, buffer_bytes, whole);
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    require_written_back(whole.rows[i]);
    const bool last = i + 1 == whole.rows.size();
    if (last && whole.error) continue;  // what is behind it is no JSON
    const std::uint64_t end = last ? text.size() : whole.rows[i + 1].byte;
    require_json(text.substr(whole.rows[i].byte, end - whole.rows[i].byte));
  }
  return 0;
}
