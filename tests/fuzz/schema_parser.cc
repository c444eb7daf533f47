// SPDX-License-Identifier: Apache-2.0
// Any bytes as a schema: refused with a place inside of them, or printed, parsed and stored
// without loss.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "schema/catalog.h"
#include "schema/lint.h"
#include "schema/parser.h"
#include "schema/printer.h"
#include "schema/schema.h"

namespace braid::schema {
namespace {

void check_error(const Error& error, std::string_view source) {
  BRAID_ASSERT(error.kind() == ErrorKind::kInvalid || error.code() == ErrorCode::resource_limit);
  BRAID_ASSERT(!error.span() || error.span()->byte + error.span()->length <= source.size());
}

void check_catalog(Schema schema) {
  const Result<Catalog> catalog = assign_identities(std::move(schema));
  if (!catalog) return;  // the canonical text is over the limit
  const std::string bytes = encode(*catalog);
  const Result<Catalog> decoded = decode_catalog(bytes);
  BRAID_ASSERT(decoded.ok());
  BRAID_ASSERT(decoded->ids() == catalog->ids());  // P5
  BRAID_ASSERT(encode(*decoded) == bytes);         // P5
}

}  // namespace

/// What the harness does with one input.
void check_source_text(std::string_view source) {
  Result<Document> document = parse(source);
  if (!document) {
    BRAID_ASSERT(document.error().span().has_value());
    check_error(document.error(), source);
    return;
  }

  const std::string printed = print(*document);
  const Result<Document> again = parse(printed);
  BRAID_ASSERT(again.ok());
  BRAID_ASSERT(*again == *document);       // P1
  BRAID_ASSERT(print(*again) == printed);  // P1

  Result<Schema> schema = resolve(*std::move(document));
  if (!schema) {
    check_error(schema.error(), source);
    return;
  }
  for (const Finding& finding : lint(*schema)) {
    BRAID_ASSERT(finding.span.byte + finding.span.length <= source.size());
  }
  check_catalog(*std::move(schema));
}

}  // namespace braid::schema

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::schema::check_source_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
