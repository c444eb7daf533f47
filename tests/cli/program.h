// SPDX-License-Identifier: Apache-2.0
// Runs the program `braid` ($BRAID_BINARY) in a folder of its own.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace braid::cli_program {

using Words = std::vector<std::string>;

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

struct Surroundings {
  std::string input;
  /// `NAME=value`, besides PATH.
  Words environment;
  /// Where the standard output goes instead of Ran::out.
  std::string output_path;
  /// Standard streams that are closed when the program begins, by number.
  std::vector<int> closed = {};
};

/// A program that runs while the test goes on, with its standard input held open.
class Background {
 public:
  explicit Background(const Words& words, const std::string& folder);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  int process() const { return process_; }
  /// Sends input, closes it and waits; the exit status.
  int finish(const std::string& input);

 private:
  int process_ = -1;
  int input_ = -1;
};

class Program : public testing::Test {
 protected:
  Program();
  ~Program() override;

  Ran braid(const Words& words, const Surroundings& surroundings = {}) const;
  /// Succeeds, or the test fails.
  std::string done(const Words& words, const Surroundings& surroundings = {}) const;
  /// A path in the folder.
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string file(const std::string& name, const std::string& text) const;
  static std::string read(const std::string& path);
  /// A graph of two persons and an edge; returns its path.
  std::string make_graph() const;
  /// Tries to write until the answer is that the program holds the graph; returns that answer.
  Ran wait_until_held(const std::string& graph, const Background& holder) const;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

/// `text` with every ULID as ID, every time as TIME and every 64 hexadecimal digits as HASH.
std::string masked(const std::string& text);
/// The value of a `name: value` line, or of `"name":"value"`.
std::string member(const std::string& text, const std::string& name);

}  // namespace braid::cli_program
