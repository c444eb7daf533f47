// SPDX-License-Identifier: Apache-2.0
#include "env/memory_file_system.h"

#include <atomic>
#include <map>
#include <utility>

#include "env/copied_mapping.h"
#include "env/mutex.h"
#include "env/name_tree.h"
#include "env/paged_bytes.h"

namespace braid::env {
namespace {

class Space {
 public:
  explicit Space(std::uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  bool take(std::uint64_t size_bytes) {
    std::uint64_t used = used_bytes_.load(std::memory_order_relaxed);
    do {
      if (used > capacity_bytes_ || size_bytes > capacity_bytes_ - used) return false;
    } while (!used_bytes_.compare_exchange_weak(used, used + size_bytes));
    return true;
  }
  void give_back(std::uint64_t size_bytes) { used_bytes_.fetch_sub(size_bytes); }
  std::uint64_t used_bytes() const { return used_bytes_.load(); }

 private:
  const std::uint64_t capacity_bytes_;
  std::atomic<std::uint64_t> used_bytes_{0};
};

struct Node {
  Node(std::uint64_t node_number, bool directory, std::shared_ptr<Space> node_space)
      : number(node_number), is_directory(directory), space(std::move(node_space)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() { space->give_back(size_bytes()); }

  std::uint64_t size_bytes() {
    const Lock lock(mutex);
    return bytes.size();
  }

  const std::uint64_t number;
  const bool is_directory;
  const std::shared_ptr<Space> space;
  // Guarded by State::mutex.
  std::map<std::string, std::shared_ptr<Node>, std::less<>> names;
  bool is_locked = false;
  std::string holder;

  Mutex mutex;
  PagedBytes bytes BRAID_GUARDED_BY(mutex);
};

class MemoryFile final : public File {
 public:
  MemoryFile(std::shared_ptr<Node> node, std::string path, bool is_writable)
      : node_(std::move(node)), path_(std::move(path)), is_writable_(is_writable) {}

  Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) const override {
    const Lock lock(node_->mutex);
    return node_->bytes.read(offset, out, size);
  }
  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    if (!is_writable_) return system_error(EBADF, "write", path_);
    const std::uint64_t end = offset + bytes.size();
    if (end < offset || end > kSizeMax) return system_error(EFBIG, "write", path_);
    const Lock lock(node_->mutex);
    const std::uint64_t size = node_->bytes.size();
    if (end > size && !bytes.empty() && !node_->space->take(end - size)) {
      return system_error(ENOSPC, "write", path_);
    }
    node_->bytes.write(offset, bytes);
    return Unit{};
  }
  Status sync() override { return Unit{}; }
  Result<std::uint64_t> size() const override { return node_->size_bytes(); }
  Status truncate(std::uint64_t size_bytes) override {
    if (!is_writable_) return system_error(EBADF, "truncate", path_);
    if (size_bytes > kSizeMax) return system_error(EFBIG, "truncate", path_);
    const Lock lock(node_->mutex);
    const std::uint64_t size = node_->bytes.size();
    if (size_bytes > size && !node_->space->take(size_bytes - size)) {
      return system_error(ENOSPC, "truncate", path_);
    }
    if (size_bytes < size) node_->space->give_back(size - size_bytes);
    node_->bytes.resize(size_bytes);
    return Unit{};
  }

 private:
  static constexpr std::uint64_t kSizeMax = std::numeric_limits<std::int64_t>::max();

  std::shared_ptr<Node> node_;
  std::string path_;
  bool is_writable_;
};

}  // namespace

struct MemoryFileSystem::State {
  explicit State(std::uint64_t capacity_bytes)
      : space(std::make_shared<Space>(capacity_bytes)),
        root(std::make_shared<Node>(1, true, space)) {}

  std::shared_ptr<Node> make_node(bool is_directory) BRAID_REQUIRES(mutex) {
    return std::make_shared<Node>(next_number++, is_directory, space);
  }

  const std::shared_ptr<Space> space;
  Mutex mutex;
  const std::shared_ptr<Node> root;
  std::uint64_t next_number BRAID_GUARDED_BY(mutex) = 2;
};

namespace {

template <class State>
class MemoryLock final : public FileLock {
 public:
  MemoryLock(std::shared_ptr<State> state, std::shared_ptr<Node> node)
      : state_(std::move(state)), node_(std::move(node)) {}
  ~MemoryLock() override {
    const Lock lock(state_->mutex);
    node_->is_locked = false;
  }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<Node> node_;
};

}  // namespace

MemoryFileSystem::MemoryFileSystem(MemoryFileSystemOptions options)
    : state_(std::make_shared<State>(options.capacity_bytes)) {}

MemoryFileSystem::~MemoryFileSystem() = default;

Result<std::unique_ptr<File>> MemoryFileSystem::open(std::string_view path, OpenMode mode) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const Place<Node> place, place_of(state_->root, "open", path));
  std::shared_ptr<Node> node = place.node();
  if (mode == OpenMode::kCreateNew) {
    if (node != nullptr) return system_error(EEXIST, "open", path);
    node = state_->make_node(false);
    place.directory->names.emplace(place.name, node);
  }
  if (node == nullptr) return system_error(ENOENT, "open", path);
  if (node->is_directory) return system_error(EISDIR, "open", path);
  return std::make_unique<MemoryFile>(std::move(node), std::string(path), mode != OpenMode::kRead);
}

Result<std::shared_ptr<const MappedFile>> MemoryFileSystem::map(std::string_view path) {
  std::shared_ptr<Node> node;
  {
    const Lock lock(state_->mutex);
    BRAID_ASSIGN(node, node_of(state_->root, "map", path));
  }
  if (node->is_directory) return system_error(EISDIR, "map", path);
  const Lock lock(node->mutex);
  return std::make_shared<const CopiedMapping>(node->bytes);
}

Result<std::vector<std::string>> MemoryFileSystem::list(std::string_view directory) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const auto node, directory_of(state_->root, "list", directory));
  return sorted_names(*node);
}

Result<FileInfo> MemoryFileSystem::stat(std::string_view path) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const auto node, node_of(state_->root, "stat", path));
  // The address of the state tells two file systems apart, as a device number does.
  return FileInfo{.size_bytes = node->size_bytes(),
                  .device = reinterpret_cast<std::uintptr_t>(state_.get()),
                  .inode = node->number,
                  .is_directory = node->is_directory};
}

Status MemoryFileSystem::create_directory(std::string_view path) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const Place<Node> place, place_of(state_->root, "create_directory", path));
  if (place.node() != nullptr) return system_error(EEXIST, "create_directory", path);
  place.directory->names.emplace(place.name, state_->make_node(true));
  return Unit{};
}

Status MemoryFileSystem::remove(std::string_view path) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const Place<Node> place, place_of(state_->root, "remove", path));
  const std::shared_ptr<Node> node = place.node();
  if (node == nullptr) return system_error(ENOENT, "remove", path);
  if (node->is_directory) return system_error(EISDIR, "remove", path);
  place.directory->names.erase(place.name);
  return Unit{};
}

Status MemoryFileSystem::remove_directory(std::string_view path) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const Place<Node> place, place_of(state_->root, "remove_directory", path));
  const std::shared_ptr<Node> node = place.node();
  if (node == nullptr) return system_error(ENOENT, "remove_directory", path);
  if (!node->is_directory) return system_error(ENOTDIR, "remove_directory", path);
  if (node == state_->root) return system_error(EBUSY, "remove_directory", path);
  if (!node->names.empty()) return system_error(ENOTEMPTY, "remove_directory", path);
  place.directory->names.erase(place.name);
  return Unit{};
}

Status MemoryFileSystem::rename(std::string_view from, std::string_view to) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const Place<Node> source, place_of(state_->root, "rename", from));
  BRAID_ASSIGN(const Place<Node> target, place_of(state_->root, "rename", to));
  const int error_number = rename_error(source, target, from, to);
  if (error_number != 0) return system_error(error_number, "rename", from);
  const std::shared_ptr<Node> node = source.node();
  if (node == target.node()) return Unit{};
  source.directory->names.erase(source.name);
  target.directory->names.insert_or_assign(target.name, node);
  return Unit{};
}

Status MemoryFileSystem::sync_directory(std::string_view path) {
  const Lock lock(state_->mutex);
  BRAID_TRY(directory_of(state_->root, "sync_directory", path));
  return Unit{};
}

Result<std::unique_ptr<FileLock>> MemoryFileSystem::try_lock(std::string_view path,
                                                             std::string_view holder) {
  const Lock lock(state_->mutex);
  BRAID_ASSIGN(const Place<Node> place, place_of(state_->root, "lock", path));
  std::shared_ptr<Node> node = place.node();
  if (node == nullptr) {
    node = state_->make_node(false);
    place.directory->names.emplace(place.name, node);
  }
  if (node->is_directory) return system_error(EISDIR, "lock", path);
  if (node->is_locked) return locked_error(path, node->holder);  // E5
  node->is_locked = true;
  node->holder = holder;
  MemoryFile file(node, std::string(path), true);
  BRAID_TRY(file.truncate(0));
  static_cast<void>(file.write_at(0, holder));  // a full disk keeps no graph from being opened
  return std::make_unique<MemoryLock<State>>(state_, std::move(node));
}

Result<std::string> MemoryFileSystem::canonical(std::string_view path) {
  const Lock lock(state_->mutex);
  BRAID_TRY(node_of(state_->root, "canonical", path));
  return normal_path(path);
}

std::uint64_t MemoryFileSystem::used_bytes() const { return state_->space->used_bytes(); }

}  // namespace braid::env
