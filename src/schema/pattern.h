// SPDX-License-Identifier: Apache-2.0
// A compiled regular expression of RE2 syntax (https://github.com/google/re2/wiki/Syntax): time
// linear in the text, whatever the pattern.
// Layer: schema.
// Threads: immutable; any thread may match; copies share the compiled form.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "braid/result.h"

namespace braid::schema {

class Pattern {
 public:
  /// Errors: type_error, with RE2's own words, when the pattern does not compile.
  static Result<Pattern> compile(std::string_view pattern);

  /// Whether the pattern is found anywhere in `text`; write ^…$ to match all of it.
  bool matches(std::string_view text) const;
  const std::string& text() const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace braid::schema
