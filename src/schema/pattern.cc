// SPDX-License-Identifier: Apache-2.0
#include "schema/pattern.h"

#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

namespace braid::schema {
namespace {

RE2::Options options() {
  RE2::Options out;
  out.set_log_errors(false);
  return out;
}

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(std::string_view pattern)
      : expression(re2::StringPiece(pattern.data(), pattern.size()), options()) {}
  RE2 expression;
};

Result<Pattern> Pattern::compile(std::string_view pattern) {
  auto compiled = std::make_shared<const Compiled>(pattern);
  if (!compiled->expression.ok()) {
    return Error(ErrorCode::type_error, fmt::format("not a regular expression that RE2 accepts: {}",
                                                    compiled->expression.error()));
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->expression);
}

const std::string& Pattern::text() const { return compiled_->expression.pattern(); }

}  // namespace braid::schema
