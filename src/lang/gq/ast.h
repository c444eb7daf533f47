// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a `.gq` text: the queries that this version can run, and for each other one
// the reason why not. It owns its strings.
// Layer: gq.
// Threads: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "braid/error.h"
#include "columnar/type.h"

namespace braid::gq {

/// An identifier, or a variable without its `$`.
struct Name {
  std::string text;
  SourceSpan span;
};

/// `$name: type` in a query's head.
struct ParameterDeclaration {
  Name name;
  columnar::PropertyType type;
  SourceSpan type_span;
};

struct NullLiteral {};
/// `date("…")`, not read yet.
struct DateLiteral {
  std::string text;
};
/// `datetime("…")`, not read yet.
struct DateTimeLiteral {
  std::string text;
};
/// `$name` where a value stands.
struct ParameterUse {
  std::string name;
};

/// What a property is compared with.
struct Operand {
  std::variant<NullLiteral, bool, std::uint64_t, double, std::string, DateLiteral, DateTimeLiteral,
               ParameterUse>
      value;
  SourceSpan span;
};

/// `property: operand` in a binding.
struct PropertyMatch {
  Name property;
  Operand operand;
};

/// `$variable: Type { matches }`.
struct Binding {
  Name variable;
  Name type;
  std::vector<PropertyMatch> matches;
};

/// `$variable`, `$variable.property` or `$variable.@id`, with or without `as alias`.
struct ReturnItem {
  enum class Kind : std::uint8_t { object, property, id };

  Kind kind = Kind::object;
  Name variable;
  /// Only of Kind::property.
  Name property;
  std::optional<Name> alias;
  /// Of the whole item, alias included.
  SourceSpan span;
};

/// `match { binding } return { items }`.
struct Lookup {
  Binding binding;
  std::vector<ReturnItem> items;
};

struct Query {
  Name name;
  std::vector<ParameterDeclaration> parameters;
  std::string description;
  std::string instruction;
  /// The Error is `unsupported` and names the first construct that is not there yet.
  std::variant<Lookup, Error> body;
};

/// The queries of a text in its order; their names differ.
struct Document {
  std::vector<Query> queries;
};

}  // namespace braid::gq
