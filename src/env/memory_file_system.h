// SPDX-License-Identifier: Apache-2.0
// Files that live in memory: for graphs without a directory, and for tests that need no faults.
// Nothing is durable; sync() succeeds. Directory "/" exists from the start, and paths without a
// leading '/' start there too. A removed file lives on until its last File is gone, as with POSIX.
// Threads: any; one lock for the names, one for the bytes of each file.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "env/file_system.h"

namespace braid::env {

struct MemoryFileSystemOptions {
  /// Writes that would make the files together larger fail with `no_space` and write nothing.
  std::uint64_t capacity_bytes = std::numeric_limits<std::uint64_t>::max();
};

class MemoryFileSystem final : public FileSystem {
 public:
  explicit MemoryFileSystem(MemoryFileSystemOptions options = {});
  ~MemoryFileSystem() override;

  Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) override;
  /// A copy.
  Result<std::shared_ptr<const MappedFile>> map(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view directory) override;
  Result<FileInfo> stat(std::string_view path) override;
  Status create_directory(std::string_view path) override;
  Status remove(std::string_view path) override;
  Status remove_directory(std::string_view path) override;
  Status rename(std::string_view from, std::string_view to) override;
  Status sync_directory(std::string_view path) override;
  Result<std::unique_ptr<FileLock>> try_lock(std::string_view path,
                                             std::string_view holder) override;
  Result<std::string> canonical(std::string_view path) override;

  /// The sizes of all files together, removed but open ones included.
  std::uint64_t used_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // files and locks may outlive the file system
};

}  // namespace braid::env
