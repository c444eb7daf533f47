// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace braid::cli_program {
namespace {

const char kSchema[] = R"(node Person {
  slug: String @key
  name: String
  age: I64?
  tags: [String]?
  photo: Blob?
}

node Note {
  text: String
}

edge Knows: Person -> Person {
  since: Date?
}
)";

const char kData[] =
    R"({"type":"Person","data":{"slug":"ann","name":"Ann","age":9007199254740993,"tags":["x","y"]}}
{"edge":"Knows","from":"ann","to":"bob","data":{"since":"2020-01-02"}}
{"type":"Person","data":{"slug":"bob","name":"B\u00f6b \"B\", jr\n\u001b[31m"}}
)";

std::string binary() {
  const char* const path = std::getenv("BRAID_BINARY");
  return path == nullptr ? "" : path;
}

/// In a child process: becomes the program.
[[noreturn]] void become(const Words& words, const Words& environment, const std::string& folder) {
  const std::string program = binary();
  std::vector<char*> arguments;
  std::string name = "braid";
  arguments.push_back(name.data());
  Words copies = words;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Words settings = environment;
  settings.emplace_back("PATH=/usr/bin:/bin");
  std::vector<char*> variables;
  for (std::string& setting : settings) variables.push_back(setting.data());
  variables.push_back(nullptr);
  if (chdir(folder.c_str()) == 0) execve(program.c_str(), arguments.data(), variables.data());
  _exit(127);
}

void redirect(const std::string& path, int flags, int descriptor) {
  const int opened = open(path.c_str(), flags, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(126);
}

int exit_status(int process) {
  int status = 0;
  if (waitpid(process, &status, 0) != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Background::Background(const Words& words, const std::string& folder) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    dup2(ends[0], STDIN_FILENO);
    redirect("/dev/null", O_WRONLY, STDOUT_FILENO);
    redirect("/dev/null", O_WRONLY, STDERR_FILENO);
    become(words, {}, folder);
  }
  close(ends[0]);
  input_ = ends[1];
}

Background::~Background() {
  if (input_ >= 0) close(input_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    exit_status(process_);
  }
}

int Background::finish(const std::string& input) {
  const auto written = write(input_, input.data(), input.size());
  close(input_);
  input_ = -1;
  const int status = exit_status(process_);
  process_ = -1;
  return written == static_cast<ssize_t>(input.size()) ? status : -1;
}

Program::Program() {
  std::string pattern = testing::TempDir() + "/braid-cli-XXXXXX";
  const char* const made = mkdtemp(pattern.data());
  folder_ = made == nullptr ? "" : made;
}

Program::~Program() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Ran Program::braid(const Words& words, const Surroundings& surroundings) const {
  Ran ran;
  const std::string input = file(".in", surroundings.input);
  const std::string out =
      surroundings.output_path.empty() ? file(".out", "") : surroundings.output_path;
  const std::string err = file(".err", "");
  const int process = fork();
  if (process == 0) {
    redirect(input, O_RDONLY, STDIN_FILENO);
    redirect(out, O_WRONLY, STDOUT_FILENO);
    redirect(err, O_WRONLY, STDERR_FILENO);
    for (const int descriptor : surroundings.closed) close(descriptor);
    become(words, surroundings.environment, folder_);
  }
  ran.status = exit_status(process);
  if (surroundings.output_path.empty()) ran.out = read(out);
  ran.err = read(err);
  return ran;
}

std::string Program::done(const Words& words, const Surroundings& surroundings) const {
  const Ran ran = braid(words, surroundings);
  EXPECT_EQ(ran.status, 0) << testing::PrintToString(words) << "\n" << ran.err;
  EXPECT_EQ(ran.err, "");
  return ran.out;
}

std::string Program::file(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary | std::ios::trunc) << text;
  return path(name);
}

Ran Program::wait_until_held(const std::string& graph, const Background& holder) const {
  constexpr int kAttemptsMax = 1'000;
  const std::string process = std::to_string(holder.process());
  const std::string nothing = file("nothing.jsonl", "");
  Ran ran;
  // At first the lock may not be taken yet, or not have its holder's name.
  for (int i = 0; i < kAttemptsMax; ++i) {
    ran = braid({"load", graph, "--data", nothing, "--wait", "0"});
    if (member(ran.err, "  holder").find(process) != std::string::npos) return ran;
  }
  ADD_FAILURE() << "never held: " << ran.err;
  return ran;
}

std::string Program::read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string Program::make_graph() const {
  const std::string graph = path("g.braid");
  done({"init", graph, "--schema", file("s.pg", kSchema), "--as", "ann"});
  done({"load", graph, "--data", file("d.jsonl", kData), "--key", "k1", "--as", "bob"});
  return graph;
}

std::string masked(const std::string& text) {
  static const std::regex ulid("[0-7][0-9A-HJKMNP-TV-Z]{25}");
  static const std::regex time("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z");
  static const std::regex hash("[0-9a-f]{64}");
  std::string out = std::regex_replace(text, hash, "HASH");
  out = std::regex_replace(out, ulid, "ID");
  return std::regex_replace(out, time, "TIME");
}

std::string member(const std::string& text, const std::string& name) {
  std::smatch found;
  const std::regex line("(?:^|\n)" + name + ": ([^\n]*)");
  if (std::regex_search(text, found, line)) return found[1];
  const std::regex json("\"" + name + "\":\"([^\"]*)\"");
  if (std::regex_search(text, found, json)) return found[1];
  return "";
}

}  // namespace braid::cli_program
