// SPDX-License-Identifier: Apache-2.0
// Programs started by tests: run to their end, or held in the middle and killed.
#pragma once

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/graph_fixture.h"

namespace braid::graph_test {

using Words = std::vector<std::string>;

inline std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}
inline std::string binary() { return from_environment("BRAID_BINARY"); }

/// Looks at the condition every millisecond; false after the deadline.
inline bool wait_until(const std::function<bool()>& holds, int deadline_ms = 60'000) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(deadline_ms);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// A running program; killed by the destructor. Its outputs go to files of the folder.
class Process {
 public:
  Process(const Words& words, const std::string& folder)
      : out_(folder + "/.out"), err_(folder + "/.err") {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[0], STDIN_FILENO);
      redirect(out_, STDOUT_FILENO);
      redirect(err_, STDERR_FILENO);
      std::vector<char*> arguments;
      for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    close(ends[0]);
    input_ = ends[1];
  }
  ~Process() {
    if (process_ > 0) kill();
    close_input();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int number() const { return process_; }
  void kill() {
    ::kill(process_, SIGKILL);
    finish();
  }
  /// Sends input, closes it and waits; the exit status, 128 + signal if it was killed.
  int finish(const std::string& input = "") {
    if (!input.empty() && ::write(input_, input.data(), input.size()) < 0) return -1;
    close_input();
    int status = 0;
    if (waitpid(process_, &status, 0) != process_) return -1;
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string out() const { return contents_of(out_); }
  std::string err() const { return contents_of(err_); }

 private:
  static void redirect(const std::string& path, int descriptor) {
    const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (opened < 0 || dup2(opened, descriptor) < 0) _exit(126);
  }
  void close_input() {
    if (input_ >= 0) close(input_);
    input_ = -1;
  }

  int process_ = -1;
  int input_ = -1;
  std::string out_;
  std::string err_;
};

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

inline Ran run(const Words& words, const std::string& folder, const std::string& input = "") {
  Process process(words, folder);
  Ran ran;
  ran.status = process.finish(input);
  ran.out = process.out();
  ran.err = process.err();
  return ran;
}

}  // namespace braid::graph_test
