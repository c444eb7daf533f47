// SPDX-License-Identifier: Apache-2.0
#include "env/sim_file_system.h"

#include <algorithm>
#include <map>

#include "base/assert.h"
#include "env/copied_mapping.h"
#include "env/name_tree.h"

namespace braid::env {
namespace {

constexpr std::uint64_t kSizeMax = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kNoCapacity = std::numeric_limits<std::uint64_t>::max();

std::uint64_t used_below(const SimNode& node) {
  std::uint64_t used = node.bytes.size();
  for (const auto& [name, child] : node.names) used += used_below(*child);
  return used;
}

std::size_t changes_below(const SimNode& node) {
  std::size_t count = node.changes.size();
  for (const auto& [name, child] : node.names) count += changes_below(*child);
  return count;
}

void crash_below(SimNode& node, CrashDice& dice) {
  if (!node.is_directory) return node.crash(dice);
  node.names = node.durable_names;
  for (const auto& [name, child] : node.names) crash_below(*child, dice);
}

/// Copies nodes once, whatever number of names leads to them.
class NodeCopier {
 public:
  std::shared_ptr<SimNode> copy(const std::shared_ptr<SimNode>& node) {
    if (node == nullptr) return nullptr;
    std::shared_ptr<SimNode>& made = copies_[node.get()];
    if (made != nullptr) return made;
    made = std::make_shared<SimNode>(*node);
    const std::shared_ptr<SimNode> result = made;
    for (auto& [name, child] : result->names) child = copy(child);
    for (auto& [name, child] : result->durable_names) child = copy(child);
    return result;
  }

 private:
  std::map<const SimNode*, std::shared_ptr<SimNode>> copies_;
};

}  // namespace

class SimFile final : public File {
 public:
  SimFile(SimFileSystem& files, std::shared_ptr<SimNode> node, std::string path, bool is_writable,
          std::uint64_t generation)
      : files_(files),
        node_(std::move(node)),
        path_(std::move(path)),
        is_writable_(is_writable),
        generation_(generation) {}

  Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t size) const override {
    BRAID_TRY(files_.check(FileOperation::read, path_));
    const Lock lock(files_.mutex_);
    if (is_dead()) return failed_call(ErrorCode::io_error, FileOperation::read, path_);
    const std::size_t got = node_->bytes.read(offset, out, size);
    files_.counters_.bytes_read += got;
    return got;
  }

  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    const auto failure = files_.begin(FileOperation::write, path_);
    const Lock lock(files_.mutex_);
    if (is_dead()) return failed_call(ErrorCode::io_error, FileOperation::write, path_);
    if (!is_writable_) return system_error(EBADF, "write", path_);
    if (!failure) return files_.write_locked(*node_, path_, offset, bytes);
    if (!failure->is_halt) {
      const auto part = static_cast<std::size_t>(files_.chance_.below(bytes.size() + 1));
      BRAID_TRY(files_.write_locked(*node_, path_, offset, bytes.substr(0, part)));
    }
    return failed_call(failure->code, FileOperation::write, path_);
  }

  Status sync() override {
    const auto failure = files_.begin(FileOperation::sync, path_);
    const Lock lock(files_.mutex_);
    if (is_dead()) return failed_call(ErrorCode::io_error, FileOperation::sync, path_);
    if (!failure) {
      node_->sync();
      return Unit{};
    }
    if (!failure->is_halt) {
      CrashDice dice = files_.next_dice();
      node_->sync_partly(dice);
    }
    return failed_call(failure->code, FileOperation::sync, path_);
  }

  Result<std::uint64_t> size() const override {
    BRAID_TRY(files_.check(FileOperation::stat, path_));
    const Lock lock(files_.mutex_);
    if (is_dead()) return failed_call(ErrorCode::io_error, FileOperation::stat, path_);
    return node_->bytes.size();
  }

  Status truncate(std::uint64_t size_bytes) override {
    BRAID_TRY(files_.check(FileOperation::truncate, path_));
    const Lock lock(files_.mutex_);
    if (is_dead()) return failed_call(ErrorCode::io_error, FileOperation::truncate, path_);
    if (!is_writable_) return system_error(EBADF, "truncate", path_);
    if (size_bytes > kSizeMax) return system_error(EFBIG, "truncate", path_);
    const std::uint64_t size = node_->bytes.size();
    if (size_bytes > size && size_bytes - size > files_.free_bytes()) {
      return system_error(ENOSPC, "truncate", path_);
    }
    node_->truncate(size_bytes);
    return Unit{};
  }

 private:
  bool is_dead() const BRAID_REQUIRES(files_.mutex_) { return generation_ != files_.generation_; }

  SimFileSystem& files_;
  std::shared_ptr<SimNode> node_;
  std::string path_;
  bool is_writable_;
  std::uint64_t generation_;
};

class SimLock final : public FileLock {
 public:
  SimLock(SimFileSystem& files, std::shared_ptr<SimNode> node, std::uint64_t generation)
      : files_(files), node_(std::move(node)), generation_(generation) {}
  ~SimLock() override {
    const Lock lock(files_.mutex_);
    if (generation_ != files_.generation_) return;  // the lock died with its process
    std::erase_if(files_.locks_, [&](const auto& entry) { return entry.first == node_; });
  }

 private:
  SimFileSystem& files_;
  std::shared_ptr<SimNode> node_;
  std::uint64_t generation_;
};

SimFileSystem::SimFileSystem(SimFileSystemOptions options)
    : options_(options), root_(std::make_shared<SimNode>(1, true)), chance_(options.seed) {}

SimFileSystem::NodePointer SimFileSystem::make_node(bool is_directory) {
  return std::make_shared<SimNode>(next_number_++, is_directory);
}

std::uint64_t SimFileSystem::free_bytes() const {
  if (options_.capacity_bytes == kNoCapacity) return kNoCapacity;
  const std::uint64_t used = used_below(*root_);
  return used < options_.capacity_bytes ? options_.capacity_bytes - used : 0;
}

Status SimFileSystem::write_locked(SimNode& node, std::string_view path, std::uint64_t offset,
                                   std::string_view bytes) {
  const std::uint64_t end = offset + bytes.size();
  if (end < offset || end > kSizeMax) return system_error(EFBIG, "write", path);
  const std::uint64_t size = node.bytes.size();
  if (bytes.empty()) return Unit{};
  std::uint64_t missing = 0;
  if (end > size) {
    const std::uint64_t free = free_bytes();
    if (end - size > free) missing = end - size - free;
  }
  if (missing < bytes.size()) {
    const auto fitting = static_cast<std::size_t>(bytes.size() - missing);
    node.write(offset, bytes.substr(0, fitting));
    counters_.bytes_written += fitting;
  }
  if (missing > 0) return system_error(ENOSPC, "write", path);
  return Unit{};
}

Result<std::unique_ptr<File>> SimFileSystem::open(std::string_view path, OpenMode mode) {
  BRAID_TRY(check(FileOperation::open, path));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const Place<SimNode> place, place_of(root_, "open", path));
  NodePointer node = place.node();
  if (mode == OpenMode::kCreateNew) {
    if (node != nullptr) return system_error(EEXIST, "open", path);
    node = make_node(false);
    journal_.make({.edits = {{place.directory, place.name, node}}});
  }
  if (node == nullptr) return system_error(ENOENT, "open", path);
  if (node->is_directory) return system_error(EISDIR, "open", path);
  return std::make_unique<SimFile>(*this, std::move(node), std::string(path),
                                   mode != OpenMode::kRead, generation_);
}

Result<std::shared_ptr<const MappedFile>> SimFileSystem::map(std::string_view path) {
  BRAID_TRY(check(FileOperation::map, path));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const NodePointer node, node_of(root_, "map", path));
  if (node->is_directory) return system_error(EISDIR, "map", path);
  return std::make_shared<const CopiedMapping>(node->bytes);
}

Result<std::vector<std::string>> SimFileSystem::list(std::string_view directory) {
  BRAID_TRY(check(FileOperation::list, directory));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const NodePointer node, directory_of(root_, "list", directory));
  return sorted_names(*node);
}

Result<FileInfo> SimFileSystem::stat(std::string_view path) {
  BRAID_TRY(check(FileOperation::stat, path));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const NodePointer node, node_of(root_, "stat", path));
  return FileInfo{.size_bytes = node->bytes.size(),
                  .device = 1,
                  .inode = node->number,
                  .is_directory = node->is_directory};
}

Status SimFileSystem::create_directory(std::string_view path) {
  BRAID_TRY(check(FileOperation::create_directory, path));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const Place<SimNode> place, place_of(root_, "create_directory", path));
  if (place.node() != nullptr) return system_error(EEXIST, "create_directory", path);
  journal_.make({.edits = {{place.directory, place.name, make_node(true)}}});
  return Unit{};
}

Status SimFileSystem::remove(std::string_view path) {
  BRAID_TRY(check(FileOperation::remove, path));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const Place<SimNode> place, place_of(root_, "remove", path));
  const NodePointer node = place.node();
  if (node == nullptr) return system_error(ENOENT, "remove", path);
  if (node->is_directory) return system_error(EISDIR, "remove", path);
  journal_.make({.edits = {{place.directory, place.name, nullptr}}});
  return Unit{};
}

Status SimFileSystem::remove_directory(std::string_view path) {
  BRAID_TRY(check(FileOperation::remove_directory, path));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const Place<SimNode> place, place_of(root_, "remove_directory", path));
  const NodePointer node = place.node();
  if (node == nullptr) return system_error(ENOENT, "remove_directory", path);
  if (!node->is_directory) return system_error(ENOTDIR, "remove_directory", path);
  if (node == root_) return system_error(EBUSY, "remove_directory", path);
  if (!node->names.empty()) return system_error(ENOTEMPTY, "remove_directory", path);
  journal_.make({.edits = {{place.directory, place.name, nullptr}}});
  return Unit{};
}

Status SimFileSystem::rename(std::string_view from, std::string_view to) {
  BRAID_TRY(check(FileOperation::rename, from));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const Place<SimNode> source, place_of(root_, "rename", from));
  BRAID_ASSIGN(const Place<SimNode> target, place_of(root_, "rename", to));
  const int error_number = rename_error(source, target, from, to);
  if (error_number != 0) return system_error(error_number, "rename", from);
  const NodePointer node = source.node();
  if (node == target.node()) return Unit{};
  journal_.make(
      {.edits = {{source.directory, source.name, nullptr}, {target.directory, target.name, node}},
       .moves_directory = node->is_directory});
  return Unit{};
}

Status SimFileSystem::sync_directory(std::string_view path) {
  const auto failure = begin(FileOperation::sync_directory, path);
  const Lock lock(mutex_);
  BRAID_ASSIGN(const NodePointer node, directory_of(root_, "sync_directory", path));
  if (!failure) {
    journal_.sync(*node);
    return Unit{};
  }
  if (!failure->is_halt) {
    CrashDice dice = next_dice();
    journal_.sync_partly(*node, dice);
  }
  return failed_call(failure->code, FileOperation::sync_directory, path);
}

Result<std::unique_ptr<FileLock>> SimFileSystem::try_lock(std::string_view path,
                                                          std::string_view holder) {
  BRAID_TRY(check(FileOperation::lock, path));
  const Lock lock(mutex_);
  BRAID_ASSIGN(const Place<SimNode> place, place_of(root_, "lock", path));
  NodePointer node = place.node();
  if (node == nullptr) {
    node = make_node(false);
    journal_.make({.edits = {{place.directory, place.name, node}}});
  }
  if (node->is_directory) return system_error(EISDIR, "lock", path);
  const auto taken = std::find_if(locks_.begin(), locks_.end(),
                                  [&](const auto& entry) { return entry.first == node; });
  if (taken != locks_.end()) return locked_error(path, taken->second);  // E5
  locks_.emplace_back(node, holder);
  node->truncate(0);
  static_cast<void>(write_locked(*node, path, 0, holder));  // as the real one: space or not
  return std::make_unique<SimLock>(*this, std::move(node), generation_);
}

Result<std::string> SimFileSystem::canonical(std::string_view path) {
  BRAID_TRY(check(FileOperation::canonical, path));
  const Lock lock(mutex_);
  BRAID_TRY(node_of(root_, "canonical", path));
  return normal_path(path);
}

void SimFileSystem::crash(std::uint64_t seed, CrashMode mode) {
  const Lock lock(mutex_);
  CrashDice dice(seed, mode);
  journal_.crash(dice);
  crash_below(*root_, dice);
  kill_handles();
}

void SimFileSystem::kill() {
  const Lock lock(mutex_);
  kill_handles();
}

void SimFileSystem::kill_handles() {
  ++generation_;
  locks_.clear();
  calls_until_halt_.reset();
}

CrashDice SimFileSystem::next_dice() { return {chance_.next(), CrashMode::kRandom}; }

Status SimFileSystem::flip_bit(std::string_view path, std::uint64_t offset, unsigned bit) {
  BRAID_ASSERT(bit < 8);
  const Lock lock(mutex_);
  BRAID_ASSIGN(const NodePointer node, node_of(root_, "flip_bit", path));
  char byte = 0;
  for (PagedBytes* const bytes : {&node->bytes, &node->durable}) {
    if (bytes->read(offset, &byte, 1) == 0) continue;
    byte = static_cast<char>(byte ^ (1 << bit));
    bytes->write(offset, {&byte, 1});
  }
  return Unit{};
}

std::size_t SimFileSystem::unsynced_changes() const {
  const Lock lock(mutex_);
  return journal_.size() + changes_below(*root_);
}

std::unique_ptr<SimFileSystem> SimFileSystem::copy() const {
  auto other = std::make_unique<SimFileSystem>(options_);
  const Lock lock(mutex_);
  const Lock other_lock(other->mutex_);
  NodeCopier copier;
  other->root_ = copier.copy(root_);
  std::vector<NameChange> changes = journal_.changes();
  for (NameChange& change : changes) {
    for (NameEdit& edit : change.edits) {
      edit.directory = copier.copy(edit.directory);
      edit.node = copier.copy(edit.node);
    }
  }
  other->journal_.restore(std::move(changes));
  other->next_number_ = next_number_;
  other->chance_ = chance_;
  return other;
}

}  // namespace braid::env
