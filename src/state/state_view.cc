// SPDX-License-Identifier: Apache-2.0
#include "state/state_view.h"

#include "base/assert.h"
#include "base/coding.h"
#include "state/keys.h"
#include "state/range.h"

namespace braid::state {

using Found = std::optional<std::pair<std::string, std::string>>;

Result<std::optional<std::string>> StateView::get(std::string_view key) const {
  if (const auto hit = overlay_->get(key)) {  // first: what leaves it is in the state already (S4)
    if (!hit->value) return std::optional<std::string>();
    return std::optional<std::string>(*hit->value);
  }
  return state_->get(key);
}

Result<Found> StateView::seek(std::string_view from, std::string_view prefix) const {
  BRAID_ASSIGN(Found in_state, state_->seek(from, prefix));
  if (overlay_->is_empty()) return in_state;
  for (Overlay::Cursor cursor(*overlay_, from, prefix); cursor.valid(); cursor.next()) {
    const OverlayEntryView& entry = cursor.entry();
    if (in_state && in_state->first < entry.key) return in_state;
    if (entry.value) return Found({std::string(entry.key), std::string(*entry.value)});
    if (in_state && in_state->first == entry.key) {  // removed above: look on behind it
      BRAID_ASSIGN(in_state, state_->seek(key_after(entry.key), prefix));
    }
  }
  return in_state;
}

Status StateView::scan(std::string_view from, std::string_view prefix,
                       const EntryVisitor& visit) const {
  if (overlay_->is_empty()) return state_->scan(from, prefix, visit);
  Overlay::Cursor cursor(*overlay_, from, prefix);
  bool stopped = false;
  // An entry that the state has already taken from the overlay is met twice, and told once (S4).
  // Passes on what the overlay has, removals skipped, while `more` says so.
  const auto emit_overlay = [&](auto more) {
    for (; !stopped && cursor.valid() && more(); cursor.next()) {
      const OverlayEntryView& entry = cursor.entry();
      if (entry.value) stopped = !visit(entry.key, *entry.value);
    }
  };
  const auto on_state_entry = [&](std::string_view key, std::string_view value) {
    emit_overlay([&] { return cursor.entry().key < key; });
    const bool hidden = cursor.valid() && cursor.entry().key == key;
    if (hidden) {
      emit_overlay([&] { return cursor.entry().key == key; });
    } else if (!stopped) {
      stopped = !visit(key, value);
    }
    return !stopped;
  };
  BRAID_TRY(state_->scan(from, prefix, on_state_entry));
  emit_overlay([] { return true; });
  return Unit{};
}

Result<std::optional<VersionedEntry>> newest_at(const StateView& view,
                                                std::string_view version_prefix, Position at) {
  BRAID_ASSERT(is_version_prefix(version_prefix));
  std::string from(version_prefix);
  from += version_suffix(at);  // whatever was written since stands before it (S3)
  BRAID_ASSIGN(Found found, view.seek(from, version_prefix));
  if (!found) return std::optional<VersionedEntry>();
  const std::string_view suffix = std::string_view(found->first).substr(version_prefix.size());
  if (suffix.size() != kVersionSuffixBytes) {
    return Error(ErrorCode::corrupt, "a state key has no position at its end")
        .with("key", base::hex(std::string_view(found->first).substr(0, 64)));
  }
  return std::optional<VersionedEntry>(
      {.position = position_of_suffix(suffix), .value = std::move(found->second)});
}

}  // namespace braid::state
