// SPDX-License-Identifier: Apache-2.0
#include "env/name_tree.h"

#include <algorithm>

namespace braid::env {

std::vector<std::string> names_of(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name == "..") {
      if (!names.empty()) names.pop_back();
    } else if (!name.empty() && name != ".") {
      names.emplace_back(name);
    }
  }
  return names;
}

std::string normal_path(std::string_view path) {
  std::string out;
  for (const std::string& name : names_of(path)) out.append("/").append(name);
  return out.empty() ? "/" : out;
}

bool is_within(std::string_view path, std::string_view directory) {
  const std::vector<std::string> outer = names_of(directory);
  const std::vector<std::string> inner = names_of(path);
  return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

}  // namespace braid::env
