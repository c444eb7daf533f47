// SPDX-License-Identifier: Apache-2.0
#include "crash_run.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "log_test_support.h"

namespace braid::log {
namespace {

constexpr const char* kDirectory = "/graph/log";

/// What a log must show, from what it answered.
class Model {
 public:
  /// The log said done.
  void acknowledged(const std::vector<RecordDraft>& group) {
    for (const RecordDraft& draft : group) bodies_.push_back(draft.sections[0].body);
  }
  /// The log said unknown.
  void left_unknown(const std::vector<RecordDraft>& group) {
    if (unknown_.empty()) unknown_ = group;
  }
  std::uint64_t last() const { return bodies_.size(); }
  bool is_unknown() const { return !unknown_.empty(); }

  /// A session opened, or recovered, and shows this tail: the unknown group is whole or absent.
  std::string settle(const LogTail& tail, CrashRunCounts& counts) {
    if (tail.last.value == last() + unknown_.size() && !unknown_.empty()) {
      counts.unknown_landed += 1;
      acknowledged(unknown_);
    }
    unknown_.clear();
    if (tail.last.value == last()) return "";
    return fmt::format("the tail is {} where {} was acknowledged", tail.last.value, last());
  }

  /// Compares everything that is shown; what is seen once must be seen ever after.
  std::string compare(const CommitLog& log) {
    const std::uint64_t first = log.first().value;
    if (first < first_) return fmt::format("the first position went back to {}", first);
    if (first > first_ && first > truncated_below_) return fmt::format("truncated to {}", first);
    first_ = first;
    std::uint64_t expected = first;
    std::string wrong;
    const Status read = log.read({first}, {UINT64_MAX}, [&](const Record& record) -> Status {
      wrong = compare_one(record, expected++);
      return wrong.empty() ? Status(Unit{}) : Status(Error(ErrorCode::internal, wrong));
    });
    if (!wrong.empty()) return wrong;
    if (!read) return "reading: " + to_string(read.error());
    const LogTail tail = log.tail();
    if (expected != tail.last.value + 1) return fmt::format("reads stop at {}", expected - 1);
    const auto hash = hashes_.find(tail.last.value);
    if (hash != hashes_.end() && hash->second != tail.hash) return "the tail has another hash";
    return "";
  }
  void may_truncate(std::uint64_t keep_from) {
    truncated_below_ = std::max(truncated_below_, keep_from);
  }

 private:
  std::string compare_one(const Record& record, std::uint64_t expected) {
    const std::uint64_t position = record.position.value;
    if (position != expected) return fmt::format("position {} in place of {}", position, expected);
    if (position > last()) return fmt::format("position {} was never acknowledged", position);
    if (body_of(record) != bodies_[position - 1])
      return fmt::format("{} has another body", position);
    const auto [known, is_new] = hashes_.emplace(position, record.hash);
    if (!is_new && known->second != record.hash)
      return fmt::format("{} has another hash", position);
    const auto before = hashes_.find(position - 1);
    if (before != hashes_.end() && before->second != record.previous_hash) {
      return fmt::format("the chain is broken at {}", position);
    }
    return "";
  }

  std::vector<std::string> bodies_;  // of position i + 1
  std::vector<RecordDraft> unknown_;
  std::map<std::uint64_t, base::Digest> hashes_;
  std::uint64_t first_ = 1;
  std::uint64_t truncated_below_ = 0;
};

class CrashRun {
 public:
  CrashRun(const CrashRunOptions& options, CrashRunCounts& counts)
      : chance_(options.seed),
        disk_({.seed = options.seed}),
        wrapped_(options.wrap ? options.wrap(disk_) : nullptr),
        random_(options.seed),
        workers_(clock_),
        env_{wrapped_ ? *wrapped_ : disk_, clock_, random_, workers_},
        counts_(counts) {
    options_.segment_bytes_min = (8 + 4 * chance_.below(4)) * kBlockBytes;
    options_.segment_bytes_max = options_.segment_bytes_min * (1 + chance_.below(4));
    options_.group.bytes_max = 256 << 10;
  }

  std::string run() {
    if (!disk_.create_directory("/graph") || !disk_.sync_directory("/")) return "no directory";
    make_log();
    const std::uint64_t steps = 8 + chance_.below(50);
    for (std::uint64_t i = 0; i < steps && wrong_.empty(); ++i) step();
    clear_faults();
    is_last_ = true;
    if (wrong_.empty()) power_cut();
    if (wrong_.empty() && log_ == nullptr) open_log();
    if (wrong_.empty()) check_all();
    log_.reset();
    return wrong_;
  }

 private:
  void note(std::string wrong) {
    if (wrong_.empty()) wrong_ = std::move(wrong);
  }

  /// The disk refused a call; nothing was read that is wrong.
  static bool is_failed_call(std::string_view wrong) {
    return wrong.starts_with("reading: io_error") || wrong.starts_with("reading: no_space");
  }

  void clear_faults() {
    disk_.clear_faults();
    has_faults_ = false;
  }

  void make_log() {
    if (chance_.one_in(3)) disk_.halt_after(chance_.below(40));
    while (log_ == nullptr && wrong_.empty()) {
      auto made = FileLog::create(env_, kDirectory, test_graph(), options_);
      if (made) {
        log_ = *std::move(made);
      } else if (disk_.is_halted()) {
        made = Error(ErrorCode::internal, "");  // its files go before the disk comes back
        disk_.crash(chance_.next());
        counts_.crashes += 1;
        if (chance_.one_in(3)) disk_.halt_after(chance_.below(40));
      } else {
        note("create: " + to_string(made.error()));
      }
    }
  }

  /// Opens until it succeeds; power may fail again in the middle, and again.
  void open_log() {
    while (log_ == nullptr && wrong_.empty()) {
      if (!is_last_ && !disk_.is_halted() && chance_.one_in(3)) disk_.halt_after(chance_.below(60));
      auto opened = FileLog::open(env_, kDirectory, test_graph(), options_);
      if (opened) {
        log_ = *std::move(opened);
        note(model_.settle(log_->tail(), counts_));
        is_poisoned_ = false;
        if (wrong_.empty()) look();
      } else if (opened.error().code() == ErrorCode::corrupt) {
        note("open: " + to_string(opened.error()));
      } else {
        come_back();
      }
    }
  }

  /// After a call failed because of a halt or a scripted error.
  void come_back() {
    clear_faults();
    if (!disk_.is_halted()) return;
    log_.reset();
    if (chance_.one_in(4)) {
      disk_.kill();
      counts_.kills += 1;
    } else {
      disk_.crash(chance_.next());
      counts_.crashes += 1;
    }
  }

  /// Everything that is shown, unless the disk fails while looking.
  void look() {
    std::string wrong = model_.compare(*log_);
    const bool is_expected = (disk_.is_halted() || has_faults_) && is_failed_call(wrong);
    if (!is_expected) note(std::move(wrong));
  }

  void check_all() {
    note(model_.compare(*log_));
    const Status verified = log_->verify();
    if (!verified) note("verify: " + to_string(verified.error()));
  }

  void power_cut() {
    log_.reset();
    disk_.crash(chance_.next(),
                chance_.one_in(4) ? env::CrashMode::kLoseUnsynced : env::CrashMode::kRandom);
    counts_.crashes += 1;
  }

  void step() {
    if (log_ == nullptr) {
      clear_faults();
      open_log();
      return;
    }
    if (disk_.is_halted()) {
      come_back();
      log_.reset();
      return;
    }
    if (is_poisoned_) {
      mend();
      return;
    }
    switch (chance_.below(16)) {
      case 0: background(); break;
      case 1: close(); break;
      case 2: kill(); break;
      case 3: power_cut(); break;
      case 4: disk_.halt_after(chance_.below(25)); break;
      case 5: plant_fault(); break;
      case 6: follow(); break;
      case 7: truncate(); break;
      case 8: idle(); break;
      case 9: look(); break;
      default: append_group(); break;
    }
  }

  void append_group() {
    const std::uint64_t size_class = chance_.below(8);
    const std::uint64_t body_bytes = size_class == 0   ? chance_.below(60'000)
                                     : size_class == 1 ? chance_.below(12'000)
                                                       : chance_.below(1'500);
    const auto group =
        make_group(random_, 1 + chance_.below(4), body_bytes, fmt::format("g{}", groups_made_++));
    const LogTail before = log_->tail();
    const AppendResult result = append(*log_, group);
    switch (result.outcome) {
      case AppendOutcome::kDone:
        counts_.groups_done += 1;
        model_.acknowledged(group);
        if (log_->tail().last.value != model_.last()) note("done, and the tail is elsewhere");
        break;
      case AppendOutcome::kUnknown:
        counts_.groups_unknown += 1;
        model_.left_unknown(group);
        is_poisoned_ = true;
        if (log_->tail().last != before.last) note("unknown, and the tail moved");
        break;
      case AppendOutcome::kRefused: counts_.refused += 1; break;
      case AppendOutcome::kLost: note("lost"); break;
    }
  }

  void mend() {
    if (chance_.one_in(3)) {
      kill();
      return;
    }
    clear_faults();
    if (chance_.one_in(4)) disk_.halt_after(chance_.below(30));
    const auto tail = log_->recover();
    if (tail) {
      counts_.recoveries += 1;
      is_poisoned_ = false;
      note(model_.settle(*tail, counts_));
      look();
      // What it answered must survive the worst at once.
      if (chance_.one_in(2)) power_cut();
    } else if (!disk_.is_halted()) {
      note("recover: " + to_string(tail.error()));
    }
  }

  void close() {
    // A seal may have failed in the background: then the log is left as it is.
    static_cast<void>(log_->close().ok());
    log_.reset();
    if (chance_.one_in(2)) power_cut();
  }
  void kill() {
    log_.reset();
    disk_.kill();
    counts_.kills += 1;
  }
  void background() {
    for (std::uint64_t i = chance_.below(6); i > 0; --i) workers_.step_one(random_);
  }
  void idle() {
    for (int i = 0; i < 3; ++i) {
      clock_.advance_ms(30);
      workers_.run_due();
    }
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
    disk_.fail(fault);
    has_faults_ = true;
  }
  void truncate() {
    if (!chance_.one_in(3) || model_.last() == 0) return;
    const std::uint64_t keep_from = 1 + chance_.below(model_.last());
    model_.may_truncate(keep_from);
    const Status status = log_->truncate_below({keep_from});
    if (!status && status.error().code() == ErrorCode::corrupt) {
      note("truncate: " + to_string(status.error()));
    }
    // A failed marker poisons the log, like a failed group.
    is_poisoned_ = !status.ok();
  }

  /// Another process looks: what it sees is acknowledged, and lacks the last group at most.
  void follow() {
    if (has_faults_ || disk_.is_halted()) return;
    const auto follower = FileLog::open_read_only(env_, kDirectory, test_graph());
    if (!follower) {
      if (disk_.is_halted() && follower.error().code() == ErrorCode::io_error) return;
      note("follow: " + to_string(follower.error()));
      return;
    }
    counts_.follower_looks += 1;
    if ((*follower)->tail().last.value > model_.last()) {
      note("a follower sees more than was acknowledged");
      return;
    }
    std::string wrong = model_.compare(**follower);
    if (!disk_.is_halted() || !is_failed_call(wrong)) note(std::move(wrong));
  }

  env::Xoshiro256 chance_;
  env::SimFileSystem disk_;
  std::unique_ptr<env::FileSystem> wrapped_;
  env::ManualClock clock_;
  env::SeededRandom random_;
  env::ManualWorkers workers_;
  env::Env env_;
  LogOptions options_;
  CrashRunCounts& counts_;

  std::unique_ptr<FileLog> log_;
  Model model_;
  bool is_poisoned_ = false;
  bool has_faults_ = false;
  /// The disk stays well from here on.
  bool is_last_ = false;
  std::uint64_t groups_made_ = 0;
  std::string wrong_;
};

}  // namespace

std::string run_crashes(const CrashRunOptions& options, CrashRunCounts& counts) {
  return CrashRun(options, counts).run();
}

}  // namespace braid::log
