// SPDX-License-Identifier: Apache-2.0
#include "schema/printer.h"

#include <gtest/gtest.h>

#include "schema/parser.h"

namespace braid::schema {
namespace {

std::string printed(std::string_view source) {
  const Result<Document> document = parse(source);
  EXPECT_TRUE(document) << to_string(document.error());
  return print(*document);
}

TEST(SchemaPrinter, LooseTextThenCanonicalText) {  // P1
  const std::string_view canonical = R"(interface Named {
  name: String @index
}

edge Knows: Person -> Person @card(0..) @instruction("i") {
  since: Date?
  @key(@src, dst)
}

edge Plain: Person -> Person

node Person @description("a \"b\" \\ / \n \u0001 é") implements Named, Other {
  slug: String @key @check("^\\d+$")
  mood: enum(bad, good)?
  v: Vector(3) @embed("name", model = "m", x = 1.0)
  tags: [String]? @odd(name)
  age: I32 @range(-1..200)
  @unique(slug, mood)
  @range(age, ..7)
  @check(slug, "x")
}

node Empty {
}
)";
  const std::string_view loose = R"(// comment
interface Named{name:String@index}edge Knows:Person->Person@card( 0 .. )@instruction("i"){
@key(@src,dst) since:Date?}
edge Plain:Person->Person{}
node Person @description("a \"b\" \\ \/ \n \u0001 \u00e9")
  implements Named,Other { slug:String@key@check("^\\d+$") @unique(slug,mood)
  mood:enum(good,bad)? @range(age,..7) v:Vector(003)@embed("name",model="m",x=1.0)
  tags:[String]?@odd(name) age:I32@range(- 1..200)@check(slug,"x")}
node Empty{})";

  EXPECT_EQ(printed(loose), canonical);
  EXPECT_EQ(printed(canonical), canonical);
}

TEST(SchemaPrinter, FloatsThenTheShortestTextThatReadsBack) {
  const auto one = [](std::string_view number) {
    const std::string text = printed("node A @n(" + std::string(number) + ") {}");
    return text.substr(10, text.find(')') - 10);
  };

  EXPECT_EQ(one("0.0"), "0.0");
  EXPECT_EQ(one("100.000"), "100.0");
  EXPECT_EQ(one("0.1000000000000000055511151231257827"), "0.1");
  EXPECT_EQ(one("1.0e21"), "1.0e+21");
  EXPECT_EQ(one("1.25E-7"), "1.25e-07");
  EXPECT_EQ(one("1.7976931348623157e308"), "1.7976931348623157e+308");
}

TEST(SchemaPrinter, EmptyDocumentThenEmptyText) { EXPECT_EQ(print(Document{}), ""); }

}  // namespace
}  // namespace braid::schema
