// SPDX-License-Identifier: Apache-2.0
// Where the command line reads and writes: results to the output, all else to the error stream.
//
// Invariants
//   K1  Output that could not be written is an error of the command: write() and flush() say so.
// Layer: cli.
// Threads: one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "braid/result.h"
#include "env/file_system.h"

namespace braid::cli {

class Console {
 public:
  virtual ~Console() = default;
  /// Adds to the results; may keep them until flush().
  virtual Status write(std::string_view bytes) = 0;
  virtual Status flush() = 0;
  /// Says something to the person. What cannot be said has nowhere else to go.
  virtual void message(std::string_view text) = 0;
  /// Shows a line in place of the one that it showed before; nothing if nobody watches the error
  /// stream. Empty: takes the last one away. Any thread, one at a time.
  virtual void show_progress(std::string_view text) = 0;
  /// The next bytes of the standard input; 0 at its end.
  virtual Result<std::size_t> read(char* out, std::size_t size) = 0;
  virtual env::FileSystem& files() = 0;
  /// Whether messages may be coloured.
  virtual bool colours_messages() const = 0;
};

/// What the command line knows before it reads its arguments.
struct Surroundings {
  /// BRAID_GRAPH, when it is set and not empty.
  std::optional<std::string> graph;
  /// The operating system's name of the user.
  std::string user;
};

/// The standard streams and files of this process. From then on a closed pipe is an error.
std::unique_ptr<Console> standard_console();
Surroundings process_surroundings();

/// All of the standard input; `resource_limit` beyond `size_bytes_max`.
Result<std::string> read_all_input(Console& console, std::size_t size_bytes_max);

}  // namespace braid::cli
