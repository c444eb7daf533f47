// SPDX-License-Identifier: Apache-2.0
#include "schema/catalog.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/coding.h"
#include "base/hash.h"
#include "schema/lexer.h"
#include "schema/parser.h"
#include "schema/printer.h"

namespace braid::schema {
namespace {

constexpr std::uint16_t kFormatVersion = 1;
/// One id is left over, so that next_id() itself never wraps.
constexpr std::uint64_t kNextIdMax = std::numeric_limits<std::uint64_t>::max();

Error mismatch(std::string_view what) {
  return Error(ErrorCode::corrupt, fmt::format("the ids of a catalog {}", what));
}

/// Checks P3 over a growing set of ids.
class IdCheck {
 public:
  explicit IdCheck(std::uint64_t next_id) : next_id_(next_id) {}

  Status add(std::uint64_t id) {
    if (id == 0 || id >= next_id_) return mismatch("lie outside of 1 to the next id");  // (P3)
    if (!seen_.insert(id).second) return mismatch("are not distinct");                  // (P3)
    return Unit{};
  }

 private:
  std::uint64_t next_id_;
  std::unordered_set<std::uint64_t> seen_;
};

Status set_ids(RecordType& type, const StableIds::OfType& ids, IdCheck& check) {
  if (ids.properties.size() != type.properties.size()) {
    return mismatch(fmt::format("do not match the properties of {}", type.name));
  }
  BRAID_TRY(check.add(ids.id.value));
  type.id = ids.id;
  for (std::size_t i = 0; i < ids.properties.size(); ++i) {
    BRAID_TRY(check.add(ids.properties[i].value));
    type.properties[i].id = ids.properties[i];
  }
  std::sort(type.key.begin(), type.key.end(), [&type](const Member& left, const Member& right) {
    if (left.kind != right.kind) return left.kind < right.kind;
    if (left.kind != Member::Kind::property) return false;
    return type.properties[left.property].id < type.properties[right.property].id;
  });
  return Unit{};
}

StableIds::OfType ids_of(const RecordType& type) {
  StableIds::OfType out;
  out.id = type.id;
  for (const Property& property : type.properties) out.properties.push_back(property.id);
  return out;
}

/// Draws from the counter, and remembers which identities of the previous catalog went on.
class Assigner {
 public:
  explicit Assigner(std::uint64_t next_id) : next_id_(next_id) {}

  std::uint64_t next_id() const { return next_id_; }

  /// `find` gives the previous type of a name, or nullptr.
  template <class Find>
  Result<StableIds::OfType> assign(const RecordType& type, const Find& find) {
    StableIds::OfType out;
    const RecordType* before = find(type.name);
    if (before == nullptr && !type.notes.rename_from.empty()) {
      before = find(type.notes.rename_from);
    }
    BRAID_ASSIGN(const std::uint64_t id, continued_or_drawn(before, type.name, type.span));
    out.id = TableId{id};
    for (const Property& property : type.properties) {
      const Property* property_before =
          before == nullptr ? nullptr : before->property(property.name);
      if (property_before == nullptr && before != nullptr && !property.notes.rename_from.empty()) {
        property_before = before->property(property.notes.rename_from);
      }
      BRAID_ASSIGN(const std::uint64_t property_id,
                   continued_or_drawn(property_before, property.name, property.span));
      out.properties.push_back(PropertyId{property_id});
    }
    return out;
  }

 private:
  template <class Before>
  Result<std::uint64_t> continued_or_drawn(const Before* before, const std::string& name,
                                           const SourceSpan& span) {
    if (before == nullptr) {
      if (next_id_ >= kNextIdMax) {
        return Error(ErrorCode::resource_limit, "the graph has used up its ids");
      }
      return next_id_++;  // (P4)
    }
    if (!continued_.emplace(before->id.value).second) {
      return Error(ErrorCode::type_error,
                   fmt::format("{} and another declaration both continue {}; remove one "
                               "@rename_from",
                               name, before->name))
          .at(span);
    }
    return before->id.value;
  }

  std::uint64_t next_id_;
  std::unordered_set<std::uint64_t> continued_;
};

void write_ids(base::ByteWriter& writer, const std::vector<StableIds::OfType>& types) {
  writer.varint(types.size());
  for (const StableIds::OfType& type : types) {
    writer.varint(type.id.value);
    writer.varint(type.properties.size());
    for (const PropertyId id : type.properties) writer.varint(id.value);
  }
}

std::vector<StableIds::OfType> read_ids(base::ByteReader& reader) {
  std::vector<StableIds::OfType> out;
  const std::uint64_t types = reader.varint();
  for (std::uint64_t i = 0; i < types && !reader.failed(); ++i) {
    StableIds::OfType& type = out.emplace_back();
    type.id = TableId{reader.varint()};
    const std::uint64_t properties = reader.varint();
    for (std::uint64_t j = 0; j < properties && !reader.failed(); ++j) {
      type.properties.push_back(PropertyId{reader.varint()});
    }
  }
  return out;
}

}  // namespace

Result<Catalog> Catalog::make(Schema schema, const StableIds& ids) {
  Catalog out;
  out.text_ = print(schema.document());
  if (out.text_.size() > kSourceBytesMax) {
    return Error(ErrorCode::resource_limit,
                 fmt::format("the canonical schema text has {} bytes; at most {} are stored",
                             out.text_.size(), kSourceBytesMax));
  }
  if (ids.nodes.size() != schema.node_types_.size() ||
      ids.edges.size() != schema.edge_types_.size()) {
    return mismatch("do not match the types of its schema");
  }
  IdCheck check(ids.next_id);
  for (std::size_t i = 0; i < ids.nodes.size(); ++i) {
    BRAID_TRY(set_ids(schema.node_types_[i], ids.nodes[i], check));
  }
  for (std::size_t i = 0; i < ids.edges.size(); ++i) {
    BRAID_TRY(set_ids(schema.edge_types_[i], ids.edges[i], check));
  }
  if (ids.next_id == 0) return mismatch("have no next id");
  schema.rebuild_lookups();
  out.schema_ = std::move(schema);
  out.next_id_ = ids.next_id;
  return out;
}

StableIds Catalog::ids() const {
  StableIds out;
  out.next_id = next_id_;
  for (const NodeType& type : schema_.node_types()) out.nodes.push_back(ids_of(type));
  for (const EdgeType& type : schema_.edge_types()) out.edges.push_back(ids_of(type));
  return out;
}

Result<Catalog> assign_identities(Schema schema, const IdentityOptions& options) {
  const Catalog* const previous = options.previous;
  const std::uint64_t first = std::max<std::uint64_t>(1, options.next_id_min);
  Assigner assigner(previous == nullptr ? first : std::max(first, previous->next_id()));
  StableIds ids;
  for (const NodeType& type : schema.node_types()) {
    BRAID_ASSIGN(ids.nodes.emplace_back(),
                 assigner.assign(type, [previous](std::string_view name) -> const NodeType* {
                   return previous == nullptr ? nullptr : previous->schema().node_type(name);
                 }));
  }
  for (const EdgeType& type : schema.edge_types()) {
    BRAID_ASSIGN(ids.edges.emplace_back(),
                 assigner.assign(type, [previous](std::string_view name) -> const EdgeType* {
                   return previous == nullptr ? nullptr : previous->schema().edge_type(name);
                 }));
  }
  ids.next_id = assigner.next_id();
  return Catalog::make(std::move(schema), ids);
}

Result<Catalog> make_catalog(std::string_view source, const IdentityOptions& options) {
  BRAID_ASSIGN(Document document, parse(source));
  BRAID_ASSIGN(Schema schema, resolve(std::move(document)));
  return assign_identities(std::move(schema), options);
}

std::string encode(const Catalog& catalog) {
  base::ByteWriter writer;
  writer.u16(kFormatVersion);
  writer.u64(catalog.next_id());
  writer.bytes(catalog.text());
  const StableIds ids = catalog.ids();
  write_ids(writer, ids.nodes);
  write_ids(writer, ids.edges);
  return std::move(writer).take();
}

Result<Catalog> decode_catalog(std::string_view bytes) {
  base::ByteReader reader(bytes);
  const std::uint16_t version = reader.u16();
  if (!reader.failed() && version != kFormatVersion) {
    return Error(ErrorCode::format_mismatch,
                 fmt::format("this catalog has format version {}; this Braid reads {}", version,
                             kFormatVersion));
  }
  StableIds ids;
  ids.next_id = reader.u64();
  const std::string_view text = reader.bytes();
  ids.nodes = read_ids(reader);
  ids.edges = read_ids(reader);
  BRAID_TRY(reader.finish("catalog"));

  const auto damaged = [](const Error& cause) {
    return Error(ErrorCode::corrupt, "the schema text of a catalog: " + cause.message());
  };
  Result<Document> document = parse(text);
  if (!document) return damaged(document.error());
  Result<Schema> schema = resolve(*std::move(document));
  if (!schema) return damaged(schema.error());
  if (print(schema->document()) != text) {  // (P5)
    return Error(ErrorCode::corrupt, "the schema text of a catalog is not in canonical form");
  }
  return Catalog::make(*std::move(schema), ids);
}

std::array<std::uint8_t, 32> schema_identity(const Catalog& catalog) {
  return base::sha256(encode(catalog));
}

}  // namespace braid::schema
