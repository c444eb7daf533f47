// SPDX-License-Identifier: Apache-2.0
// The rules of docs/languages/pg.md. (P2)
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "schema/annotation_rules.h"
#include "schema/record_builder.h"
#include "schema/schema.h"

namespace braid::schema {
namespace {

Error type_error(const Place& place, std::string message) {
  return Error(ErrorCode::type_error, std::move(message)).at(place.span);
}

}  // namespace

/// Turns a document into a Schema: names first, then interfaces, then the rest.
class Resolver {
 public:
  explicit Resolver(Document document) { schema_.document_ = std::move(document); }

  Result<Schema> run() &&;

 private:
  Status collect_names();
  /// An interface must be right on its own, whoever implements it.
  Status check_interface(const InterfaceDeclaration& declaration);
  Status add_node(const NodeDeclaration& declaration);
  Status add_edge(const EdgeDeclaration& declaration);
  Status add_interfaces(const NodeDeclaration& declaration, RecordBuilder& builder);
  Result<std::size_t> endpoint(const Name& name) const;

  Schema schema_;
  PatternCache patterns_;
  std::size_t injected_bytes_ = 0;
  std::unordered_map<std::string_view, const InterfaceDeclaration*> interfaces_;
  std::unordered_map<std::string_view, std::size_t> nodes_;
};

Result<Schema> Resolver::run() && {
  BRAID_TRY(collect_names());
  for (const Declaration& declaration : schema_.document_.declarations) {
    if (const auto* interface = std::get_if<InterfaceDeclaration>(&declaration)) {
      BRAID_TRY(check_interface(*interface));
    }
  }
  for (const Declaration& declaration : schema_.document_.declarations) {
    if (const auto* node = std::get_if<NodeDeclaration>(&declaration)) {
      BRAID_TRY(add_node(*node));
    } else if (const auto* edge = std::get_if<EdgeDeclaration>(&declaration)) {
      BRAID_TRY(add_edge(*edge));
    }
  }
  schema_.rebuild_lookups();
  return std::move(schema_);
}

Status Resolver::collect_names() {
  std::unordered_map<std::string, std::string_view> edges;
  for (const Declaration& declaration : schema_.document_.declarations) {
    if (const auto* interface = std::get_if<InterfaceDeclaration>(&declaration)) {
      if (!interfaces_.emplace(interface->name.text, interface).second) {
        return type_error(interface->name.place, "another interface has this name; rename one");
      }
    } else if (const auto* node = std::get_if<NodeDeclaration>(&declaration)) {
      if (!nodes_.emplace(node->name.text, nodes_.size()).second) {
        return type_error(node->name.place, "another node type has this name; rename one");
      }
    } else {
      const Name& name = std::get<EdgeDeclaration>(declaration).name;
      const auto [other, added] = edges.emplace(folded_name(name.text), name.text);
      if (!added) {
        return type_error(name.place,
                          fmt::format("edge type {} has this name for a query, which does not see "
                                      "capital letters; rename one",
                                      other->second));
      }
    }
  }
  return Unit{};
}

Status Resolver::check_interface(const InterfaceDeclaration& declaration) {
  RecordBuilder builder(RecordBuilder::Kind::interface, patterns_);
  BRAID_TRY(builder.declare(declaration.properties));
  NodeType ignored;
  return builder.finish({}, ignored, &ignored.embeds);
}

Status Resolver::add_node(const NodeDeclaration& declaration) {
  NodeType out;
  out.name = declaration.name.text;
  out.span = declaration.name.place.span;
  BRAID_ASSIGN(out.notes, notes_of(declaration.annotations, Annotated::type));
  RecordBuilder builder(RecordBuilder::Kind::node, patterns_);
  BRAID_TRY(builder.declare(declaration.properties));
  BRAID_TRY(add_interfaces(declaration, builder));
  for (const Name& name : declaration.interfaces) out.interfaces.push_back(name.text);
  BRAID_TRY(builder.finish(declaration.constraints, out, &out.embeds));
  schema_.node_types_.push_back(std::move(out));
  return Unit{};
}

Status Resolver::add_interfaces(const NodeDeclaration& declaration, RecordBuilder& builder) {
  std::unordered_set<std::string_view> seen;
  for (const Name& name : declaration.interfaces) {
    const auto found = interfaces_.find(name.text);
    if (found == interfaces_.end()) {
      return type_error(name.place, fmt::format("no interface is called {}", name.text));
    }
    if (!seen.insert(name.text).second) {
      return type_error(name.place, fmt::format("{} is named twice; keep one", name.text));
    }
    BRAID_TRY(builder.inject(*found->second, name, injected_bytes_));
  }
  return Unit{};
}

Result<std::size_t> Resolver::endpoint(const Name& name) const {
  const auto found = nodes_.find(name.text);
  if (found == nodes_.end()) {
    return type_error(
        name.place, fmt::format("no node type is called {}; an edge joins node types", name.text));
  }
  return found->second;
}

Status Resolver::add_edge(const EdgeDeclaration& declaration) {
  EdgeType out;
  out.name = declaration.name.text;
  out.span = declaration.name.place.span;
  BRAID_ASSIGN(out.from, endpoint(declaration.from));
  BRAID_ASSIGN(out.to, endpoint(declaration.to));
  if (declaration.card) {
    out.cardinality = {declaration.card->min, declaration.card->max};
    if (out.cardinality.max && *out.cardinality.max < out.cardinality.min) {
      return type_error(declaration.card->place,
                        "the highest number of edges is below the lowest; exchange them");
    }
  }
  BRAID_ASSIGN(out.notes, notes_of(declaration.annotations, Annotated::type));
  RecordBuilder builder(RecordBuilder::Kind::edge, patterns_);
  BRAID_TRY(builder.declare(declaration.properties));
  BRAID_TRY(builder.finish(declaration.constraints, out, nullptr));
  schema_.edge_types_.push_back(std::move(out));
  return Unit{};
}

Result<Schema> resolve(Document document) { return Resolver(std::move(document)).run(); }

}  // namespace braid::schema
