// SPDX-License-Identifier: Apache-2.0
// Any text is a list of queries, each a lookup or refused with a reason, or it is one Error. Every
// place lies inside the text, on the line and column that its byte has, and reading is repeatable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "lang/gq/check.h"
#include "lang/gq/parser.h"
#include "schema/catalog.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void require_place(const braid::Error& error, std::string_view text) {
  require(error.span().has_value());
  const braid::SourceSpan span = *error.span();
  require(span.byte <= text.size());
  require(span.length <= text.size() - span.byte);
  const std::string_view before = text.substr(0, span.byte);
  std::uint32_t line = 1;
  std::uint32_t column = before.starts_with("\xEF\xBB\xBF") ? 0 : 1;
  for (const char c : before) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++column;
    }
  }
  require(span.line == line && span.column == column);
}

const braid::schema::Schema& schema_of_corpus() {
  static const auto catalog = braid::schema::make_catalog(
      "node Person { slug: String @key age: I32? kind: enum(a, b)? born: Date? photo: Blob? }\n"
      "node Pair { left: String right: I64 @key(left, right) }\nnode Note { text: String }\n");
  return catalog->schema();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = braid::gq::parse(text);
  if (!document) {
    if (document.error().code() == braid::ErrorCode::resource_limit) return 0;
    require(document.error().code() == braid::ErrorCode::parse_error);
    require_place(document.error(), text);
    return 0;
  }
  for (const braid::gq::Query& query : document->queries) {
    const auto checked = braid::gq::check(query, schema_of_corpus());
    if (checked) {
      require(!checked->columns.empty());
      require(std::holds_alternative<braid::gq::Lookup>(query.body));
    } else {
      require_place(checked.error(), text);
    }
  }
  return 0;
}
