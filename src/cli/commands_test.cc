// SPDX-License-Identifier: Apache-2.0
// Commands that need no graph; tests/cli runs the program itself on graphs.
#include "cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/string_console.h"
#include "env/env.h"

namespace braid::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CliCommand : public testing::Test {
 protected:
  int run_words(const std::vector<std::string>& words) {
    return main_with(words, Surroundings{std::nullopt, "ann"}, console_);
  }

  StringConsole console_{env::real_env().files};
};

TEST_F(CliCommand, VersionIsPrinted) {
  EXPECT_EQ(run_words({"version"}), 0);
  EXPECT_THAT(console_.output, StartsWith("braid 0."));
  EXPECT_EQ(console_.messages, "");
}

TEST_F(CliCommand, HelpIsAResult) {
  EXPECT_EQ(run_words({"load", "--help"}), 0);
  EXPECT_THAT(console_.output, HasSubstr("--data"));
  EXPECT_EQ(console_.messages, "");
}

TEST_F(CliCommand, AWrongCommandLineIsAMessageAndStatusTwo) {
  EXPECT_EQ(run_words({"log"}), 2);
  EXPECT_EQ(console_.output, "");
  EXPECT_THAT(console_.messages, StartsWith("error[usage]: "));
  EXPECT_THAT(console_.messages, HasSubstr("hint: braid log --help\n"));
}

TEST_F(CliCommand, AWrongCommandLineIsAnObjectWithJson) {
  EXPECT_EQ(run_words({"log", "--json"}), 2);
  EXPECT_THAT(console_.messages, StartsWith("{\"code\":\"usage\",\"kind\":\"invalid\","));
}

// K1, K3
TEST_F(CliCommand, OutputThatCannotBeWrittenIsAnError) {
  console_.flush_error = Error(ErrorCode::no_space, "disk full");

  EXPECT_EQ(run_words({"version"}), 5);
  EXPECT_THAT(console_.messages, StartsWith("error[no_space]: disk full\n"));
  EXPECT_EQ(run_words({"--help"}), 5);
}

TEST_F(CliCommand, LintReadsTheStandardInput) {
  console_.input = "node P {\n  a: Strin\n}";

  EXPECT_EQ(run_words({"lint", "--schema", "-"}), 1);
  EXPECT_THAT(console_.output, HasSubstr(" --> standard input:2:6\n"));

  console_.input = "node P { a: String }";
  EXPECT_EQ(run_words({"lint", "--schema", "-", "--json"}), 0);
  EXPECT_THAT(console_.output, HasSubstr("{\"status\":\"ok\",\"findings\":[]}\n"));
}

TEST_F(CliCommand, AFileThatIsNotThereIsNotFound) {
  EXPECT_EQ(run_words({"lint", "--schema", "/nonexistent/x.pg"}), 3);
  EXPECT_THAT(console_.messages, StartsWith("error[not_found]: "));
}

TEST_F(CliCommand, FaultyParametersAreShownWithTheirPlace) {
  EXPECT_EQ(run_words({"query", "/nonexistent", "-e", "x", "--params", "{\"a\": }"}), 1);
  EXPECT_THAT(console_.messages, HasSubstr(" --> --params:1:7\n"));
}

TEST_F(CliCommand, TooMuchInputIsAResourceLimit) {
  console_.input.assign((std::size_t{1} << 20U) + 1, ' ');

  EXPECT_EQ(run_words({"query", "/nonexistent", "--file", "-", "--json"}), 5);
  EXPECT_THAT(console_.messages, StartsWith("{\"code\":\"resource_limit\""));
}

}  // namespace
}  // namespace braid::cli
