// SPDX-License-Identifier: Apache-2.0
// Errors for people: the code, the place in the source with a caret, the details, what to do. And
// for programs: one JSON object.
// Layer: cli.
// Threads: pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "braid/error.h"
#include "braid/value.h"

namespace braid::cli {

/// The text that an error's place refers to.
struct Source {
  /// A path, or e.g. "-e".
  std::string name;
  std::string text;
};

/// `--> name:line:column`, the line and a caret under the place; several lines, each ended.
std::string excerpt(const Source& source, const SourceSpan& span);

struct TextOptions {
  bool colours = false;
};

/// `error[code]: message`, the place in `source` if both have one, details, a hint.
std::string error_text(const Error& error, const Source* source, const TextOptions& options = {});

/// `{"code":…,"kind":…,"message":…,"details":{…},"span":{…}|null}`. A detail that stands more than
/// once becomes an array.
Value error_value(const Error& error);
/// The same for a place alone; null without one.
Value span_value(const std::optional<SourceSpan>& span);

/// One line.
std::string json_line(const Value& value, bool safe_integers = false);

}  // namespace braid::cli
