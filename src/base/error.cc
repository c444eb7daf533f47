// SPDX-License-Identifier: Apache-2.0
#include "braid/error.h"

#include <cstdio>
#include <cstdlib>

#include "braid/result.h"

namespace braid {

ErrorKind kind_of(ErrorCode code) {
  switch (code) {
#define BRAID_ERROR_KIND(name, kind, http) \
  case ErrorCode::name: return ErrorKind::kind;
    BRAID_ERROR_CODES(BRAID_ERROR_KIND)
#undef BRAID_ERROR_KIND
  }
  return ErrorKind::kCorrupt;
}

std::string_view name_of(ErrorCode code) {
  switch (code) {
#define BRAID_ERROR_NAME(name, kind, http) \
  case ErrorCode::name: return #name;
    BRAID_ERROR_CODES(BRAID_ERROR_NAME)
#undef BRAID_ERROR_NAME
  }
  return "internal";
}

int http_status_of(ErrorCode code) {
  switch (code) {
#define BRAID_ERROR_HTTP(name, kind, http) \
  case ErrorCode::name: return http;
    BRAID_ERROR_CODES(BRAID_ERROR_HTTP)
#undef BRAID_ERROR_HTTP
  }
  return 500;
}

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid: return "invalid";
    case ErrorKind::kDenied: return "denied";
    case ErrorKind::kNotFound: return "not_found";
    case ErrorKind::kConflict: return "conflict";
    case ErrorKind::kFenced: return "fenced";
    case ErrorKind::kUnavailable: return "unavailable";
    case ErrorKind::kExhausted: return "exhausted";
    case ErrorKind::kGone: return "gone";
    case ErrorKind::kCorrupt: return "corrupt";
  }
  return "corrupt";
}

int exit_status_of(ErrorCode code) {
  switch (kind_of(code)) {
    case ErrorKind::kInvalid:
    case ErrorKind::kDenied: return 1;
    case ErrorKind::kNotFound:
    case ErrorKind::kGone: return 3;
    case ErrorKind::kConflict:
    case ErrorKind::kFenced: return 4;
    case ErrorKind::kUnavailable:
    case ErrorKind::kExhausted: return 5;
    case ErrorKind::kCorrupt: return 6;
  }
  return 6;
}

Error::Error(ErrorCode code, std::string message)
    : body_(std::make_shared<const Body>(Body{code, std::move(message), {}, std::nullopt})) {}

const std::string* Error::detail(std::string_view name) const {
  for (const Detail& detail : body_->details) {
    if (detail.first == name) return &detail.second;
  }
  return nullptr;
}

Error Error::with(std::string name, std::string value) const {
  Body body = *body_;
  body.details.emplace_back(std::move(name), std::move(value));
  return Error(std::make_shared<const Body>(std::move(body)));
}

Error Error::with(std::string name, std::uint64_t value) const {
  return with(std::move(name), std::to_string(value));
}

Error Error::at(SourceSpan span) const {
  Body body = *body_;
  body.span = span;
  return Error(std::make_shared<const Body>(std::move(body)));
}

Error Error::prefixed(std::string_view context) const {
  Body body = *body_;
  body.message = std::string(context) + ": " + body.message;
  return Error(std::make_shared<const Body>(std::move(body)));
}

std::string to_string(const Error& error) {
  std::string text(name_of(error.code()));
  text += ": " + error.message();
  const char* separator = " {";
  for (const auto& [name, value] : error.details()) {
    text += separator + name + "=" + value;
    separator = ", ";
  }
  if (!error.details().empty()) text += "}";
  return text;
}

namespace detail {
void result_misused(const char* what, const Error* error) {
  const std::string cause = error == nullptr ? "" : to_string(*error);
  std::fprintf(stderr, "braid: bug: %s %s\n", what, cause.c_str());
  std::abort();
}
}  // namespace detail

}  // namespace braid
