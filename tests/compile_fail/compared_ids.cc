// SPDX-License-Identifier: Apache-2.0
// Two kinds of number are not compared: which of a version and a sequence is larger means nothing.
// expect: no match for 'operator<'|invalid operands to binary expression
#include "braid/ids.h"

bool run(braid::Version version, braid::Sequence sequence) {
#ifdef BRAID_MISTAKE
  return version < sequence;
#else
  return version < version.next() && sequence < sequence.next();
#endif
}
