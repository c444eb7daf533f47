// SPDX-License-Identifier: Apache-2.0
#include "engine/recovery.h"

#include "base/coding.h"
#include "commit/replay.h"
#include "state/keys.h"
#include "state/memory_state.h"
#include "state/rocks_state.h"

namespace braid::engine {
namespace {

constexpr std::size_t kWritesMax = 16'384;

// R1: the state names a record of this log.
Result<bool> is_believable(const state::State& state, const log::CommitLog& log) {
  const state::Applied applied = state.applied();
  if (applied.position == Position{}) return true;
  if (applied.position > log.tail().last || applied.position < log.first()) return false;
  BRAID_ASSIGN(const log::Record record, log::read_one(log, applied.position));
  return record.hash == applied.hash;
}

Result<std::shared_ptr<const table::Layers>> layers_of(const state::State& state) {
  auto layers = std::make_shared<table::Layers>();
  Status status = Unit{};
  const std::string prefix = state::pin_prefix();
  BRAID_TRY(state.scan(prefix, prefix, [&](std::string_view key, std::string_view value) {
    const auto decoded = state::decode_pin_key(key);
    auto pins = table::decode_pins(value);
    if (!decoded || !pins || pins->size() != 1 || pins->front().table != decoded->table) {
      status = Error(ErrorCode::corrupt, "a pin of the state cannot be read")
                   .with("key", base::hex(key));
      return false;
    }
    layers->add(decoded->position, decoded->branch, std::move(pins->front()));
    return true;
  }));
  BRAID_TRY(std::move(status));
  return std::shared_ptr<const table::Layers>(std::move(layers));
}

Result<commit::Heads> heads_at(const state::State& state, const log::CommitLog& log) {
  commit::Heads heads;
  if (state.applied().position == Position{}) return heads;
  Status status = Unit{};
  const std::string prefix = state::branch_prefix();
  BRAID_TRY(state.scan(prefix, prefix, [&](std::string_view, std::string_view value) {
    auto stored = manifest::decode_branch(value);
    if (!stored) {
      status = stored.error();
      return false;
    }
    heads.counters = stored->counters;
    heads.branches.emplace(stored->branch.name, stored->branch);
    return true;
  }));
  BRAID_TRY(std::move(status));
  if (heads.branches.empty()) {
    return Error(ErrorCode::corrupt, "the state has no branches")
        .with("position", state.applied().position.value);
  }
  BRAID_ASSIGN(heads.layers, layers_of(state));
  BRAID_ASSIGN(const log::Record record, log::read_one(log, heads.counters.catalog));
  BRAID_ASSIGN(auto created, commit::decode_graph_created(record, log.graph()));
  heads.catalog = std::make_shared<const schema::Catalog>(std::move(created.catalog));
  return heads;
}

// Collects effects and hands them over in batches that end with the branch records.
class EffectSink {
 public:
  EffectSink(state::State& state, ReplayInto into) : state_(state), into_(into) {}

  std::vector<state::StateWrite>& writes() { return writes_; }
  Status after(const log::Record& record, const commit::Heads& heads) {
    last_ = {record.position, record.hash};
    if (into_ == ReplayInto::overlay || writes_.size() < kWritesMax) return Unit{};
    return flush(heads);
  }
  Status flush(const commit::Heads& heads) {
    if (last_.position == Position{}) return Unit{};
    commit::append_branch_effects(heads, writes_);
    if (into_ == ReplayInto::overlay) return Unit{};
    BRAID_TRY(state_.apply(writes_, last_));
    writes_.clear();
    last_ = {};
    return Unit{};
  }

 private:
  state::State& state_;
  ReplayInto into_;
  std::vector<state::StateWrite> writes_;
  state::Applied last_;
};

}  // namespace

Result<std::unique_ptr<state::State>> open_state(env::Env& env, const std::string& directory,
                                                 const log::CommitLog& log) {
  auto opened = state::RocksState::open(env, directory, log.graph());
  if (opened) {
    const auto believable = is_believable(**opened, log);
    // A record that cannot be read is damage to the log: that is for the log to report.
    if (!believable) return believable.error();
    const bool has_heads = heads_at(**opened, log).ok();
    if (*believable && has_heads) return std::unique_ptr<state::State>(*std::move(opened));
    BRAID_TRY((*opened)->close());
    (*opened).reset();
  } else {
    const ErrorCode code = opened.error().code();
    const bool replaceable = code == ErrorCode::not_found || code == ErrorCode::corrupt ||
                             code == ErrorCode::format_mismatch;
    if (!replaceable) return std::move(opened).error();
  }
  // Destroying follows links: what lies elsewhere is not ours to delete.
  BRAID_TRY(env::refuse_link(env.files, directory));
  BRAID_TRY(state::RocksState::destroy(env, directory));
  BRAID_ASSIGN(auto fresh, state::RocksState::create(env, directory, log.graph()));
  return std::unique_ptr<state::State>(std::move(fresh));
}

std::unique_ptr<state::State> open_state_read_only(env::Env& env, const std::string& directory,
                                                   const log::CommitLog& log) {
  auto opened = state::RocksState::open_read_only(env, directory, log.graph());
  if (opened) {
    const auto believable = is_believable(**opened, log);
    if (believable && *believable && heads_at(**opened, log)) return *std::move(opened);
  }
  return std::make_unique<state::MemoryState>(log.graph());
}

Result<std::shared_ptr<manifest::Root>> recover_root(const log::CommitLog& log,
                                                     std::shared_ptr<state::State> state,
                                                     ReplayInto into,
                                                     const table::FragmentSource& fragments) {
  const log::LogTail tail = log.tail();
  BRAID_ASSIGN(commit::Heads heads, heads_at(*state, log));
  const Position applied = state->applied().position;
  commit::Replay replay(log.graph(), std::move(heads), fragments);
  EffectSink sink(*state, into);
  BRAID_TRY(log.read(applied.next(), tail.last, [&](const log::Record& record) -> Status {
    BRAID_TRY(replay.apply(record, sink.writes()));
    return sink.after(record, replay.heads());
  }));
  BRAID_TRY(sink.flush(replay.heads()));
  if (replay.heads().catalog == nullptr) {
    return Error(ErrorCode::corrupt, "the log does not begin with the creation of the graph");
  }
  auto root = std::make_shared<manifest::Root>();
  root->position = tail.last;
  root->hash = tail.hash;
  root->counters = replay.heads().counters;
  root->catalog = replay.heads().catalog;
  root->branches = std::make_shared<const manifest::BranchMap>(replay.heads().branches);
  root->layers = replay.heads().layers;
  root->overlay = state::Overlay::empty();
  if (into == ReplayInto::overlay && tail.last > applied) {
    root->overlay = root->overlay->with({applied.next(), tail.last}, sink.writes());
  }
  root->state = std::move(state);
  return root;
}

}  // namespace braid::engine
