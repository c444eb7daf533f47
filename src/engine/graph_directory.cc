// SPDX-License-Identifier: Apache-2.0
#include "engine/graph_directory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "env/mutex.h"
#include "state/rocks_state.h"

namespace braid::engine {
namespace {

constexpr std::string_view kTitle = "braid graph";
constexpr std::uint64_t kFormatBytesMax = 4096;
constexpr std::int64_t kLockPollMs = 20;

void sleep_ms(std::int64_t duration_ms) {
  env::Mutex mutex;
  env::CondVar never;
  const env::Lock lock(mutex);
  never.wait_for(mutex, duration_ms * 1'000'000);
}

Error not_a_stamp() {
  return Error(ErrorCode::corrupt, "FORMAT is not the stamp of a braid graph")
      .with("file", "FORMAT")
      .with("expected", "title, format, graph and state, a line each");
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};  // every line is ended
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Removes the files of one level, then the directory; what is not there is fine.
Status remove_flat_directory(env::FileSystem& files, const std::string& path) {
  BRAID_TRY(env::refuse_link(files, path));
  const auto names = files.list(path);
  if (!names) {
    if (names.error().code() == ErrorCode::not_found) return Unit{};
    return names.error();
  }
  for (const std::string& name : *names) BRAID_TRY(files.remove(env::join(path, name)));
  return files.remove_directory(path);
}

}  // namespace

std::string print(const FormatStamp& stamp) {
  return fmt::format("{}\nformat: {}\ngraph: {}\nstate: {}\n", kTitle, stamp.format,
                     stamp.graph.to_string(), stamp.ready ? "ready" : "initialising");
}

Result<FormatStamp> parse_format_stamp(std::string_view text) {
  constexpr std::string_view kFormatKey = "format: ";
  constexpr std::string_view kGraphKey = "graph: ";
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() < 2 || lines[0] != kTitle || !lines[1].starts_with(kFormatKey)) {
    return not_a_stamp();
  }
  FormatStamp stamp;
  const std::string_view number = lines[1].substr(kFormatKey.size());
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), stamp.format);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) {
    return not_a_stamp();
  }
  if (stamp.format == 0 || stamp.format > kFormat) {
    return Error(ErrorCode::format_mismatch, "the graph has a format that this version cannot read")
        .with("file", "FORMAT")
        .with("found", std::string(number))
        .with("supported", kFormat);
  }
  if (lines.size() != 4 || !lines[2].starts_with(kGraphKey)) return not_a_stamp();
  const auto graph = Ulid::parse(lines[2].substr(kGraphKey.size()));
  if (!graph) return not_a_stamp();
  stamp.graph = GraphId{*graph};
  stamp.ready = lines[3] == "state: ready";
  if (print(stamp) != text) return not_a_stamp();
  return stamp;
}

Result<FormatStamp> GraphDirectory::read_format() const {
  auto text = env::read_file(env_->files, format_path(), kFormatBytesMax);
  if (!text) {
    if (text.error().code() != ErrorCode::not_found) return std::move(text).error();
    return Error(ErrorCode::not_found,
                 fmt::format("there is no graph at {}; make one with init", path_))
        .with("path", path_);
  }
  BRAID_ASSIGN(const FormatStamp stamp, parse_format_stamp(*text));
  if (!stamp.ready) {
    return Error(ErrorCode::not_found,
                 fmt::format("the init of the graph at {} was interrupted; run init again", path_))
        .with("path", path_);
  }
  return stamp;
}

Status GraphDirectory::write_format(const FormatStamp& stamp) const {
  return env::replace_file(env_->files, format_path(), print(stamp));
}

Result<std::unique_ptr<env::FileLock>> GraphDirectory::lock(const LockRequest& request) const {
  const std::int64_t start_ns = env_->clock.steady_ns();
  for (;;) {
    auto lock = env_->files.try_lock(lock_path(), request.process_name);  // (D2)
    if (lock || lock.error().code() != ErrorCode::locked) return lock;
    const std::int64_t waited_ms = (env_->clock.steady_ns() - start_ns) / 1'000'000;
    if (waited_ms >= request.wait_ms) {
      const std::string* holder = lock.error().detail("holder");
      return Error(ErrorCode::locked,
                   fmt::format("the graph at {} is held by {}; wait for it to end", path_,
                               holder == nullptr || holder->empty() ? "another process" : *holder))
          .with("path", path_)
          .with("holder", holder == nullptr ? "" : *holder);
    }
    sleep_ms(std::min(kLockPollMs, request.wait_ms - waited_ms));
  }
}

Status GraphDirectory::prepare_for_init() const {
  Status created = env_->files.create_directory(path_);
  if (!created && created.error().code() != ErrorCode::already_exists) return created;
  // Also of a directory that was there: an init that died may have made it and not come to this.
  Status synced = env_->files.sync_directory(env::parent_of(path_));
  const bool is_forbidden = !synced && synced.error().code() == ErrorCode::permission;
  // Whoever may not read the parent did not make the directory in it.
  if (!synced && (created || !is_forbidden)) return synced;
  BRAID_ASSIGN(const auto names, env_->files.list(path_));
  const bool has_format = std::find(names.begin(), names.end(), "FORMAT") != names.end();
  if (has_format) {
    BRAID_ASSIGN(const std::string text,
                 env::read_file(env_->files, format_path(), kFormatBytesMax));
    BRAID_ASSIGN(const FormatStamp stamp, parse_format_stamp(text));
    if (!stamp.ready) return Unit{};  // may start over (D1)
    return Error(ErrorCode::already_exists, fmt::format("there is a graph at {} already", path_))
        .with("path", path_)
        .with("graph", stamp.graph.to_string());
  }
  // An init that was interrupted before its stamp leaves these two only.
  constexpr std::array<std::string_view, 2> kOurs = {"LOCK", "FORMAT.new"};
  for (const std::string& name : names) {
    if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end()) continue;
    return Error(ErrorCode::already_exists,
                 fmt::format("{} is not empty and holds no graph: choose an empty directory, or "
                             "bring back its FORMAT file",
                             path_))
        .with("path", path_)
        .with("entry", name);
  }
  return Unit{};
}

Status GraphDirectory::discard_unfinished_init() const {
  BRAID_TRY(remove_flat_directory(env_->files, log_path()));
  BRAID_TRY(remove_flat_directory(env_->files, names_path()));
  BRAID_TRY(env::refuse_link(env_->files, state_path()));
  BRAID_TRY(state::RocksState::destroy(*env_, state_path()));
  return env_->files.sync_directory(path_);
}

}  // namespace braid::engine
