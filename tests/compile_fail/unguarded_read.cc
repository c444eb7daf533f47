// SPDX-License-Identifier: Apache-2.0
// What a mutex guards is not read without it.
// only: clang
// expect: requires holding mutex 'mutex_'
#include "env/mutex.h"

class Counter {
 public:
  int value() {
#ifndef BRAID_MISTAKE
    const braid::env::Lock lock(mutex_);
#endif
    return value_;
  }

 private:
  braid::env::Mutex mutex_;
  int value_ BRAID_GUARDED_BY(mutex_) = 0;
};

int run(Counter& counter) { return counter.value(); }
