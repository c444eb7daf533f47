// SPDX-License-Identifier: Apache-2.0
// Everything that a component may want from the machine, handed in as one object.
#pragma once

#include "env/clock.h"
#include "env/file_system.h"
#include "env/random.h"
#include "env/worker.h"

namespace braid::env {

/// References: whoever makes an Env keeps its parts alive for longer than its users.
struct Env {
  FileSystem& files;
  Clock& clock;
  Random& random;
  Workers& workers;
};

/// The machine itself: POSIX files, its clocks, a cryptographic generator, threads.
Env& real_env();

}  // namespace braid::env
