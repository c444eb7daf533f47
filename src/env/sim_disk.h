// SPDX-License-Identifier: Apache-2.0
// What a crash may leave of files and names: the model behind sim_file_system.h, without errors,
// handles and counters. A file is what programs see (the page cache) and what is durable, plus the
// ordered changes between the two; names are kept likewise.
//
// Invariants: E10 to E13 of sim_file_system.h.
// Threads: none; the caller holds a lock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/manual.h"
#include "env/paged_bytes.h"

namespace braid::env {

/// How much of what is not synced a crash takes.
enum class CrashMode : std::uint8_t {
  kRandom,        ///< any outcome that the model allows, chosen by the seed
  kLoseUnsynced,  ///< all of it
  kKeepUnsynced,  ///< nothing
};

/// Chooses what becomes of each unsynced change. One crash has one temper: it may keep all, lose
/// all, or like some outcomes better than others, so that rare combinations are not too rare.
class CrashDice {
 public:
  enum class Fate : std::uint8_t { kKept, kLost, kTorn };

  CrashDice(std::uint64_t seed, CrashMode mode);

  Fate fate();
  bool keeps() { return fate() == Fate::kKept; }
  bool one_in(std::uint64_t times) { return generator_.one_in(times); }
  std::uint64_t below(std::uint64_t bound) { return generator_.below(bound); }
  /// What a block holds that was never written: a page of any bytes, the same for one crash.
  std::string_view garbage();
  CrashMode mode() const { return mode_; }

 private:
  Xoshiro256 generator_;
  CrashMode mode_;
  std::uint64_t lost_of_8_ = 0;
  std::uint64_t torn_of_8_ = 0;
  std::string garbage_;
};

struct SimNode;

/// A write or a truncation that no sync made durable yet.
struct SimChange {
  bool is_truncate = false;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  ///< bytes written, or the new size of the file
  PagedBytes after;        ///< the pages around the write as they were right after it
  std::uint64_t after_offset = 0;
};

using SimNames = std::map<std::string, std::shared_ptr<SimNode>, std::less<>>;

/// A file or a directory.
struct SimNode {
  SimNode(std::uint64_t node_number, bool directory)
      : number(node_number), is_directory(directory) {}

  void write(std::uint64_t offset, std::string_view bytes);
  void truncate(std::uint64_t size);
  /// All changes become durable.
  void sync();
  /// What the dice leave becomes durable; the changes are forgotten, the cache stays (E12).
  void sync_partly(CrashDice& dice);
  /// As sync_partly, and the cache becomes what is durable.
  void crash(CrashDice& dice);

  std::uint64_t number;
  bool is_directory;
  PagedBytes bytes;  ///< the page cache
  PagedBytes durable;
  std::vector<SimChange> changes;
  SimNames names;  ///< what programs see
  SimNames durable_names;

 private:
  void settle(CrashDice& dice);
  void settle_write(std::size_t index, CrashDice& dice);
  void extend(std::uint64_t size, std::size_t index, CrashDice& dice);
};

/// One name of a directory gets a node, or none.
struct NameEdit {
  std::shared_ptr<SimNode> directory;
  std::string name;
  std::shared_ptr<SimNode> node;
};

/// A create, remove (one edit) or rename (two): happens as a whole.
struct NameChange {
  std::vector<NameEdit> edits;
  bool moves_directory = false;
};

/// The unsynced changes of names, of all directories, in order.
class NameJournal {
 public:
  /// Applies the change to what programs see, and keeps it.
  void make(NameChange change);
  /// The directory's changes become durable, with those they build on (E13).
  void sync(const SimNode& directory);
  /// As sync, but only what the dice leave; the other changes stay unsynced.
  void sync_partly(const SimNode& directory, CrashDice& dice);
  /// Changes are kept or lost, but none without those it builds on (E13).
  void crash(CrashDice& dice);
  std::size_t size() const { return changes_.size(); }
  const std::vector<NameChange>& changes() const { return changes_; }
  void restore(std::vector<NameChange> changes) { changes_ = std::move(changes); }

 private:
  std::vector<bool> needed_by(const SimNode& directory) const;

  std::vector<NameChange> changes_;
};

}  // namespace braid::env
