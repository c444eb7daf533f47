// SPDX-License-Identifier: Apache-2.0
// Paths in a tree of nodes, for the file systems that live in memory. A Node type has
// `bool is_directory` and `std::map<std::string, std::shared_ptr<Node>, std::less<>> names`.
// Relative paths start at the root too; there are no links, so ".." is resolved in the text.
// Threads: the caller holds the lock of its tree.
#pragma once

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/result.h"
#include "env/system_error.h"

namespace braid::env {

/// The names from the root to the path's end.
std::vector<std::string> names_of(std::string_view path);
/// '/' + the names of the path joined by '/'.
std::string normal_path(std::string_view path);

/// A name in a directory; the name may not exist there. The root has an empty name.
template <class Node>
struct Place {
  std::shared_ptr<Node> directory;
  std::string name;

  /// Null if there is none.
  std::shared_ptr<Node> node() const {
    if (name.empty()) return directory;
    const auto found = directory->names.find(name);
    return found == directory->names.end() ? nullptr : found->second;
  }
};

/// Zero, or why the names do not lead to a place: ENOENT, ENOTDIR.
template <class Node>
std::pair<Place<Node>, int> find_place(const std::shared_ptr<Node>& root, std::string_view path) {
  if (path.empty()) return {{}, ENOENT};
  Place<Node> place{root, ""};
  for (std::string& name : names_of(path)) {
    std::shared_ptr<Node> directory = place.node();
    if (directory == nullptr) return {{}, ENOENT};
    if (!directory->is_directory) return {{}, ENOTDIR};
    place = {std::move(directory), std::move(name)};
  }
  return {std::move(place), 0};
}

template <class Node>
Result<Place<Node>> place_of(const std::shared_ptr<Node>& root, std::string_view operation,
                             std::string_view path) {
  auto [place, error_number] = find_place(root, path);
  if (error_number != 0) return system_error(error_number, operation, path);
  return std::move(place);
}

template <class Node>
Result<std::shared_ptr<Node>> node_of(const std::shared_ptr<Node>& root, std::string_view operation,
                                      std::string_view path) {
  BRAID_ASSIGN(const Place<Node> place, place_of(root, operation, path));
  std::shared_ptr<Node> node = place.node();
  if (node == nullptr) return system_error(ENOENT, operation, path);
  return node;
}

/// As node_of, for a directory.
template <class Node>
Result<std::shared_ptr<Node>> directory_of(const std::shared_ptr<Node>& root,
                                           std::string_view operation, std::string_view path) {
  BRAID_ASSIGN(std::shared_ptr<Node> node, node_of(root, operation, path));
  if (!node->is_directory) return system_error(ENOTDIR, operation, path);
  return node;
}

/// Whether `path` leads to `directory` or through it.
bool is_within(std::string_view path, std::string_view directory);

/// Zero, or what rename(2) would say to moving one place over the other.
template <class Node>
int rename_error(const Place<Node>& from, const Place<Node>& to, std::string_view from_path,
                 std::string_view to_path) {
  const std::shared_ptr<Node> moved = from.node();
  const std::shared_ptr<Node> replaced = to.node();
  if (moved == nullptr) return ENOENT;
  if (from.name.empty() || to.name.empty()) return EBUSY;  // the root
  if (moved == replaced) return 0;
  if (moved->is_directory && is_within(to_path, from_path)) return EINVAL;
  if (replaced == nullptr) return 0;
  if (moved->is_directory && !replaced->is_directory) return ENOTDIR;
  if (!moved->is_directory && replaced->is_directory) return EISDIR;
  return replaced->names.empty() ? 0 : ENOTEMPTY;
}

/// The names of a directory, sorted.
template <class Node>
std::vector<std::string> sorted_names(const Node& directory) {
  std::vector<std::string> names;
  names.reserve(directory.names.size());
  for (const auto& [name, node] : directory.names) names.push_back(name);
  return names;
}

}  // namespace braid::env
