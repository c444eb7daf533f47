// SPDX-License-Identifier: Apache-2.0
#include "env/sim_disk.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.h"

namespace braid::env {
namespace {

constexpr std::uint64_t kSector = 512;

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The sectors of a write, as bytes: its first sector starts at or before it, the last is cut where
/// the file ended then.
Range sectors_of(const SimChange& change) {
  const std::uint64_t end = (change.offset + change.size + kSector - 1) / kSector * kSector;
  return {change.offset / kSector * kSector,
          std::min(end, change.after_offset + change.after.size())};
}

/// Some of the sectors (E11): the first ones, the last ones, or any.
std::vector<Range> torn(Range whole, CrashDice& dice) {
  const std::uint64_t count = (whole.end - whole.begin + kSector - 1) / kSector;
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    return Range{whole.begin + from * kSector, std::min(whole.end, whole.begin + to * kSector)};
  };
  const std::uint64_t cut = dice.below(count + 1);
  switch (dice.below(3)) {
    case 0: return {part(0, cut)};
    case 1: return {part(cut, count)};
    default: break;
  }
  std::vector<Range> ranges;
  for (std::uint64_t from = 0; from < count;) {
    const bool survives = dice.one_in(2);
    std::uint64_t to = from + 1;
    while (to < count && dice.one_in(2)) ++to;
    if (survives) ranges.push_back(part(from, to));
    from = to;
  }
  return ranges;
}

std::vector<Range> survivors(const SimChange& change, CrashDice& dice) {
  const Range whole = sectors_of(change);
  switch (dice.fate()) {
    case CrashDice::Fate::kKept: return {whole};
    case CrashDice::Fate::kLost: return {};
    case CrashDice::Fate::kTorn: break;
  }
  std::vector<Range> ranges = torn(whole, dice);
  std::erase_if(ranges, [](const Range& range) { return range.begin >= range.end; });
  return ranges;
}

}  // namespace

CrashDice::CrashDice(std::uint64_t seed, CrashMode mode) : generator_(seed), mode_(mode) {
  if (mode != CrashMode::kRandom) return;  // all else comes from the seed (E14)
  const std::uint64_t temper = generator_.below(8);
  if (temper == 0) {
    mode_ = CrashMode::kLoseUnsynced;
  } else if (temper == 1) {
    mode_ = CrashMode::kKeepUnsynced;
  }
  lost_of_8_ = generator_.below(8);
  torn_of_8_ = generator_.below(9);
}

CrashDice::Fate CrashDice::fate() {
  if (mode_ == CrashMode::kLoseUnsynced) return Fate::kLost;
  if (mode_ == CrashMode::kKeepUnsynced) return Fate::kKept;
  if (generator_.below(8) < lost_of_8_) return Fate::kLost;
  return generator_.below(8) < torn_of_8_ ? Fate::kTorn : Fate::kKept;
}

std::string_view CrashDice::garbage() {
  if (garbage_.empty()) {
    garbage_.resize(PagedBytes::kPageSize);
    generator_.fill(garbage_.data(), garbage_.size());
  }
  return garbage_;
}

void SimNode::write(std::uint64_t offset, std::string_view written) {
  if (written.empty()) return;
  bytes.write(offset, written);
  // Whole sectors are written back, so the pages before the write's first byte matter too.
  changes.push_back({.is_truncate = false,
                     .offset = offset,
                     .size = written.size(),
                     .after = bytes.pages_around(offset, written.size()),
                     .after_offset = offset / PagedBytes::kPageSize * PagedBytes::kPageSize});
}

void SimNode::truncate(std::uint64_t size) {
  bytes.resize(size);
  SimChange change;
  change.is_truncate = true;
  change.size = size;
  changes.push_back(std::move(change));
}

void SimNode::sync() {
  for (const SimChange& change : changes) {
    if (change.is_truncate) {
      durable.resize(change.size);
      continue;
    }
    const Range range = sectors_of(change);
    durable.copy_range(change.after, range.begin - change.after_offset, range.begin,
                       range.end - range.begin);
  }
  changes.clear();
}

// The cache is clean now: no later sync writes what the dice took (E12).
void SimNode::sync_partly(CrashDice& dice) { settle(dice); }

void SimNode::crash(CrashDice& dice) {
  settle(dice);
  bytes = durable;
}

// Changes what is durable by unsynced changes alone (E10).
void SimNode::settle(CrashDice& dice) {
  if (dice.mode() == CrashMode::kKeepUnsynced) return sync();
  for (std::size_t index = 0; index < changes.size(); ++index) {
    if (!changes[index].is_truncate) {
      settle_write(index, dice);
    } else if (dice.keeps()) {
      durable.resize(changes[index].size);
    }
  }
  changes.clear();
}

void SimNode::settle_write(std::size_t index, CrashDice& dice) {
  const SimChange& change = changes[index];
  const std::vector<Range> ranges = survivors(change, dice);
  // The size may have become durable without the data.
  const std::uint64_t end = change.offset + change.size;
  const bool keeps_size = dice.mode() == CrashMode::kRandom && dice.one_in(ranges.empty() ? 4 : 2);
  std::uint64_t size = durable.size();
  if (keeps_size) size = std::max(size, end);
  if (!ranges.empty()) size = std::max(size, ranges.back().end);
  if (size > durable.size()) extend(size, index, dice);
  for (const Range& range : ranges) {
    durable.copy_range(change.after, range.begin - change.after_offset, range.begin,
                       range.end - range.begin);
  }
}

void SimNode::extend(std::uint64_t size, std::size_t index, CrashDice& dice) {
  const std::uint64_t old_size = durable.size();
  durable.resize(size);
  if (!dice.one_in(2)) return;
  // Only where a program wrote did the file get blocks; elsewhere are holes.
  for (std::size_t i = 0; i <= index; ++i) {
    if (changes[i].is_truncate) continue;
    std::uint64_t from = std::max(old_size, changes[i].offset);
    const std::uint64_t to = std::min(size, changes[i].offset + changes[i].size);
    while (from < to) {
      const std::uint64_t part = std::min<std::uint64_t>(to - from, PagedBytes::kPageSize);
      durable.write(from, dice.garbage().substr(0, static_cast<std::size_t>(part)));
      from += part;
    }
  }
}

namespace {

using NameKey = std::pair<const SimNode*, std::string_view>;

/// What a change builds on (E13): earlier changes of its names; moved directories, on earlier moves
/// (or a directory could end up inside itself).
class TouchedNames {
 public:
  bool meets(const NameChange& change) const {
    if (change.moves_directory && moved_directory_) return true;
    return std::any_of(change.edits.begin(), change.edits.end(), [&](const NameEdit& edit) {
      return names_.contains(NameKey(edit.directory.get(), edit.name));
    });
  }
  void add(const NameChange& change) {
    moved_directory_ = moved_directory_ || change.moves_directory;
    for (const NameEdit& edit : change.edits) names_.emplace(edit.directory.get(), edit.name);
  }

 private:
  std::set<NameKey> names_;
  bool moved_directory_ = false;
};

void apply_edits(const NameChange& change, SimNames SimNode::* names) {
  for (const NameEdit& edit : change.edits) {
    SimNames& target = (*edit.directory).*names;
    if (edit.node == nullptr) {
      target.erase(edit.name);
    } else {
      target.insert_or_assign(edit.name, edit.node);
    }
  }
}

}  // namespace

void NameJournal::make(NameChange change) {
  apply_edits(change, &SimNode::names);
  changes_.push_back(std::move(change));
}

std::vector<bool> NameJournal::needed_by(const SimNode& directory) const {
  std::vector<bool> needed(changes_.size());
  TouchedNames touched;
  for (std::size_t i = changes_.size(); i-- > 0;) {
    const std::vector<NameEdit>& edits = changes_[i].edits;
    const bool is_own = std::any_of(edits.begin(), edits.end(), [&](const NameEdit& edit) {
      return edit.directory.get() == &directory;
    });
    needed[i] = is_own || touched.meets(changes_[i]);
    if (needed[i]) touched.add(changes_[i]);
  }
  return needed;
}

void NameJournal::sync(const SimNode& directory) {
  const std::vector<bool> needed = needed_by(directory);
  std::vector<NameChange> rest;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (needed[i]) {
      apply_edits(changes_[i], &SimNode::durable_names);
    } else {
      rest.push_back(std::move(changes_[i]));
    }
  }
  changes_ = std::move(rest);
}

void NameJournal::sync_partly(const SimNode& directory, CrashDice& dice) {
  const std::vector<bool> needed = needed_by(directory);
  std::vector<NameChange> rest;
  TouchedNames left;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (needed[i] && dice.keeps() && !left.meets(changes_[i])) {
      apply_edits(changes_[i], &SimNode::durable_names);
    } else {
      rest.push_back(std::move(changes_[i]));
      left.add(rest.back());
    }
  }
  changes_ = std::move(rest);
}

void NameJournal::crash(CrashDice& dice) {
  TouchedNames lost;
  for (const NameChange& change : changes_) {
    if (dice.keeps() && !lost.meets(change)) {
      apply_edits(change, &SimNode::durable_names);
    } else {
      lost.add(change);
    }
  }
  changes_.clear();
}

}  // namespace braid::env
