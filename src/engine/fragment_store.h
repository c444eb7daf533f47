// SPDX-License-Identifier: Apache-2.0
// The fragments of a graph: files `objects/fragments/<2 hex>/<operation>-<ordinal>.arrow`
// (docs/formats/directory.md), written by the operation whose ULID they carry and reachable once a
// record pins them.
//
// Invariants
//   G3  A fragment is durable, whole and under its name before a record pins it; it is never
//       written again.
//   G4  Only files that no record pins are removed, and only by the writer that holds the graph's
//       lock, when it opens or gives an operation of its own up.
// Threads: any, for every public function; sweep() only while nothing is staged.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "braid/ids.h"
#include "braid/result.h"
#include "env/file_system.h"
#include "env/mutex.h"
#include "schema/schema.h"
#include "table/layers.h"

namespace braid::engine {

class FragmentStore : public table::FragmentSource {
 public:
  /// `directory`: the graph's `objects`, made when the first fragment is.
  FragmentStore(env::FileSystem& files, std::string directory);

  Result<std::shared_ptr<const table::Fragment>> fragment(
      const table::Pin& pin, const std::shared_ptr<const schema::RecordType>& type,
      bool is_edge) const override BRAID_EXCLUDES(mutex_);

  /// Writes the rows of each table into a fragment of its own, all of them durable (G3). After an
  /// error, discard() what was written.
  Result<std::vector<table::Pin>> stage(const Ulid& operation,
                                        const std::vector<table::TableChanges>& changes,
                                        const schema::Schema& schema);
  /// Removes what an operation staged (G4). Requires: no record pins it, nor ever will.
  void discard(const std::vector<table::Pin>& pins);
  /// As above, of an operation that failed while it staged.
  void discard(const Ulid& operation);
  /// Removes the files that nothing pins: of operations that did not come to their record (G4).
  /// Returns how many.
  Result<std::uint64_t> sweep(const table::Layers& live);
  /// Reads the whole file: `corrupt` {file} unless it is there, has the pin's size and digest, and
  /// is a fragment in order.
  Status verify(const table::Pin& pin, const std::shared_ptr<const schema::RecordType>& type,
                bool is_edge) const;

 private:
  std::string path_of(std::string_view object) const;
  Result<std::shared_ptr<const env::MappedFile>> map(const table::Pin& pin) const;
  Status make_directory(const std::string& path) BRAID_EXCLUDES(mutex_);
  Result<table::Pin> write(std::string object, const table::TableChanges& changes,
                           const schema::Schema& schema);
  template <class Visit>
  Status for_each_file(const Visit& visit);

  env::FileSystem& files_;
  const std::string directory_;
  const std::string fragments_;
  mutable env::Mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const table::Fragment>, std::less<>> open_
      BRAID_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> durable_directories_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::engine
