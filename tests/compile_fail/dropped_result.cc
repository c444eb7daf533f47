// SPDX-License-Identifier: Apache-2.0
// A Result that nobody looks at is an error that nobody handles.
// expect: nodiscard|warn_unused_result
#include "braid/result.h"

braid::Status save();

braid::Status run() {
#ifdef BRAID_MISTAKE
  save();
#endif
  BRAID_TRY(save());
  return save();
}
