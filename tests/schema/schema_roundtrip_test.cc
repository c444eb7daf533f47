// SPDX-License-Identifier: Apache-2.0
// Random valid schemas: printing loses nothing, and white space and comments add nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "schema/catalog.h"
#include "schema/parser.h"
#include "schema/printer.h"

namespace braid::schema {
namespace {

using columnar::ScalarKind;
using columnar::Shape;

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c): the same schemas on every machine.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t end) { return bits() % end; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : chance_(seed) {}

  Document document() {
    Document out;
    const std::uint64_t interfaces = chance_.below(3);
    const std::uint64_t nodes = 1 + chance_.below(4);
    const std::uint64_t edges = chance_.below(5);
    for (std::uint64_t i = 0; i < interfaces; ++i) {
      InterfaceDeclaration one;
      one.name.text = "Interface" + std::to_string(i);
      one.properties = properties("i" + std::to_string(i) + "_", false);
      out.declarations.emplace_back(one);
    }
    for (std::uint64_t i = 0; i < nodes; ++i) {
      NodeDeclaration one;
      one.name.text = "Node_" + std::to_string(i);
      one.annotations = notes("Old");
      for (std::uint64_t j = 0; j < interfaces; ++j) {
        if (chance_.one_in(2)) one.interfaces.push_back({"Interface" + std::to_string(j), {}});
      }
      one.properties = properties("p", true);
      one.constraints = constraints(one.properties, false);
      out.declarations.emplace_back(one);
    }
    for (std::uint64_t i = 0; i < edges; ++i) out.declarations.emplace_back(edge(i, nodes));
    // Any order is allowed: rotate.
    const auto middle = out.declarations.begin() +
                        static_cast<std::ptrdiff_t>(chance_.below(out.declarations.size()));
    std::rotate(out.declarations.begin(), middle, out.declarations.end());
    return out;
  }

  /// The canonical text with other white space, and comments, wherever they may be.
  std::string loosened(std::string_view canonical) {
    std::string out = chance_.one_in(3) ? "\xEF\xBB\xBF" : "";
    bool in_string = false;
    for (std::size_t i = 0; i < canonical.size(); ++i) {
      const char c = canonical[i];
      if (in_string && c == '\\') {
        out += c;
        out += canonical[++i];
        continue;
      }
      if (c == '"') in_string = !in_string;
      const bool blank = !in_string && (c == ' ' || c == '\n');
      out += blank ? std::string(blank_text()) : std::string(1, c);
    }
    return out;
  }

 private:
  std::string_view blank_text() {
    constexpr std::string_view kBlanks[] = {
        " ", "\n", "\t", "\r\n", " // node X {\"\n", "/* @key(\"*/", "/***/", "\n\n  "};
    return kBlanks[chance_.below(std::size(kBlanks))];
  }

  EdgeDeclaration edge(std::uint64_t i, std::uint64_t nodes) {
    EdgeDeclaration one;
    one.name.text = "Edge" + std::to_string(i);
    one.from.text = "Node_" + std::to_string(chance_.below(nodes));
    one.to.text = "Node_" + std::to_string(chance_.below(nodes));
    if (chance_.one_in(2)) {
      one.card.emplace();
      one.card->min = chance_.below(3);
      if (chance_.one_in(2)) one.card->max = one.card->min + chance_.below(5);
    }
    one.annotations = notes("Former");
    if (chance_.one_in(2)) one.properties = properties("q", false);
    if (chance_.one_in(2)) one.constraints = constraints(one.properties, true);
    return one;
  }

  std::string text() {
    constexpr std::string_view kPieces[] = {"a",  "Z",  " ",    "\"",   "\\", "/",  "\n", "\r",
                                            "\t", "\b", "\f",   "é",    "🜁",  "//", "/*", "*/",
                                            "}",  "@",  "\x01", "\x7f", "«",  "\\u"};
    std::string out = "x";
    const std::uint64_t size = chance_.below(8);
    for (std::uint64_t i = 0; i < size; ++i) out += kPieces[chance_.below(std::size(kPieces))];
    return out;
  }

  double fraction() {
    constexpr double kValues[] = {0.0, 0.1, 1.0, 1.5, 1e21, 1e-7, 123456.789, 5e-324, 1e308, 3e15};
    return kValues[chance_.below(std::size(kValues))];
  }

  Literal literal() {
    switch (chance_.below(4)) {
      case 0: return text();
      case 1: return fraction();
      case 2: return chance_.one_in(4) ? ~std::uint64_t{0} : chance_.below(1000);
      default: return chance_.one_in(2);
    }
  }

  static Annotation annotation(std::string name, Literal argument) {
    Annotation out;
    out.name.text = std::move(name);
    out.argument = std::move(argument);
    return out;
  }

  std::vector<Annotation> notes(const std::string& former) {
    std::vector<Annotation> out;
    if (chance_.one_in(3)) out.push_back(annotation("description", text()));
    if (chance_.one_in(4)) out.push_back(annotation("rename_from", former));
    if (chance_.one_in(4)) out.push_back(annotation("instruction", text()));
    while (chance_.one_in(4)) {
      Annotation one;
      one.name.text = chance_.one_in(2) ? "unheard_of" : "_x9";
      if (chance_.one_in(2)) {
        one.argument = literal();
        while (chance_.one_in(2)) {
          NamedArgument& named = one.named_arguments.emplace_back();
          named.name.text = "n";
          named.value = literal();
        }
      } else if (chance_.one_in(2)) {
        one.argument = Annotation::Identifier{"some_name"};
      }
      out.push_back(std::move(one));
    }
    return out;
  }

  TypeExpression type() {
    TypeExpression out;
    out.nullable = chance_.one_in(2);
    out.kind = static_cast<ScalarKind>(1 + chance_.below(11));
    switch (chance_.below(6)) {
      case 0:
        out.shape = Shape::list;
        if (out.kind == ScalarKind::blob) out.kind = ScalarKind::date;
        break;
      case 1:
        out.shape = Shape::vector;
        out.kind = ScalarKind::f32;
        out.vector_size = chance_.one_in(4) ? 2147483647 : 1 + chance_.below(3072);
        break;
      case 2: {
        out.shape = Shape::enumeration;
        out.kind = ScalarKind::string;
        constexpr std::string_view kSorted[] = {"-", "-a", "0", "2-b", "Z", "_", "a--b", "true"};
        for (const std::string_view value : kSorted) {
          if (chance_.one_in(2)) out.enum_values.push_back({std::string(value), {}});
        }
        if (out.enum_values.empty()) out.enum_values.push_back({"only", {}});
        break;
      }
      default: break;
    }
    return out;
  }

  Bound bound(ScalarKind kind) {
    const bool whole = columnar::is_integer(kind);
    const bool may_be_negative = kind != ScalarKind::u32 && kind != ScalarKind::u64;
    Bound out;
    const std::uint64_t sides = 1 + chance_.below(3);
    if ((sides & 1) != 0) {
      out.low.emplace();
      if (whole || chance_.one_in(2)) {
        out.low->magnitude = chance_.below(100);
      } else {
        out.low->magnitude = 0.25;
      }
      out.low->negative = may_be_negative && out.low->magnitude != SignedNumber().magnitude;
    }
    if ((sides & 2) != 0) {
      out.high.emplace();
      if (whole || chance_.one_in(2)) {
        out.high->magnitude = 100 + chance_.below(1000);
      } else {
        out.high->magnitude = 100.5;
      }
    }
    return out;
  }

  std::vector<PropertyDeclaration> properties(const std::string& prefix, bool with_key) {
    std::vector<PropertyDeclaration> out;
    const std::uint64_t count = chance_.below(6);
    bool keyed = !with_key;
    for (std::uint64_t i = 0; i < count; ++i) {
      PropertyDeclaration& one = out.emplace_back();
      one.name.text = prefix + std::to_string(i);
      one.type = type();
      one.annotations = notes("old_name");
      const bool single = one.type.shape == Shape::scalar || one.type.shape == Shape::enumeration;
      const bool comparable = single && one.type.kind != ScalarKind::blob;
      const auto add = [&one](std::string_view name) {
        one.annotations.emplace_back().name.text = name;
      };
      if (comparable && chance_.one_in(4)) add("unique");
      if (chance_.one_in(3)) add("index");
      if (comparable && !one.type.nullable && !keyed && chance_.one_in(2)) {
        add("key");
        keyed = true;
      }
      if (one.type.shape != Shape::scalar) continue;
      if (columnar::is_numeric(one.type.kind) && chance_.one_in(2)) {
        add("range");
        one.annotations.back().bound = bound(one.type.kind);
      }
      if (one.type.kind == ScalarKind::string && chance_.one_in(2)) {
        one.annotations.push_back(annotation("check", std::string("^[a-z\"\\\\]*$")));
      }
    }
    return out;
  }

  std::vector<Constraint> constraints(const std::vector<PropertyDeclaration>& properties,
                                      bool on_edge) {
    std::vector<Constraint> out;
    Constraint both;
    if (on_edge) {
      const bool with_at = chance_.one_in(2);
      both.members = {{with_at, {"src", {}}}, {true, {"dst", {}}}};
    }
    for (const PropertyDeclaration& property : properties) {
      const bool single =
          property.type.shape == Shape::scalar || property.type.shape == Shape::enumeration;
      if (!single || property.type.kind == ScalarKind::blob) continue;
      if (both.members.size() < 4) both.members.push_back({false, {property.name.text, {}}});
      if (property.type.shape == Shape::scalar && property.type.kind == ScalarKind::string) {
        Constraint& check = out.emplace_back();
        check.kind = ConstraintKind::check;
        check.members = {{false, {property.name.text, {}}}};
        check.pattern = "a|\\.|\"";
      }
    }
    if (both.members.empty()) return out;
    for (const ConstraintKind kind : {ConstraintKind::unique, ConstraintKind::index}) {
      if (!chance_.one_in(2)) continue;
      both.kind = kind;
      out.push_back(both);
    }
    if (on_edge && chance_.one_in(2)) {
      both.kind = ConstraintKind::key;
      both.members.resize(2);
      out.push_back(both);
    }
    return out;
  }

  Chance chance_;
};

constexpr std::uint64_t kSchemas = 4000;

TEST(SchemaRoundtrip, PrintingLosesNothing) {  // P1
  for (std::uint64_t seed = 1; seed <= kSchemas; ++seed) {
    const Document document = Generator(seed).document();

    const std::string printed = print(document);
    const Result<Document> parsed = parse(printed);

    ASSERT_TRUE(parsed) << "seed " << seed << "\n" << printed << to_string(parsed.error());
    ASSERT_EQ(*parsed, document) << "seed " << seed << "\n" << printed;
    ASSERT_EQ(print(*parsed), printed) << "seed " << seed;
  }
}

TEST(SchemaRoundtrip, WhiteSpaceAndCommentsSayNothing) {
  for (std::uint64_t seed = 1; seed <= kSchemas; ++seed) {
    Generator generator(seed);
    const Document document = generator.document();
    const std::string loosened = generator.loosened(print(document));

    const Result<Document> parsed = parse(loosened);

    ASSERT_TRUE(parsed) << "seed " << seed << "\n" << loosened << to_string(parsed.error());
    ASSERT_EQ(*parsed, document) << "seed " << seed << "\n" << loosened;
  }
}

TEST(SchemaRoundtrip, CatalogsComeBackFromTheirBytes) {  // P5
  for (std::uint64_t seed = 1; seed <= kSchemas; ++seed) {
    const std::string source = print(Generator(seed).document());
    const Result<Catalog> catalog = make_catalog(source, {.next_id_min = seed});
    ASSERT_TRUE(catalog) << "seed " << seed << "\n" << source << to_string(catalog.error());

    const std::string bytes = encode(*catalog);
    const Result<Catalog> decoded = decode_catalog(bytes);

    ASSERT_TRUE(decoded) << "seed " << seed << to_string(decoded.error());
    ASSERT_EQ(decoded->ids(), catalog->ids()) << "seed " << seed;
    ASSERT_EQ(decoded->schema().document(), catalog->schema().document()) << "seed " << seed;
    ASSERT_EQ(encode(*decoded), bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace braid::schema
