// SPDX-License-Identifier: Apache-2.0
// How RocksDB is set up, and what its answers mean as errors. Only rocks_*.cc include this: no
// other part of Braid knows RocksDB. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include "braid/error.h"
#include "state/rocks_state.h"

namespace braid::state {

/// Settings for a writer: no log of its own, no info log, bounded memory, checks on. Filters know
/// whole keys (point reads) and version prefixes (newest_at).
rocksdb::Options writer_options(const RocksOptions& options);
/// The same for a reader, which opens every file at once: the writer may remove any of them later.
rocksdb::Options reader_options(const RocksOptions& options);

/// What the system refused (permission, descriptors, memory) has the code that env gives it, see
/// system_error.h. Requires: !status.ok(). Details: directory, reason.
Error error_of(const rocksdb::Status& status, std::string_view directory);

}  // namespace braid::state
