// SPDX-License-Identifier: Apache-2.0
#include "engine/fragment_store.h"

#include "env/memory_file_system.h"
#include "schema/catalog.h"
#include "support/graph_fixture.h"

namespace braid::engine {
namespace {

using graph_test::kSchema;

class FragmentStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GOOD(files_.create_directory("/g"));
    const auto catalog = std::make_shared<const schema::Catalog>(*schema::make_catalog(kSchema));
    schema_ = {catalog, &catalog->schema()};
  }
  std::shared_ptr<const schema::RecordType> type_of(const table::Pin& pin) const {
    return {schema_, table::type_of(*schema_, pin.table)};
  }
  /// An item and a link, as one operation staged them.
  std::vector<table::Pin> stage(const Ulid& operation) {
    table::RowChange item{table::ChangeKind::insert, {}, {"a", "", "", {"a", std::int64_t{1}, {}}}};
    table::RowChange link{table::ChangeKind::insert, {}, {"a-a", "a", "a", {}}};
    const auto pins = store_.stage(
        operation,
        {{schema_->node_type("Item")->id, {item}}, {schema_->edge_type("Link")->id, {link}}},
        *schema_);
    EXPECT_GOOD(pins);
    return pins ? *pins : std::vector<table::Pin>();
  }
  void open_all(const std::vector<table::Pin>& pins) {
    ASSERT_EQ(pins.size(), 2U);
    EXPECT_GOOD(store_.fragment(pins[0], type_of(pins[0]), false));
    EXPECT_GOOD(store_.fragment(pins[1], type_of(pins[1]), true));
    EXPECT_GOOD(store_.edges(pins[1], type_of(pins[1])));
  }

  env::MemoryFileSystem files_;
  FragmentStore store_{files_, "/g/objects"};
  std::shared_ptr<const schema::Schema> schema_;
};

TEST_F(FragmentStoreTest, HoldsNothingOpenOfWhatWasDiscarded) {
  const Ulid kept = Ulid::make(1, {});
  open_all(stage(kept));
  ASSERT_EQ(store_.open_count(), 3U);
  const Ulid by_pins = Ulid::make(2, {});
  const Ulid by_name = Ulid::make(3, {});
  const auto pins = stage(by_pins);
  open_all(pins);
  open_all(stage(by_name));
  ASSERT_EQ(store_.open_count(), 9U);

  store_.discard(pins);
  EXPECT_EQ(store_.open_count(), 6U);
  EXPECT_EQ(store_.fragment(pins[0], type_of(pins[0]), false).error().code(), ErrorCode::corrupt);
  store_.discard(by_name);
  EXPECT_EQ(store_.open_count(), 3U);
}

TEST_F(FragmentStoreTest, WhoReadsADiscardedFragmentKeepsIt) {
  const auto pins = stage(Ulid::make(1, {}));
  const auto fragment = *store_.fragment(pins[0], type_of(pins[0]), false);
  const auto edges = *store_.edges(pins[1], type_of(pins[1]));

  store_.discard(pins);

  EXPECT_EQ(fragment->read(**fragment->find("a"))->row.id, "a");
  EXPECT_EQ(edges->edges_of("a", state::Direction::kOut)->size(), 1U);
}

}  // namespace
}  // namespace braid::engine
