// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <limits>
#include <set>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "env/mutex.h"
#include "env/real.h"
#include "env/system_error.h"

namespace braid::env {
namespace {

constexpr mode_t kFileMode = 0644;
constexpr mode_t kDirectoryMode = 0755;
constexpr std::size_t kHolderSizeMax = 4096;
constexpr auto kOffsetMax = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());

/// Repeats a call that a signal interrupted.
template <class Call>
auto retried(Call call) {
  auto status = call();
  while (status == -1 && errno == EINTR) status = call();
  return status;
}

/// Closes its file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  // Not repeated on EINTR: Linux has closed it then.
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// A path for the system, which ends it at the first zero byte: a path with one names another file.
Result<std::string> checked_path(std::string_view operation, std::string_view path) {
  if (path.find('\0') == std::string_view::npos) return std::string(path);
  return Error(ErrorCode::bad_request, "a path must not contain a zero byte")
      .with("file", std::string(path))
      .with("operation", std::string(operation));
}

Result<Descriptor> open_descriptor(std::string_view path, int flags) {
  BRAID_ASSIGN(const std::string name, checked_path("open", path));
  // A pipe or a device has no size and no offsets, and opening a pipe may wait for ever.
  struct stat there{};
  if (::stat(name.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
    return Error(ErrorCode::bad_request, "open " + name + ": is a pipe or a device, not a file")
        .with("file", name)
        .with("operation", "open");
  }
  Descriptor opened(retried([&] { return ::open(name.c_str(), flags | O_CLOEXEC, kFileMode); }));
  if (opened.number() < 0) return system_error(errno, "open", path);
  return opened;
}

Result<FileInfo> info_of(const Descriptor& file, std::string_view path) {
  struct ::stat info{};
  if (::fstat(file.number(), &info) != 0) return system_error(errno, "stat", path);
  return FileInfo{.size_bytes = static_cast<std::uint64_t>(info.st_size),
                  .device = info.st_dev,
                  .inode = info.st_ino,
                  .is_directory = S_ISDIR(info.st_mode)};
}

Result<std::size_t> read_fully(const Descriptor& file, std::string_view path, std::uint64_t offset,
                               char* out, std::size_t size) {
  std::size_t done = 0;
  while (done < size && offset + done <= kOffsetMax) {
    const ssize_t got = retried([&] {
      return ::pread(file.number(), out + done, size - done, static_cast<off_t>(offset + done));
    });
    if (got < 0) return system_error(errno, "read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Status write_fully(const Descriptor& file, std::string_view path, std::uint64_t offset,
                   std::string_view bytes) {
  if (bytes.size() > kOffsetMax || offset > kOffsetMax - bytes.size()) {
    return system_error(EFBIG, "write", path);
  }
  while (!bytes.empty()) {
    const ssize_t wrote = retried([&] {
      return ::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (wrote < 0) return system_error(errno, "write", path);
    if (wrote == 0) return system_error(EIO, "write", path);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    offset += static_cast<std::uint64_t>(wrote);
  }
  return Unit{};
}

class PosixFile final : public File {
 public:
  PosixFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) const override {
    return read_fully(file_, path_, offset, out, size);
  }
  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    return write_fully(file_, path_, offset, bytes);
  }
  Status sync() override {
    // Only an interrupted call is repeated: a failed one proves nothing by being repeated (E2).
    if (retried([&] { return ::fdatasync(file_.number()); }) != 0) {
      return system_error(errno, "sync", path_);
    }
    return Unit{};
  }
  Result<std::uint64_t> size() const override {
    BRAID_ASSIGN(const FileInfo info, info_of(file_, path_));
    return info.size_bytes;
  }
  Status truncate(std::uint64_t size_bytes) override {
    if (size_bytes > kOffsetMax) return system_error(EFBIG, "truncate", path_);
    const auto size = static_cast<off_t>(size_bytes);
    if (retried([&] { return ::ftruncate(file_.number(), size); }) != 0) {
      return system_error(errno, "truncate", path_);
    }
    return Unit{};
  }

 private:
  Descriptor file_;
  std::string path_;
};

class PosixMapping final : public MappedFile {
 public:
  PosixMapping(void* start, std::size_t size_bytes) : start_(start), size_bytes_(size_bytes) {}
  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;
  ~PosixMapping() override {
    if (size_bytes_ > 0) ::munmap(start_, size_bytes_);
  }

  std::string_view bytes() const override {
    return {static_cast<const char*>(start_), size_bytes_};
  }

 private:
  void* start_;
  std::size_t size_bytes_;
};

/// The files that this process has locked. flock(2) belongs to an open file description, so it
/// keeps a second open of ours out too; but over NFS Linux makes it a lock of the process, which
/// would not.
class LockedFiles {
 public:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

  static LockedFiles& instance() {
    static auto& files = *std::make_unique<LockedFiles>().release();
    return files;
  }

  /// Zero, or the error number; EWOULDBLOCK if anybody has it.
  int try_add(Key key, const Descriptor& file) {
    const Lock lock(mutex_);
    if (keys_.contains(key)) return EWOULDBLOCK;
    if (retried([&] { return ::flock(file.number(), LOCK_EX | LOCK_NB); }) != 0) return errno;
    keys_.insert(key);
    return 0;
  }

  // Closed inside: whoever finds the key gone must find the flock gone too.
  void remove(Key key, Descriptor& file) {
    const Lock lock(mutex_);
    file.close();
    keys_.erase(key);
  }

 private:
  Mutex mutex_;
  std::set<Key> keys_ BRAID_GUARDED_BY(mutex_);
};

class PosixLock final : public FileLock {
 public:
  PosixLock(LockedFiles::Key key, Descriptor file) : key_(key), file_(std::move(file)) {}
  ~PosixLock() override { LockedFiles::instance().remove(key_, file_); }

  /// What losers will read. A full disk must not keep a graph from being opened (to make room in
  /// it, say): the lock holds without its text.
  Status write_holder(std::string_view path, std::string_view holder) {
    if (::ftruncate(file_.number(), 0) != 0) return system_error(errno, "lock", path);
    Status written = write_fully(file_, path, 0, holder);
    if (!written && written.error().code() != ErrorCode::no_space) return written;
    return Unit{};
  }

 private:
  LockedFiles::Key key_;
  Descriptor file_;
};

std::string read_holder(const Descriptor& file, std::string_view path) {
  std::string holder(kHolderSizeMax, '\0');
  const Result<std::size_t> got = read_fully(file, path, 0, holder.data(), holder.size());
  holder.resize(got ? *got : 0);
  return holder;
}

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) override {
    int flags = O_RDONLY;
    if (mode == OpenMode::kReadWrite) flags = O_RDWR;
    if (mode == OpenMode::kCreateNew) flags = O_RDWR | O_CREAT | O_EXCL;
    BRAID_ASSIGN(Descriptor file, open_descriptor(path, flags));
    BRAID_ASSIGN(const FileInfo info, info_of(file, path));
    if (info.is_directory) return system_error(EISDIR, "open", path);
    return std::make_unique<PosixFile>(std::move(file), std::string(path));
  }

  Result<std::shared_ptr<const MappedFile>> map(std::string_view path) override {
    BRAID_ASSIGN(const Descriptor file, open_descriptor(path, O_RDONLY));
    BRAID_ASSIGN(const FileInfo info, info_of(file, path));
    if (info.is_directory) return system_error(EISDIR, "map", path);
    if (info.size_bytes > std::numeric_limits<std::size_t>::max()) {
      return system_error(ENOMEM, "map", path);
    }
    const auto size = static_cast<std::size_t>(info.size_bytes);
    if (size == 0) return std::make_shared<const PosixMapping>(nullptr, 0);  // mmap refuses it
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
    if (start == MAP_FAILED) return system_error(errno, "map", path);
    return std::make_shared<const PosixMapping>(start, size);
  }

  Result<std::vector<std::string>> list(std::string_view directory) override {
    BRAID_ASSIGN(const std::string name, checked_path("list", directory));
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(name.c_str()), &::closedir);
    if (stream == nullptr) return system_error(errno, "list", directory);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* const entry = ::readdir(stream.get())) {
      const std::string_view found = entry->d_name;
      if (found != "." && found != "..") names.emplace_back(found);
      errno = 0;
    }
    if (errno != 0) return system_error(errno, "list", directory);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<FileInfo> stat(std::string_view path) override {
    BRAID_ASSIGN(const std::string name, checked_path("stat", path));
    struct ::stat info{};
    if (::stat(name.c_str(), &info) != 0) return system_error(errno, "stat", path);
    return FileInfo{.size_bytes = static_cast<std::uint64_t>(info.st_size),
                    .device = info.st_dev,
                    .inode = info.st_ino,
                    .is_directory = S_ISDIR(info.st_mode)};
  }

  Status create_directory(std::string_view path) override {
    BRAID_ASSIGN(const std::string name, checked_path("create_directory", path));
    return checked(::mkdir(name.c_str(), kDirectoryMode), "create_directory", path);
  }

  Status remove(std::string_view path) override {
    BRAID_ASSIGN(const std::string name, checked_path("remove", path));
    return checked(::unlink(name.c_str()), "remove", path);
  }

  Status remove_directory(std::string_view path) override {
    BRAID_ASSIGN(const std::string name, checked_path("remove_directory", path));
    return checked(::rmdir(name.c_str()), "remove_directory", path);
  }

  Status rename(std::string_view from, std::string_view to) override {
    BRAID_ASSIGN(const std::string old_name, checked_path("rename", from));
    BRAID_ASSIGN(const std::string new_name, checked_path("rename", to));
    return checked(::rename(old_name.c_str(), new_name.c_str()), "rename", from);
  }

  Status sync_directory(std::string_view path) override {
    BRAID_ASSIGN(const Descriptor directory, open_descriptor(path, O_RDONLY | O_DIRECTORY));
    return checked(retried([&] { return ::fsync(directory.number()); }), "sync_directory", path);
  }

  Result<std::unique_ptr<FileLock>> try_lock(std::string_view path,
                                             std::string_view holder) override {
    BRAID_ASSIGN(Descriptor file, open_descriptor(path, O_RDWR | O_CREAT));
    BRAID_ASSIGN(const FileInfo info, info_of(file, path));
    const LockedFiles::Key key{info.device, info.inode};
    const int status = LockedFiles::instance().try_add(key, file);  // E5
    if (status == EWOULDBLOCK) return locked_error(path, read_holder(file, path));
    if (status != 0) return system_error(status, "lock", path);
    auto lock = std::make_unique<PosixLock>(key, std::move(file));
    BRAID_TRY(lock->write_holder(path, holder));
    return Result<std::unique_ptr<FileLock>>(std::move(lock));
  }

  Result<std::string> canonical(std::string_view path) override {
    BRAID_ASSIGN(const std::string name, checked_path("canonical", path));
    const std::unique_ptr<char, void (*)(void*)> found(::realpath(name.c_str(), nullptr), &::free);
    if (found == nullptr) return system_error(errno, "canonical", path);
    return std::string(found.get());
  }

 private:
  static Status checked(int status, std::string_view operation, std::string_view path) {
    if (status != 0) return system_error(errno, operation, path);
    return Unit{};
  }
};

}  // namespace

FileSystem& posix_file_system() {
  static auto& files = *std::make_unique<PosixFileSystem>().release();
  return files;
}

}  // namespace braid::env
