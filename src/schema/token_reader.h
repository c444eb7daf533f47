// SPDX-License-Identifier: Apache-2.0
// The words of the `.pg` parser: expecting tokens, and turning them into names, literals, bounds.
// Every method that consumes says, in its `what`, how its error calls the thing that is missing.
// Layer: schema.
// Threads: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/result.h"
#include "schema/ast.h"
#include "schema/lexer.h"

namespace braid::schema {

/// `expected <what>, found <token>` at the token.
Error expected(const Token& found, std::string_view what);

/// From the start of `first` to the end of `last`.
SourceSpan joined(const SourceSpan& first, const SourceSpan& last);

/// All errors are parse_error.
class TokenReader {
 public:
  /// As Lexer.
  explicit TokenReader(std::string_view source) : lexer_(source) {}

  Result<Token> next() { return lexer_.next(); }
  Result<const Token*> peek() { return lexer_.peek(); }
  Result<Token> next_enum_value() { return lexer_.next_enum_value(); }

  Result<bool> next_is(TokenKind kind, std::string_view text);
  Result<bool> next_is_symbol(std::string_view symbol) {
    return next_is(TokenKind::symbol, symbol);
  }
  /// Consumes the symbol if it comes next, and says so.
  Result<bool> take_symbol(std::string_view symbol);
  /// Returns the place of the symbol.
  Result<SourceSpan> expect_symbol(std::string_view symbol, std::string_view what);
  Result<Name> expect_name(TokenKind kind, std::string_view what);
  Result<std::string> expect_string(Place& place, std::string_view what);
  Result<std::uint64_t> expect_integer(Place& place, std::string_view what);
  Result<Literal> expect_literal(Place& place, std::string_view what);
  /// `low..high)`: consumes the closing parenthesis too.
  Result<Bound> expect_bound_and_close();

 private:
  Result<std::optional<SignedNumber>> optional_number();

  Lexer lexer_;
};

}  // namespace braid::schema
