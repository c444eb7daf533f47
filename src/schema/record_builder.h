// SPDX-License-Identifier: Apache-2.0
// Builds the properties and constraints of one type from its declaration, checking the rules on
// the way. Internal to the layer.
//
// Faults of an interface are reported where the interface declares it; what goes wrong only in a
// type that implements it, at the interface's name there.
// Layer: schema.
// Threads: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "braid/result.h"
#include "schema/ast.h"
#include "schema/types.h"

namespace braid::schema {

/// Compiles each different pattern once.
class PatternCache {
 public:
  /// Errors: as Pattern::compile; resource_limit over kPatternsMax. Without a place.
  Result<Pattern> get(const std::string& pattern);

 private:
  std::unordered_map<std::string, Pattern> patterns_;
};

/// Errors of all methods: type_error, resource_limit.
class RecordBuilder {
 public:
  enum class Kind : std::uint8_t { interface, node, edge };

  /// `patterns` outlives the builder, and so do all declarations given to it.
  RecordBuilder(Kind kind, PatternCache& patterns) : kind_(kind), patterns_(patterns) {}

  /// The type's own properties. Called first.
  Status declare(const std::vector<PropertyDeclaration>& declarations);
  /// What an interface, whose own declaration is right, adds. `via` is its name after
  /// `implements`; `injected_bytes` counts up to kInjectedBytesMax over the whole schema.
  Status inject(const InterfaceDeclaration& interface, const Name& via,
                std::size_t& injected_bytes);
  /// Fills the properties and constraints of `out`, and `embeds` if the type may have them.
  Status finish(const std::vector<Constraint>& constraints, RecordType& out,
                std::vector<Embed>* embeds);

 private:
  struct Origin {
    const PropertyDeclaration* declaration;
    /// The name after `implements`, or nullptr for the type's own.
    const Name* via;
  };
  /// A member and where it was written.
  struct PlacedMember {
    Member member;
    Place place;
  };

  Status check_property_name(const Name& name) const;
  Place place_of(std::size_t property, const Place& place) const;

  Status apply_annotation(std::size_t property, const Annotation& annotation);
  Status apply_constraint(const Constraint& constraint);
  Result<PlacedMember> member_of(const Constraint::Member& member) const;
  Result<std::vector<Member>> tuple_of(const std::vector<PlacedMember>& members) const;
  Status set_key(const std::vector<PlacedMember>& members, const Place& place);
  Status add_unique(const std::vector<PlacedMember>& members);
  Status add_index(const std::vector<PlacedMember>& members);
  Status add_range(std::size_t property, const Bound& bound, const Place& place);
  Status add_check(std::size_t property, const std::string& pattern, const Place& place);
  Status add_embed(std::size_t property, const Annotation& annotation);
  Result<std::string> embed_source(const Annotation& annotation, const Place& place) const;
  Result<std::string> embed_model(const Annotation& annotation, const Place& place) const;

  Kind kind_;
  PatternCache& patterns_;
  std::vector<Origin> origins_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::vector<Property> properties_;
  RecordType* out_ = nullptr;
  std::vector<Embed>* embeds_ = nullptr;
  std::set<std::vector<Member>> unique_sets_;
  std::set<std::vector<Member>> index_tuples_;
  std::set<std::size_t> ranged_;
  std::set<std::size_t> embedded_;
};

/// The type that an expression stands for. Errors: type_error.
Result<columnar::PropertyType> property_type(const TypeExpression& expression);

}  // namespace braid::schema
