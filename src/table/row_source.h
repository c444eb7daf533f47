// SPDX-License-Identifier: Apache-2.0
// What a client wants written, row by row: as plain values, or packed into few bytes each for loads
// of many rows.
//
// Invariants
//   T13  A packed row reads as the row that was added, value by value (columnar::same_value).
// Threads: read() from any thread, beside other readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "braid/ids.h"
#include "braid/value.h"
#include "schema/types.h"

namespace braid::table {

/// One row that a client wants written.
struct RowWrite {
  const schema::RecordType* type = nullptr;
  bool is_edge = false;
  /// As given; of an unkeyed row without one, `fresh_id` is taken.
  std::optional<std::string> id;
  /// A ULID drawn beforehand, so that building again gives the same row (T6).
  std::string fresh_id;
  std::string src;
  std::string dst;
  /// Index of the property and its value; null clears.
  std::vector<std::pair<std::size_t, Value>> assigned;
  /// The client's ordinal of the row; errors carry it as detail "row".
  std::size_t ordinal = 0;
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::size_t size() const = 0;
  /// Fills `out`, all of it. Requires: index < size().
  virtual void read(std::size_t index, RowWrite& out) const = 0;
};

/// Borrows the rows.
class PlainRows final : public RowSource {
 public:
  explicit PlainRows(const std::vector<RowWrite>& rows) : rows_(rows) {}
  std::size_t size() const override { return rows_.size(); }
  void read(std::size_t index, RowWrite& out) const override { out = rows_[index]; }

 private:
  const std::vector<RowWrite>& rows_;
};

/// Some rows, one behind the other in one string. At most 4 GiB.
class PackedBlock {
 public:
  using Assigned = std::vector<std::pair<std::size_t, Value>>;

  /// Of an unkeyed type, a row without `id` keeps room for one that draw_ids() fills in; of a keyed
  /// type, `id` may be left out. Requires: values of their types; `type` outlives the block.
  void add(const schema::RecordType& type, bool is_edge, const std::optional<std::string>& id,
           std::string_view src, std::string_view dst, const Assigned& assigned);
  /// Calls `draw` for each row that needs an id, in order.
  void draw_ids(const std::function<Ulid()>& draw);

  std::size_t size() const { return begins_.size(); }
  std::size_t size_bytes() const { return bytes_.size(); }
  /// Lets go of spare room.
  void shrink();
  /// All but the ordinal. Requires: index < size().
  void read(std::size_t index, RowWrite& out) const;

 private:
  std::uint64_t number_of(const schema::RecordType& type);

  std::vector<const schema::RecordType*> types_;
  std::vector<std::uint32_t> begins_;
  std::string bytes_;
};

/// Blocks in order; a row's ordinal is its index.
class PackedRows final : public RowSource {
 public:
  void add(PackedBlock block);
  void draw_ids(const std::function<Ulid()>& draw);
  std::size_t size() const override { return size_; }
  void read(std::size_t index, RowWrite& out) const override;

 private:
  std::vector<PackedBlock> blocks_;
  /// The index of each block's first row.
  std::vector<std::size_t> firsts_;
  std::size_t size_ = 0;
};

}  // namespace braid::table
