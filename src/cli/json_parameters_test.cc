// SPDX-License-Identifier: Apache-2.0
#include "cli/json_parameters.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace braid::cli {
namespace {

Value value_of(std::string_view json) {
  const auto parameters = parse_parameters("{\"x\":" + std::string(json) + "}");
  EXPECT_TRUE(parameters.ok()) << json << ": " << to_string(parameters.error());
  return parameters && parameters->contains("x") ? parameters->at("x") : Value();
}

Error fault_of(std::string_view json) {
  const auto parameters = parse_parameters(json);
  EXPECT_FALSE(parameters.ok()) << json;
  return parameters ? Error(ErrorCode::internal, "") : parameters.error();
}

TEST(CliParameters, ValuesKeepTheirJsonKind) {
  EXPECT_EQ(value_of("\"a\\u00e9\\n\""), Value("aé\n"));
  EXPECT_EQ(value_of("true"), Value(true));
  EXPECT_EQ(value_of("false"), Value(false));
  EXPECT_EQ(value_of("null"), Value());
  EXPECT_EQ(value_of("-7"), Value(std::int64_t{-7}));
  EXPECT_EQ(value_of("9223372036854775807"), Value(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(value_of("18446744073709551615"), Value(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(value_of("18446744073709551616"), Value(18446744073709551616.0));
  EXPECT_EQ(value_of("1.5"), Value(1.5));
  EXPECT_EQ(value_of("1e2"), Value(100.0));
  EXPECT_EQ(value_of("[1, \"a\", null]"), Value(Value::List{std::int64_t{1}, "a", Null{}}));
  EXPECT_EQ(value_of("[]"), Value(Value::List{}));
}

TEST(CliParameters, NullAndBlankTextAreNoParameters) {
  for (const std::string_view json : {"", " \n", "null", "{}", " { } "}) {
    const auto parameters = parse_parameters(json);
    ASSERT_TRUE(parameters.ok()) << json;
    EXPECT_TRUE(parameters->empty()) << json;
  }
}

TEST(CliParameters, FaultsHaveTheirPlace) {
  EXPECT_EQ(fault_of("{\"a\":1,\n \"é\":2, \"a\":3}").span(), (SourceSpan{2, 9, 17, 3}));
  EXPECT_EQ(fault_of("[1]").span(), (SourceSpan{1, 1, 0, 1}));
  EXPECT_EQ(fault_of("{} x").span(), (SourceSpan{1, 4, 3, 1}));
  EXPECT_EQ(fault_of("{\"a\":1e999}").span(), (SourceSpan{1, 6, 5, 5}));
  EXPECT_EQ(fault_of("{\"a\":\"\xff\"}").span(), (SourceSpan{1, 7, 6, 1}));
  for (const std::string_view json : {"{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{'a':1}",
                                      "{\"a\":\"\\ud800\"}", "{\"a\":01}", "{\"a\":[1,]}"}) {
    EXPECT_EQ(fault_of(json).code(), ErrorCode::parse_error) << json;
    EXPECT_TRUE(fault_of(json).span().has_value()) << json;
  }
}

TEST(CliParameters, NestedValuesAreRefused) {
  EXPECT_EQ(fault_of("{\"a\":{}}").code(), ErrorCode::unsupported);
  EXPECT_EQ(fault_of("{\"a\":[[1]]}").span(), (SourceSpan{1, 7, 6, 1}));
  EXPECT_EQ(fault_of("{\"a\":" + std::string(50'000, '[')).code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace braid::cli
