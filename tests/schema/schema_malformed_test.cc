// SPDX-License-Identifier: Apache-2.0
// Every malformed schema of malformed/cases.txt is refused with the code and at the place that a
// person wrote beside it.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "schema/parser.h"
#include "schema/schema.h"

namespace braid::schema {
namespace {

struct Case {
  std::string title;
  std::string code;
  std::string place;
  std::string source;
};

std::string with_bytes(std::string_view text) {
  constexpr std::string_view kOpen = "«";
  constexpr std::string_view kClose = "»";
  std::string out;
  while (!text.empty()) {
    if (text.starts_with(kOpen) && text.substr(kOpen.size() + 2).starts_with(kClose)) {
      const std::string digits(text.substr(kOpen.size(), 2));
      out += static_cast<char>(std::stoi(digits, nullptr, 16));
      text.remove_prefix(kOpen.size() + 2 + kClose.size());
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::vector<Case> read_cases() {
  const char* root = std::getenv("BRAID_SOURCE_DIR");
  std::ifstream file(std::string(root == nullptr ? "." : root) +
                     "/tests/schema/malformed/cases.txt");
  std::vector<Case> cases;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("@@ ")) {
      std::istringstream head(line.substr(3));
      Case& one = cases.emplace_back();
      head >> one.code >> one.place >> std::ws;
      std::getline(head, one.title);
    } else if (!cases.empty()) {
      cases.back().source += line + "\n";
    }
  }
  for (Case& one : cases) {
    while (one.source.ends_with("\n")) one.source.pop_back();
    one.source = with_bytes(one.source);
  }
  return cases;
}

Status parse_and_resolve(std::string_view source) {
  BRAID_ASSIGN(Document document, parse(source));
  BRAID_TRY(resolve(std::move(document)));
  return Unit{};
}

TEST(MalformedSchema, IsRefusedWithItsCodeAtItsPlace) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GE(cases.size(), 100U);

  for (const Case& one : cases) {
    const Status status = parse_and_resolve(one.source);

    ASSERT_FALSE(status) << one.title;
    const Error& error = status.error();
    EXPECT_EQ(name_of(error.code()), one.code) << one.title << ": " << error.message();
    ASSERT_TRUE(error.span().has_value()) << one.title;
    EXPECT_EQ(std::to_string(error.span()->line) + ":" + std::to_string(error.span()->column),
              one.place)
        << one.title << ": " << error.message();
    EXPECT_LE(error.span()->byte + error.span()->length, one.source.size()) << one.title;
    EXPECT_FALSE(error.message().empty()) << one.title;
  }
}

}  // namespace
}  // namespace braid::schema
