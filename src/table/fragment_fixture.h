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
  void lose_all() { files_.clear(); }

  mutable int opened = 0;

 private:
  std::map<std::string, columnar::arrow::Buffer> files_;
};

}  // namespace braid::table
