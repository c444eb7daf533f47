// SPDX-License-Identifier: Apache-2.0
// The machine itself, part by part; real_env() (env.h) holds all of them. One object of each in a
// process, alive until its end.
//
// Invariants
//   E5  At most one FileLock exists for a file, over all processes and within one, whatever path
//       leads to it: flock(2) keeps other processes out, a list of (device, inode) our own.
//   E6  A forked child never draws the bytes that its parent draws from system_random().
// Threads: any.
#pragma once

#include <cstdint>

#include "env/clock.h"
#include "env/file_system.h"
#include "env/random.h"
#include "env/worker.h"

namespace braid::env {

/// POSIX files: pread, pwrite, fdatasync, and fsync of directories.
FileSystem& posix_file_system();
/// CLOCK_REALTIME and CLOCK_MONOTONIC.
Clock& system_clock();
/// OpenSSL's RAND_bytes through a small buffer of each thread. Ends the process if the system has
/// no randomness to give: nothing safe can be done without.
Random& system_random();
/// A thread a job.
Workers& thread_workers();
/// The number by which the system and its operator know this process.
std::uint64_t process_number();

}  // namespace braid::env
