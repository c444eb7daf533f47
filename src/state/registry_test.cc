// SPDX-License-Identifier: Apache-2.0
#include "state/registry.h"

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "env/env.h"

namespace braid::state {
namespace {

struct Entry {
  std::uint32_t number;
  std::string name;
  std::uint32_t since;
  std::string text;
};

#define BRAID_TEST_ENTRY(number, name, since, text) Entry{number, #name, since, text},
const std::vector<Entry> kRecordTypes = {BRAID_RECORD_TYPES(BRAID_TEST_ENTRY)};
const std::vector<Entry> kSectionTags = {BRAID_SECTION_TAGS(BRAID_TEST_ENTRY)};
const std::vector<Entry> kKeyFamilies = {BRAID_KEY_FAMILIES(BRAID_TEST_ENTRY)};
#undef BRAID_TEST_ENTRY

// The part of docs/formats/state.md under a heading; nothing, and a failure, if it is not there.
std::string documented(const std::string& heading) {
  const char* const source = std::getenv("BRAID_SOURCE_DIR");
  if (source == nullptr) {
    ADD_FAILURE() << "set BRAID_SOURCE_DIR to the source tree (ctest does)";
    return {};
  }
  const std::string path = env::join(source, "docs/formats/state.md");
  const auto text = env::read_file(env::real_env().files, path, 1 << 20);
  if (!text) {
    ADD_FAILURE() << to_string(text.error());
    return {};
  }
  const std::size_t begin = text->find("\n## " + heading + "\n");
  if (begin == std::string::npos) {
    ADD_FAILURE() << path << " has no heading " << heading;
    return {};
  }
  return text->substr(begin, text->find("\n## ", begin + 1) - begin);
}

std::size_t rows_in(const std::string& section) {
  std::size_t rows = 0;
  for (std::size_t at = section.find("\n| "); at != std::string::npos;
       at = section.find("\n| ", at + 1)) {
    ++rows;
  }
  return rows == 0 ? 0 : rows - 1;  // the first is the head of the table
}

// S9
TEST(Registry, RecordTypesAreExactlyTheDocumentedOnes) {
  const std::string section = documented("Record types");
  EXPECT_EQ(rows_in(section), kRecordTypes.size());
  for (const Entry& entry : kRecordTypes) {
    const std::string row = "| " + std::to_string(entry.number) + " | `" + entry.name + "` | " +
                            std::to_string(entry.since) + " | " + entry.text + " |";
    EXPECT_NE(section.find(row), std::string::npos) << row;
  }
}

// S9
TEST(Registry, SectionTagsAreExactlyTheDocumentedOnes) {
  const std::string section = documented("Section tags");
  EXPECT_EQ(rows_in(section), kSectionTags.size());
  for (const Entry& entry : kSectionTags) {
    const std::string row = "| " + std::to_string(entry.number) + " | `" + entry.name + "` | " +
                            std::to_string(entry.since) + " | " + entry.text + " |";
    EXPECT_NE(section.find(row), std::string::npos) << row;
  }
}

// S9
TEST(Registry, KeyFamiliesAreExactlyTheDocumentedOnes) {
  const std::string section = documented("Key families");
  EXPECT_EQ(rows_in(section), kKeyFamilies.size());
  for (const Entry& entry : kKeyFamilies) {
    const std::string row = std::string("| `") + static_cast<char>(entry.number) + "` ";
    const std::size_t at = section.find(row);
    ASSERT_NE(at, std::string::npos) << row;
    const std::string line = section.substr(at, section.find('\n', at) - at);
    EXPECT_NE(line.find("| `" + entry.name + "` | " + std::to_string(entry.since) + " |"),
              std::string::npos)
        << line;
  }
}

// S9: the numbers are stored for ever; this list is written by hand.
TEST(Registry, NumbersNeverMove) {
  EXPECT_EQ(number_of(RecordType::graph_created), 1);
  EXPECT_EQ(number_of(RecordType::commit), 2);
  EXPECT_EQ(number_of(RecordType::receipt_only), 3);
  EXPECT_EQ(number_of(RecordType::branch_changed), 4);
  EXPECT_EQ(number_of(RecordType::checkpoint), 5);
  EXPECT_EQ(number_of(RecordType::staged_commit), 6);
  EXPECT_EQ(number_of(SectionTag::batch), 1);
  EXPECT_EQ(number_of(SectionTag::changes), 2);
  EXPECT_EQ(number_of(SectionTag::bound), 3);
  EXPECT_EQ(number_of(SectionTag::receipt), 4);
  EXPECT_EQ(number_of(SectionTag::outbox), 5);
  EXPECT_EQ(number_of(SectionTag::schema), 6);
  EXPECT_EQ(number_of(SectionTag::pins), 7);
}

// S9
TEST(Registry, NamesAreUnique) {
  for (const auto* list : {&kRecordTypes, &kSectionTags, &kKeyFamilies}) {
    std::set<std::string> names;
    for (const Entry& entry : *list) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  }
}

TEST(Registry, UnknownNumberHasNoMeaning) {
  EXPECT_EQ(record_type_of(0), std::nullopt);
  EXPECT_EQ(record_type_of(7), std::nullopt);
  EXPECT_EQ(section_tag_of(0), std::nullopt);
  EXPECT_EQ(section_tag_of(8), std::nullopt);
  EXPECT_EQ(key_family_of('z'), std::nullopt);
  EXPECT_EQ(record_type_name(7), "");
  EXPECT_EQ(record_type_of(2), RecordType::commit);
  EXPECT_EQ(record_type_name(2), "commit");
  EXPECT_EQ(section_tag_name(6), "schema");
  EXPECT_EQ(key_family_name('r'), "row");
}

}  // namespace
}  // namespace braid::state
