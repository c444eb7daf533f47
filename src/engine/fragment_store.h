// SPDX-License-Identifier: Apache-2.0
// The fragments of a graph: files `objects/fragments/<2 hex>/<operation>-<ordinal>.arrow`
// (docs/formats/directory.md), written by the operation whose ULID they carry and reachable once a
// record pins them. Beside each fragment of edges lies its adjacency
// `objects/index/<2 hex>/<operation>-<ordinal>.adj` (layer index): derived, and so written without
// any promise; what is missing or cannot be believed is built again in memory when it is needed.
//
// Invariants
//   G3  A fragment is durable, whole and under its name before a record pins it; it is never
//       written again.
//   G4  Only files that no record pins are removed, and only by the writer that holds the graph's
//       lock, when it opens or gives an operation of its own up.
//   G5  A file has the name of an index only after its bytes were synced: what a crash leaves under
//       it is whole. An index never decides: whether it could be written, is there or is sound
//       changes no answer but that of verify.
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
#include "index/adjacency.h"
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
  /// From the index if there is one that belongs to the fragment, else built from the rows and kept
  /// in memory.
  Result<std::shared_ptr<const table::FragmentEdges>> edges(
      const table::Pin& pin, const std::shared_ptr<const schema::RecordType>& type) const override
      BRAID_EXCLUDES(mutex_);

  /// Writes the rows of each table into a fragment of its own, all of them durable (G3), and the
  /// indexes of those with edges as far as that succeeds (G5). After an error, discard() what was
  /// written.
  Result<std::vector<table::Pin>> stage(const Ulid& operation,
                                        const std::vector<table::TableChanges>& changes,
                                        const schema::Schema& schema);
  /// Removes what an operation staged (G4), and holds none of it open. Requires: no record pins it,
  /// nor ever will.
  void discard(const std::vector<table::Pin>& pins) BRAID_EXCLUDES(mutex_);
  /// As above, of an operation that failed while it staged.
  void discard(const Ulid& operation) BRAID_EXCLUDES(mutex_);
  /// Fragments and adjacencies that are held open for the next who asks.
  std::size_t open_count() const BRAID_EXCLUDES(mutex_);
  /// Removes the files that nothing pins: of operations that did not come to their record (G4).
  /// Returns how many.
  Result<std::uint64_t> sweep(const table::Layers& live);
  /// Reads the whole file: `corrupt` {file} unless it is there, has the pin's size and digest, and
  /// is a fragment in order.
  Status verify(const table::Pin& pin, const std::shared_ptr<const schema::RecordType>& type,
                bool is_edge) const;
  /// `corrupt` {file, remedy} if there is an index of the fragment and it is not, byte for byte,
  /// what its rows make it. Reads the fragment, which must have passed verify().
  Status verify_index(const table::Pin& pin,
                      const std::shared_ptr<const schema::RecordType>& type) const;

 private:
  std::string path_of(std::string_view object) const;
  Result<std::shared_ptr<const env::MappedFile>> map(const table::Pin& pin) const;
  Status make_directory(const std::string& path) BRAID_EXCLUDES(mutex_);
  Result<table::Pin> write(std::string object, const table::TableChanges& changes,
                           const schema::Schema& schema);
  std::string index_path_of(std::string_view object) const;
  /// nullptr if there is none.
  Result<std::shared_ptr<const index::Adjacency>> open_index(const table::Pin& pin) const;
  Status write_index(const table::Pin& pin, const schema::Schema& schema);
  /// `visit(path, name)` of every file in the folders of `root`.
  template <class Visit>
  Status for_each_file(const std::string& root, const Visit& visit);
  /// Removes the fragments and indexes of which `is_dead(fragment's name, is unfinished)`. Returns
  /// how many fragments.
  template <class IsDead>
  Result<std::uint64_t> remove_files(const IsDead& is_dead);

  env::FileSystem& files_;
  const std::string directory_;
  const std::string fragments_;
  const std::string indexes_;
  mutable env::Mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const table::Fragment>, std::less<>> open_
      BRAID_GUARDED_BY(mutex_);
  mutable std::map<std::string, std::shared_ptr<const index::Adjacency>, std::less<>> open_indexes_
      BRAID_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> durable_directories_ BRAID_GUARDED_BY(mutex_);
};

}  // namespace braid::engine
