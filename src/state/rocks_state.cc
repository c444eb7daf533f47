// SPDX-License-Identifier: Apache-2.0
#include "state/rocks_state.h"

#include <algorithm>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include "base/assert.h"
#include "state/keys.h"
#include "state/range.h"
#include "state/rocks_options.h"

namespace braid::state {
namespace {

using Found = std::optional<std::pair<std::string, std::string>>;

// RocksDB names the manifest in use there; without it no state opens.
constexpr std::string_view kCurrentFile = "CURRENT";
constexpr std::uint64_t kFileBytesMax = 1ull << 30;
// A writer may remove a file between our reading its name and opening it.
constexpr int kReaderAttemptsMax = 5;
constexpr std::uint64_t kWriteBufferBytesMin = 64ull << 10;
constexpr std::uint64_t kBlockCacheBytesMin = 1ull << 20;
constexpr std::uint32_t kOpenFilesMin = 16;

rocksdb::WriteOptions without_log() {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  return options;
}

// `not_found` where no state was ever made, `corrupt` where a part of one is.
Status require_present(env::FileSystem& files, std::string_view directory) {
  BRAID_ASSIGN(const auto names, files.list(directory));
  if (names.empty()) {
    return Error(ErrorCode::not_found, "there is no state")
        .with("directory", std::string(directory));
  }
  if (!std::binary_search(names.begin(), names.end(), kCurrentFile)) {
    return Error(ErrorCode::corrupt, "the state is incomplete")
        .with("directory", std::string(directory))
        .with("file", env::join(directory, kCurrentFile));
  }
  return Unit{};
}

// RocksDB inserts neighbours one after another at half the cost; writes of one key keep their
// order.
std::vector<const StateWrite*> in_key_order(const std::vector<StateWrite>& writes) {
  std::vector<const StateWrite*> ordered;
  ordered.reserve(writes.size());
  for (const StateWrite& write : writes) ordered.push_back(&write);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->key < b->key; });
  return ordered;
}

Error with_directory(const Error& error, std::string_view directory) {
  return error.with("directory", std::string(directory));
}

}  // namespace

// RocksDB's handle and where it stands.
struct RocksState::Database {
  std::string directory;
  bool writable = false;
  std::unique_ptr<rocksdb::DB> db;

  Error error(const rocksdb::Status& status) const { return error_of(status, directory); }
  Status require_writable() const {
    if (writable) return Unit{};
    return Error(ErrorCode::read_only, "the state is open for reading only")
        .with("directory", directory);
  }
  Result<std::optional<std::string>> get(std::string_view key) const {
    std::string value;
    const rocksdb::Status status = db->Get(rocksdb::ReadOptions(), key, &value);
    if (status.IsNotFound()) return std::optional<std::string>();
    if (!status.ok()) return error(status);
    return std::optional<std::string>(std::move(value));
  }
  /// What the state says about itself; S10.
  Result<Applied> check_stamp(const GraphId& graph) const {
    BRAID_ASSIGN(const auto stored_stamp, get(kStampKey));
    BRAID_ASSIGN(const auto stored_applied, get(kAppliedKey));
    if (!stored_stamp || !stored_applied) {
      return Error(ErrorCode::corrupt, "the state carries no stamp").with("directory", directory);
    }
    const auto stamp = decode_stamp_value(*stored_stamp);
    if (!stamp) return with_directory(stamp.error(), directory);
    if (stamp->graph != graph) {
      return Error(ErrorCode::corrupt, "the state belongs to another graph")
          .with("directory", directory)
          .with("expected", graph.to_string())
          .with("actual", stamp->graph.to_string());
    }
    const auto applied = decode_applied_value(*stored_applied);
    if (!applied) return with_directory(applied.error(), directory);
    return *applied;
  }
  rocksdb::Status flush() const { return db->Flush(rocksdb::FlushOptions()); }
};

namespace {

// An iterator over the keys with a prefix, from a key on, with what it borrows.
class PrefixIterator {
 public:
  PrefixIterator(rocksdb::DB& db, std::string_view from, std::string_view prefix)
      : begin_(range_begin(from, prefix)), end_(range_end(prefix)) {
    rocksdb::ReadOptions options;
    if (end_) {
      end_slice_ = *end_;
      options.iterate_upper_bound = &end_slice_;
    }
    // The prefix filter may answer only where every key of the range has this very prefix.
    const bool one_version_group =
        begin_.size() == prefix.size() + kVersionSuffixBytes && is_version_prefix(prefix);
    options.total_order_seek = !one_version_group;
    options.prefix_same_as_start = one_version_group;
    iterator_.reset(db.NewIterator(options));
    iterator_->Seek(begin_);
  }
  PrefixIterator(const PrefixIterator&) = delete;
  PrefixIterator& operator=(const PrefixIterator&) = delete;

  bool valid() const { return iterator_->Valid(); }
  std::string_view key() const { return iterator_->key().ToStringView(); }
  std::string_view value() const { return iterator_->value().ToStringView(); }
  void next() { iterator_->Next(); }
  rocksdb::Status status() const { return iterator_->status(); }

 private:
  std::string begin_;
  std::optional<std::string> end_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

Status validate(const RocksOptions& options) {
  if (options.write_buffer_bytes < kWriteBufferBytesMin) {
    return Error(ErrorCode::bad_request, "write_buffer_bytes is too small")
        .with("minimum", kWriteBufferBytesMin);
  }
  if (options.block_cache_bytes < kBlockCacheBytesMin) {
    return Error(ErrorCode::bad_request, "block_cache_bytes is too small")
        .with("minimum", kBlockCacheBytesMin);
  }
  if (options.open_files_max < kOpenFilesMin || options.open_files_max > INT32_MAX) {
    return Error(ErrorCode::bad_request, "open_files_max is out of bounds")
        .with("minimum", std::uint64_t{kOpenFilesMin});
  }
  return Unit{};
}

Result<std::unique_ptr<RocksState>> RocksState::create(env::Env& env, std::string_view directory,
                                                       const GraphId& graph,
                                                       const RocksOptions& options) {
  BRAID_TRY(validate(options));
  const Status made = env.files.create_directory(directory);
  if (!made && made.error().code() != ErrorCode::already_exists) return made.error();
  if (!made) {
    BRAID_ASSIGN(const auto names, env.files.list(directory));
    if (!names.empty()) {
      return Error(ErrorCode::already_exists, "the directory is not empty")
          .with("directory", std::string(directory));
    }
  }

  rocksdb::Options settings = writer_options(options);
  settings.create_if_missing = true;
  settings.error_if_exists = true;
  auto database = std::make_unique<Database>();
  database->directory = directory;
  database->writable = true;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(settings, database->directory, &opened);
  if (!status.ok()) return database->error(status);
  database->db.reset(opened);

  rocksdb::WriteBatch batch;
  status = batch.Put(kStampKey, stamp_value({.format = kStateFormat, .graph = graph}));
  if (status.ok()) status = batch.Put(kAppliedKey, applied_value({}));
  if (status.ok()) status = opened->Write(without_log(), &batch);
  if (status.ok()) status = database->flush();
  if (!status.ok()) return database->error(status);
  auto state = std::make_unique<RocksState>(Token{}, env, std::move(database), Applied{});
  state->filter_.mark_complete();  // S12: nothing is there yet
  return state;
}

Result<std::unique_ptr<RocksState>> RocksState::open(env::Env& env, std::string_view directory,
                                                     const GraphId& graph,
                                                     const RocksOptions& options) {
  BRAID_TRY(validate(options));
  BRAID_TRY(require_present(env.files, directory));
  auto database = std::make_unique<Database>();
  database->directory = directory;
  database->writable = true;
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::Open(writer_options(options), database->directory, &opened);
  if (!status.ok()) return database->error(status);
  database->db.reset(opened);
  BRAID_ASSIGN(const Applied applied, database->check_stamp(graph));
  auto state = std::make_unique<RocksState>(Token{}, env, std::move(database), applied);
  state->filter_job_ =
      env.workers.start("state-filter", [raw = state.get()] { return raw->fill_filter_step(); });
  state->filter_job_->wake();
  return state;
}

Result<std::unique_ptr<RocksState>> RocksState::open_read_only(env::Env& env,
                                                               std::string_view directory,
                                                               const GraphId& graph,
                                                               const RocksOptions& options) {
  BRAID_TRY(validate(options));
  BRAID_TRY(require_present(env.files, directory));
  auto database = std::make_unique<Database>();
  database->directory = directory;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status;
  // Without a lock (S11), what the writer does meanwhile is met by trying again.
  for (int attempt = 0; attempt < kReaderAttemptsMax; ++attempt) {
    status = rocksdb::DB::OpenForReadOnly(reader_options(options), database->directory, &opened);
    if (status.ok()) break;
  }
  if (!status.ok()) return database->error(status);
  database->db.reset(opened);
  BRAID_ASSIGN(const Applied applied, database->check_stamp(graph));
  return std::make_unique<RocksState>(Token{}, env, std::move(database), applied);
}

Status RocksState::destroy(env::Env& env, std::string_view directory) {
  const auto names = env.files.list(directory);
  if (!names) {
    if (names.error().code() == ErrorCode::not_found) return Unit{};
    return names.error();
  }
  // First the file without which the rest is no state: a crash in between leaves nothing that
  // opens.
  if (std::binary_search(names->begin(), names->end(), kCurrentFile)) {
    BRAID_TRY(env.files.remove(env::join(directory, kCurrentFile)));
    BRAID_TRY(env.files.sync_directory(directory));
  }
  for (const std::string& name : *names) {
    if (name == kCurrentFile) continue;
    const std::string path = env::join(directory, name);
    BRAID_ASSIGN(const auto info, env.files.stat(path));
    BRAID_TRY(info.is_directory ? destroy(env, path) : env.files.remove(path));
  }
  return env.files.remove_directory(directory);
}

RocksState::RocksState(Token, env::Env& env, std::unique_ptr<Database> database,
                       const Applied& applied)
    : env_(env), database_(std::move(database)), applied_(applied) {}

RocksState::~RocksState() { static_cast<void>(close()); }

Applied RocksState::applied() const {
  const env::Lock lock(mutex_);
  return applied_;
}

Status RocksState::recover_from_failure() {
  {
    const env::Lock lock(mutex_);
    if (!failure_) return Unit{};
  }
  const rocksdb::Status status = database_->db->Resume();
  const env::Lock lock(mutex_);
  if (status.IsBusy()) return *failure_;  // RocksDB is waiting for room by itself
  if (!status.ok()) return remember(status);
  failure_.reset();
  return Unit{};
}

Error RocksState::remember(const rocksdb::Status& status) {
  failure_ = database_->error(status);
  return *failure_;
}

Status RocksState::apply(const std::vector<StateWrite>& writes, const Applied& applied) {
  BRAID_TRY(database_->require_writable());
  BRAID_ASSERT(applied.position > this->applied().position);  // S2
  BRAID_TRY(recover_from_failure());
  rocksdb::WriteBatch batch;
  rocksdb::Status status;
  for (const StateWrite* write : in_key_order(writes)) {
    BRAID_ASSERT(!is_meta_key(write->key));  // S1
    filter_.add(write->key);                 // before it can be found (S12)
    status = write->value ? batch.Put(write->key, *write->value) : batch.Delete(write->key);
    if (!status.ok()) return database_->error(status);
  }
  status = batch.Put(kAppliedKey, applied_value(applied));
  if (status.ok()) status = database_->db->Write(without_log(), &batch);
  const env::Lock lock(mutex_);
  if (!status.ok()) return remember(status);
  applied_ = applied;
  return Unit{};
}

env::NextStep RocksState::fill_filter_step() {
  constexpr std::size_t kEntriesAStep = 16'384;
  PrefixIterator iterator(*database_->db, filter_from_, "");
  for (std::size_t i = 0; i < kEntriesAStep && iterator.valid(); ++i, iterator.next()) {
    filter_.add(iterator.key());
  }
  if (iterator.valid()) {
    filter_from_ = iterator.key();
    return env::NextStep::now();
  }
  // A scan that failed proves nothing: the filter stays incomplete and is never asked.
  if (iterator.status().ok()) filter_.mark_complete();
  return env::NextStep::when_woken();
}

Result<std::optional<std::string>> RocksState::get(std::string_view key) const {
  if (filter_.is_complete() && !is_meta_key(key) && !filter_.may_contain_key(key)) {
    return std::optional<std::string>();
  }
  return database_->get(key);
}

Result<Found> RocksState::seek(std::string_view from, std::string_view prefix) const {
  if (filter_.is_complete() && is_version_prefix(prefix) && !filter_.may_contain_prefix(prefix)) {
    return Found();
  }
  const PrefixIterator iterator(*database_->db, from, prefix);
  if (iterator.valid()) {
    return Found({std::string(iterator.key()), std::string(iterator.value())});
  }
  if (!iterator.status().ok()) return database_->error(iterator.status());
  return Found();
}

Status RocksState::scan(std::string_view from, std::string_view prefix,
                        const EntryVisitor& visit) const {
  PrefixIterator iterator(*database_->db, from, prefix);
  for (; iterator.valid(); iterator.next()) {
    if (!visit(iterator.key(), iterator.value())) return Unit{};
  }
  if (!iterator.status().ok()) return database_->error(iterator.status());
  return Unit{};
}

Status RocksState::flush() {
  BRAID_TRY(database_->require_writable());
  BRAID_TRY(recover_from_failure());
  const rocksdb::Status status = database_->flush();
  if (status.ok()) return Unit{};
  const env::Lock lock(mutex_);
  return remember(status);
}

Status RocksState::checkpoint(std::string_view directory) {
  BRAID_TRY(database_->require_writable());
  BRAID_TRY(flush());
  if (const auto present = env_.files.stat(directory)) {
    return Error(ErrorCode::already_exists, "the directory of the checkpoint exists")
        .with("directory", std::string(directory));
  }
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(database_->db.get(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(std::string(directory));
  if (!status.ok()) return error_of(status, directory);
  // RocksDB links files that never change; rewriting gives the checkpoint bytes of its own.
  const auto unlink_files = [&]() -> Status {
    BRAID_ASSIGN(const auto names, env_.files.list(directory));
    for (const std::string& name : names) {
      const std::string path = env::join(directory, name);
      BRAID_ASSIGN(const std::string bytes, env::read_file(env_.files, path, kFileBytesMax));
      BRAID_TRY(env::replace_file(env_.files, path, bytes));
    }
    return Unit{};
  };
  const Status copied = unlink_files();
  if (!copied) static_cast<void>(destroy(env_, directory));
  return copied;
}

Status RocksState::close() {
  if (database_->db == nullptr) return Unit{};
  if (filter_job_ != nullptr) filter_job_->stop();
  Status flushed = Unit{};
  if (database_->writable) flushed = flush();
  const rocksdb::Status status = database_->db->Close();
  database_->db.reset();
  BRAID_TRY(std::move(flushed));
  if (!status.ok()) return database_->error(status);
  return Unit{};
}

}  // namespace braid::state
