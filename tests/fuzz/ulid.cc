// SPDX-License-Identifier: Apache-2.0
// A text is a ULID or it is refused; what is accepted prints as itself, in upper case.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "braid/ids.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto ulid = braid::Ulid::parse(text);
  if (!ulid) return 0;
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (ulid->to_string() != upper) std::abort();
  return 0;
}
