// SPDX-License-Identifier: Apache-2.0
// Cuts a `.gq` text into tokens, all at once.
//
// Invariants
//   Q1  The tokens lie in the text in order, without overlap, each inside it; the last, and only
//       the last, is `end`.
// Layer: gq.
// Threads: pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/result.h"

namespace braid::gq {

/// The longest text that is read, in bytes.
inline constexpr std::size_t kTextBytesMax = std::size_t{1} << 20U;

// X(name, spelling): the punctuation of the language. A longer spelling precedes its own prefix.
#define BRAID_GQ_SYMBOLS(X) \
  X(greater_equal, ">=")    \
  X(less_equal, "<=")       \
  X(not_equal, "!=")        \
  X(left_brace, "{")        \
  X(right_brace, "}")       \
  X(left_parenthesis, "(")  \
  X(right_parenthesis, ")") \
  X(left_bracket, "[")      \
  X(right_bracket, "]")     \
  X(less, "<")              \
  X(greater, ">")           \
  X(equal, "=")             \
  X(plus, "+")              \
  X(minus, "-")             \
  X(star, "*")              \
  X(slash, "/")             \
  X(percent, "%")           \
  X(colon, ":")             \
  X(comma, ",")             \
  X(dot, ".")               \
  X(at, "@")                \
  X(question, "?")

enum class TokenKind : std::uint8_t {
  identifier,  ///< [a-z_][A-Za-z0-9_]*
  type_name,   ///< [A-Z][A-Za-z0-9_]*
  variable,    ///< "$" identifier, also "$_"
  string,      ///< with its quotes and escapes
  integer,     ///< DIGIT+
  floating,    ///< DIGIT+ "." DIGIT+ [exponent]
  end,
#define BRAID_GQ_TOKEN(name, spelling) name,
  BRAID_GQ_SYMBOLS(BRAID_GQ_TOKEN)
#undef BRAID_GQ_TOKEN
};

/// A view of the text, which must outlive it.
struct Token {
  TokenKind kind = TokenKind::end;
  SourceSpan span;
};

/// How messages call a kind: `"{"`, `an identifier`, `the end of the text`.
std::string describe(TokenKind kind);

/// Errors: parse_error with the place of the first fault (also for what is not UTF-8);
/// resource_limit for more than kTextBytesMax bytes. A byte order mark at the start is skipped.
Result<std::vector<Token>> tokenize(std::string_view text);

/// The characters that a string token stands for. Requires: the text of a token of kind `string`.
std::string string_value(std::string_view quoted);

}  // namespace braid::gq
