// SPDX-License-Identifier: Apache-2.0
// Runs one command.
//
// Invariants
//   K3  Exit status 0 means that the command did what it was asked to, and that all of its output
//       was written.
// Layer: cli.
// Threads: one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"

namespace braid::cli {

/// The exit status; errors have been reported.
int run(const Invocation& invocation, Console& console);

/// Reads the arguments (without the program's name) and runs what they say.
int main_with(const std::vector<std::string>& arguments, const Surroundings& surroundings,
              Console& console);

}  // namespace braid::cli
