// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a `.pg` text: what was written, before any rule is checked.
//
// Two trees are equal when they say the same thing: places in the text do not take part, body
// constraints stand after the properties, and enum values are kept sorted.
// Layer: schema.
// Threads: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "braid/error.h"
#include "columnar/type.h"

namespace braid::schema {

/// Where something stands in the text. All places are equal, so that trees compare by content.
struct Place {
  SourceSpan span;
  friend bool operator==(const Place&, const Place&) { return true; }
};

/// An identifier and where it stands.
struct Name {
  std::string text;
  Place place;
  friend bool operator==(const Name&, const Name&) = default;
};

/// A STRING, FLOAT, UINT, `true` or `false`. A double is finite and not negative.
using Literal = std::variant<std::string, double, std::uint64_t, bool>;

/// A number that may be negative. Zero is never negative.
struct SignedNumber {
  bool negative = false;
  std::variant<std::uint64_t, double> magnitude;
  friend bool operator==(const SignedNumber&, const SignedNumber&) = default;
};

/// `low..high`, both inclusive; at least one side is there.
struct Bound {
  std::optional<SignedNumber> low;
  std::optional<SignedNumber> high;
  Place place;
  friend bool operator==(const Bound&, const Bound&) = default;
};

/// `name = literal` inside an annotation.
struct NamedArgument {
  Name name;
  Literal value;
  Place value_place;
  friend bool operator==(const NamedArgument&, const NamedArgument&) = default;
};

/// `@name`, `@name(argument, more = …)` or `@range(bound)`.
struct Annotation {
  struct Identifier {
    std::string text;
    friend bool operator==(const Identifier&, const Identifier&) = default;
  };

  /// Without the `@`; its place covers `@name`.
  Name name;
  std::variant<std::monostate, Literal, Identifier> argument;
  Place argument_place;
  std::vector<NamedArgument> named_arguments;
  /// Only of @range.
  std::optional<Bound> bound;
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

/// A type as written. Only the fields of its form are used.
struct TypeExpression {
  struct EnumValue {
    std::string text;
    Place place;
    friend bool operator==(const EnumValue&, const EnumValue&) = default;
  };

  columnar::ScalarKind kind = columnar::ScalarKind::string;
  columnar::Shape shape = columnar::Shape::scalar;
  std::uint64_t vector_size = 0;
  Place vector_size_place;
  /// Sorted by text; equal ones, which the rules refuse, in the order of the source.
  std::vector<EnumValue> enum_values;
  bool nullable = false;
  Place place;
  friend bool operator==(const TypeExpression&, const TypeExpression&) = default;
};

/// `name: type annotations`.
struct PropertyDeclaration {
  Name name;
  TypeExpression type;
  std::vector<Annotation> annotations;
  friend bool operator==(const PropertyDeclaration&, const PropertyDeclaration&) = default;
};

enum class ConstraintKind : std::uint8_t { key, unique, index, range, check };

/// "key", "unique", …
std::string_view name_of(ConstraintKind kind);

/// `@key(a, b)`, `@unique(…)`, `@index(…)`, `@range(p, low..high)` or `@check(p, "regex")` among
/// the properties of a type.
struct Constraint {
  struct Member {
    /// Written as `@src` rather than `src`.
    bool with_at = false;
    Name name;
    friend bool operator==(const Member&, const Member&) = default;
  };

  ConstraintKind kind = ConstraintKind::key;
  /// One or more; exactly one for range and check.
  std::vector<Member> members;
  /// Only of @range.
  std::optional<Bound> bound;
  /// Only of @check.
  std::string pattern;
  Place pattern_place;
  Place place;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

struct InterfaceDeclaration {
  Name name;
  std::vector<PropertyDeclaration> properties;
  friend bool operator==(const InterfaceDeclaration&, const InterfaceDeclaration&) = default;
};

struct NodeDeclaration {
  Name name;
  std::vector<Annotation> annotations;
  std::vector<Name> interfaces;
  std::vector<PropertyDeclaration> properties;
  std::vector<Constraint> constraints;
  friend bool operator==(const NodeDeclaration&, const NodeDeclaration&) = default;
};

/// `@card(min..max)`; without a maximum there is no upper limit.
struct CardDeclaration {
  std::uint64_t min = 0;
  std::optional<std::uint64_t> max;
  Place place;
  friend bool operator==(const CardDeclaration&, const CardDeclaration&) = default;
};

struct EdgeDeclaration {
  Name name;
  Name from;
  Name to;
  std::optional<CardDeclaration> card;
  std::vector<Annotation> annotations;
  std::vector<PropertyDeclaration> properties;
  std::vector<Constraint> constraints;
  friend bool operator==(const EdgeDeclaration&, const EdgeDeclaration&) = default;
};

using Declaration = std::variant<InterfaceDeclaration, NodeDeclaration, EdgeDeclaration>;

/// A whole `.pg` text, in the order it declares.
struct Document {
  std::vector<Declaration> declarations;
  friend bool operator==(const Document&, const Document&) = default;
};

}  // namespace braid::schema
