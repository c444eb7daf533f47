// SPDX-License-Identifier: Apache-2.0
// A bare integer is no id: the kind of number is written where it is made.
// expect: could not convert|no matching function|cannot convert|no known conversion
#include <cstdint>

#include "braid/ids.h"

void serve(braid::Position position);

void run(std::uint64_t number) {
#ifdef BRAID_MISTAKE
  serve(number);
#else
  serve(braid::Position{number});
#endif
}
