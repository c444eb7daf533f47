// SPDX-License-Identifier: Apache-2.0
#include "env/system_error.h"

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace braid::env {

ErrorCode code_of_system_error(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR: return ErrorCode::not_found;
    case EEXIST:
    case ENOTEMPTY:  // POSIX lets rmdir and rename answer either
      return ErrorCode::already_exists;
    case EACCES:
    case EPERM: return ErrorCode::permission;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return ErrorCode::no_space;
    case EROFS: return ErrorCode::read_only;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP: return ErrorCode::bad_request;
    case EMFILE:
    case ENFILE:
    case ENOMEM: return ErrorCode::resource_limit;
    default: return ErrorCode::io_error;
  }
}

Error system_error(int error_number, std::string_view operation, std::string_view path) {
  // Not strerror, which is not thread-safe everywhere.
  const std::string text =
      error_number == EISDIR ? "is a directory" : std::generic_category().message(error_number);
  return Error(code_of_system_error(error_number), fmt::format("{} {}: {}", operation, path, text))
      .with("file", std::string(path))
      .with("operation", std::string(operation))
      .with("errno", static_cast<std::uint64_t>(error_number));
}

Error locked_error(std::string_view path, std::string_view holder) {
  return Error(ErrorCode::locked, fmt::format("{} is locked by {}", path,
                                              holder.empty() ? "an unknown holder" : holder))
      .with("file", std::string(path))
      .with("operation", std::string("lock"))
      .with("holder", std::string(holder));
}

}  // namespace braid::env
