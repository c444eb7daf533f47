// SPDX-License-Identifier: Apache-2.0
// A position in the log is no version of the graph: passing one as the other does not compile.
// expect: could not convert|no matching function|cannot convert|no known conversion
#include "braid/ids.h"

void serve(braid::Position position, braid::Version version);

void run(braid::Position position, braid::Version version) {
#ifdef BRAID_MISTAKE
  serve(version, position);
#else
  serve(position, version);
#endif
}
