// SPDX-License-Identifier: Apache-2.0
#include "load/text_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/manual.h"
#include "env/real.h"
#include "load/load_fixture.h"

namespace braid::load {
namespace {

constexpr RowLimit kManyRows{1'000'000, 0};

/// Each row and its place, or the error: as one reader sees the whole text.
std::string as_one_reader(std::string_view text) {
  JsonlReader reader(test_schema(), source_of(text), {.file = "f"});
  std::string out;
  LoadRow row;
  for (;;) {
    const auto more = reader.next(row);
    if (!more) return to_string(more.error());
    if (!*more) return out;
    out += fmt::format("{}:{} {} {} {} {} {}\n", row.line, row.byte, row.type().name,
                       row.type().is_keyed() ? "" : row.id.value_or(""), row.from, row.to,
                       row.assigned.size());
  }
}

std::string in_segments(const std::vector<std::string>& segments, const env::Crew& crew) {
  const auto blocks = read_rows(test_schema(), {"f", segments}, kManyRows, crew);
  if (!blocks) return to_string(blocks.error());
  std::string out;
  for (const RowBlock& block : *blocks) {
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      table::RowWrite row;
      block.rows.read(i, row);
      const RowPlace place = block.place_of(i);
      out += fmt::format("{}:{} {} {} {} {} {}\n", place.line, place.byte, row.type->name,
                         row.id.value_or(""), row.src, row.dst, row.assigned.size());
    }
  }
  return out;
}

/// Cut behind some of its lines.
std::vector<std::string> cut(std::string_view text, env::SeededRandom& random) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t size = 0;
    do {
      const std::size_t end = text.find('\n', size);
      size = end == std::string_view::npos ? text.size() : end + 1;
    } while (size < text.size() && random.u64() % 3 != 0);
    out.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

std::string random_text(env::SeededRandom& random) {
  const std::vector<std::string> pieces = {
      "{\"type\":\"Person\",\"data\":{\"name\":\"p\"}}\n",
      "{\"type\":\"Loose\"}\r\n",
      "\n",
      "  \r\n",
      "{\"edge\":\"Knows\",\"from\":\"p\",\"to\":\"q\",\"data\":{\"id\":\"k\"}}\n",
      "{\"type\":\"Thing\",\n \"data\":\n  {\"text\":\"{\",\n\"i32s\":[1,\n2]}\n}\n",
      "{\"type\":\"Thing\"} {\"type\":\"Loose\"}\n",
  };
  const std::vector<std::string> faults = {"{\"type\":\"Nobody\"}\n",
                                           "}\n",
                                           "{\"type\":\"Person\",\n",
                                           "\xFF\n",
                                           "\xEF\xBB\xBF\n",
                                           "[1]\n",
                                           "{\"type\":\"Strict\",\"data\":{\"must\":\n3}}\n"};
  std::string text = random.u64() % 4 == 0 ? "\xEF\xBB\xBF" : "";
  const std::uint64_t count = random.u64() % 20;
  for (std::uint64_t i = 0; i < count; ++i) {
    text += pieces[random.u64() % pieces.size()];
    if (random.u64() % 25 == 0) text += faults[random.u64() % faults.size()];
  }
  if (random.u64() % 3 == 0 && text.ends_with('\n')) text.pop_back();
  return text;
}

// J7
TEST(TextRows, AreThoseOfOneReaderWhateverTheSegmentsAndTheThreads) {
  env::SeededRandom random(7);
  const env::Crew crew(env::thread_workers(), 3);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    const std::string text = random_text(random);
    const std::string expected = as_one_reader(text);
    const std::vector<std::string> segments = cut(text, random);
    ASSERT_EQ(in_segments(segments, env::Crew()), expected) << text;
    if (i % 10 == 0) {
      ASSERT_EQ(in_segments(segments, crew), expected) << text;
    }
    if (expected.find(" Thing ") == std::string::npos) ++refused;
  }
  EXPECT_GT(refused, 50);
}

// J7
TEST(TextRows, OfManySegmentsTheFirstFaultIsTold) {
  std::vector<std::string> segments(200, "{\"type\":\"Person\",\"data\":{\"name\":\"p\"}}\n");
  segments[170] = "{\"type\":\"Person\",\"data\":{\"name\":1}}\n";
  segments[30] = "{\"type\":\"Person\",\"data\":{\"name\":22}}\n";
  const auto rows =
      read_rows(test_schema(), {"f", segments}, kManyRows, env::Crew(env::thread_workers(), 3));

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(*rows.error().detail("line"), "31");
  EXPECT_EQ(*rows.error().detail("value"), "22");
}

TEST(TextRows, MoreThanTheLimitAreRefusedAtTheFirstTooMany) {
  const std::vector<std::string> segments(5, "{\"type\":\"Loose\"}\n{\"type\":\"Loose\"}\n");
  EXPECT_TRUE(read_rows(test_schema(), {"f", segments}, {15, 5}, env::Crew()).ok());
  const auto rows = read_rows(test_schema(), {"f", segments}, {12, 5}, env::Crew());

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::resource_limit);
  EXPECT_EQ(*rows.error().detail("line"), "8");
  EXPECT_EQ(*rows.error().detail("limit"), "12");
}

TEST(TextRows, OfNoTextThereAreNone) {
  const auto rows = read_rows(test_schema(), {"f", {}}, kManyRows, env::Crew());
  ASSERT_TRUE(rows.ok());
  EXPECT_TRUE(rows->empty());
}

}  // namespace
}  // namespace braid::load
