// SPDX-License-Identifier: Apache-2.0
#include "engine/recovery.h"

#include "engine/graph_core.h"
#include "env/real.h"
#include "log/memory_log.h"
#include "state/keys.h"
#include "state/memory_state.h"
#include "state/rocks_state.h"
#include "support/graph_fixture.h"

namespace braid::engine {
namespace {

using graph_test::code_of;
using graph_test::count_of;
using graph_test::item;
using graph_test::keyed;
using graph_test::kSchema;
using graph_test::rows_of;
using graph_test::text_of;

class RecoveryTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = GraphCore::in_memory(env_, kSchema, {});
    ASSERT_GOOD(made);
    core_ = *std::move(made);
    for (int i = 0; i < 5; ++i) {
      ASSERT_GOOD(core_->load(rows_of(item(fmt::format("n{}", i), i)), keyed(std::to_string(i))));
    }
  }
  const log::CommitLog& log() const { return core_->log(); }
  std::string directory() const { return scratch_.path("state"); }
  /// A state on disk that claims to reflect the log up to here.
  void claim(const GraphId& graph, const state::Applied& applied) {
    auto state = state::RocksState::create(env_, directory(), graph);
    ASSERT_GOOD(state);
    if (applied.position == Position{}) return;
    ASSERT_GOOD((*state)->apply({{std::string("i\1x"), "planted"}}, applied));
    ASSERT_GOOD((*state)->flush());
    ASSERT_GOOD((*state)->close());
  }
  /// What is opened there knows nothing of what was planted.
  void expect_made_again() {
    const auto reading = open_state_read_only(env_, directory(), log());
    EXPECT_EQ(reading->applied().position, Position{});
    const auto state = open_state(env_, directory(), log());
    ASSERT_GOOD(state);
    EXPECT_EQ((*state)->applied().position, Position{});
    EXPECT_EQ(*(*state)->get("i\1x"), std::nullopt);
  }

  env::Env& env_ = env::real_env();
  graph_test::ScratchDirectory scratch_;
  std::shared_ptr<GraphCore> core_;
};

TEST_F(RecoveryTest, NoStateThenAFreshOne) {  // R1
  const auto state = open_state(env_, directory(), log());
  ASSERT_GOOD(state);
  EXPECT_EQ((*state)->applied().position, Position{});
}

TEST_F(RecoveryTest, StateAheadOfTheLogThenMadeAgain) {  // R1
  claim(log().graph(), {log().tail().last.next(), log().tail().hash});
  expect_made_again();
}

TEST_F(RecoveryTest, StateWithAnotherHashThenMadeAgain) {  // R1
  claim(log().graph(), {Position{3}, log().tail().hash});
  expect_made_again();
}

TEST_F(RecoveryTest, StateOfAnotherGraphThenMadeAgain) {  // R1
  claim(GraphId{Ulid::make(1, {7})}, {log().tail().last, log().tail().hash});
  expect_made_again();
}

TEST_F(RecoveryTest, StateWithoutBranchesThenMadeAgain) {  // R1
  claim(log().graph(), {log().tail().last, log().tail().hash});
  expect_made_again();
}

TEST_F(RecoveryTest, EmptyStateThenTheRootOfTheWholeLog) {
  for (const ReplayInto into : {ReplayInto::state, ReplayInto::overlay}) {
    const auto state = std::make_shared<state::MemoryState>(log().graph());
    const auto root = recover_root(log(), state, into, core_->fragments());
    ASSERT_GOOD(root);
    EXPECT_EQ((*root)->position, log().tail().last);
    EXPECT_EQ((*root)->hash, log().tail().hash);
    EXPECT_EQ((*root)->branch("main")->version.value, 5U);
    EXPECT_EQ(state->applied().position,
              into == ReplayInto::state ? log().tail().last : Position{});
    EXPECT_EQ(*(*root)->view().get(state::branch_key((*root)->branch("main")->incarnation)),
              *(*core_->root())
                   ->view()
                   .get(state::branch_key((*core_->root())->branch("main")->incarnation)));
  }
}

TEST_F(RecoveryTest, LogThatDoesNotBeginWithACreationThenCorrupt) {
  const log::MemoryLog empty(log().graph(), env_.clock);
  EXPECT_EQ(code_of(recover_root(empty, std::make_shared<state::MemoryState>(log().graph()),
                                 ReplayInto::state, core_->fragments())),
            ErrorCode::corrupt);

  log::MemoryLog headless(log().graph(), env_.clock);
  ASSERT_GOOD(log().read({2}, {2}, [&](const log::Record& record) -> Status {
    const std::vector<log::RecordDraft> group = {{record.type, record.sections}};
    EXPECT_EQ(headless.append({1}, group, record.time_ms).outcome, log::AppendOutcome::kDone);
    return Unit{};
  }));
  EXPECT_EQ(code_of(recover_root(headless, std::make_shared<state::MemoryState>(log().graph()),
                                 ReplayInto::state, core_->fragments())),
            ErrorCode::corrupt);
}

}  // namespace
}  // namespace braid::engine
