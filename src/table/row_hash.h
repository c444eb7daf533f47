// SPDX-License-Identifier: Apache-2.0
// What the changes of a commit add to the content hash (columnar/content_hash.h). Threads: values.
#pragma once

#include <cstdint>
#include <vector>

#include "braid/ids.h"
#include "columnar/content_hash.h"
#include "table/change_set.h"

namespace braid::table {

/// The salt of a graph's content hashes; a function of its id.
std::uint64_t content_hash_salt(const GraphId& graph);

class RowHash {
 public:
  explicit RowHash(std::uint64_t salt) : salt_(salt) {}

  /// `before` becomes `after`; nullptr: the row is not there. Only cells that differ are hashed.
  void replace(const schema::RecordType& type, bool is_edge, const RowImage* before,
               const RowImage* after);
  /// Adds what another one of the same salt has summed.
  void add(const RowHash& other) { sums_ += other.sums_; }
  std::vector<HashPart> parts() const;

 private:
  std::uint64_t salt_;
  columnar::ContentHash sums_;
};

}  // namespace braid::table
