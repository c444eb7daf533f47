// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::gq {
namespace {

using testing::ElementsAre;

std::vector<TokenKind> kinds_of(std::string_view text) {
  std::vector<TokenKind> kinds;
  const auto tokens = tokenize(text);
  EXPECT_TRUE(tokens.ok()) << to_string(tokens.error());
  if (tokens) {
    for (const Token& token : *tokens) kinds.push_back(token.kind);
  }
  return kinds;
}

SourceSpan fault_of(std::string_view text) {
  const auto tokens = tokenize(text);
  EXPECT_FALSE(tokens.ok()) << text;
  if (tokens) return {};
  EXPECT_EQ(tokens.error().code(), ErrorCode::parse_error);
  return tokens.error().span().value_or(SourceSpan{});
}

std::string string_of(std::string_view quoted) {
  EXPECT_EQ(kinds_of(quoted), (std::vector{TokenKind::string, TokenKind::end}));
  return string_value(quoted);
}

TEST(GqLexer, WordsAndNumbersAreToldApart) {
  using enum TokenKind;
  EXPECT_THAT(kinds_of("name Name $name $_ _x 12 1.5 1.5e-3 \"s\""),
              ElementsAre(identifier, type_name, variable, variable, identifier, integer, floating,
                          floating, string, end));
}

TEST(GqLexer, SymbolsAreCutLongestFirst) {
  using enum TokenKind;
  EXPECT_THAT(
      kinds_of(">=<=!=<>={}()[]+-*/%:,.@?"),
      ElementsAre(greater_equal, less_equal, not_equal, less, greater_equal, left_brace,
                  right_brace, left_parenthesis, right_parenthesis, left_bracket, right_bracket,
                  plus, minus, star, slash, percent, colon, comma, dot, at, question, end));
}

TEST(GqLexer, CommentsAndBlanksAreSkipped) {
  EXPECT_THAT(kinds_of("\xEF\xBB\xBF \t\r\n// line $ \" 'é\n/* block\n **/"),
              ElementsAre(TokenKind::end));
}

TEST(GqLexer, PlacesCountLinesCodePointsAndBytes) {
  const auto tokens = tokenize("a\n  \"é\u4e2d\" b");
  ASSERT_TRUE(tokens.ok());
  ASSERT_EQ(tokens->size(), 4U);
  EXPECT_EQ((*tokens)[0].span, (SourceSpan{1, 1, 0, 1}));
  EXPECT_EQ((*tokens)[1].span, (SourceSpan{2, 3, 4, 7}));
  EXPECT_EQ((*tokens)[2].span, (SourceSpan{2, 8, 12, 1}));
  EXPECT_EQ((*tokens)[3].span, (SourceSpan{2, 9, 13, 0}));
}

// Q1
TEST(GqLexer, TokensLieInOrderInsideTheText) {
  constexpr std::string_view kText =
      "query q($a: [I64]?) { match { $p: P { k: 1.5 } } /* */ } // x";
  const auto tokens = tokenize(kText);
  ASSERT_TRUE(tokens.ok());
  std::uint64_t reached = 0;
  for (const Token& token : *tokens) {
    EXPECT_GE(token.span.byte, reached);
    reached = token.span.byte + token.span.length;
    EXPECT_EQ(token.span.length == 0, token.kind == TokenKind::end);
  }
  EXPECT_LE(reached, kText.size());
  EXPECT_EQ(tokens->back().kind, TokenKind::end);
}

TEST(GqLexer, EscapesStandForTheirCharacters) {
  EXPECT_EQ(string_of(R"("a\"b\\c\/d\n\r\t\b\f")"), "a\"b\\c/d\n\r\t\b\f");
  EXPECT_EQ(string_of(R"("\u0041\u00e9\u4E2D")"), "A\u00e9\u4e2d");
  EXPECT_EQ(string_of(R"("\ud83d\ude00")"), "\U0001F600");
  EXPECT_EQ(string_of(R"("\u0000")"), std::string(1, '\0'));
}

TEST(GqLexer, BadEscapesAreRefusedWhereTheyStand) {
  EXPECT_EQ(fault_of(R"("ab\x")"), (SourceSpan{1, 4, 3, 2}));
  EXPECT_EQ(fault_of(R"("\u12g4")").byte, 1U);
  EXPECT_EQ(fault_of(R"("\ud83d")").byte, 1U);
  EXPECT_EQ(fault_of(R"("\ud83dA")").byte, 1U);
  EXPECT_EQ(fault_of(R"("\ude00")").byte, 1U);
  EXPECT_EQ(fault_of("\"\\").byte, 1U);
}

TEST(GqLexer, WhatIsNeverClosedIsRefusedAtItsOpening) {
  EXPECT_EQ(fault_of("a \"bc"), (SourceSpan{1, 3, 2, 1}));
  EXPECT_EQ(fault_of("a /* b\n *"), (SourceSpan{1, 3, 2, 2}));
}

TEST(GqLexer, BytesThatAreNotUtf8AreRefused) {
  EXPECT_EQ(fault_of("a \xFF").byte, 2U);
  EXPECT_EQ(fault_of("\"\xC0\x80\"").byte, 1U);
  EXPECT_EQ(fault_of("// \xED\xA0\x80").byte, 3U);
  EXPECT_EQ(fault_of("\"\xF4\x90\x80\x80\"").byte, 1U);
  EXPECT_EQ(fault_of("\"\xE4\xB8").byte, 1U);
}

TEST(GqLexer, StrayCharactersAreRefused) {
  EXPECT_EQ(fault_of("a ; b"), (SourceSpan{1, 3, 2, 1}));
  EXPECT_EQ(fault_of("é"), (SourceSpan{1, 1, 0, 2}));
  EXPECT_EQ(fault_of("!").byte, 0U);
  EXPECT_EQ(fault_of("$ a").length, 1U);
  EXPECT_EQ(fault_of("$Abc").byte, 0U);
  EXPECT_EQ(fault_of("12ab"), (SourceSpan{1, 1, 0, 4}));
  EXPECT_EQ(fault_of(std::string_view("\0", 1)).byte, 0U);
}

TEST(GqLexer, TextsOverTheLimitAreRefused) {
  std::string text(kTextBytesMax, ' ');
  EXPECT_THAT(kinds_of(text), ElementsAre(TokenKind::end));

  text += ' ';
  const auto tokens = tokenize(text);

  ASSERT_FALSE(tokens.ok());
  EXPECT_EQ(tokens.error().code(), ErrorCode::resource_limit);
  EXPECT_EQ(*tokens.error().detail("limit"), "1048576");
  EXPECT_EQ(*tokens.error().detail("actual"), "1048577");
}

}  // namespace
}  // namespace braid::gq
