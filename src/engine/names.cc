// SPDX-License-Identifier: Apache-2.0
#include "engine/names.h"

#include "commit/batch.h"

namespace braid::engine {

namespace {
constexpr std::uint64_t kNameBytesMax = 4096;
constexpr std::size_t kCachedMax = 10'000;
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

}  // namespace braid::engine
