// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <utility>

#include <fmt/format.h>

#include "env/env.h"
#include "env/terminal.h"

namespace braid::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;

bool may_colour() {
  const auto refused = env::environment_variable("NO_COLOR");
  const auto terminal = env::environment_variable("TERM");
  return env::is_terminal(env::StandardStream::error) && (!refused || refused->empty()) &&
         (!terminal || *terminal != "dumb");
}

class StandardConsole final : public Console {
 public:
  Status write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() < kBufferBytes) return Unit{};
    return flush();
  }

  Status flush() override {
    // Emptied first: after a failure (K1) nothing is written twice.
    const std::string bytes = std::exchange(buffer_, {});
    return env::write_standard(env::StandardStream::output, bytes);
  }

  void message(std::string_view text) override {
    static_cast<void>(env::write_standard(env::StandardStream::error, text));
  }

  void show_progress(std::string_view text) override {
    if (!env::is_terminal(env::StandardStream::error)) return;
    message(fmt::format("\r{}\x1b[K", text));
  }

  Result<std::size_t> read(char* out, std::size_t size) override {
    return env::read_standard_input(out, size);
  }

  env::FileSystem& files() override { return env::real_env().files; }
  bool colours_messages() const override { return colours_messages_; }

 private:
  std::string buffer_;
  bool colours_messages_ = may_colour();
};

}  // namespace

std::unique_ptr<Console> standard_console() {
  env::ignore_broken_pipes();
  return std::make_unique<StandardConsole>();
}

Surroundings process_surroundings() {
  Surroundings out;
  out.graph = env::environment_variable("BRAID_GRAPH");
  if (out.graph && out.graph->empty()) out.graph.reset();
  out.user = env::user_name();
  return out;
}

Result<std::string> read_all_input(Console& console, std::size_t size_bytes_max) {
  std::string out;
  std::string part(kBufferBytes, '\0');
  for (;;) {
    BRAID_ASSIGN(const std::size_t got, console.read(part.data(), part.size()));
    if (got == 0) return out;
    if (got > size_bytes_max - out.size()) {
      return Error(ErrorCode::resource_limit,
                   fmt::format("the standard input has more than {} bytes", size_bytes_max))
          .with("limit", size_bytes_max);
    }
    out.append(part, 0, got);
  }
}

}  // namespace braid::cli
