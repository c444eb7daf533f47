// SPDX-License-Identifier: Apache-2.0
#include "env/file_system.h"

#include <fmt/format.h>

namespace braid::env {
namespace {

Status write_new_file(FileSystem& files, std::string_view path, std::string_view bytes) {
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kCreateNew);
  if (!file && file.error().code() == ErrorCode::already_exists) {
    // A crash left it behind. Its bytes may be clean in the cache and lost on disk (E2).
    BRAID_TRY(files.remove(path));
    file = files.open(path, OpenMode::kCreateNew);
  }
  if (!file) return std::move(file).error();
  BRAID_TRY((*file)->write_at(0, bytes));
  return (*file)->sync();
}

}  // namespace

Result<std::string> read_file(FileSystem& files, std::string_view path,
                              std::uint64_t size_bytes_max) {
  BRAID_ASSIGN(const std::unique_ptr<File> file, files.open(path, OpenMode::kRead));
  BRAID_ASSIGN(const std::uint64_t size, file->size());
  if (size > size_bytes_max) {
    return Error(ErrorCode::resource_limit,
                 fmt::format("{} has {} bytes, at most {} are read", path, size, size_bytes_max))
        .with("file", std::string(path))
        .with("size_bytes", size)
        .with("size_bytes_max", size_bytes_max);
  }
  return read_exactly(*file, path, 0, static_cast<std::size_t>(size));
}

Status replace_file(FileSystem& files, std::string_view path, std::string_view bytes) {
  const std::string staged = std::string(path) + ".new";
  Status done = write_new_file(files, staged, bytes);
  if (done) done = files.rename(staged, path);
  if (!done) {
    // The first failure is the news; what cannot be removed is replaced by the next call.
    static_cast<void>(files.remove(staged));
    return done;
  }
  return files.sync_directory(parent_of(path));  // the bytes were durable before their name (E1)
}

Result<std::string> read_exactly(const File& file, std::string_view path, std::uint64_t offset,
                                 std::size_t size) {
  std::string out(size, '\0');
  BRAID_ASSIGN(const std::size_t got, file.read_at(offset, out.data(), size));
  if (got == size) return out;
  return Error(ErrorCode::corrupt, fmt::format("{} ends at byte {}; {} bytes expected at {}", path,
                                               offset + got, size, offset))
      .with("file", std::string(path))
      .with("offset", offset);
}

Status refuse_link(FileSystem& files, std::string_view path) {
  const auto parent = files.canonical(parent_of(path));
  const auto resolved = files.canonical(path);
  if (!parent || !resolved) return Unit{};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (*resolved == join(*parent, name)) return Unit{};
  return Error(ErrorCode::bad_request, "a directory of the graph is a link; remove it")
      .with("path", std::string(path))
      .with("target", *resolved);
}

std::string join(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (path.empty() || path.back() != '/') path += '/';
  return path.append(name);
}

std::string parent_of(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  path = path.substr(0, slash);
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path.empty() ? "/" : std::string(path);
}

}  // namespace braid::env
