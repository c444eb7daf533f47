// SPDX-License-Identifier: Apache-2.0
#include "load/json_text.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/utf8.h"

namespace braid::load {
namespace {

static_assert(std::endian::native == std::endian::little);

/// The first quote, backslash or control character from `from` on, or the end. Eight bytes at a
/// time: https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord. Borrows reach only
/// bytes above a true match, so the lowest mark is exact.
std::size_t plain_run_end(std::string_view text, std::size_t from) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  const auto zero_byte = [](std::uint64_t word) { return (word - kOnes) & ~word & kTops; };
  std::size_t at = from;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t control = (word - kOnes * 0x20) & ~word & kTops;
    const std::uint64_t marks =
        control | zero_byte(word ^ kOnes * '"') | zero_byte(word ^ kOnes * '\\');
    if (marks != 0) return at + static_cast<std::size_t>(std::countr_zero(marks)) / 8;
  }
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 || c == '"' || c == '\\') break;
  }
  return at;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/// Four digits that read_hex4 has accepted.
std::uint32_t hex4(std::string_view text) {
  std::uint32_t unit = 0;
  for (const char c : text.substr(0, 4)) {
    unit = unit << 4 | static_cast<std::uint32_t>(hex_digit(c));
  }
  return unit;
}

/// Appends what the escape at the front of `text` says; returns its size. Requires: a valid one.
std::size_t append_escape(std::string& out, std::string_view text) {
  switch (text[1]) {
    case 'b': out += '\b'; return 2;
    case 'f': out += '\f'; return 2;
    case 'n': out += '\n'; return 2;
    case 'r': out += '\r'; return 2;
    case 't': out += '\t'; return 2;
    case 'u': break;
    default: out += text[1]; return 2;
  }
  const std::uint32_t unit = hex4(text.substr(2));
  if (!is_high_surrogate(unit)) {
    base::append_utf8(out, unit);
    return 6;
  }
  const std::uint32_t low = hex4(text.substr(8));
  base::append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
  return 12;
}

}  // namespace

bool JsonFrame::open(bool object) {
  if (depth_ == kJsonDepthMax) return false;
  is_object_[++depth_] = object;
  return true;
}

bool JsonFrame::close(bool object) {
  if (depth_ == 0 || is_object_[depth_] != object) return false;
  --depth_;
  return true;
}

bool JsonFrame::skip_string(std::string_view text) {
  for (;;) {
    position_ = plain_run_end(text, position_);
    if (position_ == text.size()) return false;
    if (text[position_] == '"') break;
    if (text[position_] != '\\') return false;
    // The escaped character may be yet to come: then the backslash is looked at again.
    if (position_ + 1 == text.size()) return false;
    position_ += 2;
  }
  ++position_;
  in_string_ = false;
  return true;
}

JsonFrame::Outcome JsonFrame::scan(std::string_view text) {
  while (position_ < text.size()) {
    if (in_string_ && !skip_string(text)) {
      const bool ends = position_ >= text.size() || text[position_] == '\\';
      return ends ? Outcome::unfinished : Outcome::malformed;
    }
    if (position_ == text.size()) break;
    const char c = text[position_];
    if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      if (!open(c == '{')) return Outcome::too_deep;
    } else if (c == '}' || c == ']') {
      if (!close(c == '}')) return Outcome::malformed;
      if (depth_ == 0) {
        ++position_;
        return Outcome::complete;
      }
    }
    ++position_;
  }
  return Outcome::unfinished;
}

bool JsonCursor::fail(std::size_t at, std::string_view what) {
  // J2: every reader below stops at the first byte that its rule does not allow.
  fault_ = {at, std::string(at < text_.size() ? what : "the text ends within a value")};
  return false;
}

void JsonCursor::skip_space() {
  while (here() == ' ' || here() == '\n' || here() == '\r' || here() == '\t') ++position_;
}

// The grammar of RFC 8259 and nothing more (J1).
bool JsonCursor::value(JsonToken& token) {
  skip_space();
  token = {};
  token.begin = position_;
  switch (here()) {
    case '"': return read_string(token);
    case '{':
    case '[':
      token.kind = here() == '{' ? JsonToken::Kind::object : JsonToken::Kind::array;
      token.end = ++position_;
      return true;
    case 't': return read_word("true", JsonToken::Kind::boolean, token);
    case 'f': return read_word("false", JsonToken::Kind::boolean, token);
    case 'n': return read_word("null", JsonToken::Kind::null, token);
    default: break;
  }
  if (here() == '-' || is_digit(here())) return read_number(token);
  return fail(position_, "expected a value");
}

JsonCursor::Step JsonCursor::separator(bool first, char close, std::string_view expected) {
  skip_space();
  if (here() == close) {
    ++position_;
    return Step::end;
  }
  if (first) return Step::more;
  if (here() != ',') {
    fail(position_, expected);
    return Step::fault;
  }
  ++position_;
  return Step::more;
}

JsonCursor::Step JsonCursor::member(bool first, JsonToken& name) {
  const Step step = separator(first, '}', "expected ',' or '}'");
  if (step != Step::more) return step;
  skip_space();
  name = {};
  name.begin = position_;
  if (here() != '"') {
    fail(position_, first ? "expected a member name or '}'" : "expected a member name");
    return Step::fault;
  }
  if (!read_string(name)) return Step::fault;
  skip_space();
  if (here() != ':') {
    fail(position_, "expected ':'");
    return Step::fault;
  }
  ++position_;
  return Step::more;
}

JsonCursor::Step JsonCursor::element(bool first) {
  return separator(first, ']', "expected ',' or ']'");
}

bool JsonCursor::read_word(std::string_view word, JsonToken::Kind kind, JsonToken& token) {
  for (const char c : word) {
    if (here() != c) return fail(position_, "expected a value");
    ++position_;
  }
  token.kind = kind;
  token.end = position_;
  return true;
}

bool JsonCursor::read_string(JsonToken& token) {
  token.kind = JsonToken::Kind::string;
  ++position_;
  for (;;) {
    position_ = plain_run_end(text_, position_);
    if (here() == '"' && position_ < text_.size()) break;
    if (here() != '\\') return fail(position_, "control characters in strings are written \\u00XX");
    token.escaped = true;
    if (!read_escape()) return false;
  }
  token.end = ++position_;
  return true;
}

bool JsonCursor::read_escape() {
  const std::size_t backslash = position_++;
  if (position_ == text_.size()) return fail(position_, "");
  if (here() != 'u') {
    if (std::string_view("\"\\/bfnrt").find(here()) == std::string_view::npos) {
      return fail(backslash, "no such escape");
    }
    ++position_;
    return true;
  }
  ++position_;
  std::uint32_t unit = 0;
  if (!read_hex4(backslash, unit)) return false;
  if (is_low_surrogate(unit)) return fail(backslash, "half of a surrogate pair");
  if (!is_high_surrogate(unit)) return true;
  // Its partner follows, or the pair is broken at the first half.
  const std::size_t second = position_;
  for (const char c : {'\\', 'u'}) {
    if (position_ == text_.size()) return fail(position_, "");
    if (here() != c) return fail(backslash, "half of a surrogate pair");
    ++position_;
  }
  if (!read_hex4(second, unit)) return false;
  if (!is_low_surrogate(unit)) return fail(backslash, "half of a surrogate pair");
  return true;
}

bool JsonCursor::read_hex4(std::size_t at, std::uint32_t& unit) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (position_ == text_.size()) return fail(position_, "");
    if (hex_digit(here()) < 0) return fail(at, "\\u takes four hexadecimal digits");
    ++position_;
  }
  unit = hex4(text_.substr(position_ - 4));
  return true;
}

bool JsonCursor::read_digits() {
  if (!is_digit(here())) return fail(position_, "expected a digit");
  while (is_digit(here())) ++position_;
  return true;
}

bool JsonCursor::read_number(JsonToken& token) {
  token.kind = JsonToken::Kind::number;
  if (here() == '-') ++position_;
  if (here() == '0') {
    ++position_;
  } else if (!read_digits()) {
    return false;
  }
  if (here() == '.') {
    token.fractional = true;
    ++position_;
    if (!read_digits()) return false;
  }
  if (here() == 'e' || here() == 'E') {
    token.fractional = true;
    ++position_;
    if (here() == '+' || here() == '-') ++position_;
    if (!read_digits()) return false;
  }
  token.end = position_;
  return true;
}

std::string JsonCursor::string(const JsonToken& token) const {
  BRAID_ASSERT(token.kind == JsonToken::Kind::string);
  const std::string_view text = plain_string(token);
  if (!token.escaped) return std::string(text);
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t run = std::min(text.find('\\', at), text.size());
    out += text.substr(at, run - at);
    at = run;
    if (at < text.size()) at += append_escape(out, text.substr(at));
  }
  return out;
}

}  // namespace braid::load
