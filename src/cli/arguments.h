// SPDX-License-Identifier: Apache-2.0
// What a command line asks for.
// Layer: cli.
// Threads: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "braid/graph.h"
#include "cli/console.h"
#include "cli/rows.h"

namespace braid::cli {

enum class Action : std::uint8_t {
  init,
  load,
  query,
  log,
  show,
  verify,
  export_rows,
  schema_show,
  lint,
  version,
};

/// One command. Only the members that its action names are used.
struct Invocation {
  Action action = Action::version;
  /// A directory. All but lint and version.
  std::string graph;
  /// --json, or --format json.
  bool json = false;
  bool json_safe_integers = false;
  /// query, log.
  Format format = Format::table;
  /// init, load.
  std::uint32_t wait_ms = 10'000;
  std::string actor;
  /// init, lint. "-" is the standard input, here and in every path of a file to read.
  std::string schema_path;
  bool if_not_exists = false;
  /// load.
  std::vector<std::string> data_paths;
  LoadMode mode = LoadMode::kAppend;
  std::string key;
  std::optional<CommitId> if_commit;
  std::string purpose;
  bool progress = false;
  /// query: one of text and path, at most one of parameters and their path.
  std::optional<std::string> query_text;
  std::string query_path;
  std::string query_name;
  std::optional<std::string> parameters;
  std::string parameters_path;
  /// log; 0: all.
  std::uint64_t limit = 0;
  /// show.
  std::string commit;
  /// export; empty: all.
  std::vector<std::string> types;
  /// export: as an Arrow file, of one type.
  bool arrow = false;
};

/// Why nothing is to be run: help was asked for, or the command line is wrong.
struct Usage {
  /// 0 for help, else kUsageExitStatus.
  int exit_status = 0;
  /// Help, or what is wrong and where to look.
  std::string text;
  /// What is wrong, alone.
  std::string message;
};

inline constexpr int kUsageExitStatus = 2;

/// `arguments` without the program's name.
std::variant<Invocation, Usage> parse_arguments(const std::vector<std::string>& arguments,
                                                const Surroundings& surroundings);

}  // namespace braid::cli
