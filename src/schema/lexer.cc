// SPDX-License-Identifier: Apache-2.0
#include "schema/lexer.h"

#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace braid::schema {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_upper(c) || is_lower(c) || is_digit(c) || c == '_'; }
bool is_enum_character(char c) { return is_word(c) || c == '-'; }

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/// -1 for what is not a hexadecimal digit.
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::string: return "a string";
    case TokenKind::end: return "the end of the text";
    default: return fmt::format("\"{}\"", token.text);
  }
}

Status check_source(std::string_view source) {
  if (source.size() > kSourceBytesMax) {
    return Error(ErrorCode::resource_limit,
                 fmt::format("the schema text has {} bytes; at most {} are read", source.size(),
                             kSourceBytesMax));
  }
  SourceSpan here;
  if (source.starts_with(kByteOrderMark)) here.byte = kByteOrderMark.size();
  while (here.byte < source.size()) {
    const std::size_t length = base::decode_utf8(source.substr(here.byte)).size;
    if (length == 0) {
      here.length = 1;
      return Error(ErrorCode::parse_error, "this byte is not UTF-8; save the schema text as UTF-8")
          .at(here);
    }
    if (source[here.byte] == '\n') {
      ++here.line;
      here.column = 1;
    } else {
      ++here.column;
    }
    here.byte += length;
  }
  return Unit{};
}

Lexer::Lexer(std::string_view source) : source_(source) {
  if (source_.starts_with(kByteOrderMark)) cursor_.byte = kByteOrderMark.size();
}

Result<const Token*> Lexer::peek() {
  if (!peeked_) {
    before_peeked_ = cursor_;
    BRAID_ASSIGN(peeked_, cut());
  }
  return &*peeked_;
}

Result<Token> Lexer::next() {
  if (peeked_) {
    Token token = *std::move(peeked_);
    peeked_.reset();
    return token;
  }
  return cut();
}

Result<Token> Lexer::next_enum_value() {
  if (peeked_) {
    cursor_ = before_peeked_;
    peeked_.reset();
  }
  BRAID_TRY(skip_blank());
  const Cursor start = cursor_;
  while (is_enum_character(at(0))) advance();
  if (cursor_.byte == start.byte) {
    if (!at_end()) advance();
    return error_from(start, "expected an enum value, made of letters, digits, _ and -");
  }
  const std::string_view text = source_.substr(start.byte, cursor_.byte - start.byte);
  return Token{TokenKind::enum_value, std::string(text), span_from(start)};
}

char Lexer::at(std::size_t ahead) const {
  const std::size_t index = cursor_.byte + ahead;
  return index < source_.size() ? source_[index] : '\0';
}

void Lexer::advance() {
  if (source_[cursor_.byte] == '\n') {
    ++cursor_.line;
    cursor_.column = 1;
  } else {
    ++cursor_.column;
  }
  cursor_.byte += base::decode_utf8(source_.substr(cursor_.byte)).size;
}

void Lexer::advance_by(std::size_t ascii_characters) {
  for (std::size_t i = 0; i < ascii_characters; ++i) advance();
}

SourceSpan Lexer::span_from(const Cursor& start) const {
  return SourceSpan{start.line, start.column, start.byte, cursor_.byte - start.byte};
}

Error Lexer::error_from(const Cursor& start, std::string message) const {
  return Error(ErrorCode::parse_error, std::move(message)).at(span_from(start));
}

Status Lexer::skip_blank() {
  while (!at_end()) {
    const char c = at(0);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      advance();
    } else if (c == '/' && at(1) == '/') {
      while (!at_end() && at(0) != '\n') advance();
    } else if (c == '/' && at(1) == '*') {
      const Cursor start = cursor_;
      advance_by(2);
      const Cursor after_opening = cursor_;
      while (!at_end() && !(at(0) == '*' && at(1) == '/')) advance();
      if (at_end()) {
        cursor_ = after_opening;
        return error_from(start, "this comment is never closed; expected */");
      }
      advance_by(2);
    } else {
      break;
    }
  }
  return Unit{};
}

Result<Token> Lexer::cut() {
  BRAID_TRY(skip_blank());
  const Cursor start = cursor_;
  if (at_end()) return Token{TokenKind::end, "", span_from(start)};
  const char c = at(0);
  if (is_digit(c)) return cut_number();
  if (c == '"') return cut_string();
  if (!is_word(c)) return cut_symbol();
  while (is_word(at(0))) advance();
  const std::string_view text = source_.substr(start.byte, cursor_.byte - start.byte);
  const TokenKind kind = is_upper(c) ? TokenKind::type_name : TokenKind::identifier;
  return Token{kind, std::string(text), span_from(start)};
}

Result<Token> Lexer::cut_number() {
  const Cursor start = cursor_;
  TokenKind kind = TokenKind::integer;
  while (is_digit(at(0))) advance();
  if (at(0) == '.' && is_digit(at(1))) {
    kind = TokenKind::floating;
    advance();
    while (is_digit(at(0))) advance();
    const std::size_t sign = at(1) == '+' || at(1) == '-' ? 1 : 0;
    if ((at(0) == 'e' || at(0) == 'E') && is_digit(at(1 + sign))) {
      advance_by(1 + sign);
      while (is_digit(at(0))) advance();
    }
  }
  if (is_word(at(0))) {
    while (is_word(at(0))) advance();
    return error_from(start, "expected a number such as 12, 0.5 or 1.5e-3");
  }
  const std::string_view text = source_.substr(start.byte, cursor_.byte - start.byte);
  return Token{kind, std::string(text), span_from(start)};
}

Result<Token> Lexer::cut_string() {
  const Cursor start = cursor_;
  advance();
  const Cursor after_quote = cursor_;
  std::string text;
  while (!at_end() && at(0) != '"') {
    if (at(0) == '\\') {
      BRAID_TRY(cut_escape(text));
    } else {
      const std::size_t from = cursor_.byte;
      advance();
      text.append(source_.substr(from, cursor_.byte - from));
    }
  }
  if (at_end()) {
    cursor_ = after_quote;
    return error_from(start, "this string is never closed; expected \"");
  }
  advance();
  return Token{TokenKind::string, std::move(text), span_from(start)};
}

Status Lexer::cut_escape(std::string& out) {
  const Cursor escape = cursor_;
  advance();
  if (at_end()) return error_from(escape, "expected a character after \\");
  const char c = at(0);
  constexpr std::string_view kNames = "\"\\/nrtbf";
  constexpr std::string_view kValues = "\"\\/\n\r\t\b\f";
  if (const std::size_t index = kNames.find(c); index != std::string_view::npos) {
    advance();
    out.push_back(kValues[index]);
    return Unit{};
  }
  advance();
  if (c != 'u') {
    return error_from(escape, "unknown escape; use \\\" \\\\ \\/ \\n \\r \\t \\b \\f or \\uXXXX");
  }
  BRAID_ASSIGN(std::uint32_t unit, cut_four_hex_digits(escape));
  if (is_low_surrogate(unit)) {
    return error_from(escape, "a low surrogate without the high one before it");
  }
  if (is_high_surrogate(unit)) {
    if (at(0) != '\\' || at(1) != 'u') {
      return error_from(escape, "a high surrogate; expected \\uDC00 to \\uDFFF after it");
    }
    advance_by(2);
    BRAID_ASSIGN(const std::uint32_t low, cut_four_hex_digits(escape));
    if (!is_low_surrogate(low)) {
      return error_from(escape, "a high surrogate; expected \\uDC00 to \\uDFFF after it");
    }
    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }
  base::append_utf8(out, unit);
  return Unit{};
}

Result<std::uint32_t> Lexer::cut_four_hex_digits(const Cursor& escape) {
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_value(at(0));
    if (digit < 0) return error_from(escape, "expected four hexadecimal digits after \\u");
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
    advance();
  }
  return unit;
}

Result<Token> Lexer::cut_symbol() {
  const Cursor start = cursor_;
  const char c = at(0);
  if ((c == '-' && at(1) == '>') || (c == '.' && at(1) == '.')) {
    advance_by(2);
  } else if (std::string_view("{}()[]:,=?@-").find(c) != std::string_view::npos && c != '\0') {
    advance();
  } else {
    advance();
    return error_from(start, "unexpected character; names are ASCII, text goes in \"…\"");
  }
  const std::string_view text = source_.substr(start.byte, cursor_.byte - start.byte);
  return Token{TokenKind::symbol, std::string(text), span_from(start)};
}

}  // namespace braid::schema
