// SPDX-License-Identifier: Apache-2.0
// The erasable directory of names: which name is behind a pseudonym. The log holds pseudonyms only;
// deleting an entry here makes the person unknown and breaks nothing.
// Threads: any.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "braid/ids.h"
#include "braid/result.h"
#include "env/file_system.h"
#include "env/mutex.h"

namespace braid::engine {

class Names {
 public:
  /// Entries are files in `directory`; without a directory they live in memory.
  Names(env::FileSystem& files, std::optional<std::string> directory)
      : files_(files), directory_(std::move(directory)) {}

  /// The pseudonym of an actor in `graph`, computed once.
  std::string principal_of(const GraphId& graph, std::string_view actor) BRAID_EXCLUDES(mutex_);
  /// Remembers the name of a principal ("principal:sha256:…"), if it is not known yet.
  Status remember(std::string_view principal, std::string_view name) BRAID_EXCLUDES(mutex_);
  /// nullopt once it was erased.
  std::optional<std::string> find(std::string_view principal) const BRAID_EXCLUDES(mutex_);
  /// Reports each file that is not named by the pseudonym, in `graph`, of the name in it.
  void verify(const GraphId& graph, const std::function<void(const Error&)>& report) const;

 private:
  Status verify_file(const GraphId& graph, const std::string& file) const;
  std::string path_of(std::string_view principal) const;

  env::FileSystem& files_;
  const std::optional<std::string> directory_;
  env::Mutex write_mutex_;    // one writer of files; taken before mutex_, never by readers
  mutable env::Mutex mutex_;  // never held across file work
  mutable std::map<std::string, std::string, std::less<>> known_ BRAID_GUARDED_BY(mutex_);
  /// By name; dropped when it grows large.
  std::map<std::string, std::string, std::less<>> principals_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::engine
