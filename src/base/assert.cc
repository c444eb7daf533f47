// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace braid::base {

void assert_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "braid: bug: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace braid::base
