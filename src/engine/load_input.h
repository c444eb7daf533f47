// SPDX-License-Identifier: Apache-2.0
// The sources of a load: read whole, and parsed into packed rows that know where they came from.
// Layer: engine.
// Threads: values; each function belongs to its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "braid/graph.h"
#include "braid/result.h"
#include "env/crew.h"
#include "env/env.h"
#include "env/mutex.h"
#include "load/text_rows.h"
#include "schema/schema.h"
#include "table/row_source.h"

namespace braid::engine {

/// Text and rows of one load stand in memory.
inline constexpr std::uint64_t kLoadTextBytesMax = std::uint64_t{512} << 20;
inline constexpr std::uint64_t kLoadRowsMax = std::uint64_t{4} << 20;

/// The texts of a load and what they are known by.
struct LoadTexts {
  std::vector<load::Text> texts;
  /// Of each text, in order.
  std::vector<base::Digest> digests;
};

/// Tells who asked how far a load is, one thread at a time. Threads: any.
class ProgressTeller {
 public:
  explicit ProgressTeller(std::function<void(const LoadProgress&)> told) : told_(std::move(told)) {}
  void read_bytes(std::uint64_t size) BRAID_EXCLUDES(mutex_);
  void parsed_rows(std::uint64_t count) BRAID_EXCLUDES(mutex_);

 private:
  const std::function<void(const LoadProgress&)> told_;
  env::Mutex mutex_;
  LoadProgress progress_ BRAID_GUARDED_BY(mutex_);
};

/// Errors: those of the sources; `resource_limit` {file} above kLoadTextBytesMax.
Result<LoadTexts> read_sources(std::vector<LoadSource>& sources, ProgressTeller& progress);

/// The rows of a load.
class LoadRows {
 public:
  const table::PackedRows& rows() const { return rows_; }
  /// Says where the row of a validation error stands: it has a detail "row".
  Error locate(const Error& error) const;

 private:
  friend Result<LoadRows> parse_texts(std::vector<load::Text> texts, const schema::Schema& schema,
                                      env::Env& env, const env::Crew& crew,
                                      ProgressTeller& progress);
  struct Origin {
    std::size_t file = 0;
    std::size_t first_row = 0;
    load::RowPlace first;
    std::vector<load::RowBlock::Offset> places;
  };
  table::PackedRows rows_;
  std::vector<std::string> files_;
  std::vector<Origin> origins_;
};

/// Frees each text once it is parsed, and draws the ids that rows need, in their order. Errors:
/// those of load::read_rows().
Result<LoadRows> parse_texts(std::vector<load::Text> texts, const schema::Schema& schema,
                             env::Env& env, const env::Crew& crew, ProgressTeller& progress);

}  // namespace braid::engine
