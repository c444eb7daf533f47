// SPDX-License-Identifier: Apache-2.0
// UTF-8, one code point at a time, strictly: no overlong forms, no surrogates, nothing above
// U+10FFFF (https://www.unicode.org/versions/Unicode15.0.0/ch03.pdf, table 3-7).
// Layer: base.
// Threads: pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace braid::base {

struct CodePoint {
  char32_t value = 0;
  /// Bytes it takes; 0 when the text does not start with a well-formed sequence.
  std::size_t size = 0;
};

/// The code point at the start of `rest`.
CodePoint decode_utf8(std::string_view rest);
/// Where `text` stops being UTF-8; its size if it never does.
std::size_t utf8_end(std::string_view text);

/// Requires: a code point that is no surrogate.
void append_utf8(std::string& out, char32_t code_point);

}  // namespace braid::base
