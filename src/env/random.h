// SPDX-License-Identifier: Apache-2.0
// Chance, handed in. The real one is cryptographic: salts and ids come from it. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "braid/ids.h"
#include "env/clock.h"

namespace braid::env {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(void* out, std::size_t size) = 0;
  std::uint64_t u64();
};

/// A fresh ULID of the clock's present time.
Ulid make_ulid(const Clock& clock, Random& random);

}  // namespace braid::env
