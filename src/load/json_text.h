// SPDX-License-Identifier: Apache-2.0
// Strict JSON (RFC 8259), one token at a time, with the exact byte of every fault.
//
// JsonFrame finds where a value ends while its text is still arriving; JsonCursor then reads it.
// Neither recurses: depth costs no stack.
//
// Invariants
//   J1  What a cursor reads to the end is JSON: simdjson's DOM parser accepts it too.
//   J2  A fault lies at the first byte that no JSON text has there, or at the backslash of an
//       escape that says nothing.
// Layer: load.
// Threads: values.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace braid::load {

/// Objects and arrays within one another; deeper is refused.
inline constexpr std::size_t kJsonDepthMax = 512;

/// Finds the end of an object or array. It sees to brackets and strings, and to nothing else.
class JsonFrame {
 public:
  enum class Outcome : std::uint8_t {
    complete,    ///< position() is one past the last byte
    unfinished,  ///< the text ends before the value does
    malformed,  ///< position() is a bracket without its partner, or a control character in a string
    too_deep,   ///< position() is the bracket that goes beyond kJsonDepthMax
  };

  /// `text` is the value from its first byte, `{` or `[`, as far as it is there; of a longer text
  /// than last time, only what is new is looked at.
  Outcome scan(std::string_view text);
  std::size_t position() const { return position_; }

 private:
  /// False if the text ends, or is malformed, within the string that position_ is in.
  bool skip_string(std::string_view text);
  bool open(bool object);
  bool close(bool object);

  std::size_t position_ = 0;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  std::bitset<kJsonDepthMax + 1> is_object_;
};

struct JsonToken {
  enum class Kind : std::uint8_t { string, number, boolean, null, object, array };
  Kind kind = Kind::null;
  /// The first byte, and one past the last: of an object or array, of its opening bracket only.
  std::size_t begin = 0;
  std::size_t end = 0;
  /// Of a string: it has a backslash. Of a number: it has a fraction or an exponent.
  bool escaped = false;
  bool fractional = false;
};

struct JsonFault {
  std::size_t at = 0;
  /// For people, e.g. "expected ',' or '}'".
  std::string what;
};

class JsonCursor {
 public:
  enum class Step : std::uint8_t { more, end, fault };

  /// Requires: UTF-8 that outlives the cursor.
  explicit JsonCursor(std::string_view text) : text_(text) {}

  std::size_t position() const { return position_; }
  /// Goes to a place where a value begins or has just ended.
  void seek(std::size_t position) { position_ = position; }

  /// Reads a value: a scalar whole, of an object or array the opening bracket.
  /// False: see fault().
  bool value(JsonToken& token);
  /// The next member's name and colon, `first` right behind the opening bracket. `more`: value()
  /// comes next. `end`: the closing bracket has been read.
  Step member(bool first, JsonToken& name);
  /// The same for an array.
  Step element(bool first);
  /// Of the call that failed.
  const JsonFault& fault() const { return fault_; }

  /// As written, quotes included.
  std::string_view raw(const JsonToken& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  /// What a string token says. Requires: a string.
  std::string string(const JsonToken& token) const;
  /// The same without a copy, for a string without a backslash. Requires: a string, not escaped.
  std::string_view plain_string(const JsonToken& token) const {
    return text_.substr(token.begin + 1, token.end - token.begin - 2);
  }

 private:
  bool fail(std::size_t at, std::string_view what);
  void skip_space();
  /// The byte at the position, or 0 at the end (a NUL byte is no JSON either).
  char here() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  Step separator(bool first, char close, std::string_view expected);
  bool read_string(JsonToken& token);
  bool read_escape();
  bool read_hex4(std::size_t at, std::uint32_t& unit);
  bool read_number(JsonToken& token);
  bool read_digits();
  bool read_word(std::string_view word, JsonToken::Kind kind, JsonToken& token);

  std::string_view text_;
  std::size_t position_ = 0;
  JsonFault fault_;
};

}  // namespace braid::load
