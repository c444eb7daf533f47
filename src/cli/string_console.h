// SPDX-License-Identifier: Apache-2.0
// A console for tests: text in, text out, files in memory.
// Layer: cli.
// Threads: one thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "env/file_system.h"

namespace braid::cli {

class StringConsole final : public Console {
 public:
  explicit StringConsole(env::FileSystem& files) : files_(files) {}

  std::string input;
  std::string output;
  std::string messages;
  std::vector<std::string> progress;
  /// What the next flush() fails with.
  std::optional<Error> flush_error;

  Status write(std::string_view bytes) override {
    output += bytes;
    return Unit{};
  }
  Status flush() override {
    if (flush_error) return *flush_error;
    return Unit{};
  }
  void message(std::string_view text) override { messages += text; }
  void show_progress(std::string_view text) override { progress.emplace_back(text); }
  Result<std::size_t> read(char* out, std::size_t size) override {
    const std::size_t got = std::min(size, input.size());
    std::copy_n(input.begin(), got, out);
    input.erase(0, got);
    return got;
  }
  env::FileSystem& files() override { return files_; }
  bool colours_messages() const override { return false; }

 private:
  env::FileSystem& files_;
};

}  // namespace braid::cli
