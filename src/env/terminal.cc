// SPDX-License-Identifier: Apache-2.0
#include "env/terminal.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <pwd.h>

#include "env/system_error.h"

namespace braid::env {
namespace {

int descriptor_of(StandardStream stream) { return static_cast<int>(stream); }

std::string_view name_of(StandardStream stream) {
  switch (stream) {
    case StandardStream::input: return "standard input";
    case StandardStream::output: return "standard output";
    case StandardStream::error: return "standard error";
  }
  return "";
}

}  // namespace

bool is_terminal(StandardStream stream) { return isatty(descriptor_of(stream)) == 1; }

Result<std::size_t> read_standard_input(char* out, std::size_t size) {
  for (;;) {
    const ssize_t got = read(descriptor_of(StandardStream::input), out, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return system_error(errno, "read", name_of(StandardStream::input));
  }
}

Status write_standard(StandardStream stream, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(descriptor_of(stream), bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EPIPE) {
      return Error(ErrorCode::cancelled,
                   std::string(name_of(stream)) + " was closed by its reader");
    } else if (errno != EINTR) {
      return system_error(errno, "write", name_of(stream));
    }
  }
  return Unit{};
}

void claim_closed_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Gets the least free number: this one, as those below are taken.
    if (::open("/dev/null", O_RDWR) < 0) return;
  }
}

void ignore_broken_pipes() { static_cast<void>(std::signal(SIGPIPE, SIG_IGN)); }

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string user_name() {
  std::array<char, 16'384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr && found->pw_name != nullptr && *found->pw_name != '\0') {
    return found->pw_name;
  }
  return "uid-" + std::to_string(geteuid());
}

}  // namespace braid::env
