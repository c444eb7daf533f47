// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/lexer.h"

#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/utf8.h"

namespace braid::gq {
namespace {

struct Symbol {
  TokenKind kind;
  std::string_view spelling;
};

constexpr Symbol kSymbols[] = {
#define BRAID_GQ_SYMBOL(name, spelling) {TokenKind::name, spelling},
    BRAID_GQ_SYMBOLS(BRAID_GQ_SYMBOL)
#undef BRAID_GQ_SYMBOL
};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kUnicodeEscapeDigits = 4;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_identifier_start(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_word(char c) { return is_upper(c) || is_identifier_start(c) || is_digit(c); }
bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/// The character that `\c` stands for; '\0' for what is no short escape.
char short_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'f': return '\f';
    default: return '\0';
  }
}

/// The unit of `\uXXXX` at the start of `rest`, or above 0xFFFF if there is none.
char32_t unicode_escape(std::string_view rest) {
  constexpr char32_t kNone = 0x10000;
  if (rest.size() < 2 + kUnicodeEscapeDigits || rest[0] != '\\' || rest[1] != 'u') return kNone;
  char32_t unit = 0;
  for (const char c : rest.substr(2, kUnicodeEscapeDigits)) {
    unit <<= 4U;
    if (is_digit(c)) {
      unit |= static_cast<char32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      unit |= static_cast<char32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      unit |= static_cast<char32_t>(c - 'A' + 10);
    } else {
      return kNone;
    }
  }
  return unit;
}

/// The escape at the start of `rest`: its code point, and its length in bytes; size 0 if it is
/// none.
base::CodePoint decode_escape(std::string_view rest) {
  if (rest.size() < 2) return {};
  if (const char plain = short_escape(rest[1]); plain != '\0') {
    return {static_cast<char32_t>(plain), 2};
  }
  constexpr std::size_t kSize = 2 + kUnicodeEscapeDigits;
  const char32_t first = unicode_escape(rest);
  if (first > 0xFFFF || is_low_surrogate(first)) return {};
  if (!is_high_surrogate(first)) return {first, kSize};
  const char32_t second = unicode_escape(rest.substr(kSize));
  if (!is_low_surrogate(second)) return {};
  return {0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00), 2 * kSize};
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    if (text_.starts_with(kByteOrderMark)) here_.byte = kByteOrderMark.size();
  }

  Result<std::vector<Token>> run();

 private:
  bool at_end() const { return here_.byte >= text_.size(); }
  std::string_view rest() const { return text_.substr(here_.byte); }
  char at(std::size_t ahead) const { return ahead < rest().size() ? rest()[ahead] : '\0'; }
  /// Moves over `count` ASCII characters of one line.
  void skip(std::size_t count) {
    here_.byte += count;
    here_.column += static_cast<std::uint32_t>(count);
  }
  /// Moves over one code point of any kind; refuses what is not UTF-8.
  Status advance();
  void skip_word() {
    while (is_word(at(0))) skip(1);
  }
  SourceSpan from(const SourceSpan& start) const {
    SourceSpan span = start;
    span.length = here_.byte - start.byte;
    return span;
  }
  Error fault(const SourceSpan& start, std::string message) const {
    return Error(ErrorCode::parse_error, std::move(message)).at(from(start));
  }

  Status skip_blank();
  Status skip_comment();
  Result<TokenKind> cut();
  Result<TokenKind> cut_number();
  Result<TokenKind> cut_string();
  Result<TokenKind> cut_variable();
  Result<TokenKind> cut_symbol();

  std::string_view text_;
  SourceSpan here_;
};

Result<std::vector<Token>> Lexer::run() {
  std::vector<Token> tokens;
  for (;;) {
    BRAID_TRY(skip_blank());
    const SourceSpan start = here_;
    if (at_end()) {
      tokens.push_back({TokenKind::end, start});
      return tokens;
    }
    BRAID_ASSIGN(const TokenKind kind, cut());
    BRAID_ASSERT(here_.byte > start.byte);  // (Q1)
    tokens.push_back({kind, from(start)});
  }
}

Status Lexer::advance() {
  const base::CodePoint point = base::decode_utf8(rest());
  if (point.size == 0) {
    SourceSpan span = here_;
    span.length = 1;
    return Error(ErrorCode::parse_error, "this byte is not UTF-8; save the query text as UTF-8")
        .at(span);
  }
  here_.byte += point.size;
  if (point.value == U'\n') {
    ++here_.line;
    here_.column = 1;
  } else {
    ++here_.column;
  }
  return Unit{};
}

Status Lexer::skip_blank() {
  for (;;) {
    const char c = at(0);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      BRAID_TRY(advance());
    } else if (c == '/' && (at(1) == '/' || at(1) == '*')) {
      BRAID_TRY(skip_comment());
    } else {
      return Unit{};
    }
  }
}

Status Lexer::skip_comment() {
  const SourceSpan start = here_;
  const bool block = at(1) == '*';
  skip(2);
  const SourceSpan opening = from(start);
  while (!at_end()) {
    if (block && at(0) == '*' && at(1) == '/') {
      skip(2);
      return Unit{};
    }
    if (!block && at(0) == '\n') return Unit{};
    BRAID_TRY(advance());
  }
  if (!block) return Unit{};
  return Error(ErrorCode::parse_error, "this comment is never closed; expected */").at(opening);
}

Result<TokenKind> Lexer::cut() {
  const char c = at(0);
  if (is_identifier_start(c) || is_upper(c)) {
    skip_word();
    return is_upper(c) ? TokenKind::type_name : TokenKind::identifier;
  }
  if (is_digit(c)) return cut_number();
  if (c == '"') return cut_string();
  if (c == '$') return cut_variable();
  return cut_symbol();
}

Result<TokenKind> Lexer::cut_number() {
  const SourceSpan start = here_;
  const auto skip_digits = [this] {
    while (is_digit(at(0))) skip(1);
  };
  TokenKind kind = TokenKind::integer;
  skip_digits();
  if (at(0) == '.' && is_digit(at(1))) {
    kind = TokenKind::floating;
    skip(1);
    skip_digits();
    const bool is_signed = at(1) == '+' || at(1) == '-';
    if ((at(0) == 'e' || at(0) == 'E') && is_digit(at(is_signed ? 2 : 1))) {
      skip(is_signed ? 2 : 1);
      skip_digits();
    }
  }
  if (is_word(at(0))) {
    skip_word();
    return fault(start, "a number ends before a letter; write 12, 1.5 or 1.5e3");
  }
  return kind;
}

Result<TokenKind> Lexer::cut_string() {
  const SourceSpan start = here_;
  skip(1);
  const SourceSpan opening = from(start);
  while (!at_end()) {
    if (at(0) == '"') {
      skip(1);
      return TokenKind::string;
    }
    if (at(0) != '\\') {
      BRAID_TRY(advance());
      continue;
    }
    const SourceSpan escape_start = here_;
    const base::CodePoint escape = decode_escape(rest());
    if (escape.size == 0) {
      skip(1);
      if (!at_end()) BRAID_TRY(advance());
      return fault(
          escape_start,
          R"(not an escape; expected \" \\ \/ \n \r \t \b \f or \uXXXX (surrogates in pairs))");
    }
    skip(escape.size);
  }
  return Error(ErrorCode::parse_error, "this string is never closed; expected \"").at(opening);
}

Result<TokenKind> Lexer::cut_variable() {
  const SourceSpan start = here_;
  skip(1);
  if (!is_identifier_start(at(0))) {
    return fault(start, "expected a variable's name after $, starting with a small letter or _");
  }
  skip_word();
  return TokenKind::variable;
}

Result<TokenKind> Lexer::cut_symbol() {
  for (const Symbol& symbol : kSymbols) {
    if (rest().starts_with(symbol.spelling)) {
      skip(symbol.spelling.size());
      return symbol.kind;
    }
  }
  const SourceSpan start = here_;
  BRAID_TRY(advance());
  return fault(start, "this character means nothing in a query");
}

}  // namespace

std::string describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::identifier: return "an identifier";
    case TokenKind::type_name: return "a type's name";
    case TokenKind::variable: return "a variable";
    case TokenKind::string: return "a string";
    case TokenKind::integer: return "an integer";
    case TokenKind::floating: return "a number with a fraction";
    case TokenKind::end: return "the end of the text";
    default: break;
  }
  for (const Symbol& symbol : kSymbols) {
    if (symbol.kind == kind) return fmt::format("\"{}\"", symbol.spelling);
  }
  return "a token";
}

Result<std::vector<Token>> tokenize(std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return Error(ErrorCode::resource_limit,
                 fmt::format("a query text has at most {} bytes; send several", kTextBytesMax))
        .with("resource", "query_text_bytes")
        .with("limit", kTextBytesMax)
        .with("actual", text.size());
  }
  return Lexer(text).run();
}

std::string string_value(std::string_view quoted) {
  BRAID_ASSERT(quoted.size() >= 2);
  std::string_view rest = quoted.substr(1, quoted.size() - 2);
  std::string out;
  out.reserve(rest.size());
  while (!rest.empty()) {
    if (rest.front() != '\\') {
      out.push_back(rest.front());
      rest.remove_prefix(1);
      continue;
    }
    const base::CodePoint escape = decode_escape(rest);
    BRAID_ASSERT(escape.size != 0);
    base::append_utf8(out, escape.value);
    rest.remove_prefix(escape.size);
  }
  return out;
}

}  // namespace braid::gq
