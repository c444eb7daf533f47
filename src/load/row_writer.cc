// SPDX-License-Identifier: Apache-2.0
#include "load/row_writer.h"

#include "base/assert.h"
#include "columnar/value_text.h"

namespace braid::load {
namespace {

/// `,"data":{…}` and the end of the record.
void append_data(std::string& out, const schema::RecordType& type, std::string_view id,
                 std::span<const Value> values) {
  BRAID_ASSERT(values.size() == type.properties.size());
  std::string_view before = ",\"data\":{";
  const auto member = [&](std::string_view name) {
    out += before;
    before = ",";
    columnar::append_json_string(out, name);
    out += ':';
  };
  if (!type.is_keyed()) {
    BRAID_ASSERT(!id.empty());
    member(type.property_index("id") ? "@id" : "id");
    columnar::append_json_string(out, id);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_null()) continue;  // J6: what is left out is read as null
    member(type.properties[i].name);
    columnar::append_json(out, values[i], {.blob_prefix = true});
  }
  out += before == "," ? "}}\n" : "}\n";
}

}  // namespace

void append_node(std::string& out, const schema::NodeType& type, std::string_view id,
                 std::span<const Value> values) {
  out += "{\"type\":";
  columnar::append_json_string(out, type.name);
  append_data(out, type, id, values);
}

void append_edge(std::string& out, const schema::EdgeType& type, std::string_view id,
                 std::string_view from, std::string_view to, std::span<const Value> values) {
  out += "{\"edge\":";
  columnar::append_json_string(out, type.name);
  out += ",\"from\":";
  columnar::append_json_string(out, from);
  out += ",\"to\":";
  columnar::append_json_string(out, to);
  append_data(out, type, id, values);
}

}  // namespace braid::load
