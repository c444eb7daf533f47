// SPDX-License-Identifier: Apache-2.0
#include "state/rocks_options.h"

#include <cerrno>
#include <cstdarg>
#include <optional>
#include <system_error>

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "base/assert.h"
#include "env/system_error.h"
#include "state/keys.h"

namespace braid::state {
namespace {

constexpr std::uint64_t kMebibyte = 1ull << 20;
constexpr double kFilterBitsPerKey = 10;
constexpr std::size_t kBlockBytes = 4096;

// Errors reach the caller as statuses; a file of messages would be one more file in the graph.
class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, std::va_list) override {}
};

// A key of a versioned family without its position. The name is stored with each table file, and
// files of another transform get no prefix filter: change the function, change the name.
class VersionPrefixTransform final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "braid.version_prefix.1"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), key.size() - kVersionSuffixBytes};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return version_prefix_of(key.ToStringView()).has_value();
  }
};

rocksdb::BlockBasedTableOptions table_options(const RocksOptions& options) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(options.block_cache_bytes, 4);
  table.block_size = kBlockBytes;
  table.cache_index_and_filter_blocks = true;  // so that the cache bounds them too
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kFilterBitsPerKey));
  table.whole_key_filtering = true;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  return table;
}

bool is_lock_conflict(const std::string& text) {
  // RocksDB 7.8 gives these no code of their own (env/fs_posix.cc).
  return text.find("lock hold by current process") != std::string::npos ||
         text.find("While lock file") != std::string::npos;
}

// What the system refused, if that is why: RocksDB has no codes for it and puts the system's words
// at the end (env/io_posix.cc), often in a status of another kind that quotes the first.
std::optional<ErrorCode> system_code_of(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \n") + 1);
  for (const int number : {EACCES, EPERM, EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT, EROFS}) {
    if (text.ends_with(": " + std::generic_category().message(number))) {
      return env::code_of_system_error(number);
    }
  }
  return std::nullopt;
}

ErrorCode code_of(const rocksdb::Status& status, const std::string& text) {
  if (status.IsIOError() && is_lock_conflict(text)) return ErrorCode::locked;
  if (const auto code = system_code_of(text)) return *code;
  if (status.IsNoSpace()) return ErrorCode::no_space;
  if (status.IsCorruption() || status.IsPathNotFound() || status.IsNotFound()) {
    return ErrorCode::corrupt;  // a file that must be there is damaged or gone
  }
  if (status.IsIOError()) return ErrorCode::io_error;
  if (status.IsNotSupported()) return ErrorCode::format_mismatch;
  if (status.IsInvalidArgument()) return ErrorCode::corrupt;  // stored options are not ours
  if (status.IsBusy() || status.IsTryAgain() || status.IsTimedOut() || status.IsAborted() ||
      status.IsIncomplete() || status.IsShutdownInProgress()) {
    return ErrorCode::unavailable;
  }
  return ErrorCode::internal;
}

std::string_view what_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::locked: return "the state is open elsewhere";
    case ErrorCode::no_space: return "no space for the state";
    case ErrorCode::corrupt: return "the state is damaged";
    case ErrorCode::permission: return "the state may not be read or written by this user";
    case ErrorCode::resource_limit: return "the system gives the state no more files or memory";
    case ErrorCode::read_only: return "the state is on a read-only file system";
    case ErrorCode::io_error: return "the state cannot be read or written";
    case ErrorCode::format_mismatch: return "the state was written in another format";
    default: return "the state does not answer";
  }
}

}  // namespace

rocksdb::Options writer_options(const RocksOptions& options) {
  rocksdb::Options out;
  out.create_if_missing = false;
  out.paranoid_checks = true;
  // One column family: a flush is one edit of the manifest, whole or absent (S1). RocksDB's own
  // atomic_flush would add nothing, and in 7.8 it can wait for ever after a flush that failed.
  out.atomic_flush = false;
  out.info_log = std::make_shared<SilentLogger>();
  out.info_log_level = rocksdb::FATAL_LEVEL;
  out.max_background_jobs = 2;
  out.stats_dump_period_sec = 0;
  out.stats_persist_period_sec = 0;
  out.max_open_files = static_cast<int>(options.open_files_max);
  out.max_file_opening_threads = 1;
  out.max_manifest_file_size = 4 * kMebibyte;
  out.manifest_preallocation_size = 64 << 10;  // a small graph stays small
  out.write_buffer_size = options.write_buffer_bytes;
  out.max_write_buffer_number = 2;
  out.target_file_size_base = 16 * kMebibyte;
  out.max_bytes_for_level_base = 64 * kMebibyte;
  out.level_compaction_dynamic_level_bytes = true;
  out.compression = rocksdb::kLZ4Compression;
  out.prefix_extractor = std::make_shared<VersionPrefixTransform>();
  out.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options(options)));
  return out;
}

rocksdb::Options reader_options(const RocksOptions& options) {
  rocksdb::Options out = writer_options(options);
  out.max_open_files = -1;
  return out;
}

Error error_of(const rocksdb::Status& status, std::string_view directory) {
  BRAID_ASSERT(!status.ok());
  const std::string text = status.ToString();
  const ErrorCode code = code_of(status, text);
  return Error(code, std::string(what_of(code)) + ": " + text)
      .with("directory", std::string(directory))
      .with("reason", text);
}

}  // namespace braid::state
