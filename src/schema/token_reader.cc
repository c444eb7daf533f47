// SPDX-License-Identifier: Apache-2.0
#include "schema/token_reader.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace braid::schema {
namespace {

Result<std::uint64_t> integer_of(const Token& token) {
  std::uint64_t value = 0;
  const char* const end = token.text.data() + token.text.size();
  if (std::from_chars(token.text.data(), end, value).ec != std::errc()) {
    return Error(ErrorCode::parse_error, "this number is over 18446744073709551615").at(token.span);
  }
  return value;
}

Result<double> floating_of(const Token& token) {
  double value = 0;
  const char* const end = token.text.data() + token.text.size();
  if (std::from_chars(token.text.data(), end, value).ec != std::errc()) {
    return Error(ErrorCode::parse_error, "this number is outside of what an F64 can hold")
        .at(token.span);
  }
  return value;
}

}  // namespace

Error expected(const Token& found, std::string_view what) {
  return Error(ErrorCode::parse_error, fmt::format("expected {}, found {}", what, describe(found)))
      .at(found.span);
}

SourceSpan joined(const SourceSpan& first, const SourceSpan& last) {
  SourceSpan out = first;
  out.length = last.byte + last.length - first.byte;
  return out;
}

Result<bool> TokenReader::next_is(TokenKind kind, std::string_view text) {
  BRAID_ASSIGN(const Token* token, lexer_.peek());
  return token->kind == kind && token->text == text;
}

Result<bool> TokenReader::take_symbol(std::string_view symbol) {
  BRAID_ASSIGN(const bool found, next_is_symbol(symbol));
  if (found) BRAID_TRY(lexer_.next());
  return found;
}

Result<SourceSpan> TokenReader::expect_symbol(std::string_view symbol, std::string_view what) {
  BRAID_ASSIGN(const Token token, lexer_.next());
  if (token.kind != TokenKind::symbol || token.text != symbol) return expected(token, what);
  return token.span;
}

Result<Name> TokenReader::expect_name(TokenKind kind, std::string_view what) {
  BRAID_ASSIGN(Token token, lexer_.next());
  if (token.kind != kind) return expected(token, what);
  return Name{std::move(token.text), Place{token.span}};
}

Result<std::string> TokenReader::expect_string(Place& place, std::string_view what) {
  BRAID_ASSIGN(Token token, lexer_.next());
  if (token.kind != TokenKind::string) return expected(token, what);
  place.span = token.span;
  return std::move(token.text);
}

Result<std::uint64_t> TokenReader::expect_integer(Place& place, std::string_view what) {
  BRAID_ASSIGN(const Token token, lexer_.next());
  if (token.kind != TokenKind::integer) return expected(token, what);
  place.span = token.span;
  return integer_of(token);
}

Result<Literal> TokenReader::expect_literal(Place& place, std::string_view what) {
  BRAID_ASSIGN(Token token, lexer_.next());
  place.span = token.span;
  if (token.kind == TokenKind::string) return Literal(std::move(token.text));
  if (token.kind == TokenKind::integer) {
    BRAID_ASSIGN(const std::uint64_t value, integer_of(token));
    return Literal(value);
  }
  if (token.kind == TokenKind::floating) {
    BRAID_ASSIGN(const double value, floating_of(token));
    return Literal(value);
  }
  if (token.kind == TokenKind::identifier && token.text == "true") return Literal(true);
  if (token.kind == TokenKind::identifier && token.text == "false") return Literal(false);
  return expected(token, what);
}

Result<std::optional<SignedNumber>> TokenReader::optional_number() {
  BRAID_ASSIGN(const bool negative, take_symbol("-"));
  BRAID_ASSIGN(const Token* peeked, lexer_.peek());
  if (peeked->kind != TokenKind::integer && peeked->kind != TokenKind::floating) {
    if (negative) return expected(*peeked, "a number after \"-\"");
    return std::optional<SignedNumber>();
  }
  BRAID_ASSIGN(const Token token, lexer_.next());
  SignedNumber number;
  if (token.kind == TokenKind::integer) {
    BRAID_ASSIGN(const std::uint64_t magnitude, integer_of(token));
    number.magnitude = magnitude;
    number.negative = negative && magnitude != 0;
  } else {
    BRAID_ASSIGN(const double magnitude, floating_of(token));
    number.magnitude = magnitude;
    number.negative = negative && magnitude != 0;
  }
  return std::optional<SignedNumber>(number);
}

Result<Bound> TokenReader::expect_bound_and_close() {
  Bound out;
  BRAID_ASSIGN(const Token* first, lexer_.peek());
  const SourceSpan start = first->span;
  BRAID_ASSIGN(out.low, optional_number());
  BRAID_ASSIGN(const SourceSpan dots,
               expect_symbol("..", out.low ? "\"..\" after the lowest value"
                                           : "a bound such as 0..10, ..10 or 0.."));
  BRAID_ASSIGN(out.high, optional_number());
  if (!out.low && !out.high) {
    return Error(ErrorCode::parse_error,
                 "expected a number on at least one side of \"..\"; leave the @range out to allow "
                 "every value")
        .at(dots);
  }
  BRAID_ASSIGN(const SourceSpan closing,
               expect_symbol(")", out.high ? "\")\" after the bound"
                                           : "the highest value, or \")\" after the bound"));
  out.place.span = start;
  out.place.span.length = closing.byte - start.byte;
  return out;
}

}  // namespace braid::schema
