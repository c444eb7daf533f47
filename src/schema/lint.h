// SPDX-License-Identifier: Apache-2.0
// What is allowed in a schema and still deserves a look.
// Layer: schema.
// Threads: pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "schema/schema.h"

namespace braid::schema {

enum class Severity : std::uint8_t { error, warning };

/// "error", "warning".
std::string_view name_of(Severity severity);

/// One remark. The codes are closed: L203 unknown annotation.
struct Finding {
  Severity severity = Severity::warning;
  std::string code;
  std::string message;
  SourceSpan span;
  /// The interface, node type or edge type.
  std::string type;
  /// Empty when the remark is about the type.
  std::string property;
};

/// In the order of the text. What an interface gives is reported once, at the interface.
std::vector<Finding> lint(const Schema& schema);

}  // namespace braid::schema
