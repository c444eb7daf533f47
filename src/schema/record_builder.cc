// SPDX-License-Identifier: Apache-2.0
#include "schema/record_builder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/assert.h"
#include "schema/annotation_rules.h"
#include "schema/schema.h"

namespace braid::schema {
namespace {

using columnar::PropertyType;
using columnar::ScalarKind;
using columnar::Shape;

constexpr std::array<std::string_view, 7> kReserved = {"_rowid",
                                                       "_rowaddr",
                                                       "_rowoffset",
                                                       "_row_created_at_version",
                                                       "_row_last_updated_at_version",
                                                       "_distance",
                                                       "_score"};
constexpr std::array<std::string_view, 5> kReservedOnEdges = {"id", "src", "dst", "from", "to"};

constexpr std::uint64_t kVectorSizeMax = (std::uint64_t{1} << 31) - 1;

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

Error type_error(const Place& place, std::string message) {
  return Error(ErrorCode::type_error, std::move(message)).at(place.span);
}

/// One value whose equality has a meaning: what keys and unique tuples are made of.
bool is_comparable(const PropertyType& type) {
  return (type.shape == Shape::scalar || type.shape == Shape::enumeration) &&
         type.kind != ScalarKind::blob;
}

/// About the memory that a copy of the property takes.
std::size_t cost_of(const PropertyDeclaration& declaration) {
  constexpr std::size_t kEach = 64;
  std::size_t cost = 4 * kEach + declaration.name.text.size();
  for (const auto& value : declaration.type.enum_values) cost += kEach + value.text.size();
  const auto add = [&cost](const Literal& literal) {
    const auto* text = std::get_if<std::string>(&literal);
    cost += kEach + (text == nullptr ? 0 : text->size());
  };
  for (const Annotation& annotation : declaration.annotations) {
    cost += 4 * kEach + annotation.name.text.size();
    if (const auto* literal = std::get_if<Literal>(&annotation.argument)) add(*literal);
    for (const NamedArgument& named : annotation.named_arguments) {
      cost += kEach + named.name.text.size();
      add(named.value);
    }
  }
  return cost;
}

}  // namespace

Result<Pattern> PatternCache::get(const std::string& pattern) {
  const auto found = patterns_.find(pattern);
  if (found != patterns_.end()) return found->second;
  if (patterns_.size() >= kPatternsMax) {
    return Error(
        ErrorCode::resource_limit,
        fmt::format("the schema has more than {} different @check patterns", kPatternsMax));
  }
  BRAID_ASSIGN(Pattern compiled, Pattern::compile(pattern));
  patterns_.emplace(pattern, compiled);
  return compiled;
}

Result<PropertyType> property_type(const TypeExpression& expression) {
  PropertyType out;
  out.kind = expression.kind;
  out.shape = expression.shape;
  out.nullable = expression.nullable;
  if (out.shape == Shape::list && out.kind == ScalarKind::blob) {
    return type_error(expression.place,
                      "a list cannot hold Blobs; put each Blob in a node of its own");
  }
  if (out.shape == Shape::vector) {
    if (expression.vector_size < 1 || expression.vector_size > kVectorSizeMax) {
      return type_error(expression.vector_size_place,
                        fmt::format("a vector's size is 1 to {}", kVectorSizeMax));
    }
    out.vector_size = static_cast<std::uint32_t>(expression.vector_size);
  }
  for (const auto& value : expression.enum_values) {
    if (!out.enum_values.empty() && out.enum_values.back() == value.text) {
      return type_error(value.place, "this enum value stands here twice; keep one");
    }
    out.enum_values.push_back(value.text);
  }
  return out;
}

Status RecordBuilder::check_property_name(const Name& name) const {
  if (contains(kReserved, name.text)) {
    return type_error(name.place,
                      fmt::format("{} is reserved for Braid; rename the property", name.text));
  }
  if (kind_ == Kind::edge && contains(kReservedOnEdges, name.text)) {
    return type_error(name.place,
                      fmt::format("every edge has {} already; rename the property", name.text));
  }
  if (by_name_.contains(name.text)) {
    return type_error(name.place, "another property of the type has this name; rename one");
  }
  return Unit{};
}

Place RecordBuilder::place_of(std::size_t property, const Place& place) const {
  const Name* const via = origins_[property].via;
  return via == nullptr ? place : via->place;
}

Status RecordBuilder::declare(const std::vector<PropertyDeclaration>& declarations) {
  for (const PropertyDeclaration& declaration : declarations) {
    BRAID_TRY(check_property_name(declaration.name));
    Property& property = properties_.emplace_back();
    property.name = declaration.name.text;
    property.span = declaration.name.place.span;
    BRAID_ASSIGN(property.type, property_type(declaration.type));
    BRAID_ASSIGN(property.notes, notes_of(declaration.annotations, Annotated::property));
    by_name_.emplace(declaration.name.text, origins_.size());
    origins_.push_back({&declaration, nullptr});
  }
  return Unit{};
}

Status RecordBuilder::inject(const InterfaceDeclaration& interface, const Name& via,
                             std::size_t& injected_bytes) {
  for (const PropertyDeclaration& declaration : interface.properties) {
    const auto found = by_name_.find(declaration.name.text);
    if (found != by_name_.end()) {
      const Origin& origin = origins_[found->second];
      if (origin.declaration->type == declaration.type) continue;
      return type_error(
          origin.via == nullptr ? origin.declaration->type.place : via.place,
          fmt::format("interface {} declares {} with another type; make both the same", via.text,
                      declaration.name.text));
    }
    injected_bytes += cost_of(declaration);
    if (injected_bytes > kInjectedBytesMax) {
      return Error(ErrorCode::resource_limit,
                   fmt::format("the interfaces add properties of more than {} bytes in all",
                               kInjectedBytesMax))
          .at(via.place.span);
    }
    Property& property = properties_.emplace_back();
    property.name = declaration.name.text;
    property.span = via.place.span;
    property.from_interface = interface.name.text;
    BRAID_ASSIGN(property.type, property_type(declaration.type));
    BRAID_ASSIGN(property.notes, notes_of(declaration.annotations, Annotated::property));
    property.notes.rename_from.clear();  // an intent about one table, not about each of them
    by_name_.emplace(declaration.name.text, origins_.size());
    origins_.push_back({&declaration, &via});
  }
  return Unit{};
}

Status RecordBuilder::finish(const std::vector<Constraint>& constraints, RecordType& out,
                             std::vector<Embed>* embeds) {
  out_ = &out;
  embeds_ = embeds;
  out.properties = std::move(properties_);
  for (std::size_t property = 0; property < origins_.size(); ++property) {
    for (const Annotation& annotation : origins_[property].declaration->annotations) {
      BRAID_TRY(apply_annotation(property, annotation));
    }
  }
  for (const Constraint& constraint : constraints) BRAID_TRY(apply_constraint(constraint));
  return Unit{};
}

Status RecordBuilder::apply_annotation(std::size_t property, const Annotation& annotation) {
  const std::string_view name = annotation.name.text;
  const Place place = place_of(property, annotation.name.place);
  const std::vector<PlacedMember> members = {{{Member::Kind::property, property}, place}};
  if (name == "key") return set_key(members, place);
  if (name == "unique") return add_unique(members);
  if (name == "index") return add_index(members);
  if (name == "embed") return add_embed(property, annotation);
  const Place argument_place = place_of(property, annotation.argument_place);
  if (name == "range") {
    BRAID_ASSERT(annotation.bound.has_value());
    return add_range(property, *annotation.bound, argument_place);
  }
  if (name == "check") {
    const auto& pattern = std::get<std::string>(std::get<Literal>(annotation.argument));
    return add_check(property, pattern, argument_place);
  }
  return Unit{};
}

Status RecordBuilder::apply_constraint(const Constraint& constraint) {
  std::vector<PlacedMember> members;
  for (const Constraint::Member& member : constraint.members) {
    BRAID_ASSIGN(members.emplace_back(), member_of(member));
  }
  switch (constraint.kind) {
    case ConstraintKind::key: return set_key(members, constraint.place);
    case ConstraintKind::unique: return add_unique(members);
    case ConstraintKind::index: return add_index(members);
    case ConstraintKind::range:
    case ConstraintKind::check: break;
  }
  const PlacedMember& only = members.front();
  if (only.member.kind != Member::Kind::property) {
    return type_error(only.place,
                      fmt::format("@{} is about a property of the edge", name_of(constraint.kind)));
  }
  if (constraint.kind == ConstraintKind::check) {
    return add_check(only.member.property, constraint.pattern, constraint.pattern_place);
  }
  BRAID_ASSERT(constraint.bound.has_value());
  return add_range(only.member.property, *constraint.bound, constraint.bound->place);
}

Result<RecordBuilder::PlacedMember> RecordBuilder::member_of(
    const Constraint::Member& member) const {
  const Name& name = member.name;
  if (kind_ == Kind::edge) {
    if (name.text == "src") return PlacedMember{{Member::Kind::source, 0}, name.place};
    if (name.text == "dst") return PlacedMember{{Member::Kind::target, 0}, name.place};
  }
  if (member.with_at) {
    return type_error(name.place, kind_ == Kind::edge
                                      ? "only src and dst have an \"@\"; write properties without"
                                      : "only an edge has @src and @dst");
  }
  const auto found = by_name_.find(name.text);
  if (found == by_name_.end()) {
    return type_error(name.place, fmt::format("the type has no property {}", name.text));
  }
  return PlacedMember{{Member::Kind::property, found->second}, name.place};
}

Result<std::vector<Member>> RecordBuilder::tuple_of(
    const std::vector<PlacedMember>& members) const {
  std::vector<Member> out;
  std::set<Member> seen;
  for (const PlacedMember& placed : members) {
    if (!seen.insert(placed.member).second) {
      return type_error(placed.place, "this member stands here twice; keep one");
    }
    out.push_back(placed.member);
  }
  return out;
}

Status RecordBuilder::set_key(const std::vector<PlacedMember>& members, const Place& place) {
  if (!out_->key.empty()) {
    return type_error(place,
                      "the type has a @key already; for several members write "
                      "@key(first, second) in the braces");
  }
  for (const PlacedMember& placed : members) {
    if (placed.member.kind != Member::Kind::property) continue;
    const Property& property = out_->properties[placed.member.property];
    if (property.type.nullable) {
      return type_error(placed.place, fmt::format("a member of @key is never null; write {}: {} "
                                                  "without \"?\"",
                                                  property.name, to_string(property.type)));
    }
    if (!is_comparable(property.type)) {
      return type_error(placed.place, fmt::format("a member of @key is one value, not {}",
                                                  to_string(property.type)));
    }
  }
  BRAID_ASSIGN(out_->key, tuple_of(members));
  return Unit{};
}

Status RecordBuilder::add_unique(const std::vector<PlacedMember>& members) {
  BRAID_ASSIGN(std::vector<Member> tuple, tuple_of(members));
  for (const PlacedMember& placed : members) {
    if (placed.member.kind != Member::Kind::property) continue;
    const PropertyType& type = out_->properties[placed.member.property].type;
    if (!is_comparable(type)) {
      return type_error(placed.place,
                        fmt::format("a member of @unique is one value, not {}", to_string(type)));
    }
  }
  std::vector<Member> sorted = tuple;
  std::sort(sorted.begin(), sorted.end());
  if (unique_sets_.insert(std::move(sorted)).second) out_->uniques.push_back(std::move(tuple));
  return Unit{};
}

Status RecordBuilder::add_index(const std::vector<PlacedMember>& members) {
  BRAID_ASSIGN(std::vector<Member> tuple, tuple_of(members));
  if (index_tuples_.insert(tuple).second) out_->indexes.push_back(std::move(tuple));
  return Unit{};
}

Status RecordBuilder::add_range(std::size_t property, const Bound& bound, const Place& place) {
  const PropertyType& type = out_->properties[property].type;
  if (type.shape != Shape::scalar || !columnar::is_numeric(type.kind)) {
    return type_error(place, fmt::format("@range is for numbers, not for {}", to_string(type)));
  }
  if (!ranged_.insert(property).second) {
    return type_error(place, "the property has a @range already; write one with both bounds");
  }
  Range range;
  range.property = property;
  for (const bool low : {true, false}) {
    const std::optional<SignedNumber>& number = low ? bound.low : bound.high;
    if (!number) continue;
    Result<RangeLimit> limit = range_limit(*number, type.kind);
    if (!limit) return std::move(limit).error().at(place.span);
    (low ? range.low : range.high) = *limit;
  }
  if (range.low && range.high && *range.high < *range.low) {
    return type_error(place, "the highest value is below the lowest; exchange them");
  }
  out_->ranges.push_back(range);
  return Unit{};
}

Status RecordBuilder::add_check(std::size_t property, const std::string& pattern,
                                const Place& place) {
  const PropertyType& type = out_->properties[property].type;
  if (type.shape != Shape::scalar || type.kind != ScalarKind::string) {
    return type_error(place, fmt::format("@check is for String, not for {}", to_string(type)));
  }
  Result<Pattern> compiled = patterns_.get(pattern);
  if (!compiled) return std::move(compiled).error().at(place.span);
  out_->checks.push_back({property, *std::move(compiled)});
  return Unit{};
}

Status RecordBuilder::add_embed(std::size_t property, const Annotation& annotation) {
  const Place place = place_of(property, annotation.name.place);
  const PropertyType& type = out_->properties[property].type;
  if (embeds_ == nullptr) return type_error(place, "@embed is for properties of nodes");
  if (type.shape != Shape::vector) {
    return type_error(place, fmt::format("@embed is for Vector(n), not for {}", to_string(type)));
  }
  if (!embedded_.insert(property).second) {
    return type_error(place, "@embed stands here twice; keep one");
  }
  const Place argument_place = place_of(property, annotation.argument_place);
  BRAID_ASSIGN(const std::string source, embed_source(annotation, place));
  Embed embed;
  embed.property = property;
  BRAID_ASSIGN(embed.model, embed_model(annotation, place));
  const auto found = by_name_.find(source);
  if (found == by_name_.end()) {
    // The type that implements the interface may have it.
    if (kind_ == Kind::interface) return Unit{};
    return type_error(argument_place, fmt::format("the type has no property {}", source));
  }
  embed.source = found->second;
  const PropertyType& source_type = out_->properties[embed.source].type;
  if (source_type.shape != Shape::scalar || source_type.kind != ScalarKind::string) {
    return type_error(argument_place, fmt::format("@embed reads a String; {} is {}", source,
                                                  to_string(source_type)));
  }
  embeds_->push_back(std::move(embed));
  return Unit{};
}

Result<std::string> RecordBuilder::embed_source(const Annotation& annotation,
                                                const Place& place) const {
  if (const auto* name = std::get_if<Annotation::Identifier>(&annotation.argument)) {
    return name->text;
  }
  const auto* literal = std::get_if<Literal>(&annotation.argument);
  const auto* text = literal == nullptr ? nullptr : std::get_if<std::string>(literal);
  if (text != nullptr) return *text;
  return type_error(place, "@embed takes the name of a String property: @embed(\"text\")");
}

Result<std::string> RecordBuilder::embed_model(const Annotation& annotation,
                                               const Place& place) const {
  std::string model;
  for (const NamedArgument& named : annotation.named_arguments) {
    const auto* text = std::get_if<std::string>(&named.value);
    if (named.name.text != "model" || text == nullptr || text->empty() || !model.empty()) {
      return type_error(place, "@embed takes, besides the property, only model = \"…\"");
    }
    model = *text;
  }
  return model;
}

}  // namespace braid::schema
