// SPDX-License-Identifier: Apache-2.0
// Files and directories, behind an interface: real (real.h), in memory (memory_file_system.h) and
// simulated with lost, torn and reordered unsynced writes (sim_file_system.h).
//
// Invariants
//   E1  Bytes are durable only after sync() of their file succeeded, names only after
//       sync_directory() of their directory did.
//   E2  A failed sync() says nothing about which bytes are durable, and repeating it proves
//       nothing: the kernel may have dropped the dirty pages. Write the bytes again elsewhere.
//   E15  A mapping shows the bytes that the file had at map(), as long as nobody writes to the
//   file;
//        neither remove() nor rename() nor the end of the FileSystem disturbs it.
// Errors: those of system_error.h; details `file`, `operation` and `errno`. Paths use '/'.
// Threads: a FileSystem may be used from any thread; a File from any thread as long as writes to
// one range do not overlap in time with other accesses to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/result.h"

namespace braid::env {

struct FileInfo {
  std::uint64_t size_bytes = 0;
  /// (device, inode) tells whether two paths are one file.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool is_directory = false;
};

enum class OpenMode : std::uint8_t {
  kRead,       ///< must exist
  kReadWrite,  ///< must exist
  kCreateNew,  ///< must not exist; read and write
};

/// An open file. Closing is the destructor's.
class File {
 public:
  virtual ~File() = default;
  /// Reads up to `size` bytes at `offset` into `out`; fewer only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) const = 0;
  /// Writes all of `bytes`, growing the file when needed; a failure may have written a part.
  virtual Status write_at(std::uint64_t offset, std::string_view bytes) = 0;
  /// Makes all bytes written so far, and the size, durable (fdatasync).
  virtual Status sync() = 0;
  virtual Result<std::uint64_t> size() const = 0;
  virtual Status truncate(std::uint64_t size_bytes) = 0;
};

/// The bytes of a file as they were when it was mapped. Shared by whoever looks at them: the last
/// owner's end unmaps them, whatever became of the name and of the FileSystem.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  /// At least 64-byte aligned.
  virtual std::string_view bytes() const = 0;
};

/// An advisory lock between processes on one file; released by the destructor or by the death of
/// the process.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) = 0;
  /// The whole file, to be read in place; pages come from the disk when they are touched.
  /// Requires: the file is immutable from now on. Writing to it shows in some implementations and
  /// not in others (E15), and whoever truncates a mapped file gets its readers killed (SIGBUS), as
  /// does a disk that cannot deliver a page.
  virtual Result<std::shared_ptr<const MappedFile>> map(std::string_view path) = 0;
  /// Names (not paths) in the directory, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> list(std::string_view directory) = 0;
  virtual Result<FileInfo> stat(std::string_view path) = 0;
  /// `already_exists` if the name is taken; the parent must exist.
  virtual Status create_directory(std::string_view path) = 0;
  virtual Status remove(std::string_view path) = 0;
  /// The directory must be empty.
  virtual Status remove_directory(std::string_view path) = 0;
  /// Atomic; replaces a file at `to`.
  virtual Status rename(std::string_view from, std::string_view to) = 0;
  virtual Status sync_directory(std::string_view path) = 0;
  /// Takes the lock of the file at `path`, created if absent, and writes `holder` into it;
  /// `locked` with detail `holder` (what the present owner wrote) if it is taken, also by this
  /// process.
  virtual Result<std::unique_ptr<FileLock>> try_lock(std::string_view path,
                                                     std::string_view holder) = 0;
  /// The absolute path without links; the path must exist.
  virtual Result<std::string> canonical(std::string_view path) = 0;
};

/// The whole file; `resource_limit` beyond `size_bytes_max`.
Result<std::string> read_file(FileSystem& files, std::string_view path,
                              std::uint64_t size_bytes_max);
/// Writes `path`.new, syncs it, renames it to `path` and syncs the directory: the file at `path` is
/// the old or the new one after any crash.
Status replace_file(FileSystem& files, std::string_view path, std::string_view bytes);
/// Reads exactly `size` bytes; `corrupt` with file and offset if the file is shorter.
Result<std::string> read_exactly(const File& file, std::string_view path, std::uint64_t offset,
                                 std::size_t size);
/// `bad_request` {path, target} if the last name of `path` is a symbolic link: before what lies
/// there is deleted. Success if there is nothing.
Status refuse_link(FileSystem& files, std::string_view path);
/// `directory` + '/' + `name`.
std::string join(std::string_view directory, std::string_view name);
/// The directory part of a path ("." for a bare name).
std::string parent_of(std::string_view path);

}  // namespace braid::env
