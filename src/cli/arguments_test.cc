// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

const Surroundings kPlain{std::nullopt, "ann"};
const Surroundings kWithGraph{"env.braid", "ann"};

Invocation parsed(const Words& words, const Surroundings& surroundings = kPlain) {
  const auto result = parse_arguments(words, surroundings);
  if (const auto* usage = std::get_if<Usage>(&result)) {
    ADD_FAILURE() << testing::PrintToString(words) << "\n" << usage->text;
    return {};
  }
  return std::get<Invocation>(result);
}

Usage refused(const Words& words, const Surroundings& surroundings = kPlain) {
  const auto result = parse_arguments(words, surroundings);
  EXPECT_TRUE(std::holds_alternative<Usage>(result)) << testing::PrintToString(words);
  return std::holds_alternative<Usage>(result) ? std::get<Usage>(result) : Usage{};
}

TEST(CliArguments, InitTakesASchema) {
  const Invocation init = parsed({"init", "g", "--schema", "s.pg"});
  EXPECT_EQ(init.action, Action::init);
  EXPECT_EQ(init.graph, "g");
  EXPECT_EQ(init.schema_path, "s.pg");
  EXPECT_FALSE(init.if_not_exists);
  EXPECT_EQ(init.actor, "ann");
  EXPECT_EQ(init.wait_ms, 10'000U);
  EXPECT_FALSE(init.json);

  const Invocation more = parsed(
      {"init", "--schema", "-", "g", "--if-not-exists", "--as", "bob", "--wait", "0.5", "--json"});
  EXPECT_TRUE(more.if_not_exists);
  EXPECT_EQ(more.actor, "bob");
  EXPECT_EQ(more.wait_ms, 500U);
  EXPECT_TRUE(more.json);
}

TEST(CliArguments, LoadTakesFilesOneByOne) {
  const Invocation load = parsed({"load", "--data", "a.jsonl", "g", "--data", "-"});
  EXPECT_EQ(load.action, Action::load);
  EXPECT_EQ(load.graph, "g");
  EXPECT_THAT(load.data_paths, ElementsAre("a.jsonl", "-"));
  EXPECT_EQ(load.mode, LoadMode::kAppend);
  EXPECT_FALSE(load.if_commit.has_value());

  const Invocation more = parsed({"load", "g", "--data", "a", "--mode", "merge", "--key", "k",
                                  "--if-commit", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--purpose", "why"});
  EXPECT_EQ(more.mode, LoadMode::kMerge);
  EXPECT_EQ(more.key, "k");
  EXPECT_EQ(more.if_commit->to_string(), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  EXPECT_EQ(more.purpose, "why");
  EXPECT_FALSE(more.progress);

  const Invocation whole =
      parsed({"load", "g", "--data", "rows.jsonl.gz", "--mode", "overwrite", "--progress"});
  EXPECT_EQ(whole.mode, LoadMode::kOverwrite);
  EXPECT_TRUE(whole.progress);
}

TEST(CliArguments, QueryTakesATextOrAFile) {
  const Invocation query = parsed({"query", "g", "-e", "query q() {}", "q", "--params", "{}"});
  EXPECT_EQ(query.action, Action::query);
  EXPECT_EQ(query.query_text, "query q() {}");
  EXPECT_EQ(query.query_name, "q");
  EXPECT_EQ(query.parameters, "{}");
  EXPECT_EQ(query.format, Format::table);

  const Invocation file = parsed({"query", "g", "--file", "q.gq", "--params-file", "p.json",
                                  "--format", "csv", "--json-safe-integers"});
  EXPECT_FALSE(file.query_text.has_value());
  EXPECT_EQ(file.query_path, "q.gq");
  EXPECT_EQ(file.parameters_path, "p.json");
  EXPECT_EQ(file.format, Format::csv);
  EXPECT_FALSE(file.json);
  EXPECT_TRUE(file.json_safe_integers);
  EXPECT_TRUE(parsed({"query", "g", "-e", ""}).query_text.has_value());
}

TEST(CliArguments, JsonIsAFormat) {
  for (const Words& words : {Words{"log", "g", "--json"}, Words{"log", "g", "--format", "json"}}) {
    EXPECT_EQ(parsed(words).format, Format::json);
    EXPECT_TRUE(parsed(words).json);
  }
  EXPECT_EQ(parsed({"log", "g", "--format", "jsonl"}).format, Format::jsonl);
  EXPECT_EQ(parsed({"log", "g", "--format", "kv"}).format, Format::kv);
}

TEST(CliArguments, TheOtherCommandsAreRead) {
  EXPECT_EQ(parsed({"log", "g", "--limit", "3"}).limit, 3U);
  EXPECT_EQ(parsed({"log", "g"}).limit, 0U);
  EXPECT_EQ(parsed({"log", "g", "--limit", "18446744073709551615"}).limit, UINT64_MAX);
  EXPECT_EQ(parsed({"init", "g", "--schema", "s", "--wait", "86400"}).wait_ms, 86'400'000U);
  EXPECT_EQ(parsed({"show", "g", "c"}).commit, "c");
  EXPECT_EQ(parsed({"verify", "g"}).action, Action::verify);
  EXPECT_FALSE(parsed({"export", "g", "--format", "jsonl"}).arrow);
  EXPECT_TRUE(parsed({"export", "g", "--type", "A", "--format", "arrow"}).arrow);
  EXPECT_EQ(parsed({"export", "g"}).action, Action::export_rows);
  EXPECT_EQ(parsed({"export", "g", "--type", "A", "--type", "B"}).types,
            (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(parsed({"schema", "show", "g"}).action, Action::schema_show);
  EXPECT_EQ(parsed({"lint", "--schema", "s"}).action, Action::lint);
  EXPECT_EQ(parsed({"version"}).action, Action::version);
  EXPECT_EQ(parsed({"--version"}).action, Action::version);
}

TEST(CliArguments, TheGraphMayStandElsewhere) {
  EXPECT_EQ(parsed({"log"}, kWithGraph).graph, "env.braid");
  EXPECT_EQ(parsed({"log", "--graph", "g"}, kWithGraph).graph, "g");
  EXPECT_EQ(parsed({"log", "g"}, kWithGraph).graph, "g");

  const Invocation named = parsed({"query", "-e", "x", "q"}, kWithGraph);
  EXPECT_EQ(named.graph, "env.braid");
  EXPECT_EQ(named.query_name, "q");
  const Invocation both = parsed({"query", "g", "q", "-e", "x"}, kWithGraph);
  EXPECT_EQ(both.graph, "g");
  EXPECT_EQ(both.query_name, "q");
  const Invocation option = parsed({"show", "--graph", "g", "c"});
  EXPECT_EQ(option.graph, "g");
  EXPECT_EQ(option.commit, "c");
  EXPECT_EQ(parsed({"show", "c"}, kWithGraph).commit, "c");
}

TEST(CliArguments, WrongCommandLinesAreUsageErrors) {
  const Words kCases[] = {
      {},
      {"bogus"},
      {"init", "g"},
      {"init", "--schema", "s"},
      {"init", "g", "--schema", "s", "extra"},
      {"init", "g", "--schema", "s", "--wait", "-1"},
      {"init", "g", "--schema", "s", "--wait", "soon"},
      {"init", "g", "--schema", "s", "--wait", "nan"},
      {"init", "g", "--schema", "s", "--wait", "-nan"},
      {"init", "g", "--schema", "s", "--wait", "inf"},
      {"init", "g", "--schema", "s", "--wait", "0x10"},
      {"init", "g", "--schema", "s", "--wait", "86400.1"},
      {"init", "g", "--schema", "s", "--wait", "1s"},
      {"init", "g", "--schema", "s", "--wait", ""},
      {"load", "g"},
      {"load", "g", "--data"},
      {"load", "g", "--data", "a", "--mode", "replace"},
      {"load", "g", "--data", "a", "--if-commit", "abc"},
      {"load", "g", "--data", "-", "--data", "-"},
      {"load", "g", "--data", "rows.csv"},
      {"load", "g", "--data", "rows.csv.gz"},
      {"load", "g", "--data", "a", "--branch", "main"},
      {"query", "g"},
      {"query", "g", "-e", "a", "--file", "b"},
      {"query", "g", "-e", "a", "--params", "{}", "--params-file", "p"},
      {"query", "g", "--file", "-", "--params-file", "-"},
      {"query", "g", "-e", "a", "--format", "xml"},
      {"query", "g", "-e", "a", "--format", "csv", "--json"},
      {"query", "-e", "a"},
      {"log", "g", "--limit", "-3"},
      {"log", "g", "--limit", "18446744073709551616"},
      {"log", "g", "--limit", "99999999999999999999999"},
      {"log", "g", "--limit", "1.5"},
      {"log", "g", "--limit", "0x10"},
      {"log", "g", "--limit", ""},
      {"query", "g", "-e", "a", "--params", ""},
      {"log", "g", "--graph", "h"},
      {"export", "g", "--format", "arrow"},
      {"export", "g", "--format", "arrow", "--type", "A", "--type", "B"},
      {"export", "g", "--format", "parquet", "--type", "A"},
      {"show", "g"},
      {"show", "--graph", "g"},
      {"schema"},
      {"schema", "apply", "g"},
      {"lint"},
      {"version", "now"},
  };
  for (const Words& words : kCases) {
    const Usage usage = refused(words);
    EXPECT_EQ(usage.exit_status, kUsageExitStatus) << testing::PrintToString(words);
    EXPECT_FALSE(usage.text.empty());
    EXPECT_FALSE(usage.message.empty());
  }
}

TEST(CliArguments, AnEmptyWordIsNeverTakenForAnAbsentOne) {
  const Words kCases[] = {
      {"init", "", "--schema", "s"},
      {"init", "g", "--schema", ""},
      {"init", "g", "--schema", "s", "--as", ""},
      {"load", "g", "--data", ""},
      {"load", "g", "--data", "a", "--key", ""},
      {"load", "g", "--data", "a", "--if-commit", ""},
      {"log", "--graph", ""},
      {"log", ""},
      {"show", "g", ""},
      {"query", "g", "", "-e", "x"},
      {"query", "g", "--file", ""},
      {"query", "g", "-e", "x", "--params-file", ""},
  };
  for (const Words& words : kCases) {
    EXPECT_EQ(refused(words, kWithGraph).exit_status, kUsageExitStatus)
        << testing::PrintToString(words);
  }
}

TEST(CliArguments, HelpHasAnExampleForEveryCommand) {
  for (const Words& words : {Words{}, Words{"init"}, Words{"load"}, Words{"query"}, Words{"log"},
                             Words{"show"}, Words{"verify"}, Words{"schema"},
                             Words{"schema", "show"}, Words{"lint"}, Words{"version"}}) {
    Words asked = words;
    asked.emplace_back("--help");

    const Usage help = refused(asked);

    EXPECT_EQ(help.exit_status, 0);
    EXPECT_THAT(help.text, HasSubstr("Example:\n  braid ")) << testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace braid::cli
