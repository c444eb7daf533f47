// SPDX-License-Identifier: Apache-2.0
// Whole graphs on a disk that loses, tears and reorders what is not synced, and fails at any call:
// every acknowledged commit is there with its receipt, exactly once, and nothing that any handle
// ever showed is taken back by a later crash.
//   BRAID_CRASH_SEEDS=20000  runs that many lives (500 otherwise)
//   BRAID_CRASH_SEED=n       runs that one
#include <cstdlib>
#include <iostream>

#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

constexpr const char* kPath = "/graph";

struct Counts {
  std::uint64_t crashes = 0;
  std::uint64_t kills = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t replayed = 0;
  std::uint64_t unknown = 0;
  std::uint64_t landed = 0;
  std::uint64_t not_applied = 0;
  std::uint64_t init_restarts = 0;
  std::uint64_t follower_looks = 0;
};

struct RunOptions {
  std::uint64_t seed = 1;
  /// A fault planted in the machine, to see that the model notices: wraps the disk.
  std::function<std::unique_ptr<env::FileSystem>(env::SimFileSystem&)> wrap = {};
};

struct Request {
  enum class Fate { kNotApplied, kUnknown, kAcknowledged };
  std::string key;
  std::string text;
  LoadMode mode = LoadMode::kAppend;
  std::vector<std::pair<std::string, std::int64_t>> items;
  Fate fate = Fate::kNotApplied;
  std::optional<Receipt> receipt;
};

bool same_answer(const Receipt& a, const Receipt& b) {
  Receipt left = a;
  left.replayed = b.replayed;
  return left == b;
}

class CrashRun {
 public:
  CrashRun(const RunOptions& options, Counts& counts)
      : stages_(options.seed % 2 == 0),
        chance_(options.seed),
        machine_(options.seed),
        wrapped_(options.wrap ? options.wrap(machine_.files) : nullptr),
        env_{wrapped_ ? *wrapped_ : static_cast<env::FileSystem&>(machine_.files), machine_.clock,
             machine_.random, machine_.workers},
        counts_(counts) {}

  std::string run() {
    make_graph();
    const std::uint64_t steps = 10 + chance_.below(40);
    for (std::uint64_t i = 0; i < steps && wrong_.empty(); ++i) step();
    finish();
    core_.reset();
    return wrong_;
  }

 private:
  void note(std::string wrong) {
    if (wrong_.empty()) wrong_ = std::move(wrong);
  }
  /// In every other life, loads of more than two rows go by fragments.
  engine::CoreOptions life_options() const {
    engine::CoreOptions options = small_options();
    if (stages_) options.inline_budget.rows_max = 2;
    return options;
  }
  bool is_disturbed() const { return has_faults_ || machine_.files.is_halted(); }
  void clear_faults() {
    machine_.files.clear_faults();
    has_faults_ = false;
  }

  /// The process dies: its handle does nothing more; then the machine perhaps, too.
  void die() {
    machine_.files.halt_after(0);
    core_.reset();
    if (chance_.one_in(3)) {
      machine_.files.kill();
      counts_.kills += 1;
    } else {
      machine_.files.crash(chance_.next(), chance_.one_in(4) ? env::CrashMode::kLoseUnsynced
                                                             : env::CrashMode::kRandom);
      counts_.crashes += 1;
    }
    clear_faults();
  }

  void make_graph() {
    while (core_ == nullptr && wrong_.empty()) {
      if (chance_.one_in(2)) machine_.files.halt_after(chance_.below(140));
      auto made = engine::GraphCore::init(env_, kPath, kSchema, {}, life_options());
      if (made) {
        core_ = *std::move(made);
        served(*core_);
        machine_.files.halt_after(UINT64_MAX / 2);
        return;
      }
      const bool is_ours = made.error().code() == ErrorCode::already_exists &&
                           made.error().detail("graph") != nullptr;
      if (is_ours) {
        open_graph();
      } else if (machine_.files.is_halted()) {
        counts_.init_restarts += 1;
        made = Error(ErrorCode::internal, "");
        die();
      } else {
        note("init: " + to_string(made.error()));
      }
    }
  }

  /// Once a handle was given out, this graph exists for ever.
  void served(const engine::GraphCore& core) {
    if (graph_ && *graph_ != core.graph()) note("another graph is there");
    graph_ = core.graph();
  }

  void open_graph() {
    while (core_ == nullptr && wrong_.empty()) {
      if (!is_last_ && !machine_.files.is_halted() && chance_.one_in(3)) {
        machine_.files.halt_after(chance_.below(120));
      }
      auto opened = engine::GraphCore::open(env_, kPath, life_options());
      if (opened) {
        core_ = *std::move(opened);
        served(*core_);
        if (look(true) && !is_last_ && chance_.one_in(3)) die();  // what it showed must stay
      } else if (machine_.files.is_halted()) {
        opened = Error(ErrorCode::internal, "");
        die();
      } else if (!graph_ && opened.error().code() == ErrorCode::not_found) {
        return;  // the crash came before init ended; init again
      } else {
        note("open: " + to_string(opened.error()));
      }
    }
  }

  void step() {
    if (machine_.files.is_halted()) die();
    if (core_ == nullptr) {
      clear_faults();
      open_graph();
      if (core_ == nullptr && !graph_) make_graph();
      return;
    }
    machine_.clock.advance_ms(static_cast<std::int64_t>(chance_.below(30)));
    switch (chance_.below(16)) {
      case 0: run_workers(); break;
      case 1: close_graph(); break;
      case 2:
      case 3: die(); break;
      case 4: machine_.files.halt_after(chance_.below(25)); break;
      case 5: plant_fault(); break;
      case 6: follow(); break;
      case 7: look(false); break;
      case 8:
      case 9:
      case 10: retry(); break;
      default: send(new_request()); break;
    }
  }

  Request& new_request() {
    Request request;
    request.key = fmt::format("k{}", requests_.size());
    const bool merges = chance_.one_in(2);
    request.mode = merges ? LoadMode::kMerge : LoadMode::kAppend;
    const std::uint64_t count = 1 + chance_.below(chance_.one_in(8) ? 60 : 4);
    for (std::uint64_t i = 0; i < count; ++i) {
      // Merges meet the items of others, appends make their own.
      std::string slug = merges ? fmt::format("shared{}", chance_.below(8) + 8 * i)
                                : fmt::format("{}-{}", request.key, i);
      const auto value = static_cast<std::int64_t>(chance_.below(1'000'000));
      request.text += item(slug, value);
      if (i > 0) request.text += link(request.items.back().first, slug);
      request.items.emplace_back(std::move(slug), value);
    }
    requests_.push_back(std::move(request));
    return requests_.back();
  }

  void send(Request& request) {
    auto answer = core_->load(rows_of(request.text), keyed(request.key, request.mode));
    if (answer) {
      acknowledge(request, *answer);
      return;
    }
    const ErrorCode code = answer.error().code();
    if (!is_disturbed()) note(request.key + ": " + to_string(answer.error()));
    if (request.fate == Request::Fate::kAcknowledged) return;
    if (code == ErrorCode::outcome_unknown) {
      counts_.unknown += 1;
      request.fate = Request::Fate::kUnknown;
    } else if (request.fate == Request::Fate::kNotApplied) {
      counts_.not_applied += 1;
    }
  }

  void acknowledge(Request& request, const Receipt& receipt) {
    if (receipt.replayed) counts_.replayed += 1;
    if (request.receipt) {
      if (!receipt.replayed) note(request.key + " was applied twice");
      if (!same_answer(*request.receipt, receipt)) note(request.key + " got another receipt");
    } else if (receipt.replayed && request.fate == Request::Fate::kNotApplied) {
      note(request.key + " was refused, and yet is there");
    } else if (receipt.replayed) {
      counts_.landed += 1;
    }
    if (!receipt.replayed) counts_.acknowledged += 1;
    request.fate = Request::Fate::kAcknowledged;
    request.receipt = receipt;
  }

  void retry() {
    if (requests_.empty()) return;
    Request& request = requests_[chance_.below(requests_.size())];
    const bool was_acknowledged = request.fate == Request::Fate::kAcknowledged;
    if (was_acknowledged && chance_.one_in(4)) {
      const auto other = core_->load(rows_of(item("other", 1)), keyed(request.key));
      if (other || (!is_disturbed() && other.error().code() != ErrorCode::idempotency_conflict)) {
        note(request.key + " with another request: " + text_of(other));
      }
      return;
    }
    send(request);
  }

  void run_workers() {
    for (std::uint64_t i = chance_.below(6); i > 0; --i) machine_.workers.step_one(machine_.random);
    if (!chance_.one_in(3)) return;
    for (int i = 0; i < 3; ++i) {
      machine_.clock.advance_ms(30);
      machine_.workers.run_due();
    }
  }

  void close_graph() {
    const Status closed = core_->close();
    if (!closed && !is_disturbed() && !was_disturbed_) note("close: " + to_string(closed.error()));
    core_.reset();
    if (machine_.files.is_halted() || chance_.one_in(2)) die();
    was_disturbed_ = false;
  }

  void plant_fault() {
    env::FileFault fault;
    fault.operation = env::kFileOperations[chance_.below(env::kFileOperations.size())];
    if (chance_.one_in(2)) {
      fault.operation = chance_.one_in(2) ? env::FileOperation::write : env::FileOperation::sync;
    }
    fault.after_calls = chance_.below(6);
    fault.times = 1 + chance_.below(3);
    fault.code = chance_.one_in(3) ? ErrorCode::no_space : ErrorCode::io_error;
    machine_.files.fail(fault);
    has_faults_ = true;
    was_disturbed_ = true;
    for (std::uint64_t i = 1 + chance_.below(3); i > 0 && core_ != nullptr; --i) {
      chance_.one_in(2) ? retry() : send(new_request());
    }
    clear_faults();
  }

  /// Compares all that a handle shows with what must be there; true if it could look.
  bool look(bool is_fresh) {
    const auto commits = core_->history("main", 0);
    if (!commits) return failed_look("history", commits.error());
    check_history(*commits, true);
    if (is_fresh) settle(*commits);
    return wrong_.empty() && check_rows(*core_, *commits);
  }
  bool failed_look(const char* what, const Error& error) {
    const bool is_disk = error.code() == ErrorCode::io_error || error.code() == ErrorCode::no_space;
    if (!is_disturbed() || !is_disk) note(std::string(what) + ": " + to_string(error));
    return false;
  }

  void follow() {
    if (is_disturbed()) return;
    engine::CoreOptions options = life_options();
    options.open.read_only = true;
    const auto reader = engine::GraphCore::open(env_, kPath, options);
    if (!reader) return void(failed_look("follow", reader.error()));
    const auto commits = (*reader)->history("main", 0);
    if (!commits) return void(failed_look("follower's history", commits.error()));
    counts_.follower_looks += 1;
    check_history(*commits, false);
    if (!wrong_.empty() || !check_rows(**reader, *commits)) return;
    const std::string findings = findings_of((*reader)->verify());
    if (!findings.empty() && !is_disturbed()) note("follower's verify: " + findings);
  }

  Request* request_of(const std::string& key) {
    if (!key.starts_with("k")) return nullptr;
    const std::size_t number = std::strtoull(key.c_str() + 1, nullptr, 10);
    return number < requests_.size() ? &requests_[number] : nullptr;
  }

  /// Newest first. A writer shows everything; a follower may lag.
  void check_history(const std::vector<CommitInfo>& commits, bool is_writer) {
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < commits.size(); ++i) {
      const CommitInfo& commit = commits[i];
      const std::uint64_t version = commits.size() - i;
      if (commit.version.value != version) {
        note(fmt::format("version {} where {} is due", commit.version.value, version));
      }
      std::vector<CommitId> parents;
      if (i + 1 < commits.size()) {
        parents.push_back(commits[i + 1].id);
        if (!(commits[i + 1].position < commit.position)) note("positions go back");
        if (commit.committed_ms < commits[i + 1].committed_ms) note("time goes back");
      }
      if (commit.parents != parents) note("a parent is wrong");
      const Request* request = request_of(commit.key);
      if (request == nullptr) return note("a commit that nobody sent: " + commit.key);
      if (++seen[commit.key] > 1) note(commit.key + " is there twice");
      if (request->fate == Request::Fate::kNotApplied) note(commit.key + " was refused");
      if (request->receipt &&
          (request->receipt->commit != commit.id || request->receipt->version != commit.version ||
           request->receipt->position != commit.position)) {
        note(commit.key + " is not what its receipt says");
      }
    }
    const std::size_t common = std::min(shown_.size(), commits.size());
    for (std::size_t i = 0; i < common; ++i) {
      if (commits[commits.size() - 1 - i].id != shown_[i]) note("what was shown is gone");
    }
    if (is_writer) {
      if (commits.size() < shown_.size()) note("what was shown last is gone");
      for (const Request& request : requests_) {
        if (request.receipt && request.receipt->commit && !seen.contains(request.key)) {
          note(request.key + " was acknowledged and is not there");
        }
      }
    }
    for (std::size_t i = shown_.size(); i < commits.size(); ++i) {
      shown_.push_back(commits[commits.size() - 1 - i].id);
    }
  }

  /// After an opening what was unknown is there or never will be.
  void settle(const std::vector<CommitInfo>& commits) {
    for (Request& request : requests_) {
      if (request.fate != Request::Fate::kUnknown) continue;
      const bool is_there = std::any_of(commits.begin(), commits.end(),
                                        [&](const CommitInfo& c) { return c.key == request.key; });
      // A merge that changed nothing leaves a receipt and no commit: only a retry can tell.
      if (!is_there && request.mode == LoadMode::kAppend) {
        request.fate = Request::Fate::kNotApplied;
      }
    }
  }

  /// The rows are those of the commits in their order, and no others.
  bool check_rows(engine::GraphCore& core, const std::vector<CommitInfo>& commits) {
    std::map<std::string, std::int64_t> expected;
    for (auto commit = commits.rbegin(); commit != commits.rend(); ++commit) {
      const Request* request = request_of(commit->key);
      if (request == nullptr) continue;
      for (const auto& [slug, count] : request->items) expected[slug] = count;
    }
    const auto snapshot = core.snapshot("main");
    if (!snapshot) return failed_look("snapshot", snapshot.error());
    // Some two dozen of them each time, all of them at the end.
    std::uint64_t items = 0;
    for (const Request& request : requests_) items += request.items.size();
    for (const Request& request : requests_) {
      for (const auto& [slug, ignored] : request.items) {
        if (!is_last_ && items > 48 && !chance_.one_in(items / 24)) continue;
        const auto answer = (*snapshot)->query(kCountOf, {{"slug", slug}}, "");
        if (!answer) return failed_look("query", answer.error());
        const auto found = expected.find(slug);
        const auto count = count_in(answer);
        const bool is_right =
            found == expected.end() ? answer->rows.empty() : count && *count == found->second;
        if (!is_right) note("a wrong row: " + slug);
      }
    }
    return wrong_.empty();
  }

  /// The disk is well again: everything is asked for once more.
  void finish() {
    clear_faults();
    if (!wrong_.empty()) return;
    is_last_ = true;
    die();
    while (core_ == nullptr && wrong_.empty()) {
      open_graph();
      if (core_ == nullptr && !graph_) make_graph();
    }
    for (Request& request : requests_) {
      if (wrong_.empty()) send(request);
    }
    if (wrong_.empty()) look(true);
    if (wrong_.empty()) note(findings_of(core_->verify()));
  }

  const bool stages_;
  env::Xoshiro256 chance_;
  SimMachine machine_;
  std::unique_ptr<env::FileSystem> wrapped_;
  env::Env env_;
  Counts& counts_;

  std::shared_ptr<engine::GraphCore> core_;
  std::optional<GraphId> graph_;
  std::deque<Request> requests_;  // number i has the key "k<i>"
  /// Every commit that any handle has shown, oldest first.
  std::vector<CommitId> shown_;
  bool has_faults_ = false;
  bool was_disturbed_ = false;
  /// The disk stays well from here on.
  bool is_last_ = false;
  std::string wrong_;
};

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(GraphCrash, AcknowledgedCommitsStayWithTheirReceiptsExactlyOnce) {  // D1, C6, C8, G1, G3
  const std::uint64_t one = number_from_environment("BRAID_CRASH_SEED", 0);
  const std::uint64_t first = one != 0 ? one : 1;
  const std::uint64_t last = one != 0 ? one : number_from_environment("BRAID_CRASH_SEEDS", 500);
  Counts counts;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const std::string wrong = CrashRun({.seed = seed}, counts).run();
    ASSERT_EQ(wrong, "") << "replay with BRAID_CRASH_SEED=" << seed;
  }
  std::cout << last + 1 - first << " lives: " << counts.crashes << " power cuts, " << counts.kills
            << " kills, " << counts.init_restarts << " of them in init, " << counts.acknowledged
            << " commits acknowledged, " << counts.replayed << " replayed, " << counts.unknown
            << " unknown of which " << counts.landed << " landed, " << counts.not_applied
            << " refused, " << counts.follower_looks << " looks by followers\n";
  if (one == 0) {
    EXPECT_GT(counts.crashes, last);
    EXPECT_GT(counts.landed, 0U);
    EXPECT_GT(counts.replayed, 0U);
    EXPECT_GT(counts.init_restarts, 0U);
  }
}

}  // namespace
}  // namespace braid::graph_test
