// SPDX-License-Identifier: Apache-2.0
#include "cli/rows.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "cli/string_console.h"
#include "env/env.h"

namespace braid::cli {
namespace {

std::string printed(const QueryResult& result, Format format, bool safe_integers = false) {
  StringConsole console(env::real_env().files);
  EXPECT_TRUE(write_rows(console, result, {format, safe_integers}).ok());
  return console.output;
}

QueryResult people() {
  QueryResult out;
  out.columns = {"p.name", "age", "p.city"};
  out.rows = {{"Ann", std::int32_t{7}, Null{}},
              {"東京 \"x\", y", std::int32_t{123}, ""},
              {"a\nb\x1b[31m", Null{}, "Rome"}};
  return out;
}

TEST(CliRows, ATableAlignsByColumnsOfTheTerminal) {
  EXPECT_EQ(printed(people(), Format::table),
            " p.name         |  age | p.city\n"
            "----------------+------+--------\n"
            " Ann            |    7 | null\n"
            " 東京 \"x\", y    |  123 |\n"
            " a\\nb\\u001b[31m | null | Rome\n");
}

TEST(CliRows, ATableWithoutRowsIsItsHeader) {
  EXPECT_EQ(printed({{"a", "b"}, {}}, Format::table), " a | b\n---+---\n");
}

TEST(CliRows, KvIsALineAValueAndABlankLineBetweenRows) {
  EXPECT_EQ(printed(people(), Format::kv),
            "p.name: Ann\nage: 7\np.city: null\n\n"
            "p.name: 東京 \"x\", y\nage: 123\np.city: \n\n"
            "p.name: a\\nb\\u001b[31m\nage: null\np.city: Rome\n");
}

TEST(CliRows, KvSpreadsAWholeNode) {
  const Value::Object node{{"@id", "tags"}, {"ann", Value::List{"x", "y\n"}}};

  EXPECT_EQ(printed({{"p"}, {{node}}}, Format::kv), "p.@id: ann\np.tags: [\"x\",\"y\\n\"]\n");
}

TEST(CliRows, CsvQuotesWhatNeedsItAndTellsNullFromEmpty) {
  EXPECT_EQ(printed(people(), Format::csv),
            "p.name,age,p.city\r\n"
            "Ann,7,\r\n"
            "\"東京 \"\"x\"\", y\",123,\"\"\r\n"
            "\"a\nb\x1b[31m\",,Rome\r\n");
}

TEST(CliRows, JsonlIsAnObjectALine) {
  EXPECT_EQ(printed(people(), Format::jsonl),
            "{\"p.name\":\"Ann\",\"age\":7,\"p.city\":null}\n"
            "{\"p.name\":\"東京 \\\"x\\\", y\",\"age\":123,\"p.city\":\"\"}\n"
            "{\"p.name\":\"a\\nb\\u001b[31m\",\"age\":null,\"p.city\":\"Rome\"}\n");
}

TEST(CliRows, JsonIsOneObject) {
  EXPECT_EQ(printed({{"a", "b"}, {{true, Date{0}}, {false, DateTime{1}}}}, Format::json),
            "{\"columns\":[\"a\",\"b\"],\"rows\":[{\"a\":true,\"b\":\"1970-01-01\"},"
            "{\"a\":false,\"b\":\"1970-01-01T00:00:00.001Z\"}]}\n");
  EXPECT_EQ(printed({{"a"}, {}}, Format::json), "{\"columns\":[\"a\"],\"rows\":[]}\n");
}

TEST(CliRows, SafeIntegersAreStringsInJsonOnly) {
  const QueryResult result{{"n"}, {{std::uint64_t{9007199254740992}}, {std::int64_t{-5}}}};

  EXPECT_EQ(printed(result, Format::jsonl, true), "{\"n\":\"9007199254740992\"}\n{\"n\":-5}\n");
  EXPECT_EQ(printed(result, Format::jsonl), "{\"n\":9007199254740992}\n{\"n\":-5}\n");
  EXPECT_EQ(printed(result, Format::csv, true), "n\r\n9007199254740992\r\n-5\r\n");
}

TEST(CliRows, EveryKindOfValueHasAText) {
  EXPECT_EQ(cell_text(Value()), "null");
  EXPECT_EQ(cell_text(Value(true)), "true");
  EXPECT_EQ(cell_text(Value(0.1F)), "0.1");
  EXPECT_EQ(cell_text(Value(std::nan(""))), "NaN");
  EXPECT_EQ(cell_text(Value(-std::numeric_limits<double>::infinity())), "-Infinity");
  EXPECT_EQ(cell_text(Value(Date{-1})), "1969-12-31");
  EXPECT_EQ(cell_text(Value("\"quoted\"")), "\"quoted\"");
  EXPECT_EQ(cell_text(Value(Blob{"abc"})), "YWJj");
  EXPECT_EQ(cell_text(Value(Value::Vector{1.0F, 0.5F})), "[1,0.5]");
  EXPECT_EQ(cell_text(Value(Value::List{"a"})), "[\"a\"]");
}

}  // namespace
}  // namespace braid::cli
