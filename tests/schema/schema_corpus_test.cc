// SPDX-License-Identifier: Apache-2.0
// Schemas that people use: they parse, keep their meaning when printed, and lint without remarks.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "schema/catalog.h"
#include "schema/lint.h"
#include "schema/parser.h"
#include "schema/printer.h"

namespace braid::schema {
namespace {

std::filesystem::path data_folder() {
  const char* root = std::getenv("BRAID_SOURCE_DIR");
  return std::filesystem::path(root == nullptr ? "." : root) / ".." / "shared" / "data";
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Counts {
  std::size_t nodes;
  std::size_t edges;
};

/// `counts`: declarations, counted in the source with grep.
void expect_good(const std::string& source, Counts counts) {
  const Result<Document> document = parse(source);
  ASSERT_TRUE(document) << to_string(document.error());
  const std::string printed = print(*document);
  const Result<Document> again = parse(printed);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(*again, *document);
  EXPECT_EQ(print(*again), printed);

  const Result<Catalog> catalog = make_catalog(source);
  ASSERT_TRUE(catalog) << to_string(catalog.error());
  EXPECT_EQ(catalog->schema().node_types().size(), counts.nodes);
  EXPECT_EQ(catalog->schema().edge_types().size(), counts.edges);
  EXPECT_TRUE(lint(catalog->schema()).empty());
  const Result<Catalog> decoded = decode_catalog(encode(*catalog));
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  EXPECT_EQ(decoded->ids(), catalog->ids());
}

TEST(SchemaCorpus, SecondBrainIsUnderstood) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "no shared data beside the source";
  expect_good(content_of(data_folder() / "second-brain" / "schema.pg"), {13, 43});
}

TEST(SchemaCorpus, IndustryIntelIsUnderstood) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "no shared data beside the source";
  expect_good(content_of(data_folder() / "industry-intel" / "schema.pg"), {10, 23});
}

TEST(SchemaCorpus, DebianPackagesIsUnderstood) {
  if (!std::filesystem::exists(data_folder())) GTEST_SKIP() << "no shared data beside the source";
  const std::string script = content_of(data_folder() / "debian-packages" / "make.py");
  const std::string opening = "SCHEMA = \"\"\"\\\n";
  const std::size_t begin = script.find(opening);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t start = begin + opening.size();
  const std::size_t end = script.find("\"\"\"", start);
  ASSERT_NE(end, std::string::npos);

  expect_good(script.substr(start, end - start), {3, 11});
}

}  // namespace
}  // namespace braid::schema
