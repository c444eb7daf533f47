// SPDX-License-Identifier: Apache-2.0
// Cuts a `.pg` text into tokens, one at a time and on demand, each with its place.
//
// On demand, because enum values (`multi-year`, `2d`) are cut by other rules than the rest: the
// parser says when it expects one.
// Layer: schema.
// Threads: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/result.h"

namespace braid::schema {

enum class TokenKind : std::uint8_t {
  type_name,   ///< [A-Z][A-Za-z0-9_]*
  identifier,  ///< [a-z_][A-Za-z0-9_]*
  enum_value,  ///< [A-Za-z0-9_-]+, only from next_enum_value()
  string,      ///< `text` has the escapes resolved
  integer,     ///< DIGIT+
  floating,    ///< DIGIT+ "." DIGIT+ [exponent]
  symbol,      ///< { } ( ) [ ] : , = ? @ - -> ..
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  SourceSpan span;
};

/// How a message calls the token: `"x"`, `a string`, `the end of the text`.
std::string describe(const Token& token);

class Lexer {
 public:
  /// Requires: `source` is valid UTF-8 (see check_source) and outlives the lexer. Skips a byte
  /// order mark at the start.
  explicit Lexer(std::string_view source);

  /// The token that next() will return. Errors: parse_error.
  Result<const Token*> peek();
  /// Errors: parse_error.
  Result<Token> next();
  /// The next token, cut as an enum value. Errors: parse_error.
  Result<Token> next_enum_value();

 private:
  struct Cursor {
    std::size_t byte = 0;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };

  char at(std::size_t ahead) const;
  bool at_end() const { return cursor_.byte >= source_.size(); }
  /// Moves over one code point.
  void advance();
  void advance_by(std::size_t ascii_characters);
  SourceSpan span_from(const Cursor& start) const;
  /// A parse_error over the text from `start` to here.
  Error error_from(const Cursor& start, std::string message) const;

  Status skip_blank();
  Result<Token> cut();
  Result<Token> cut_number();
  Result<Token> cut_string();
  Result<Token> cut_symbol();
  Status cut_escape(std::string& out);
  Result<std::uint32_t> cut_four_hex_digits(const Cursor& escape);

  std::string_view source_;
  Cursor cursor_;
  std::optional<Token> peeked_;
  Cursor before_peeked_;
};

/// The largest text that is read: 16 MiB.
inline constexpr std::size_t kSourceBytesMax = std::size_t{16} << 20;

/// Errors: resource_limit for a text over kSourceBytesMax; parse_error at the first byte that is
/// not UTF-8 (https://www.unicode.org/versions/Unicode15.0.0/ch03.pdf, table 3-7).
Status check_source(std::string_view source);

}  // namespace braid::schema
