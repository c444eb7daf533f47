// SPDX-License-Identifier: Apache-2.0
// A commit id is no table id.
// expect: could not convert|no matching function|cannot convert|no known conversion
#include "braid/ids.h"

void serve(braid::CommitId commit, braid::TableId table);

void run(braid::CommitId commit, braid::TableId table) {
#ifdef BRAID_MISTAKE
  serve(table, commit);
#else
  serve(commit, table);
#endif
}
