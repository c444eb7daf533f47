// SPDX-License-Identifier: Apache-2.0
#include "state/memory_state.h"

#include "base/assert.h"
#include "state/keys.h"
#include "state/range.h"

namespace braid::state {
namespace {

constexpr std::size_t kChunkEntriesFirst = 8;
constexpr std::size_t kChunkEntriesMax = 256;

}  // namespace

MemoryState::MemoryState(const GraphId& graph) {
  const env::Lock lock(mutex_);
  entries_.emplace(kStampKey, stamp_value({.format = kStateFormat, .graph = graph}));
  entries_.emplace(kAppliedKey, applied_value(applied_));
}

Applied MemoryState::applied() const {
  const env::Lock lock(mutex_);
  return applied_;
}

Status MemoryState::apply(const std::vector<StateWrite>& writes, const Applied& applied) {
  const env::Lock lock(mutex_);
  BRAID_ASSERT(applied.position > applied_.position);  // S2
  for (const StateWrite& write : writes) {
    BRAID_ASSERT(!is_meta_key(write.key));  // S1
    if (write.value) {
      entries_.insert_or_assign(write.key, *write.value);
    } else {
      entries_.erase(write.key);
    }
  }
  entries_.insert_or_assign(std::string(kAppliedKey), applied_value(applied));
  applied_ = applied;
  return Unit{};
}

Result<std::optional<std::string>> MemoryState::get(std::string_view key) const {
  const env::Lock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::optional<std::string>();
  return std::optional<std::string>(found->second);
}

Result<std::optional<std::pair<std::string, std::string>>> MemoryState::seek(
    std::string_view from, std::string_view prefix) const {
  std::vector<Entry> found = chunk(from, prefix, 1);
  if (found.empty()) return std::optional<Entry>();
  return std::optional<Entry>(std::move(found.front()));
}

Status MemoryState::scan(std::string_view from, std::string_view prefix,
                         const EntryVisitor& visit) const {
  std::string next(from);
  for (std::size_t count = kChunkEntriesFirst;; count = kChunkEntriesMax) {
    const std::vector<Entry> entries = chunk(next, prefix, count);
    for (const auto& [key, value] : entries) {
      if (!visit(key, value)) return Unit{};
    }
    if (entries.size() < count) return Unit{};
    next = key_after(entries.back().first);
  }
}

std::vector<MemoryState::Entry> MemoryState::chunk(std::string_view from, std::string_view prefix,
                                                   std::size_t count_max) const {
  std::vector<Entry> out;
  const env::Lock lock(mutex_);
  for (auto at = entries_.lower_bound(range_begin(from, prefix));
       at != entries_.end() && at->first.starts_with(prefix) && out.size() < count_max; ++at) {
    out.emplace_back(*at);
  }
  return out;
}

Status MemoryState::flush() { return Unit{}; }

Status MemoryState::checkpoint(std::string_view directory) {
  return Error(ErrorCode::unsupported, "a state in memory has no files to copy")
      .with("directory", std::string(directory));
}

}  // namespace braid::state
