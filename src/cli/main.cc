// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "env/terminal.h"

int main(int argc, char** argv) {
  braid::env::claim_closed_streams();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto console = braid::cli::standard_console();
  return braid::cli::main_with(arguments, braid::cli::process_surroundings(), *console);
}
