// SPDX-License-Identifier: Apache-2.0
#include "cli/error_text.h"

#include <gtest/gtest.h>

namespace braid::cli {
namespace {

SourceSpan span_of(std::string_view text, std::string_view part) {
  SourceSpan span;
  span.byte = text.find(part);
  span.length = part.size();
  for (const char c : text.substr(0, span.byte)) {
    if (c == '\n') ++span.line;
  }
  return span;
}

/// The two lines of an excerpt that show the source and the caret, without their margins.
std::pair<std::string, std::string> shown(const Source& source, const SourceSpan& span) {
  const std::string text = excerpt(source, span);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  EXPECT_EQ(lines.size(), 4U) << text;
  if (lines.size() != 4) return {};
  const std::size_t margin = lines[2].find("| ") + 2;
  return {lines[2].substr(margin), lines[3].substr(margin)};
}

TEST(CliErrorText, AnErrorShowsItsPlaceItsDetailsAndAHint) {
  const Source source{"q.gq", "query q()\n  oops here\n"};
  const Error error =
      Error(ErrorCode::locked, "the graph is locked").with("holder", "pid 7").at({2, 3, 12, 4});

  EXPECT_EQ(error_text(error, &source),
            "error[locked]: the graph is locked\n"
            " --> q.gq:2:3\n"
            "  |\n"
            "2 |   oops here\n"
            "  |   ^~~~\n"
            "  holder: pid 7\n"
            "hint: wait longer with --wait SECONDS, or let the process named above finish\n");
}

TEST(CliErrorText, WithoutASourceThereIsNoExcerpt) {
  const Error error = Error(ErrorCode::parse_error, "expected }").at({2, 3, 12, 4});

  EXPECT_EQ(error_text(error, nullptr), "error[parse_error]: expected }\n");
}

TEST(CliErrorText, TextOfOthersCannotSteerTheTerminal) {
  const Source source{"a\x1b.gq", "x\x1b[2J y"};
  const Error error =
      Error(ErrorCode::parse_error, "bad \x1b[2J").with("value", "\x1b]0;t\x07").at({1, 7, 6, 1});

  const std::string text = error_text(error, &source);

  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(CliErrorText, ColoursAreOnlyWhereAsked) {
  const Error error(ErrorCode::busy, "full");

  EXPECT_EQ(error_text(error, nullptr).find('\x1b'), std::string::npos);
  EXPECT_TRUE(error_text(error, nullptr, {.colours = true}).starts_with("\x1b["));
}

TEST(CliExcerpt, TabsAreStopsOfFourColumns) {
  const std::string text = "a\tb\t\tplace x";
  const auto [line, marks] = shown({"f", text}, span_of(text, "place"));

  EXPECT_EQ(line, "a   b       place x");
  EXPECT_EQ(marks, "            ^~~~~");
}

TEST(CliExcerpt, WideCharactersTakeTwoColumns) {
  const std::string text = "東京 é 🙂 place";
  const auto [line, marks] = shown({"f", text}, span_of(text, "place"));
  EXPECT_EQ(line, text);
  EXPECT_EQ(marks, "          ^~~~~");

  EXPECT_EQ(shown({"f", text}, span_of(text, "京")).second, "  ^~");
}

TEST(CliExcerpt, APlaceAtTheEndOfTheTextStandsBehindIt) {
  const std::string text = "query q\r\n";
  EXPECT_EQ(shown({"f", text}, {1, 8, 7, 0}).second, "       ^");
  EXPECT_EQ(shown({"f", text}, {2, 1, 9, 0}), (std::pair<std::string, std::string>("", "^")));
  EXPECT_EQ(shown({"f", ""}, {1, 1, 0, 0}).second, "^");
  EXPECT_EQ(shown({"f", "short"}, {1, 1, 900, 3}).second, "     ^");
}

TEST(CliExcerpt, APlaceOfSeveralLinesIsMarkedOnItsFirst) {
  const std::string text = "a {\n b\n}";
  EXPECT_EQ(shown({"f", text}, {1, 3, 2, 6}).second, "  ^");
}

TEST(CliExcerpt, LongLinesAreCutAroundThePlace) {
  const std::string text = std::string(5'000, 'x') + "place" + std::string(5'000, 'y');
  const auto [line, marks] = shown({"f", text}, span_of(text, "place"));

  EXPECT_TRUE(line.starts_with("…xxx"));
  EXPECT_TRUE(line.ends_with("yyy…"));
  EXPECT_LT(line.size(), 200U);
  EXPECT_EQ(marks, std::string(61, ' ') + "^~~~~");
}

TEST(CliErrorJson, EveryPartIsAMember) {
  const Error error =
      Error(ErrorCode::key_conflict, "taken \"x\"").with("id", "a\nb").at({1, 2, 1, 3});

  EXPECT_EQ(json_line(error_value(error)),
            "{\"code\":\"key_conflict\",\"kind\":\"conflict\",\"message\":\"taken \\\"x\\\"\","
            "\"details\":{\"id\":\"a\\nb\"},"
            "\"span\":{\"line\":1,\"column\":2,\"byte\":1,\"length\":3}}\n");
}

TEST(CliErrorJson, RepeatedDetailsAreAnArrayAndMalformedBytesAreReplaced) {
  const Error error = Error(ErrorCode::constraint_violation, "\xff")
                          .with("row", "1")
                          .with("type", "T")
                          .with("row", "2")
                          .with("row", "3\xff");

  EXPECT_EQ(json_line(error_value(error)),
            "{\"code\":\"constraint_violation\",\"kind\":\"invalid\",\"message\":\"\uFFFD\","
            "\"details\":{\"row\":[\"1\",\"2\",\"3\uFFFD\"],\"type\":\"T\"},\"span\":null}\n");
}

}  // namespace
}  // namespace braid::cli
