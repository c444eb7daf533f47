// SPDX-License-Identifier: Apache-2.0
// Fragments in memory, for the tests of table and commit.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "table/layers.h"

namespace braid::table {

/// Finds edges by looking at all of them: what any adjacency must agree with.
class ScannedEdges : public FragmentEdges {
 public:
  explicit ScannedEdges(const Fragment& fragment) {
    std::uint32_t ordinal = 0;
    for (std::size_t batch = 0; batch < fragment.batch_count(); ++batch) {
      const EndColumns ends = *fragment.ends(batch);
      for (std::size_t row = 0; row < ends.src->length(); ++row, ++ordinal) {
        out_[std::string(ends.src->bytes(row))].push_back(ordinal);
        in_[std::string(ends.dst->bytes(row))].push_back(ordinal);
      }
    }
  }
  Result<std::span<const std::uint32_t>> edges_of(std::string_view node,
                                                  state::Direction direction) const override {
    const auto& edges = direction == state::Direction::kOut ? out_ : in_;
    const auto found = edges.find(node);
    if (found == edges.end()) return std::span<const std::uint32_t>();
    return std::span<const std::uint32_t>(found->second);
  }

 private:
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> out_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> in_;
};

class MemoryFragments : public FragmentSource {
 public:
  /// Rows that ascend by id, as one fragment.
  Pin put(const std::vector<FragmentRow>& rows, const schema::RecordType& type, bool is_edge,
          const FragmentOptions& options = {.batch_rows = 2}) {
    columnar::arrow::StringSink sink;
    auto writer = *FragmentWriter::begin(sink, type, is_edge, options);
    for (const FragmentRow& row : rows) EXPECT_TRUE(writer->append(row).ok());
    Pin pin;
    pin.table = type.id;
    pin.summary = *writer->finish();
    pin.object = "fragment-" + std::to_string(files_.size());
    pin.size_bytes = sink.bytes().size();
    pin.digest = base::sha256(sink.bytes());
    files_.emplace(pin.object, columnar::arrow::Buffer::copy_of(sink.bytes()));
    return pin;
  }
  Result<std::shared_ptr<const Fragment>> fragment(
      const Pin& pin, const std::shared_ptr<const schema::RecordType>& type,
      bool is_edge) const override {
    ++opened;
    const auto found = files_.find(pin.object);
    if (found == files_.end()) return Error(ErrorCode::corrupt, "gone").with("file", pin.object);
    return Fragment::open(found->second.bytes(), found->second.owner(), type, is_edge);
  }
  Result<std::shared_ptr<const FragmentEdges>> edges(
      const Pin& pin, const std::shared_ptr<const schema::RecordType>& type) const override {
    BRAID_ASSIGN(const auto rows, fragment(pin, type, true));
    auto& scanned = scanned_[pin.object];
    if (scanned == nullptr) scanned = std::make_shared<const ScannedEdges>(*rows);
    return std::shared_ptr<const FragmentEdges>(scanned);
  }
  void lose_all() { files_.clear(); }

  mutable int opened = 0;

 private:
  std::map<std::string, columnar::arrow::Buffer> files_;
  mutable std::map<std::string, std::shared_ptr<const ScannedEdges>> scanned_;
};

}  // namespace braid::table
