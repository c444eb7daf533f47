// SPDX-License-Identifier: Apache-2.0
// Verify tells the truth about planted damage: to entries of the state, and to records whose own
// digests are right.
#include "engine/verify.h"

#include "commit/record.h"
#include "env/memory_file_system.h"
#include "log/memory_log.h"
#include "state/keys.h"
#include "state/memory_state.h"
#include "state/registry.h"
#include "support/graph_fixture.h"

namespace braid::engine {
namespace {

using graph_test::findings_of;
using graph_test::item;
using graph_test::keyed;
using graph_test::kSchema;
using graph_test::link;
using graph_test::rows_of;
using graph_test::SimMachine;
using graph_test::text_of;

using Entries = std::map<std::string, std::string>;

class VerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = GraphCore::in_memory(machine_.env, kSchema, {});
    ASSERT_GOOD(made);
    core_ = *std::move(made);
    ASSERT_GOOD(core_->load(rows_of(item("a", 1) + item("b", 2) + link("a", "b")), keyed("k1")));
    ASSERT_GOOD(core_->load(rows_of(item("a", 3)), keyed("k2", LoadMode::kMerge)));
    ASSERT_GOOD(core_->drain_state());
    const auto root = core_->root();
    ASSERT_GOOD(root);
    state_ = (*root)->state;
    ASSERT_GOOD(state_->scan("", "", [&](std::string_view key, std::string_view value) {
      if (!state::is_meta_key(key)) entries_.emplace(key, value);
      return true;
    }));
    ASSERT_GT(entries_.size(), 5U);
  }
  /// What verify says of a state with these entries.
  VerifyReport verify(const Entries& entries, std::uint64_t ahead = 0) {
    state::MemoryState state(core_->graph());
    std::vector<state::StateWrite> writes;
    for (const auto& [key, value] : entries) writes.push_back({key, value});
    state::Applied applied = state_->applied();
    applied.position.value += ahead;
    EXPECT_GOOD(state.apply(writes, applied));
    return verify_graph(core_->log(), *read_state_image(state), core_->fragments());
  }
  /// What verify says of a log whose second record is this, chain and frames made anew.
  VerifyReport verify_with(const std::function<log::RecordDraft(const log::Record&)>& make) {
    log::MemoryLog log(core_->graph(), machine_.clock);
    EXPECT_GOOD(core_->log().read({1}, {UINT64_MAX}, [&](const log::Record& record) -> Status {
      const std::vector<log::RecordDraft> group = {
          record.position.value == 2 ? make(record)
                                     : log::RecordDraft{record.type, record.sections}};
      EXPECT_EQ(log.append(record.position, group, record.time_ms).outcome,
                log::AppendOutcome::kDone);
      return Unit{};
    }));
    EXPECT_GOOD(log.verify());
    return verify_graph(log, {}, core_->fragments());
  }
  /// The same with other changes, to which everything in the record is bound as it should be.
  VerifyReport verify_with_changes(const std::function<void(table::ChangeSet&)>& change) {
    return verify_with([&](const log::Record& record) {
      const auto root = core_->root();
      const schema::Schema& schema = (*root)->catalog->schema();
      auto commit = *commit::decode_commit(record, core_->graph());
      const std::uint16_t tag = state::number_of(state::SectionTag::changes);
      auto changes = *table::decode_change_set(*record.section(tag), schema);
      change(changes);
      log::Section section =
          log::make_section(tag, table::encode(changes, schema).bytes, machine_.random);
      commit.batch.authoritative_state->digest = section.digest;
      return commit::make_commit({commit.batch, *commit.meta, commit.receipt, commit.outbox},
                                 std::move(section), {}, machine_.random);
    });
  }

  SimMachine machine_;
  std::shared_ptr<GraphCore> core_;
  std::shared_ptr<const state::State> state_;
  Entries entries_;
};

TEST_F(VerifyTest, GoodGraphThenNothingFoundAndTrueCounts) {
  for (const VerifyReport& report : {verify(entries_), *core_->verify()}) {
    EXPECT_TRUE(report.findings.empty()) << to_string(report.findings.front());
    EXPECT_EQ(report.records, 3U);
    EXPECT_EQ(report.rows, 3U);
  }
  const VerifyReport copied = verify_with_changes([](table::ChangeSet&) {});
  EXPECT_TRUE(copied.findings.empty()) << to_string(copied.findings.front());
}

TEST_F(VerifyTest, AnyEntryChangedThenFoundByItsKey) {
  for (const auto& [key, value] : entries_) {
    for (const std::string& other :
         {value + "x", value.empty() ? "y" : value.substr(0, value.size() - 1)}) {
      Entries entries = entries_;
      entries[key] = other;
      const VerifyReport report = verify(entries);
      ASSERT_EQ(report.findings.size(), 1U) << base::hex(key);
      EXPECT_EQ(report.findings[0].code(), ErrorCode::corrupt);
      EXPECT_EQ(*report.findings[0].detail("key"), base::hex(key));
      EXPECT_NE(report.findings[0].detail("remedy"), nullptr);
    }
  }
}

TEST_F(VerifyTest, AnyEntryRemovedThenFoundByItsKey) {
  for (const auto& [key, value] : entries_) {
    Entries entries = entries_;
    entries.erase(key);
    const VerifyReport report = verify(entries);
    ASSERT_EQ(report.findings.size(), 1U) << base::hex(key);
    EXPECT_EQ(*report.findings[0].detail("key"), base::hex(key));
  }
}

TEST_F(VerifyTest, EntryAddedThenFoundByItsKey) {
  const std::string key = state::commit_key(CommitId{Ulid::make(1, {})});
  Entries entries = entries_;
  entries[key] = entries_.begin()->second;
  const VerifyReport report = verify(entries);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(*report.findings[0].detail("key"), base::hex(key));
}

TEST_F(VerifyTest, MoreFindingsThanAreListedThenSaidSo) {
  Entries entries = entries_;
  const auto add = [&](std::uint64_t number) {
    entries[state::commit_key(CommitId{Ulid::make(number, {})})] = entries_.begin()->second;
  };
  for (std::uint64_t i = 1; i <= 100; ++i) add(i);

  const VerifyReport all = verify(entries);
  EXPECT_EQ(all.findings.size(), 100U);
  EXPECT_FALSE(all.findings_truncated);

  add(101);
  const VerifyReport some = verify(entries);
  EXPECT_EQ(some.findings.size(), 100U);
  EXPECT_TRUE(some.findings_truncated);
}

TEST_F(VerifyTest, StateAheadOfTheLogThenFound) {
  EXPECT_FALSE(verify(entries_, 1).findings.empty());
}

TEST_F(VerifyTest, ValueChangedInAWellFormedRecordThenTheContentHashTells) {
  const VerifyReport report = verify_with_changes([](table::ChangeSet& changes) {
    Value& count = changes.tables.at(0).rows.at(0).row.values.at(1);
    ASSERT_EQ(count, Value(std::int64_t{1}));
    count = std::int64_t{2};
  });
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].code(), ErrorCode::corrupt);
  EXPECT_EQ(*report.findings[0].detail("position"), "2");
}

TEST_F(VerifyTest, ContentHashChangedThenFound) {
  EXPECT_FALSE(verify_with_changes([](table::ChangeSet& changes) {
                 changes.hash_parts.at(0).delta.low ^= 1;
               }).findings.empty());
}

TEST_F(VerifyTest, RowMissingThenFound) {
  EXPECT_FALSE(verify_with_changes([](table::ChangeSet& changes) {
                 changes.tables.at(0).rows.pop_back();
               }).findings.empty());
}

TEST_F(VerifyTest, AnyByteOfTheChangesTamperedThenFound) {
  std::size_t size = 1;
  for (std::size_t at = 0; at < size; ++at) {
    const VerifyReport report = verify_with([&](const log::Record& record) {
      log::RecordDraft draft{record.type, record.sections};
      for (log::Section& section : draft.sections) {
        if (section.tag != state::number_of(state::SectionTag::changes)) continue;
        size = section.body.size();
        section.body[at] ^= 1;
        section = log::make_section(section.tag, section.body, machine_.random);
      }
      return draft;
    });
    EXPECT_FALSE(report.findings.empty()) << "byte " << at;
  }
  EXPECT_GT(size, 20U);
}

// T10
TEST(VerifyPins, WhoseRangeOrRowsAreNotThoseOfTheFragmentAreFound) {
  SimMachine machine;
  CoreOptions options = graph_test::small_options();
  options.inline_budget.rows_max = 2;
  const auto core = *GraphCore::in_memory(machine.env, kSchema, options);
  ASSERT_GOOD(core->load(rows_of(item("b", 1) + item("d", 2) + item("f", 3)), keyed("k1")));
  // What verify says of the same log with another pin, to which its record is bound as it should.
  const auto verify_with_pin = [&](const std::function<void(table::FragmentSummary&)>& change) {
    log::MemoryLog log(core->graph(), machine.clock);
    EXPECT_GOOD(core->log().read({1}, {UINT64_MAX}, [&](const log::Record& record) -> Status {
      log::RecordDraft draft{record.type, record.sections};
      if (record.type == state::number_of(state::RecordType::staged_commit)) {
        auto commit = *commit::decode_commit(record, core->graph());
        change(commit.pins.at(0).summary);
        log::Section changes = draft.sections.at(commit::kChangesSection);
        EXPECT_EQ(changes.tag, state::number_of(state::SectionTag::changes));
        draft = commit::make_commit({commit.batch, *commit.meta, commit.receipt, commit.outbox},
                                    std::move(changes), commit.pins, machine.random);
      }
      const std::vector<log::RecordDraft> group = {std::move(draft)};
      EXPECT_EQ(log.append(record.position, group, record.time_ms).outcome,
                log::AppendOutcome::kDone);
      return Unit{};
    }));
    return verify_graph(log, {}, core->fragments());
  };

  const VerifyReport same = verify_with_pin([](table::FragmentSummary&) {});
  EXPECT_TRUE(same.findings.empty()) << to_string(same.findings.front());
  for (const auto& change : std::vector<void (*)(table::FragmentSummary&)>{
           [](table::FragmentSummary& pin) { pin.first_id = "c"; },
           [](table::FragmentSummary& pin) { pin.last_id = "e"; },
           [](table::FragmentSummary& pin) { pin.first_id = "a"; },
           [](table::FragmentSummary& pin) { pin.last_id = "g"; },
           [](table::FragmentSummary& pin) { pin.rows = 2; }}) {
    const VerifyReport report = verify_with_pin(change);
    ASSERT_EQ(report.findings.size(), 1U);
    EXPECT_EQ(report.findings[0].code(), ErrorCode::corrupt);
    EXPECT_EQ(*report.findings[0].detail("position"), "2");
  }
}

TEST_F(VerifyTest, RecordLeftOutThenFound) {
  log::MemoryLog log(core_->graph(), machine_.clock);
  ASSERT_GOOD(core_->log().read({1}, {UINT64_MAX}, [&](const log::Record& record) -> Status {
    if (record.position.value == 2) return Unit{};
    log::RecordDraft draft{record.type, record.sections};
    const std::vector<log::RecordDraft> group = {std::move(draft)};
    EXPECT_EQ(log.append(log.tail().last.next(), group, record.time_ms).outcome,
              log::AppendOutcome::kDone);
    return Unit{};
  }));
  EXPECT_FALSE(verify_graph(log, {}, core_->fragments()).findings.empty());
}

TEST(VerifyFile, NameOfAnotherThanItsPseudonymThenFound) {
  SimMachine machine;
  auto made = GraphCore::init(machine.env, "/g", kSchema, {}, graph_test::small_options());
  ASSERT_GOOD(made);
  GraphCore& core = **made;
  ASSERT_GOOD(core.load(rows_of(item("a", 1)), keyed("k1")));
  EXPECT_EQ(findings_of(core.verify()), "");
  const std::string principal = commit::principal_of(core.graph(), "tester");
  const std::string file = "names/" + principal.substr(principal.rfind(':') + 1);
  ASSERT_GOOD(machine.files.stat("/g/" + file));

  ASSERT_GOOD(env::replace_file(machine.files, "/g/" + file, "Tester"));

  const auto report = core.verify();
  ASSERT_GOOD(report);
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings[0].code(), ErrorCode::corrupt);
  EXPECT_EQ(*report->findings[0].detail("file"), file);
  EXPECT_NE(report->findings[0].detail("remedy"), nullptr);
  // The remedy works.
  ASSERT_GOOD(machine.files.remove("/g/" + file));
  EXPECT_EQ(findings_of(core.verify()), "");
}

TEST(VerifyFile, AnyFlippedBitOfTheLogThenFoundByOpenOrVerify) {
  SimMachine machine;
  const CoreOptions options = graph_test::small_options();
  std::uint64_t used = 0;
  std::string path;
  {
    auto core = GraphCore::init(machine.env, "/g", kSchema, {}, options);
    ASSERT_GOOD(core);
    ASSERT_GOOD((*core)->load(rows_of(item("a", 1)), keyed("k1")));
    ASSERT_GOOD((*core)->load(rows_of(item("b", 1)), keyed("k2")));
    ASSERT_GOOD((*core)->close());
  }
  const std::vector<std::string> names = *machine.files.list("/g/log");
  for (const std::string& name : names) {
    if (!name.starts_with("0")) continue;
    path = "/g/log/" + name;
    used = machine.files.stat(path)->size_bytes;
    break;
  }
  // Of the session that init left behind: header and creation.
  CoreOptions reading = options;
  reading.open.read_only = true;
  std::size_t found = 0;
  std::size_t tried = 0;
  for (std::uint64_t offset = 0; offset < std::min<std::uint64_t>(used, 8192); offset += 37) {
    const auto disk = machine.files.copy();
    ASSERT_GOOD(disk->flip_bit(path, offset, offset % 8));
    env::Env env{*disk, machine.clock, machine.random, machine.workers};
    const auto core = GraphCore::open(env, "/g", reading);
    tried += 1;
    if (!core) {
      EXPECT_EQ(core.error().code(), ErrorCode::corrupt) << text_of(core);
      found += 1;
    } else if (!findings_of((*core)->verify()).empty()) {
      found += 1;
    }
  }
  EXPECT_EQ(found, tried);
}

}  // namespace
}  // namespace braid::engine
