// SPDX-License-Identifier: Apache-2.0
#include "env/random.h"

#include <algorithm>
#include <array>

namespace braid::env {
namespace {

constexpr std::int64_t kUlidTimeMsMax = (std::int64_t{1} << 48) - 1;

}  // namespace

std::uint64_t Random::u64() {
  std::uint64_t value = 0;
  fill(&value, sizeof(value));
  return value;
}

Ulid make_ulid(const Clock& clock, Random& random) {
  std::array<std::uint8_t, 10> chance{};
  random.fill(chance.data(), chance.size());
  // A clock that is set wrongly must not end the process.
  const std::int64_t time_ms = std::clamp<std::int64_t>(clock.now_ms(), 0, kUlidTimeMsMax);
  return Ulid::make(static_cast<std::uint64_t>(time_ms), chance);
}

}  // namespace braid::env
