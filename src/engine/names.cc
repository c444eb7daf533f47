// SPDX-License-Identifier: Apache-2.0
#include "engine/names.h"

#include "commit/batch.h"

namespace braid::engine {

namespace {
constexpr std::uint64_t kNameBytesMax = 4096;
constexpr std::size_t kCachedMax = 10'000;
constexpr std::size_t kPseudonymDigits = 64;
}  // namespace

std::string Names::path_of(std::string_view principal) const {
  return env::join(*directory_, principal.substr(principal.rfind(':') + 1));
}

std::string Names::principal_of(const GraphId& graph, std::string_view actor) {
  const env::Lock lock(mutex_);
  const auto found = principals_.find(actor);
  if (found != principals_.end()) return found->second;
  if (principals_.size() >= kCachedMax) principals_.clear();
  return principals_.emplace(actor, commit::principal_of(graph, actor)).first->second;
}

Status Names::remember(std::string_view principal, std::string_view name) {
  if (name.size() > kNameBytesMax) {
    return Error(ErrorCode::resource_limit, "the actor's name is too long")
        .with("resource", "actor_name_bytes")
        .with("limit", kNameBytesMax)
        .with("actual", name.size());
  }
  {
    const env::Lock lock(mutex_);
    if (known_.contains(principal)) return Unit{};
  }
  if (directory_) {
    const env::Lock writing(write_mutex_);
    const auto there = files_.stat(path_of(principal));
    if (!there) {
      if (there.error().code() != ErrorCode::not_found) return there.error();
      BRAID_TRY(env::replace_file(files_, path_of(principal), name));
    }
  }
  const env::Lock lock(mutex_);
  if (directory_ && known_.size() >= kCachedMax) known_.clear();
  known_.emplace(principal, name);
  return Unit{};
}

std::optional<std::string> Names::find(std::string_view principal) const {
  if (directory_) {
    auto name = env::read_file(files_, path_of(principal), kNameBytesMax);
    return name ? std::optional(*std::move(name)) : std::nullopt;
  }
  const env::Lock lock(mutex_);
  const auto found = known_.find(principal);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void Names::verify(const GraphId& graph, const std::function<void(const Error&)>& report) const {
  if (!directory_) return;
  const auto files = files_.list(*directory_);
  if (!files) {
    // Without the directory the people are unknown, which is no damage.
    if (files.error().code() != ErrorCode::not_found) report(files.error());
    return;
  }
  for (const std::string& file : *files) {
    if (file.ends_with(".new")) continue;  // in the making
    const Status good = verify_file(graph, file);
    if (!good) report(good.error());
  }
}

Status Names::verify_file(const GraphId& graph, const std::string& file) const {
  const auto wrong = [&](std::string message) {
    return Error(ErrorCode::corrupt, std::move(message))
        .with("file", env::join("names", file))
        .with("remedy", "delete the file: the person is unknown then, nothing else changes");
  };
  const bool is_pseudonym = file.size() == kPseudonymDigits &&
                            file.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_pseudonym) return wrong("this file of names/ is not named by a pseudonym");
  const auto name = env::read_file(files_, env::join(*directory_, file), kNameBytesMax);
  if (!name) {
    if (name.error().code() == ErrorCode::not_found) return Unit{};  // erased meanwhile
    if (name.error().code() == ErrorCode::resource_limit) return wrong("this name is too long");
    return name.error();
  }
  // Not principal_of() of this class: its cache is for actors.
  if (commit::principal_of(graph, *name).ends_with(":" + file)) return Unit{};
  return wrong("this name is not the one behind its pseudonym");
}

}  // namespace braid::engine
