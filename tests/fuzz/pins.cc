// SPDX-License-Identifier: Apache-2.0
// Any bytes as the pins of a record: refused, or decoded and encoded again to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "table/layers.h"

namespace braid {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(std::string_view bytes) {
  const auto pins = table::decode_pins(bytes);
  if (!pins) return require(pins.error().code() == ErrorCode::corrupt);
  require(table::encode_pins(*pins) == bytes);
  for (const table::Pin& pin : *pins) {
    require(!pin.object.empty() && pin.size_bytes > 0 && pin.summary.rows > 0);
    require(pin.may_have(pin.summary.first_id) && pin.may_have(pin.summary.last_id));
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
