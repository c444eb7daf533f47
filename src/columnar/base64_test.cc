// SPDX-License-Identifier: Apache-2.0
#include "columnar/base64.h"

#include <gtest/gtest.h>

namespace braid::columnar {
namespace {

std::string base64(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

TEST(Base64, ExamplesOfRfc4648) {
  const std::pair<std::string, std::string> examples[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xFB\xFF", "+/8="},
      {std::string(3, '\0'), "AAAA"},
  };
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(parse_base64(text), bytes);
  }
}

TEST(Base64, TextThatIsNotCanonicalIsRefused) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "====", "A===", "=AAA", "Zg==Zg==", "Zh==",
                           "Zm9=", "Zm 9v", "Zm9v\n", "Zm-_", "Z\xC3\xA9=", "AA=A"}) {
    EXPECT_EQ(parse_base64(text), std::nullopt) << text;
  }
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(parse_base64(base64(bytes)), bytes);
  }
}

}  // namespace
}  // namespace braid::columnar
