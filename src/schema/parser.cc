// SPDX-License-Identifier: Apache-2.0
#include "schema/parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "schema/token_reader.h"

namespace braid::schema {
namespace {

constexpr std::array kConstraintKinds = {ConstraintKind::key, ConstraintKind::unique,
                                         ConstraintKind::index, ConstraintKind::range,
                                         ConstraintKind::check};

std::optional<ConstraintKind> constraint_named(std::string_view name) {
  for (const ConstraintKind kind : kConstraintKinds) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

bool takes_a_value(ConstraintKind kind) {
  return kind == ConstraintKind::range || kind == ConstraintKind::check;
}

Error misplaced(const Name& name, std::string_view hint) {
  return Error(ErrorCode::parse_error, fmt::format("@{} {}", name.text, hint)).at(name.place.span);
}

constexpr std::string_view kCardPlace =
    "stands directly after the edge's node types: edge Owns: Person -> Car @card(0..1)";

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(source) {}

  Result<Document> document();

 private:
  enum class Where : std::uint8_t { interface_body, type_body };
  struct Body {
    std::vector<PropertyDeclaration> properties;
    std::vector<Constraint> constraints;
  };
  /// `@name(` of a body constraint: read, with its arguments still to come.
  struct ConstraintAhead {
    ConstraintKind kind;
    Name name;
  };

  Result<InterfaceDeclaration> interface_declaration();
  Result<NodeDeclaration> node_declaration();
  Result<EdgeDeclaration> edge_declaration();
  Result<std::vector<Name>> implemented_interfaces();
  Result<CardDeclaration> card(const SourceSpan& at);
  /// What follows the `{`, up to and with the `}`.
  Result<Body> body(Where where);

  Result<PropertyDeclaration> property();
  Result<TypeExpression> type();
  Result<columnar::ScalarKind> scalar(const Token& token, std::string_view what) const;
  Result<SourceSpan> vector_size(TypeExpression& out);
  Result<SourceSpan> enum_values(TypeExpression& out);

  Status type_annotations(std::vector<Annotation>& out);
  /// The same with an optional @card first.
  Status edge_annotations(EdgeDeclaration& out);
  Result<Annotation> type_annotation(Name name);
  /// The annotations of one property. They end before anything else; when that is a constraint of
  /// the body, whose first tokens look like an annotation's, it is left in `constraint_ahead_`.
  Status property_annotations(std::vector<Annotation>& out);
  /// `@name`; the place covers both.
  Result<Name> annotation_name();
  /// `(argument, name = literal, …)` if there is one.
  Status annotation_arguments(Annotation& out);
  /// False: what was read begins a constraint of the body.
  Result<bool> constraint_annotation(ConstraintKind kind, Annotation& out);

  /// What follows the `@name(` of a constraint.
  Result<Constraint> constraint(ConstraintAhead ahead);
  /// `@name(` at the start of an item of the body.
  Result<ConstraintAhead> constraint_start();

  TokenReader tokens_;
  std::optional<ConstraintAhead> constraint_ahead_;
};

Result<Document> Parser::document() {
  Document out;
  for (;;) {
    BRAID_ASSIGN(const Token token, tokens_.next());
    if (token.kind == TokenKind::end) return out;
    std::string_view word;
    if (token.kind == TokenKind::identifier) word = token.text;
    if (word == "interface") {
      BRAID_ASSIGN(out.declarations.emplace_back(), interface_declaration());
    } else if (word == "node") {
      BRAID_ASSIGN(out.declarations.emplace_back(), node_declaration());
    } else if (word == "edge") {
      BRAID_ASSIGN(out.declarations.emplace_back(), edge_declaration());
    } else {
      return expected(token, "interface, node or edge");
    }
  }
}

Result<InterfaceDeclaration> Parser::interface_declaration() {
  InterfaceDeclaration out;
  BRAID_ASSIGN(out.name, tokens_.expect_name(TokenKind::type_name,
                                             "the interface's name, with a capital first letter"));
  BRAID_TRY(tokens_.expect_symbol("{", "\"{\" and the interface's properties"));
  BRAID_ASSIGN(Body inside, body(Where::interface_body));
  out.properties = std::move(inside.properties);
  return out;
}

Result<NodeDeclaration> Parser::node_declaration() {
  NodeDeclaration out;
  BRAID_ASSIGN(out.name, tokens_.expect_name(TokenKind::type_name,
                                             "the node type's name, with a capital first letter"));
  BRAID_TRY(type_annotations(out.annotations));
  BRAID_ASSIGN(out.interfaces, implemented_interfaces());
  BRAID_TRY(tokens_.expect_symbol("{", out.interfaces.empty()
                                           ? "an annotation, \"implements\" or \"{\""
                                           : "\",\" and another interface, or \"{\""));
  BRAID_ASSIGN(Body inside, body(Where::type_body));
  out.properties = std::move(inside.properties);
  out.constraints = std::move(inside.constraints);
  return out;
}

Result<std::vector<Name>> Parser::implemented_interfaces() {
  std::vector<Name> out;
  BRAID_ASSIGN(bool more, tokens_.next_is(TokenKind::identifier, "implements"));
  if (more) BRAID_TRY(tokens_.next());
  while (more) {
    BRAID_ASSIGN(out.emplace_back(),
                 tokens_.expect_name(TokenKind::type_name, "the name of an interface"));
    BRAID_ASSIGN(more, tokens_.take_symbol(","));
  }
  return out;
}

Result<EdgeDeclaration> Parser::edge_declaration() {
  EdgeDeclaration out;
  BRAID_ASSIGN(out.name, tokens_.expect_name(TokenKind::type_name,
                                             "the edge type's name, with a capital first letter"));
  BRAID_TRY(tokens_.expect_symbol(":", "\":\" as in edge Knows: Person -> Person"));
  BRAID_ASSIGN(out.from, tokens_.expect_name(TokenKind::type_name,
                                             "the name of the node type that the edge leaves"));
  BRAID_TRY(tokens_.expect_symbol("->", "\"->\" as in edge Knows: Person -> Person"));
  BRAID_ASSIGN(out.to, tokens_.expect_name(TokenKind::type_name,
                                           "the name of the node type that the edge enters"));

  BRAID_TRY(edge_annotations(out));
  BRAID_ASSIGN(const bool has_body, tokens_.take_symbol("{"));
  if (has_body) {
    BRAID_ASSIGN(Body inside, body(Where::type_body));
    out.properties = std::move(inside.properties);
    out.constraints = std::move(inside.constraints);
  }
  return out;
}

Result<CardDeclaration> Parser::card(const SourceSpan& at) {
  CardDeclaration out;
  Place ignored;
  BRAID_TRY(tokens_.expect_symbol("(", "\"(\" as in @card(0..1)"));
  BRAID_ASSIGN(out.min, tokens_.expect_integer(ignored, "the lowest number of edges"));
  BRAID_TRY(tokens_.expect_symbol("..", "\"..\" as in @card(0..1)"));
  BRAID_ASSIGN(const Token* token, tokens_.peek());
  if (token->kind == TokenKind::integer) {
    BRAID_ASSIGN(out.max, tokens_.expect_integer(ignored, "the highest number of edges"));
  }
  BRAID_ASSIGN(
      const SourceSpan closing,
      tokens_.expect_symbol(")", out.max ? "\")\"" : "the highest number of edges, or \")\""));
  out.place.span = joined(at, closing);
  return out;
}

Result<Parser::Body> Parser::body(Where where) {
  Body out;
  for (;;) {
    if (constraint_ahead_) {
      if (where == Where::interface_body) {
        return misplaced(constraint_ahead_->name,
                         "with names of properties stands in a node or edge type; in an interface "
                         "write it after the property, without them");
      }
      BRAID_ASSIGN(out.constraints.emplace_back(),
                   constraint(*std::exchange(constraint_ahead_, std::nullopt)));
      continue;
    }
    BRAID_ASSIGN(const Token* token, tokens_.peek());
    if (token->kind == TokenKind::identifier) {
      BRAID_ASSIGN(out.properties.emplace_back(), property());
    } else if (token->kind == TokenKind::symbol && token->text == "}") {
      BRAID_TRY(tokens_.next());
      return out;
    } else if (token->kind == TokenKind::symbol && token->text == "@") {
      BRAID_ASSIGN(constraint_ahead_, constraint_start());
    } else {
      return expected(*token, where == Where::interface_body
                                  ? "a property such as name: String, or \"}\""
                                  : "a property such as name: String, a constraint, or \"}\"");
    }
  }
}

Result<PropertyDeclaration> Parser::property() {
  PropertyDeclaration out;
  BRAID_ASSIGN(out.name, tokens_.expect_name(TokenKind::identifier, "the property's name"));
  BRAID_TRY(tokens_.expect_symbol(":", "\":\" and the property's type"));
  BRAID_ASSIGN(out.type, type());
  BRAID_TRY(property_annotations(out.annotations));
  return out;
}

constexpr std::string_view kTypes =
    "a type: String, Bool, I32, I64, U32, U64, F32, F64, Date, DateTime, Blob, [ … ], Vector(n) or "
    "enum(…)";

Result<TypeExpression> Parser::type() {
  TypeExpression out;
  BRAID_ASSIGN(const Token first, tokens_.next());
  SourceSpan last = first.span;
  if (first.kind == TokenKind::symbol && first.text == "[") {
    out.shape = columnar::Shape::list;
    BRAID_ASSIGN(const Token element, tokens_.next());
    BRAID_ASSIGN(out.kind, scalar(element, "a scalar type such as String; lists hold only those"));
    BRAID_ASSIGN(last, tokens_.expect_symbol("]", "\"]\""));
  } else if (first.kind == TokenKind::type_name && first.text == "Vector") {
    BRAID_ASSIGN(last, vector_size(out));
  } else if (first.kind == TokenKind::identifier && first.text == "enum") {
    BRAID_ASSIGN(last, enum_values(out));
  } else {
    BRAID_ASSIGN(out.kind, scalar(first, kTypes));
  }
  BRAID_ASSIGN(out.nullable, tokens_.next_is_symbol("?"));
  if (out.nullable) {
    BRAID_ASSIGN(last, tokens_.expect_symbol("?", "?"));
  }
  out.place.span = joined(first.span, last);
  return out;
}

Result<columnar::ScalarKind> Parser::scalar(const Token& token, std::string_view what) const {
  const bool named = token.kind == TokenKind::type_name;
  const auto kind = named ? columnar::scalar_kind_named(token.text) : std::nullopt;
  if (!kind) return expected(token, what);
  return *kind;
}

Result<SourceSpan> Parser::vector_size(TypeExpression& out) {
  out.shape = columnar::Shape::vector;
  out.kind = columnar::ScalarKind::f32;
  BRAID_TRY(tokens_.expect_symbol("(", "\"(\" and the vector's size, as in Vector(768)"));
  BRAID_ASSIGN(out.vector_size, tokens_.expect_integer(out.vector_size_place, "the vector's size"));
  return tokens_.expect_symbol(")", "\")\"");
}

Result<SourceSpan> Parser::enum_values(TypeExpression& out) {
  out.shape = columnar::Shape::enumeration;
  out.kind = columnar::ScalarKind::string;
  BRAID_TRY(tokens_.expect_symbol("(", "\"(\" and the values, as in enum(low, high)"));
  bool more = true;
  while (more) {
    BRAID_ASSIGN(Token value, tokens_.next_enum_value());
    out.enum_values.push_back({std::move(value.text), Place{value.span}});
    BRAID_ASSIGN(more, tokens_.take_symbol(","));
  }
  std::sort(out.enum_values.begin(), out.enum_values.end(), [](const auto& a, const auto& b) {
    return std::tie(a.text, a.place.span.byte) < std::tie(b.text, b.place.span.byte);
  });
  return tokens_.expect_symbol(")", "\",\" and another value, or \")\"");
}

Status Parser::edge_annotations(EdgeDeclaration& out) {
  BRAID_ASSIGN(const bool annotated, tokens_.next_is_symbol("@"));
  if (!annotated) return Unit{};
  BRAID_ASSIGN(Name name, annotation_name());
  if (name.text == "card") {
    BRAID_ASSIGN(out.card, card(name.place.span));
  } else {
    BRAID_ASSIGN(out.annotations.emplace_back(), type_annotation(std::move(name)));
  }
  return type_annotations(out.annotations);
}

Status Parser::type_annotations(std::vector<Annotation>& out) {
  for (;;) {
    BRAID_ASSIGN(const bool more, tokens_.next_is_symbol("@"));
    if (!more) return Unit{};
    BRAID_ASSIGN(Name name, annotation_name());
    BRAID_ASSIGN(out.emplace_back(), type_annotation(std::move(name)));
  }
}

Result<Annotation> Parser::type_annotation(Name name) {
  if (name.text == "card") return misplaced(name, kCardPlace);
  if (constraint_named(name.text)) {
    return misplaced(name, "stands after a property, or in the braces with its properties' names");
  }
  Annotation out;
  out.name = std::move(name);
  BRAID_TRY(annotation_arguments(out));
  return out;
}

Status Parser::property_annotations(std::vector<Annotation>& out) {
  for (;;) {
    BRAID_ASSIGN(const bool more, tokens_.next_is_symbol("@"));
    if (!more) return Unit{};
    Annotation annotation;
    BRAID_ASSIGN(annotation.name, annotation_name());
    if (annotation.name.text == "card") return misplaced(annotation.name, kCardPlace);
    const auto kind = constraint_named(annotation.name.text);
    if (kind) {
      BRAID_ASSIGN(const bool of_the_property, constraint_annotation(*kind, annotation));
      if (!of_the_property) {
        constraint_ahead_ = ConstraintAhead{*kind, std::move(annotation.name)};
        return Unit{};
      }
    } else {
      BRAID_TRY(annotation_arguments(annotation));
    }
    out.push_back(std::move(annotation));
  }
}

Result<Name> Parser::annotation_name() {
  BRAID_ASSIGN(const SourceSpan at, tokens_.expect_symbol("@", "\"@\""));
  BRAID_ASSIGN(Name name,
               tokens_.expect_name(TokenKind::identifier, "the annotation's name after \"@\""));
  name.place.span = joined(at, name.place.span);
  return name;
}

Status Parser::annotation_arguments(Annotation& out) {
  BRAID_ASSIGN(const bool has_arguments, tokens_.take_symbol("("));
  if (!has_arguments) return Unit{};
  BRAID_ASSIGN(const Token* token, tokens_.peek());
  const bool is_boolean = token->text == "true" || token->text == "false";
  if (token->kind == TokenKind::identifier && !is_boolean) {
    BRAID_ASSIGN(Token identifier, tokens_.next());
    out.argument_place.span = identifier.span;
    out.argument = Annotation::Identifier{std::move(identifier.text)};
  } else {
    BRAID_ASSIGN(out.argument,
                 tokens_.expect_literal(out.argument_place,
                                        "a string, a number, true, false or a property's name"));
  }
  for (;;) {
    BRAID_ASSIGN(const bool more, tokens_.take_symbol(","));
    if (!more) break;
    NamedArgument& named = out.named_arguments.emplace_back();
    BRAID_ASSIGN(named.name,
                 tokens_.expect_name(TokenKind::identifier, "an argument such as model = \"m\""));
    BRAID_TRY(tokens_.expect_symbol("=", "\"=\" and the argument's value"));
    BRAID_ASSIGN(named.value,
                 tokens_.expect_literal(named.value_place, "a string, a number, true or false"));
  }
  BRAID_TRY(tokens_.expect_symbol(")", "\",\" and another argument, or \")\""));
  return Unit{};
}

Result<bool> Parser::constraint_annotation(ConstraintKind kind, Annotation& out) {
  BRAID_ASSIGN(const bool has_arguments, tokens_.take_symbol("("));
  if (!takes_a_value(kind)) return !has_arguments;
  if (!has_arguments) {
    BRAID_ASSIGN(const Token token, tokens_.next());
    return expected(token, kind == ConstraintKind::range
                               ? "\"(\" and a bound, as in @range(0..10)"
                               : "\"(\" and a regular expression, as in @check(\"^[a-z]+$\")");
  }
  BRAID_ASSIGN(const Token* token, tokens_.peek());
  const bool names_a_property = token->kind == TokenKind::identifier ||
                                (token->kind == TokenKind::symbol && token->text == "@");
  if (names_a_property) return false;
  if (kind == ConstraintKind::range) {
    BRAID_ASSIGN(out.bound, tokens_.expect_bound_and_close());
    out.argument_place = out.bound->place;
  } else {
    BRAID_ASSIGN(std::string pattern,
                 tokens_.expect_string(out.argument_place, "a regular expression in \"…\""));
    out.argument = Literal(std::move(pattern));
    BRAID_TRY(tokens_.expect_symbol(")", "\")\""));
  }
  return true;
}

Result<Parser::ConstraintAhead> Parser::constraint_start() {
  BRAID_ASSIGN(Name name, annotation_name());
  if (name.text == "card") return misplaced(name, kCardPlace);
  const auto kind = constraint_named(name.text);
  if (!kind) {
    return misplaced(name, "stands after a property's type or after the type's name");
  }
  BRAID_TRY(tokens_.expect_symbol(
      "(", fmt::format("\"(\" and names of properties, or a property before @{}", name.text)));
  return ConstraintAhead{*kind, std::move(name)};
}

Result<Constraint> Parser::constraint(ConstraintAhead ahead) {
  Constraint out;
  out.kind = ahead.kind;
  out.place = ahead.name.place;
  const bool single = takes_a_value(out.kind);
  bool more = true;
  while (more) {
    Constraint::Member& member = out.members.emplace_back();
    if (!single) {
      BRAID_ASSIGN(member.with_at, tokens_.take_symbol("@"));
    }
    BRAID_ASSIGN(member.name, tokens_.expect_name(
                                  TokenKind::identifier,
                                  member.with_at ? "src or dst after \"@\"" : "a property's name"));
    if (single) break;
    BRAID_ASSIGN(more, tokens_.take_symbol(","));
  }
  if (single) {
    BRAID_TRY(tokens_.expect_symbol(",", out.kind == ConstraintKind::range
                                             ? "\",\" and a bound, as in @range(age, 0..200)"
                                             : "\",\" and a regular expression in \"…\""));
  }
  if (out.kind == ConstraintKind::range) {
    BRAID_ASSIGN(out.bound, tokens_.expect_bound_and_close());
    return out;
  }
  if (out.kind == ConstraintKind::check) {
    BRAID_ASSIGN(out.pattern,
                 tokens_.expect_string(out.pattern_place, "a regular expression in \"…\""));
  }
  BRAID_TRY(tokens_.expect_symbol(")", single ? "\")\"" : "\",\" and another property, or \")\""));
  return out;
}

}  // namespace

std::string_view name_of(ConstraintKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"key", "unique", "index", "range", "check"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<Document> parse(std::string_view source) {
  BRAID_TRY(check_source(source));
  return Parser(source).document();
}

}  // namespace braid::schema
