// SPDX-License-Identifier: Apache-2.0
// Two real graphs, read whole. They are not part of the source tree: skipped where they are absent.
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

#include "columnar/value_codec.h"
#include "load/load_fixture.h"
#include "load/row_writer.h"

namespace braid::load {
namespace {

std::optional<std::string> read_file(const std::string& name) {
  const char* const root = std::getenv("BRAID_SOURCE_DIR");
  if (root == nullptr) return std::nullopt;
  std::ifstream file(std::string(root) + "/../shared/data/" + name, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

class RealGraphs : public testing::Test {
 protected:
  /// False where the graph is absent.
  bool read(const std::string& folder) {
    const auto schema = read_file(folder + "/schema.pg");
    const auto data = read_file(folder + "/data.jsonl");
    if (!schema || !data) return false;
    auto catalog = schema::make_catalog(*schema);
    EXPECT_TRUE(catalog) << to_string(catalog.error());
    if (!catalog) return false;
    catalog_.emplace(*std::move(catalog));
    auto rows = read_all(catalog_->schema(), source_of(*data), {.file = folder});
    EXPECT_TRUE(rows) << to_string(rows.error());
    if (rows) rows_ = *std::move(rows);
    return rows.ok();
  }

  const LoadRow* node(std::string_view id) const {
    for (const LoadRow& row : rows_) {
      if (!row.is_edge && row.id == id) return &row;
    }
    return nullptr;
  }
  std::size_t edge_count() const {
    std::size_t count = 0;
    for (const LoadRow& row : rows_) count += row.is_edge ? 1 : 0;
    return count;
  }
  /// Writes all rows, reads them back and compares.
  void expect_round_trip() const {
    std::string text;
    for (const LoadRow& row : rows_) {
      std::vector<Value> values(row.type().properties.size());
      for (const auto& [at, value] : row.assigned) values[at] = value;
      if (row.is_edge) {
        append_edge(text, *row.edge_type, "e", row.from, row.to, values);
      } else {
        append_node(text, *row.node_type, *row.id, values);
      }
    }
    const auto back = read_all(catalog_->schema(), source_of(text));
    ASSERT_TRUE(back) << to_string(back.error());
    ASSERT_EQ(back->size(), rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const auto& [at, value] : rows_[i].assigned) {
        const std::string& name = rows_[i].type().properties[at].name;
        const Value* again = assigned((*back)[i], name);
        if (value.is_null()) {
          EXPECT_EQ(again, nullptr) << name;
        } else {
          ASSERT_NE(again, nullptr) << name;
          EXPECT_TRUE(columnar::same_value(*again, value)) << name;
        }
      }
    }
  }

  std::optional<schema::Catalog> catalog_;
  std::vector<LoadRow> rows_;
};

// Counts and values as `grep -c`, `date` and the eye find them in the files.
TEST_F(RealGraphs, SecondBrainIsReadWhole) {
  if (!read("second-brain")) GTEST_SKIP() << "no ../shared/data/second-brain";

  EXPECT_EQ(rows_.size(), 349U);  // lines that are not blank
  EXPECT_EQ(edge_count(), 228U);
  const LoadRow* const self = node("per-self");
  ASSERT_NE(self, nullptr);
  EXPECT_EQ(self->line, 1U);
  EXPECT_EQ(self->byte, 0U);
  EXPECT_EQ(*assigned(*self, "slug"), Value("per-self"));
  EXPECT_EQ(*assigned(*self, "relation"), Value("self"));
  EXPECT_EQ(*assigned(*self, "birthday"), Value(Date{7'204}));  // 1989-09-22
  EXPECT_TRUE(assigned(*self, "cadence_days")->is_null());
  EXPECT_EQ(assigned(*self, "phone"), nullptr);
  EXPECT_EQ(*assigned(*self, "updatedAt"), Value(DateTime{1'778'716'800'000}));  // 2026-05-14
  const LoadRow* const maya = node("per-maya");
  ASSERT_NE(maya, nullptr);
  EXPECT_EQ(*assigned(*maya, "cadence_days"), Value(std::int32_t{1}));
  expect_round_trip();
}

TEST_F(RealGraphs, IndustryIntelIsReadWhole) {
  if (!read("industry-intel")) GTEST_SKIP() << "no ../shared/data/industry-intel";

  EXPECT_EQ(rows_.size(), 263U);
  EXPECT_EQ(edge_count(), 154U);
  const LoadRow* const pattern = node("pat-sovereign-ai");
  ASSERT_NE(pattern, nullptr);
  EXPECT_EQ(*assigned(*pattern, "kind"), Value("disruption"));
  EXPECT_EQ(*assigned(*pattern, "createdAt"), Value(DateTime{1'776'124'800'000}));  // 2026-04-14
  expect_round_trip();
}

}  // namespace
}  // namespace braid::load
