// SPDX-License-Identifier: Apache-2.0
#include "cli/json_parameters.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "load/json_text.h"

namespace braid::cli {
namespace {

using load::JsonCursor;
using load::JsonToken;
using Step = JsonCursor::Step;

SourceSpan span_at(std::string_view text, std::size_t byte, std::size_t length) {
  SourceSpan span;
  while (span.byte < byte) {
    const std::size_t size = base::decode_utf8(text.substr(span.byte)).size;
    if (text[span.byte] == '\n') {
      ++span.line;
      span.column = 1;
    } else {
      ++span.column;
    }
    span.byte += std::max<std::size_t>(size, 1);
  }
  span.length = length;
  return span;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), cursor_(text) {}

  Result<Parameters> run();

 private:
  Error fault() const {
    return Error(ErrorCode::parse_error, cursor_.fault().what)
        .at(span_at(text_, cursor_.fault().at, 1));
  }
  Error error_at(const JsonToken& token, ErrorCode code, std::string message) const {
    return Error(code, std::move(message)).at(span_at(text_, token.begin, token.end - token.begin));
  }
  Status check_utf8() const;
  Result<Value> value();
  Result<Value> list();
  Result<Value> scalar(const JsonToken& token) const;
  Result<Value> number(const JsonToken& token) const;

  std::string_view text_;
  JsonCursor cursor_;
};

Status Reader::check_utf8() const {
  const std::size_t end = base::utf8_end(text_);
  if (end == text_.size()) return Unit{};
  return Error(ErrorCode::parse_error, "the parameters are not UTF-8").at(span_at(text_, end, 1));
}

Result<Parameters> Reader::run() {
  Parameters out;
  BRAID_TRY(check_utf8());
  if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos) return out;
  JsonToken token;
  if (!cursor_.value(token)) return fault();
  if (token.kind == JsonToken::Kind::object) {
    bool first = true;
    JsonToken name;
    for (;;) {
      const Step step = cursor_.member(first, name);
      if (step == Step::fault) return fault();
      if (step == Step::end) break;
      first = false;
      std::string key = cursor_.string(name);
      BRAID_ASSIGN(Value held, value());
      if (!out.emplace(key, std::move(held)).second) {
        return error_at(name, ErrorCode::parse_error,
                        fmt::format("the parameter {} stands twice", key));
      }
    }
  } else if (token.kind != JsonToken::Kind::null) {
    return error_at(token, ErrorCode::parse_error,
                    "parameters are a JSON object: {\"name\": value, …}");
  }
  const std::size_t rest = text_.find_first_not_of(" \t\r\n", cursor_.position());
  if (rest != std::string_view::npos) {
    return Error(ErrorCode::parse_error, "expected the end of the parameters")
        .at(span_at(text_, rest, 1));
  }
  return out;
}

Result<Value> Reader::value() {
  JsonToken token;
  if (!cursor_.value(token)) return fault();
  if (token.kind == JsonToken::Kind::array) return list();
  return scalar(token);
}

Result<Value> Reader::list() {
  Value::List out;
  for (;;) {
    const Step step = cursor_.element(out.empty());
    if (step == Step::fault) return fault();
    if (step == Step::end) return Value(std::move(out));
    JsonToken token;
    if (!cursor_.value(token)) return fault();
    BRAID_ASSIGN(out.emplace_back(), scalar(token));
  }
}

Result<Value> Reader::scalar(const JsonToken& token) const {
  switch (token.kind) {
    case JsonToken::Kind::null: return Value();
    case JsonToken::Kind::boolean: return Value(cursor_.raw(token) == "true");
    case JsonToken::Kind::string: return Value(cursor_.string(token));
    case JsonToken::Kind::number: return number(token);
    case JsonToken::Kind::object:
    case JsonToken::Kind::array: break;
  }
  return error_at(token, ErrorCode::unsupported,
                  "a parameter is a string, number, true, false, null or an array of these");
}

Result<Value> Reader::number(const JsonToken& token) const {
  const std::string_view text = cursor_.raw(token);
  const char* const end = text.data() + text.size();
  if (!token.fractional) {
    std::int64_t integer = 0;
    if (std::from_chars(text.data(), end, integer).ec == std::errc{}) return Value(integer);
    std::uint64_t large = 0;
    if (text.front() != '-' && std::from_chars(text.data(), end, large).ec == std::errc{}) {
      return Value(large);
    }
  }
  double real = 0;
  if (std::from_chars(text.data(), end, real).ec == std::errc{}) return Value(real);
  return error_at(token, ErrorCode::parse_error, "this number is out of range");
}

}  // namespace

Result<Parameters> parse_parameters(std::string_view json) { return Reader(json).run(); }

}  // namespace braid::cli
