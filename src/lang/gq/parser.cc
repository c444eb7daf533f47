// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/parser.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "lang/gq/lexer.h"

namespace braid::gq {
namespace {

using columnar::ScalarKind;
using columnar::Shape;

constexpr std::string_view kOperatorWords[] = {"and", "or", "in", "is", "starts_with"};
constexpr std::uint64_t kVectorSizeMax = 0x7FFF'FFFF;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

SourceSpan joined(const SourceSpan& first, const SourceSpan& last) {
  SourceSpan span = first;
  span.length = last.byte + last.length - first.byte;
  return span;
}

Error unsupported(const SourceSpan& span, std::string_view construct) {
  return Error(ErrorCode::unsupported,
               fmt::format("{} cannot be run by this version; it can look up one node by its key: "
                           "match {{ $v: Type {{ key: value }} }} return {{ $v }}",
                           construct))
      .with("construct", std::string(construct))
      .at(span);
}

/// Where to put a query's two texts; nullptr for other annotations.
std::string* annotation_text(Query& query, std::string_view name) {
  if (name == "description") return &query.description;
  if (name == "instruction") return &query.instruction;
  return nullptr;
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<Document> document();

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(index_ + ahead, tokens_.size() - 1)];
  }
  /// The present token, then moves on; stays at the end.
  const Token& take() {
    const Token& token = peek();
    if (token.kind != TokenKind::end) ++index_;
    return token;
  }
  std::string_view text_of(const Token& token) const {
    return text_.substr(token.span.byte, token.span.length);
  }
  bool is(TokenKind kind, std::size_t ahead = 0) const { return peek(ahead).kind == kind; }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return is(TokenKind::identifier, ahead) && text_of(peek(ahead)) == word;
  }
  bool take_if(TokenKind kind) {
    if (!is(kind)) return false;
    take();
    return true;
  }
  bool take_word_if(std::string_view word) {
    if (!is_word(word)) return false;
    take();
    return true;
  }

  Error unexpected(std::string_view expected) const;
  Result<Token> expect(TokenKind kind, std::string_view purpose = {});
  Result<Name> expect_name(TokenKind kind, std::string_view purpose);
  Name name_of_token(const Token& token) const;

  Result<Query> query();
  Status head(Query& query);
  Result<ParameterDeclaration> parameter();
  Status parameter_type(columnar::PropertyType& type);
  Result<ScalarKind> scalar();
  Result<Lookup> body();
  Result<Lookup> read();
  Result<Binding> binding();
  /// Why a clause that is no binding cannot be run; a parse_error if it is no clause.
  Error refuse_clause() const;
  Error refuse_variable_clause() const;
  Result<PropertyMatch> property_match();
  Result<Operand> operand();
  Result<Operand> word_operand();
  Result<Operand> number_operand();
  Result<ReturnItem> return_item();
  Status return_attribute(ReturnItem& item);
  /// `unsupported` when the tokens here go on with an expression.
  Status refuse_operator() const;
  bool starts_expression() const;
  /// Moves behind the bracket that closes the one here.
  Status skip_brackets();

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t index_ = 0;
};

Error Parser::unexpected(std::string_view expected) const {
  const Token& found = peek();
  const std::string name = found.kind == TokenKind::end || found.kind == TokenKind::string
                               ? describe(found.kind)
                               : fmt::format("\"{}\"", text_of(found));
  return Error(ErrorCode::parse_error, fmt::format("expected {}, found {}", expected, name))
      .with("expected", std::string(expected))
      .at(found.span);
}

Result<Token> Parser::expect(TokenKind kind, std::string_view purpose) {
  if (is(kind)) return take();
  return unexpected(purpose.empty() ? describe(kind)
                                    : fmt::format("{} {}", describe(kind), purpose));
}

Name Parser::name_of_token(const Token& token) const {
  std::string_view text = text_of(token);
  if (token.kind == TokenKind::variable) text.remove_prefix(1);
  return Name{std::string(text), token.span};
}

Result<Name> Parser::expect_name(TokenKind kind, std::string_view purpose) {
  if (!is(kind)) return unexpected(purpose);
  return name_of_token(take());
}

Result<Document> Parser::document() {
  Document out;
  std::unordered_set<std::string> names;
  while (!is(TokenKind::end)) {
    if (!is_word("query")) return unexpected("\"query\"");
    BRAID_ASSIGN(Query next, query());
    if (!names.insert(next.name.text).second) {
      return Error(ErrorCode::parse_error,
                   fmt::format("the text has two queries {}; rename one", next.name.text))
          .at(next.name.span);
    }
    out.queries.push_back(std::move(next));
  }
  return out;
}

Result<Query> Parser::query() {
  take();  // "query"
  Query out{{}, {}, {}, {}, Lookup{}};
  BRAID_TRY(head(out));
  const std::size_t opening = index_;
  BRAID_TRY(expect(TokenKind::left_brace, "and the query's body"));
  Result<Lookup> read = body();
  if (read) {
    out.body = *std::move(read);
    return out;
  }
  if (read.error().code() != ErrorCode::unsupported) return std::move(read).error();
  out.body = std::move(read).error();
  index_ = opening;
  BRAID_TRY(skip_brackets());
  return out;
}

Status Parser::head(Query& query) {
  BRAID_ASSIGN(query.name, expect_name(TokenKind::identifier, "the query's name"));
  BRAID_TRY(expect(TokenKind::left_parenthesis));
  if (!take_if(TokenKind::right_parenthesis)) {
    std::unordered_set<std::string> names;
    for (;;) {
      BRAID_ASSIGN(query.parameters.emplace_back(), parameter());
      const Name& name = query.parameters.back().name;
      if (!names.insert(name.text).second) {
        return Error(ErrorCode::parse_error,
                     fmt::format("the query has two parameters ${}; rename one", name.text))
            .at(name.span);
      }
      if (take_if(TokenKind::right_parenthesis)) break;
      if (!take_if(TokenKind::comma)) return unexpected("\",\" or \")\"");
    }
  }
  while (take_if(TokenKind::at)) {
    constexpr std::string_view kExpected = "\"description\" or \"instruction\"";
    std::string* const text =
        is(TokenKind::identifier) ? annotation_text(query, text_of(peek())) : nullptr;
    if (text == nullptr) return unexpected(kExpected);
    take();
    BRAID_TRY(expect(TokenKind::left_parenthesis));
    BRAID_ASSIGN(const Token string, expect(TokenKind::string));
    *text = string_value(text_of(string));
    BRAID_TRY(expect(TokenKind::right_parenthesis));
  }
  return Unit{};
}

Result<ParameterDeclaration> Parser::parameter() {
  ParameterDeclaration out;
  if (!is(TokenKind::variable) || text_of(peek()) == "$_") {
    return unexpected("a parameter, such as $name: String");
  }
  out.name = name_of_token(take());
  BRAID_TRY(expect(TokenKind::colon, "and the parameter's type"));
  const SourceSpan start = peek().span;
  BRAID_TRY(parameter_type(out.type));
  out.type.nullable = take_if(TokenKind::question);
  out.type_span = joined(start, tokens_[index_ - 1].span);
  return out;
}

Status Parser::parameter_type(columnar::PropertyType& type) {
  if (take_if(TokenKind::left_bracket)) {
    type.shape = Shape::list;
    BRAID_ASSIGN(type.kind, scalar());
    BRAID_TRY(expect(TokenKind::right_bracket));
    return Unit{};
  }
  if (!is(TokenKind::type_name) || text_of(peek()) != "Vector") {
    BRAID_ASSIGN(type.kind, scalar());
    return Unit{};
  }
  take();
  BRAID_TRY(expect(TokenKind::left_parenthesis));
  BRAID_ASSIGN(const Token size, expect(TokenKind::integer, "(the vector's size)"));
  const std::string_view digits = text_of(size);
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{} || value == 0 || value > kVectorSizeMax) {
    return Error(ErrorCode::parse_error,
                 fmt::format("a vector has 1 to {} elements", kVectorSizeMax))
        .at(size.span);
  }
  type.kind = ScalarKind::f32;
  type.shape = Shape::vector;
  type.vector_size = static_cast<std::uint32_t>(value);
  BRAID_TRY(expect(TokenKind::right_parenthesis));
  return Unit{};
}

Result<ScalarKind> Parser::scalar() {
  if (is(TokenKind::type_name)) {
    if (const auto kind = columnar::scalar_kind_named(text_of(peek()))) {
      take();
      return *kind;
    }
  }
  return unexpected(
      "a type: String, Bool, I32, I64, U32, U64, F32, F64, Date, DateTime, [type] or Vector(n)");
}

Result<Lookup> Parser::body() {
  const SourceSpan here = peek().span;
  if (is_word("match")) return read();
  if (is_word("explain")) return unsupported(here, "\"explain\"");
  if (is_word("profile")) return unsupported(here, "\"profile\"");
  if (is_word("insert")) return unsupported(here, "an insert statement");
  if (is_word("update")) return unsupported(here, "an update statement");
  if (is_word("delete")) return unsupported(here, "a delete statement");
  return unexpected("\"match\", \"insert\", \"update\" or \"delete\"");
}

Result<Lookup> Parser::read() {
  Lookup out;
  const Token match = take();
  BRAID_TRY(expect(TokenKind::left_brace, "and the pattern"));
  if (is(TokenKind::right_brace)) return unsupported(match.span, "a match without a binding");
  BRAID_ASSIGN(out.binding, binding());
  if (!is(TokenKind::right_brace)) return refuse_clause();
  take();

  if (!take_word_if("return")) return unexpected("\"return\"");
  if (is_word("distinct")) return unsupported(peek().span, "\"distinct\"");
  BRAID_TRY(expect(TokenKind::left_brace, "and what to return"));
  do {
    BRAID_ASSIGN(out.items.emplace_back(), return_item());
    take_if(TokenKind::comma);
  } while (!is(TokenKind::right_brace));
  take();

  for (const std::string_view word : {"order", "offset", "limit"}) {
    if (is_word(word)) return unsupported(peek().span, fmt::format("\"{}\"", word));
  }
  if (!is(TokenKind::right_brace)) {
    return unexpected("\"order\", \"offset\", \"limit\" or \"}\"");
  }
  take();
  return out;
}

Result<Binding> Parser::binding() {
  if (!is(TokenKind::variable) || !is(TokenKind::colon, 1)) return refuse_clause();
  Binding out;
  out.variable = name_of_token(take());
  take();
  BRAID_ASSIGN(out.type, expect_name(TokenKind::type_name, "the name of a node type"));
  if (!take_if(TokenKind::left_brace)) return out;
  for (;;) {
    BRAID_ASSIGN(out.matches.emplace_back(), property_match());
    const bool more = take_if(TokenKind::comma);
    if (take_if(TokenKind::right_brace)) return out;
    if (!more) return unexpected("\",\" or \"}\"");
  }
}

Error Parser::refuse_clause() const {
  const SourceSpan here = peek().span;
  if (is(TokenKind::variable)) return refuse_variable_clause();
  if (is_word("not") && is(TokenKind::left_brace, 1)) return unsupported(here, "a not block");
  if (is_word("optional") && is(TokenKind::left_brace, 1)) {
    return unsupported(here, "an optional block");
  }
  if (is_word("shortest") && is(TokenKind::variable, 1)) {
    return unsupported(here, "a shortest path");
  }
  if (starts_expression()) return unsupported(here, "a filter");
  return unexpected("a binding, such as $v: Type, or \"}\"");
}

Error Parser::refuse_variable_clause() const {
  const SourceSpan here = peek().span;
  if (is(TokenKind::colon, 1)) return unsupported(here, "a second binding");
  const bool is_edge = is(TokenKind::identifier, 1) && !is_one_of(text_of(peek(1)), kOperatorWords);
  const bool is_undirected_edge =
      is(TokenKind::less, 1) && is(TokenKind::identifier, 2) && is(TokenKind::greater, 3);
  if (is_edge || is_undirected_edge || is(TokenKind::variable, 1)) {
    return unsupported(joined(here, peek(1).span), "a traversal");
  }
  return unsupported(here, "a filter");
}

Result<PropertyMatch> Parser::property_match() {
  PropertyMatch out;
  BRAID_ASSIGN(out.property, expect_name(TokenKind::identifier, "a property's name"));
  BRAID_TRY(expect(TokenKind::colon, "and a value"));
  BRAID_ASSIGN(out.operand, operand());
  return out;
}

Result<Operand> Parser::operand() {
  constexpr std::string_view kExpected = "a literal or a parameter";
  const Token token = peek();
  switch (token.kind) {
    case TokenKind::string: take(); return Operand{string_value(text_of(token)), token.span};
    case TokenKind::integer:
    case TokenKind::floating: return number_operand();
    case TokenKind::identifier: return word_operand();
    case TokenKind::left_bracket: return unsupported(token.span, "a list as the value");
    case TokenKind::left_parenthesis: return unsupported(token.span, "an expression as the value");
    case TokenKind::minus:
      return unexpected(fmt::format("{} (a negative number goes into a parameter)", kExpected));
    case TokenKind::variable: break;
    default: return unexpected(kExpected);
  }
  if (is(TokenKind::dot, 1)) return unsupported(token.span, "a property as the value");
  Name name = name_of_token(take());
  return Operand{ParameterUse{std::move(name.text)}, token.span};
}

Result<Operand> Parser::word_operand() {
  const Token word = peek();
  const std::string_view text = text_of(word);
  const bool is_date = text == "date";
  if ((is_date || text == "datetime") && is(TokenKind::left_parenthesis, 1) &&
      is(TokenKind::string, 2) && is(TokenKind::right_parenthesis, 3)) {
    take();
    take();
    std::string value = string_value(text_of(take()));
    const SourceSpan span = joined(word.span, take().span);
    if (is_date) return Operand{DateLiteral{std::move(value)}, span};
    return Operand{DateTimeLiteral{std::move(value)}, span};
  }
  if (is(TokenKind::left_parenthesis, 1)) {
    return unsupported(word.span, fmt::format("a call of {}() as the value", text));
  }
  if (is(TokenKind::left_brace, 1)) return unsupported(word.span, "a block as the value");
  if (text != "true" && text != "false" && text != "null") {
    return unsupported(word.span, "a property as the value");
  }
  take();
  if (text == "null") return Operand{NullLiteral{}, word.span};
  return Operand{text == "true", word.span};
}

Result<Operand> Parser::number_operand() {
  const Token number = take();
  const std::string_view text = text_of(number);
  const char* const end = text.data() + text.size();
  if (number.kind == TokenKind::integer) {
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), end, value).ec == std::errc{}) {
      return Operand{value, number.span};
    }
  } else {
    double value = 0;
    if (std::from_chars(text.data(), end, value).ec == std::errc{}) {
      return Operand{value, number.span};
    }
  }
  return Error(ErrorCode::parse_error,
               "this number is out of range: integers go up to 18446744073709551615, others "
               "from 4.9e-324 to 1.8e308")
      .at(number.span);
}

bool Parser::starts_expression() const {
  switch (peek().kind) {
    case TokenKind::identifier:
    case TokenKind::variable:
    case TokenKind::string:
    case TokenKind::integer:
    case TokenKind::floating:
    case TokenKind::minus:
    case TokenKind::left_bracket:
    case TokenKind::left_parenthesis: return true;
    default: return false;
  }
}

Status Parser::refuse_operator() const {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::greater_equal:
    case TokenKind::less_equal:
    case TokenKind::not_equal:
    case TokenKind::less:
    case TokenKind::greater:
    case TokenKind::equal:
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::percent: return unsupported(token.span, "an expression in return");
    default: break;
  }
  if (is_word("contains") ||
      (is(TokenKind::identifier) && is_one_of(text_of(token), kOperatorWords))) {
    return unsupported(token.span, "an expression in return");
  }
  return Unit{};
}

Result<ReturnItem> Parser::return_item() {
  if (!is(TokenKind::variable)) {
    const SourceSpan here = peek().span;
    if (is(TokenKind::identifier) && is(TokenKind::left_parenthesis, 1)) {
      return unsupported(here, fmt::format("{}() in return", text_of(peek())));
    }
    if (starts_expression()) return unsupported(here, "an expression in return");
    return unexpected("what to return, such as $v.name");
  }
  ReturnItem out;
  out.variable = name_of_token(take());
  if (take_if(TokenKind::dot)) BRAID_TRY(return_attribute(out));
  BRAID_TRY(refuse_operator());
  if (take_word_if("as")) {
    BRAID_ASSIGN(out.alias, expect_name(TokenKind::identifier, "the column's name"));
  }
  out.span = joined(out.variable.span, tokens_[index_ - 1].span);
  return out;
}

Status Parser::return_attribute(ReturnItem& item) {
  if (!take_if(TokenKind::at)) {
    item.kind = ReturnItem::Kind::property;
    BRAID_ASSIGN(item.property, expect_name(TokenKind::identifier, "a property's name or @id"));
    return Unit{};
  }
  for (const std::string_view word : {"src", "dst", "type"}) {
    if (is_word(word)) return unsupported(peek().span, fmt::format("@{} in return", word));
  }
  if (!take_word_if("id")) return unexpected("\"id\", \"src\", \"dst\" or \"type\"");
  item.kind = ReturnItem::Kind::id;
  return Unit{};
}

Status Parser::skip_brackets() {
  std::vector<TokenKind> open;  // closing brackets that are owed, innermost last (Q2)
  do {
    const Token token = peek();
    switch (token.kind) {
      case TokenKind::left_brace: open.push_back(TokenKind::right_brace); break;
      case TokenKind::left_parenthesis: open.push_back(TokenKind::right_parenthesis); break;
      case TokenKind::left_bracket: open.push_back(TokenKind::right_bracket); break;
      case TokenKind::right_brace:
      case TokenKind::right_parenthesis:
      case TokenKind::right_bracket:
        if (token.kind != open.back()) return unexpected(describe(open.back()));
        open.pop_back();
        break;
      case TokenKind::end: return unexpected(describe(open.back()));
      default: break;
    }
    take();
  } while (!open.empty());
  return Unit{};
}

}  // namespace

Result<Document> parse(std::string_view text) {
  BRAID_ASSIGN(std::vector<Token> tokens, tokenize(text));
  return Parser(text, std::move(tokens)).document();
}

}  // namespace braid::gq
