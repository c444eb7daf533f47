// SPDX-License-Identifier: Apache-2.0
#include "state/overlay.h"

#include <algorithm>

#include "base/assert.h"
#include "state/range.h"

namespace braid::state {

// Keys and values one after another in one string: merging copies bytes, not objects.
struct Overlay::Run {
  struct Slot {
    std::size_t key_offset = 0;
    std::uint32_t key_size = 0;
    std::uint32_t value_size = 0;
    bool removed = false;
  };

  std::string bytes;
  std::vector<Slot> slots;  // ascending by key, each key once

  std::string_view key(std::size_t index) const {
    const Slot& slot = slots[index];
    return std::string_view(bytes).substr(slot.key_offset, slot.key_size);
  }
  OverlayEntryView entry(std::size_t index) const {
    const Slot& slot = slots[index];
    if (slot.removed) return {key(index), std::nullopt};
    return {key(index),
            std::string_view(bytes).substr(slot.key_offset + slot.key_size, slot.value_size)};
  }
  /// The first entry whose key is not below `from`.
  std::size_t lower_bound(std::string_view from) const {
    std::size_t low = 0;
    std::size_t high = slots.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (key(middle) < from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  std::size_t bytes_held() const { return bytes.size() + slots.size() * sizeof(Slot); }
};

std::shared_ptr<const Overlay> Overlay::empty() {
  static const auto kEmpty = std::make_shared<const Overlay>(Token{});
  return kEmpty;
}

std::shared_ptr<const Overlay::Run> Overlay::make_run(
    std::vector<OverlayEntryView> entries_newest_first) {
  std::vector<OverlayEntryView>& entries = entries_newest_first;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  const auto same_key = [](const auto& a, const auto& b) { return a.key == b.key; };
  entries.erase(std::unique(entries.begin(), entries.end(), same_key), entries.end());  // S7

  auto run = std::make_shared<Run>();
  std::size_t size = 0;
  for (const auto& entry : entries) size += entry.key.size() + entry.value.value_or("").size();
  run->bytes.reserve(size);
  run->slots.reserve(entries.size());
  for (const auto& entry : entries) {
    const std::string_view value = entry.value.value_or("");
    BRAID_ASSERT(entry.key.size() <= UINT32_MAX);
    BRAID_ASSERT(value.size() <= UINT32_MAX);
    run->slots.push_back({.key_offset = run->bytes.size(),
                          .key_size = static_cast<std::uint32_t>(entry.key.size()),
                          .value_size = static_cast<std::uint32_t>(value.size()),
                          .removed = !entry.value});
    run->bytes.append(entry.key).append(value);
  }
  return run;
}

void Overlay::push(Level level) {
  entries_ += level.run->slots.size();
  bytes_ += level.run->bytes_held();
  levels_.push_back(std::move(level));
}

std::shared_ptr<const Overlay> Overlay::with(PositionRange positions,
                                             const std::vector<StateWrite>& writes) const {
  BRAID_ASSERT(positions.first <= positions.last);
  BRAID_ASSERT(positions.first > last());  // S2
  if (writes.empty() && !levels_.empty()) {
    auto out = std::make_shared<Overlay>(*this);
    out->levels_.back().last = positions.last;
    return out;
  }

  // Newer runs that are too small to stand beside the new one are merged into it (S8).
  std::size_t kept = levels_.size();
  std::size_t merged_entries = writes.size();
  while (kept > 0 && levels_[kept - 1].run->slots.size() < 2 * merged_entries) {
    --kept;
    merged_entries += levels_[kept].run->slots.size();
  }

  std::vector<OverlayEntryView> entries;
  entries.reserve(merged_entries);
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    entries.push_back(
        {write->key, write->value ? std::optional<std::string_view>(*write->value) : std::nullopt});
  }
  for (std::size_t i = levels_.size(); i > kept; --i) {
    const Run& run = *levels_[i - 1].run;
    for (std::size_t slot = 0; slot < run.slots.size(); ++slot) entries.push_back(run.entry(slot));
  }

  auto out = std::make_shared<Overlay>(Token{});
  for (std::size_t i = 0; i < kept; ++i) out->push(levels_[i]);
  out->push({.last = positions.last, .run = make_run(std::move(entries))});
  return out;
}

std::shared_ptr<const Overlay> Overlay::without(Position applied) const {
  auto out = std::make_shared<Overlay>(Token{});
  for (const Level& level : levels_) {
    if (level.last > applied) out->push(level);
  }
  return out;
}

std::optional<OverlayEntryView> Overlay::get(std::string_view key) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {  // newest first: S7
    const Run& run = *level->run;
    const std::size_t index = run.lower_bound(key);
    if (index < run.slots.size() && run.key(index) == key) return run.entry(index);
  }
  return std::nullopt;
}

std::optional<OverlayEntryView> Overlay::seek(std::string_view from,
                                              std::string_view prefix) const {
  if (is_empty()) return std::nullopt;
  const Cursor cursor(*this, from, prefix);
  if (!cursor.valid()) return std::nullopt;
  return cursor.entry();
}

void Overlay::scan(std::string_view from, std::string_view prefix,
                   const std::function<bool(const OverlayEntryView&)>& visit) const {
  for (Cursor cursor(*this, from, prefix); cursor.valid(); cursor.next()) {
    if (!visit(cursor.entry())) return;
  }
}

Position Overlay::last() const { return levels_.empty() ? Position{} : levels_.back().last; }

Overlay::Cursor::Cursor(const Overlay& overlay, std::string_view from, std::string_view prefix)
    : prefix_(prefix) {
  const std::string_view begin = range_begin(from, prefix);
  heads_.reserve(overlay.levels_.size());
  for (auto level = overlay.levels_.rbegin(); level != overlay.levels_.rend(); ++level) {
    const std::size_t index = level->run->lower_bound(begin);
    if (index < level->run->slots.size()) heads_.push_back({level->run.get(), index});
  }
  find_least();
}

void Overlay::Cursor::find_least() {
  const Head* least = nullptr;
  for (const Head& head : heads_) {  // newest first, so of equal keys the newest stays: S7
    if (head.index == head.run->slots.size()) continue;
    if (least == nullptr || head.run->key(head.index) < least->run->key(least->index)) {
      least = &head;
    }
  }
  valid_ = least != nullptr && least->run->key(least->index).starts_with(prefix_);
  if (valid_) entry_ = least->run->entry(least->index);
}

void Overlay::Cursor::next() {
  BRAID_ASSERT(valid_);
  for (Head& head : heads_) {
    if (head.index < head.run->slots.size() && head.run->key(head.index) == entry_.key) {
      ++head.index;
    }
  }
  find_least();
}

}  // namespace braid::state
