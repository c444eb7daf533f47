// SPDX-License-Identifier: Apache-2.0
#include "engine/graph_core.h"

#include "commit/record.h"
#include "engine/recovery.h"
#include "engine/snapshot_core.h"
#include "env/memory_file_system.h"
#include "log/file_log.h"
#include "log/memory_log.h"
#include "state/memory_state.h"
#include "table/row_hash.h"

namespace braid::engine {
namespace {

Status create_or_keep(env::FileSystem& files, const std::string& path) {
  Status created = files.create_directory(path);
  if (created || created.error().code() == ErrorCode::already_exists) return Unit{};
  return created;
}

// D1: whatever FORMAT says, a log with commits in it is not what an interrupted init left.
Status refuse_commits(env::Env& env, const GraphDirectory& directory) {
  const auto log = log::FileLog::open_read_only(env, directory.log_path(), std::nullopt);
  if (!log || (*log)->tail().last <= Position{1}) return Unit{};
  return Error(ErrorCode::already_exists,
               "FORMAT says that init was interrupted, but the log holds commits: mend FORMAT")
      .with("path", directory.path())
      .with("records", (*log)->tail().last.value);
}

Status check_options(const OpenOptions& options) {
  const auto out_of_bounds = [](std::string name, std::uint64_t low, std::uint64_t high) {
    return Error(ErrorCode::bad_request, "an option is out of its bounds")
        .with("option", std::move(name))
        .with("min", low)
        .with("max", high);
  };
  if (options.queue_batches_max < 1 || options.queue_batches_max > 65'536) {
    return out_of_bounds("queue_batches_max", 1, 65'536);
  }
  if (options.state_lag_records_max < 1'024 || options.state_lag_records_max > 1'048'576) {
    return out_of_bounds("state_lag_records_max", 1'024, 1'048'576);
  }
  return Unit{};
}

}  // namespace

Status append_creation(env::Env& env, log::CommitLog& log, std::string_view schema,
                       std::string_view actor) {
  BRAID_ASSIGN(const schema::Catalog catalog, schema::make_catalog(schema));
  commit::MutationBatch batch;
  batch.context.request_id = env::make_ulid(env.clock, env.random).to_string();
  batch.context.principal = commit::principal_of(log.graph(), actor);
  batch.scope.name = manifest::kMainBranch;
  batch.scope.incarnation = log.graph().to_string();
  batch.idempotency_key = env::make_ulid(env.clock, env.random).to_string();
  batch.batch_id = commit::batch_id_of(log.graph(), batch.context.principal, batch.idempotency_key);
  batch.request_digest = base::sha256({"init\n", catalog.text()});
  batch.operations.push_back({0, "init", commit::Domain::lifecycle});
  batch.created_at_ms = env.clock.now_ms();
  const std::vector<log::RecordDraft> group = {
      commit::make_graph_created(batch, catalog, env.random)};
  const log::AppendResult appended = log.append(Position{1}, group, log.clock_ms());
  if (appended.outcome == log::AppendOutcome::kDone) return Unit{};
  return appended.error ? *appended.error : Error(ErrorCode::io_error, "the log took no record");
}

GraphCore::GraphCore(Token, env::Env& env, const CoreOptions& options, GraphId graph)
    : env_(env),
      options_(options),
      graph_(graph),
      graph_text_(graph.to_string()),
      hash_salt_(table::content_hash_salt(graph)) {}

GraphCore::~GraphCore() {
  // A close that fails leaves an unclean stop, which the next open recovers from.
  [[maybe_unused]] const Status closed = close();
}

Status GraphCore::start(std::shared_ptr<state::State> state) {
  const bool read_only = options_.open.read_only;
  state_ = std::move(state);
  changes_ = std::make_unique<commit::LogChangeSource>(*log_);
  BRAID_ASSIGN(auto root,
               recover_root(*log_, state_, read_only ? ReplayInto::overlay : ReplayInto::state,
                            *fragments_));
  const std::shared_ptr<const table::Layers> layers = root->layers;
  roots_.publish(std::move(root));
  if (read_only) return Unit{};  // without applier and sequencer nothing is changed (G1, G2)
  // Files that cannot be removed now cost space and nothing else; the next open tries again.
  static_cast<void>(fragments_->sweep(*layers).ok());
  applier_ = std::make_unique<commit::StateApplier>(*state_, roots_, env_.workers);
  commit::SequencerOptions options;
  options.queue_batches_max = options_.open.queue_batches_max;
  options.state_lag_records_max = options_.open.state_lag_records_max;
  sequencer_ = std::make_unique<commit::Sequencer>(
      commit::SequencerParts{env_, *log_, roots_, *changes_, *fragments_, *applier_, failpoints_},
      options);
  return Unit{};
}

Result<std::shared_ptr<GraphCore>> GraphCore::init(env::Env& env, std::string_view path,
                                                   std::string_view schema,
                                                   const InitOptions& init_options,
                                                   const CoreOptions& options) {
  BRAID_TRY(check_options(options.open));
  BRAID_ASSIGN(const auto checked_schema, schema::make_catalog(schema));
  const GraphDirectory directory(env, std::string(path));
  Status prepared = directory.prepare_for_init();
  if (!prepared) {
    const bool is_graph = prepared.error().detail("graph") != nullptr;
    if (init_options.if_not_exists && is_graph) return open(env, path, options);
    return std::move(prepared).error();
  }
  {
    BRAID_ASSIGN(const auto lock,
                 directory.lock({options.open.lock_wait_ms, options.open.process_name}));
    // Another init may have finished while this one waited.
    prepared = directory.prepare_for_init();
    if (prepared) {
      BRAID_TRY(refuse_commits(env, directory));
      BRAID_TRY(directory.discard_unfinished_init());
      FormatStamp stamp;
      stamp.graph = GraphId{env::make_ulid(env.clock, env.random)};
      BRAID_TRY(directory.write_format(stamp));
      BRAID_TRY(create_or_keep(env.files, directory.log_path()));
      BRAID_TRY(create_or_keep(env.files, directory.names_path()));
      BRAID_TRY(env.files.sync_directory(directory.path()));
      BRAID_ASSIGN(auto log,
                   log::FileLog::create(env, directory.log_path(), stamp.graph, options.log));
      Names names(env.files, directory.names_path());
      BRAID_TRY(names.remember(commit::principal_of(stamp.graph, init_options.actor),
                               init_options.actor));
      BRAID_TRY(append_creation(env, *log, checked_schema.text(), init_options.actor));
      BRAID_TRY(log->close());
      stamp.ready = true;
      BRAID_TRY(directory.write_format(stamp));
    } else if (!init_options.if_not_exists || prepared.error().detail("graph") == nullptr) {
      return std::move(prepared).error();
    }
  }
  return open(env, path, options);
}

Result<std::shared_ptr<GraphCore>> GraphCore::open(env::Env& env, std::string_view path,
                                                   const CoreOptions& options) {
  BRAID_TRY(check_options(options.open));
  // Resolved once: a link that is turned elsewhere later must not split the graph.
  const auto resolved = env.files.canonical(path);
  const GraphDirectory directory(env, resolved ? *resolved : std::string(path));
  BRAID_ASSIGN(const FormatStamp stamp, directory.read_format());
  auto core = std::make_shared<GraphCore>(Token{}, env, options, stamp.graph);
  core->names_ = std::make_unique<Names>(env.files, directory.names_path());
  core->fragments_ = std::make_unique<FragmentStore>(env.files, directory.objects_path());
  core->state_directory_ = directory.state_path();
  std::shared_ptr<state::State> state;
  if (options.open.read_only) {
    BRAID_ASSIGN(core->log_, log::FileLog::open_read_only(env, directory.log_path(), stamp.graph));
    if (options.memory_state) {
      state = std::make_shared<state::MemoryState>(stamp.graph);
    } else {
      state = core->read_state();
    }
  } else {
    BRAID_ASSIGN(core->lock_,
                 directory.lock({options.open.lock_wait_ms, options.open.process_name}));
    // The stamp may be in the cache only, of an init that died in its last step: were it lost after
    // this session's commits, the next init would delete them (D1).
    BRAID_TRY(env.files.sync_directory(directory.path()));
    BRAID_ASSIGN(core->log_,
                 log::FileLog::open(env, directory.log_path(), stamp.graph, options.log));
    if (options.memory_state) {
      state = std::make_shared<state::MemoryState>(stamp.graph);
    } else {
      BRAID_ASSIGN(state, open_state(env, directory.state_path(), *core->log_));
    }
  }
  BRAID_TRY(core->start(std::move(state)));
  return core;
}

Result<std::shared_ptr<GraphCore>> GraphCore::in_memory(env::Env& env, std::string_view schema,
                                                        const CoreOptions& options) {
  BRAID_TRY(check_options(options.open));
  const GraphId graph{env::make_ulid(env.clock, env.random)};
  auto core = std::make_shared<GraphCore>(Token{}, env, options, graph);
  core->names_ = std::make_unique<Names>(env.files, std::nullopt);
  core->memory_files_ = std::make_unique<env::MemoryFileSystem>();
  core->fragments_ = std::make_unique<FragmentStore>(*core->memory_files_, "objects");
  core->log_ = std::make_unique<log::MemoryLog>(graph, env.clock);
  BRAID_TRY(append_creation(env, *core->log_, schema, "unknown"));
  BRAID_TRY(core->start(std::make_shared<state::MemoryState>(graph)));
  return core;
}

Status GraphCore::check_writable() const {
  if (options_.open.read_only) {
    return Error(ErrorCode::read_only, "the graph was opened for reading only");
  }
  return check_open();
}

Status GraphCore::check_open() const {
  const env::Lock lock(close_mutex_);
  if (closed_) return Error(ErrorCode::unavailable, "the graph is closed");
  return Unit{};
}

Result<std::shared_ptr<const manifest::Root>> GraphCore::root() {
  if (!options_.open.read_only) {
    std::shared_ptr<const manifest::Root> present = roots_.get();
    BRAID_TRY(check_open());  // after the look: the root of a closed graph is empty
    return present;
  }
  BRAID_TRY(check_open());
  return follow();
}

Result<std::shared_ptr<const manifest::Root>> GraphCore::follow() {
  const env::Lock lock(follow_mutex_);
  BRAID_TRY(log_->refresh());
  const std::shared_ptr<const manifest::Root> present = roots_.get();
  if (log_->tail().last <= present->position) return present;
  BRAID_ASSIGN(commit::Followed followed, commit::follow(*log_, *present, *fragments_));
  const std::uint64_t bytes = followed.root->overlay->bytes();
  roots_.publish(std::move(followed.root));
  if (bytes > std::max(reopen_at_bytes_, options_.followed_bytes_max)) {
    BRAID_TRY(reopen_state());
    // If the writer has flushed little, not again before as much has come.
    reopen_at_bytes_ = 2 * roots_.get()->overlay->bytes();
  }
  return roots_.get();
}

std::unique_ptr<state::State> GraphCore::read_state() {
  auto state = open_state_read_only(env_, state_directory_, *log_);
  // A writer may have flushed a state that goes beyond the log as it was when this handle looked:
  // what such a state has is durable, so a second look finds it.
  if (state->applied().position != Position{} || !log_->refresh()) return state;
  return open_state_read_only(env_, state_directory_, *log_);
}

Status GraphCore::reopen_state() {
  if (options_.memory_state) return Unit{};
  std::shared_ptr<state::State> newer = read_state();
  if (newer->applied().position <= roots_.get()->state->applied().position) return Unit{};
  BRAID_ASSIGN(auto root, recover_root(*log_, newer, ReplayInto::overlay, *fragments_));
  roots_.publish(std::move(root));
  state_ = std::move(newer);
  return Unit{};
}

Result<std::shared_ptr<const SnapshotCore>> GraphCore::snapshot(std::string_view branch) {
  BRAID_ASSIGN(auto present, root());
  if (present->branch(branch) == nullptr) {
    return Error(ErrorCode::not_found, "there is no such branch")
        .with("branch", std::string(branch));
  }
  return std::make_shared<const SnapshotCore>(shared_from_this(), std::move(present),
                                              std::string(branch));
}

Status GraphCore::drain_state() {
  if (applier_ == nullptr) return Unit{};
  return applier_->drain();
}

void GraphCore::release_state() {
  auto parting = std::make_shared<manifest::Root>(*roots_.get());
  parting->overlay = state::Overlay::empty();
  parting->state = std::make_shared<state::MemoryState>(graph_);
  roots_.publish(std::move(parting));
  state_.reset();
}

Status GraphCore::close() {
  const env::Lock closing(closing_mutex_);  // a second caller waits, and hears the same
  if (close_status_) return *close_status_;
  {
    const env::Lock lock(close_mutex_);
    closed_ = true;
  }
  close_status_ = finish();
  lock_.reset();  // whatever became of the rest
  return *close_status_;
}

Status GraphCore::finish() {
  if (options_.open.read_only || sequencer_ == nullptr) return Unit{};
  sequencer_->close();
  applier_->stop();
  // The log is the authority. A state that cannot be brought up to date, on a full disk say, costs
  // the next open some replay and nobody a commit: no reason to fail.
  if (applier_->drain()) static_cast<void>(state_->flush().ok());
  release_state();
  return log_->close();
}

}  // namespace braid::engine
