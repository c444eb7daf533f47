// SPDX-License-Identifier: Apache-2.0
// Base 64 with padding (RFC 4648 section 4), strict: one byte string has one text.
// Layer: columnar.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid::columnar {

void append_base64(std::string& out, std::string_view bytes);

/// nullopt unless `text` is what append_base64 writes: no white space, no missing padding, no
/// stray bits in the last character.
std::optional<std::string> parse_base64(std::string_view text);

}  // namespace braid::columnar
