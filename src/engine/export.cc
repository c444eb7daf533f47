// SPDX-License-Identifier: Apache-2.0
// Snapshot::export_jsonl, export_arrow: the rows of a snapshot, a piece at a time.
#include <algorithm>
#include <string>
#include <vector>

#include "columnar/arrow/ipc_writer.h"
#include "engine/snapshot_core.h"
#include "load/row_writer.h"
#include "table/fragment.h"
#include "table/fragment_columns.h"

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

// Gathers the many small writes of a file.
class ArrowPieces final : public columnar::arrow::Sink {
 public:
  explicit ArrowPieces(const ExportSink& sink) : sink_(sink) {}

  Status append(std::string_view bytes) override {
    piece_.append(bytes);
    return piece_.size() < kPieceBytes ? Status(Unit{}) : flush();
  }
  Status flush() {
    if (piece_.empty()) return Unit{};
    BRAID_TRY(sink_(piece_));
    piece_.clear();
    return Unit{};
  }

 private:
  const ExportSink& sink_;
  std::string piece_;
};

struct ExportedType {
  const schema::RecordType* type = nullptr;
  bool is_edge = false;
};

Result<ExportedType> type_named(const schema::Schema& schema, std::string_view name) {
  const schema::RecordType* node = schema.node_type(name);
  const schema::RecordType* edge = schema.edge_type(name);
  if (node != nullptr && edge != nullptr) {
    return Error(ErrorCode::bad_request, "a node type and an edge type have this name")
        .with("type", std::string(name));
  }
  if (node == nullptr && edge == nullptr) {
    return Error(ErrorCode::bad_request, "the schema has no such type")
        .with("type", std::string(name));
  }
  return ExportedType{node != nullptr ? node : edge, edge != nullptr};
}

// A file of no batches: a fragment has rows, an export may have none.
Status write_empty(columnar::arrow::Sink& sink, const ExportedType& exported) {
  auto schema = std::make_shared<const columnar::arrow::Schema>(
      table::fragment_schema(*exported.type, exported.is_edge, {}));
  BRAID_ASSIGN(auto writer, columnar::arrow::IpcWriter::begin(sink, std::move(schema)));
  return writer->finish();
}

}  // namespace

Status SnapshotCore::export_arrow(std::string_view type, const ExportSink& sink) const {
  BRAID_ASSIGN(const ExportedType exported, type_named(image_.schema(), type));
  ArrowPieces pieces(sink);
  std::unique_ptr<table::FragmentWriter> writer;
  BRAID_TRY(image_.scan(exported.type->id, [&](const table::StoredRow& stored) -> Status {
    if (writer == nullptr) {
      BRAID_ASSIGN(writer, table::FragmentWriter::begin(pieces, *exported.type, exported.is_edge));
    }
    return writer->append({.row = stored.row, .previous = {}, .stamp = {}});
  }));
  if (writer != nullptr) {
    BRAID_TRY(writer->finish());
  } else {
    BRAID_TRY(write_empty(pieces, exported));
  }
  return pieces.flush();
}

Status SnapshotCore::export_jsonl(const ExportOptions& options, const ExportSink& sink) const {
  const schema::Schema& schema = image_.schema();
  BRAID_TRY(check_types(options, schema));
  Exporter exporter(image_, sink);
  for (const auto* type : sorted(schema.node_types(), options)) BRAID_TRY(exporter.nodes(*type));
  for (const auto* type : sorted(schema.edge_types(), options)) BRAID_TRY(exporter.edges(*type));
  return exporter.flush();
}

}  // namespace braid::engine
