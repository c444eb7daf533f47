// SPDX-License-Identifier: Apache-2.0
// Error numbers of the system as Errors: the same code, details and text from all file systems.
// Threads: any.
#pragma once

#include <string_view>

#include "braid/error.h"

namespace braid::env {

/// ENOENT, ENOTDIR: `not_found`; EEXIST, ENOTEMPTY: `already_exists`; EACCES, EPERM: `permission`;
/// ENOSPC, EDQUOT, EFBIG: `no_space`; EROFS: `read_only`; EISDIR, ENAMETOOLONG, ELOOP:
/// `bad_request`; EMFILE, ENFILE, ENOMEM: `resource_limit`; others: `io_error`.
ErrorCode code_of_system_error(int error_number);

/// Details `file`, `operation` and `errno`; the text says what the system says.
Error system_error(int error_number, std::string_view operation, std::string_view path);

/// `locked` with detail `holder`.
Error locked_error(std::string_view path, std::string_view holder);

}  // namespace braid::env
