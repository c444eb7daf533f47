// SPDX-License-Identifier: Apache-2.0
// A load by one thread and by several: the same bytes in the log, the same error.
#include "env/real.h"
#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

/// Threads for what a load hands out, nobody for the rest: chance is drawn in one order.
class CrewThreads final : public env::Workers {
 public:
  explicit CrewThreads(env::Workers& others) : others_(others) {}
  std::unique_ptr<env::Job> start(std::string_view name, env::Step step) override {
    env::Workers& workers = name == "crew" ? env::thread_workers() : others_;
    return workers.start(name, std::move(step));
  }

 private:
  env::Workers& others_;
};

struct Answer {
  Result<Receipt> receipt;
  std::string content_hash;
  std::string record_hash;
};

/// What a new graph answers to the load, always of the same seed.
Answer load_with(std::uint32_t threads, const std::string& text) {
  SimMachine machine;
  CrewThreads workers(machine.workers);
  env::Env env{machine.files, machine.clock, machine.random, workers};
  auto core = *engine::GraphCore::in_memory(env, kSchema, small_options());
  LoadOptions options = keyed("k");
  options.threads = threads;
  Answer answer{core->load(rows_of(text), options), "", ""};
  if (!answer.receipt) return answer;
  const CommitInfo commit = core->history("main", 1)->front();
  answer.content_hash = commit.content_hash;
  answer.record_hash = commit.record_hash;
  EXPECT_EQ(findings_of(core->verify()), "");
  return answer;
}

/// More than one segment of text; links have ids that are drawn.
std::string large_text(std::size_t items) {
  std::string text;
  for (std::size_t i = 0; i < items; ++i) {
    const std::string slug = fmt::format("i{:06}", i * 7'919 % items);
    text += link(slug, fmt::format("i{:06}", i));
    text += item(slug, static_cast<std::int64_t>(i));
  }
  return text;
}

constexpr std::size_t kItems = 12'000;

TEST(LoadThreads, OneOrSeveralLeaveTheSameRecord) {
  const std::string text = large_text(kItems);
  ASSERT_GT(text.size(), std::size_t{1} << 20);
  const Answer alone = load_with(1, text);
  const Answer together = load_with(3, text);

  ASSERT_GOOD(alone.receipt);
  ASSERT_GOOD(together.receipt);
  EXPECT_EQ(alone.receipt->nodes_inserted, kItems);
  EXPECT_EQ(alone.receipt->edges_inserted, kItems);
  EXPECT_EQ(*alone.receipt, *together.receipt);
  EXPECT_EQ(alone.content_hash, together.content_hash);
  EXPECT_EQ(alone.record_hash, together.record_hash);
}

TEST(LoadThreads, FirstErrorIsTheSame) {
  const std::string good = large_text(kItems);
  const std::size_t late = good.rfind("{\"type\"");
  for (const std::string& fault :
       {std::string("{\"type\":\"Item\",\"data\":{\"slug\":\"x\",\"count\":true}}\n"),
        std::string("{\"type\":\n"), item("i000000", 7), link("i000001", "nowhere")}) {
    std::string text = good;
    text.insert(late, fault);
    text.insert(text.find("{\"type\"", text.size() / 2), fault);
    const Answer alone = load_with(1, text);
    const Answer together = load_with(3, text);
    ASSERT_FALSE(alone.receipt.ok());
    ASSERT_FALSE(together.receipt.ok());
    EXPECT_EQ(text_of(alone.receipt), text_of(together.receipt));
  }
}

}  // namespace
}  // namespace braid::graph_test
