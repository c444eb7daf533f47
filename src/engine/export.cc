// SPDX-License-Identifier: Apache-2.0
// Snapshot::export_jsonl: the rows of a snapshot as text, a piece at a time.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/snapshot_core.h"
#include "load/row_writer.h"

namespace braid::engine {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

bool is_wanted(const ExportOptions& options, std::string_view type) {
  return options.types.empty() ||
         std::find(options.types.begin(), options.types.end(), type) != options.types.end();
}

Status check_types(const ExportOptions& options, const schema::Schema& schema) {
  for (const std::string& type : options.types) {
    if (schema.node_type(type) != nullptr || schema.edge_type(type) != nullptr) continue;
    return Error(ErrorCode::bad_request, "the schema has no such type").with("type", type);
  }
  return Unit{};
}

// The wanted types by name: identities depend on the history of a schema, names do not.
template <class Type>
std::vector<const Type*> sorted(const std::vector<Type>& types, const ExportOptions& options) {
  std::vector<const Type*> out;
  for (const Type& type : types) {
    if (is_wanted(options, type.name)) out.push_back(&type);
  }
  std::sort(out.begin(), out.end(), [](const Type* a, const Type* b) { return a->name < b->name; });
  return out;
}

class Exporter {
 public:
  Exporter(const table::Image& image, const ExportSink& sink) : image_(image), sink_(sink) {}

  Status nodes(const schema::NodeType& type) {
    return rows(type.id, [&](const table::RowImage& row) {
      load::append_node(piece_, type, row.id, row.values);
    });
  }
  Status edges(const schema::EdgeType& type) {
    return rows(type.id, [&](const table::RowImage& row) {
      load::append_edge(piece_, type, row.id, row.src, row.dst, row.values);
    });
  }
  Status flush() {
    if (piece_.empty()) return Unit{};
    BRAID_TRY(sink_(piece_));
    piece_.clear();
    return Unit{};
  }

 private:
  template <class Append>
  Status rows(TableId table, const Append& append) {
    return image_.scan(table, [&](const table::StoredRow& stored) -> Status {
      append(stored.row);
      return piece_.size() < kPieceBytes ? Status(Unit{}) : flush();
    });
  }

  const table::Image& image_;
  const ExportSink& sink_;
  std::string piece_;
};

}  // namespace

Status SnapshotCore::export_jsonl(const ExportOptions& options, const ExportSink& sink) const {
  const schema::Schema& schema = image_.schema();
  BRAID_TRY(check_types(options, schema));
  Exporter exporter(image_, sink);
  for (const auto* type : sorted(schema.node_types(), options)) BRAID_TRY(exporter.nodes(*type));
  for (const auto* type : sorted(schema.edge_types(), options)) BRAID_TRY(exporter.edges(*type));
  return exporter.flush();
}

}  // namespace braid::engine
