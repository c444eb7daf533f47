// SPDX-License-Identifier: Apache-2.0
// What a load makes of its sources: whole files, bad ones, compressed ones. Whatever is refused,
// the graph stays as it was.
#include <fstream>

#include "columnar/base64.h"
#include "support/graph_fixture.h"

namespace braid::graph_test {
namespace {

std::vector<LoadSource> source_of(std::string name, std::string bytes) {
  std::vector<LoadSource> sources;
  sources.push_back(LoadSource::from_text(std::move(name), std::move(bytes)));
  return sources;
}

class LoadInput : public testing::Test {
 protected:
  LoadInput() : core_(*engine::GraphCore::in_memory(machine_.env, kSchema, small_options())) {
    EXPECT_GOOD(core_->load(rows_of(item("first", 1)), keyed("first")));
    before_ = core_->log().tail().last;
  }
  /// Code, line and field of the error; nothing else may have happened.
  std::string refused(const std::string& text) {
    const auto receipt = core_->load(source_of("f.jsonl", text), keyed("k"));
    EXPECT_EQ(core_->log().tail().last, before_);
    EXPECT_EQ(count_of(*core_, "first"), 1);
    EXPECT_EQ(count_of(*core_, "second"), std::nullopt);
    if (receipt) return "loaded";
    std::string out(name_of(receipt.error().code()));
    const std::string* file = receipt.error().detail("file");
    EXPECT_TRUE(file != nullptr && *file == "f.jsonl") << text_of(receipt);
    for (const char* name : {"line", "field"}) {
      const std::string* value = receipt.error().detail(name);
      out += " " + (value == nullptr ? "-" : *value);
    }
    return out;
  }
  /// Items and links of a load, and what is told about it.
  std::string loaded(const std::string& text, const std::string& key) {
    const auto receipt = core_->load(source_of("f.jsonl", text), keyed(key));
    if (!receipt) return text_of(receipt);
    return fmt::format("{} {}", receipt->nodes_inserted, receipt->edges_inserted);
  }

  SimMachine machine_;
  std::shared_ptr<engine::GraphCore> core_;
  Position before_;
};

TEST_F(LoadInput, BadTextIsRefusedWithItsPlaceAndTheGraphStays) {
  const std::string good = item("second", 2);
  const auto with_note = [&](const std::string& note) {
    return good + R"({"type":"Item","data":{"slug":"x","count":1,"note":)" + note + "}}\n";
  };
  EXPECT_EQ(refused(good + good.substr(0, good.size() - 3)), "parse_error 2 count");
  EXPECT_EQ(refused(with_note("7")), "type_error 2 note");
  EXPECT_EQ(refused(with_note("\"a\",\"note\":\"b\"")), "parse_error 2 note");
  EXPECT_EQ(refused(with_note("\"a\",\"colour\":\"b\"")), "type_error 2 colour");
  EXPECT_EQ(refused(with_note("\"\\ud800\"")), "parse_error 2 note");
  EXPECT_EQ(refused(with_note(std::string("\"\0\"", 3))), "parse_error 2 note");
  EXPECT_EQ(refused(with_note(std::string(50'000, '['))), "parse_error 2 note");
  EXPECT_EQ(refused(with_note("\"\xC3\"")), "parse_error 2 note");
  EXPECT_EQ(refused(good + std::string(1, '\0')), "parse_error 2 -");
  EXPECT_EQ(refused(good + "\xEF\xBB\xBF" + item("x", 1)), "parse_error 2 -");
  EXPECT_EQ(refused("\n" + link("second", "nowhere") + good), "constraint_violation 2 to");
  EXPECT_EQ(refused(good + item("first", 2)), "key_conflict 2 -");
  EXPECT_EQ(refused(good + good), "key_conflict 2 -");
}

TEST_F(LoadInput, StringOfAHundredMegabytesIsRefused) {
  std::string text = item("second", 2) + R"({"type":"Item","data":{"slug":"x","count":1,"note":")";
  text.append(100'000'000, 'a');
  text += "\"}}\n";
  EXPECT_EQ(refused(text), "resource_limit 2 note");
}

TEST_F(LoadInput, BlankLinesMarksAndMissingEndsAreFine) {
  EXPECT_EQ(loaded("", "empty"), "0 0");
  EXPECT_EQ(loaded("\n\r\n \t\n", "blank"), "0 0");
  EXPECT_EQ(loaded("\xEF\xBB\xBF", "mark"), "0 0");
  EXPECT_EQ((*core_->snapshot("main"))->branch().version, Version{1});
  EXPECT_EQ(loaded("\xEF\xBB\xBF" + item("a", 1), "a"), "1 0");
  EXPECT_EQ(
      loaded("\r\n{\"type\":\"Item\",\r\n\"data\":{\"slug\":\"b\",\"count\":2}}\r\n\r\n", "b"),
      "1 0");
  EXPECT_EQ(loaded(item("c", 3) + "\n\n" + R"({"edge":"Link","from":"c","to":"a"})", "c"), "1 1");
  EXPECT_EQ(count_of(*core_, "b"), 2);
}

TEST_F(LoadInput, EdgesBeforeTheirNodesInOneFileOrInSeveralAreFine) {
  std::vector<LoadSource> sources;
  sources.push_back(LoadSource::from_text("edges.jsonl", link("a", "b")));
  sources.push_back(LoadSource::from_text("nodes.jsonl", item("b", 2) + item("a", 1)));
  const auto receipt = core_->load(std::move(sources), keyed("k"));
  ASSERT_GOOD(receipt);
  EXPECT_EQ(receipt->edges_inserted, 1U);
}

TEST_F(LoadInput, RowThatIsWrongIsFoundInItsFile) {
  std::vector<LoadSource> sources;
  sources.push_back(LoadSource::from_text("one.jsonl", item("a", 1) + item("b", 2)));
  sources.push_back(LoadSource::from_text("empty.jsonl", ""));
  sources.push_back(LoadSource::from_text("two.jsonl", item("c", 3) + "\n" + item("a", 4)));
  const auto receipt = core_->load(std::move(sources), keyed("k"));
  ASSERT_EQ(code_of(receipt), ErrorCode::key_conflict);
  EXPECT_EQ(*receipt.error().detail("file"), "two.jsonl");
  EXPECT_EQ(*receipt.error().detail("line"), "3");
  EXPECT_EQ(*receipt.error().detail("byte"), std::to_string(item("c", 3).size() + 1));
}

// One item, slug "packed", count 7, by the programs gzip and zstd.
constexpr std::string_view kGzip =
    "H4sIAAAAAAAC/6tWKqksSFWyUvIsSc1V0lFKSSxJVLKqVirOKU0HihYkJmenpgDFk/NL80qUrMxra7kAHsvIgDMAAAA=";
constexpr std::string_view kZstd =
    "KLUv/SAzmQEAeyJ0eXBlIjoiSXRlbSIsImRhdGEiOnsic2x1ZyI6InBhY2tlZCIsImNvdW50Ijo3fX0K";

TEST_F(LoadInput, CompressedSourcesAreKnownByTheirNames) {
  const std::string gzip = *columnar::parse_base64(kGzip);
  const std::string zstd = *columnar::parse_base64(kZstd);
  ASSERT_GOOD(core_->load(source_of("rows.jsonl.gz", gzip), keyed("k")));
  EXPECT_EQ(count_of(*core_, "packed"), 7);
  // The same rows, however they are packed, are the same request.
  for (const auto& [name, bytes] : {std::pair("rows.zst", zstd), std::pair("rows.gz", gzip),
                                    std::pair("rows", item("packed", 7))}) {
    const auto again = core_->load(source_of(name, bytes), keyed("k"));
    ASSERT_GOOD(again);
    EXPECT_TRUE(again->replayed) << name;
  }
  EXPECT_EQ(code_of(core_->load(source_of("rows.jsonl", gzip), keyed("other"))),
            ErrorCode::parse_error);
}

TEST_F(LoadInput, DamagedCompressedSourceIsRefusedWithItsName) {
  for (const auto& [name, packed] : {std::pair("f.gz", kGzip), std::pair("f.zst", kZstd)}) {
    const std::string bytes = *columnar::parse_base64(packed);
    for (const std::string& damaged :
         {bytes.substr(0, bytes.size() - 1), bytes + "more", std::string(), item("a", 1)}) {
      const auto receipt = core_->load(source_of(name, damaged), keyed("k"));
      ASSERT_EQ(code_of(receipt), ErrorCode::parse_error) << text_of(receipt);
      EXPECT_EQ(*receipt.error().detail("file"), name);
    }
  }
  EXPECT_EQ(core_->log().tail().last, before_);
}

TEST_F(LoadInput, ProgressGrowsToAllBytesAndRows) {
  std::string text = "\n";
  for (int i = 0; i < 30'000; ++i) text += item(fmt::format("i{}", i), i);
  LoadOptions options = keyed("k");
  std::vector<LoadProgress> told;
  options.progress = [&](const LoadProgress& progress) { told.push_back(progress); };
  ASSERT_GOOD(core_->load(source_of("f", text), options));

  ASSERT_GE(told.size(), 3U);
  EXPECT_EQ(told.back().bytes_read, text.size());
  EXPECT_EQ(told.back().rows_parsed, 30'000U);
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_GE(told[i].bytes_read, told[i - 1].bytes_read);
    EXPECT_GE(told[i].rows_parsed, told[i - 1].rows_parsed);
    EXPECT_GT(told[i].bytes_read + told[i].rows_parsed,
              told[i - 1].bytes_read + told[i - 1].rows_parsed);
  }
}

TEST_F(LoadInput, ProgressCountsValuesOfManyLinesOnce) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) {
    text +=
        fmt::format("{{\n\"type\":\"Item\",\n\"data\":{{\"slug\":\"i{}\",\n\"count\":1}}}}\n", i);
  }
  LoadOptions options = keyed("k");
  LoadProgress last;
  options.progress = [&](const LoadProgress& progress) { last = progress; };
  ASSERT_GOOD(core_->load(source_of("f", text), options));
  EXPECT_EQ(last.rows_parsed, 30'000U);
}

TEST_F(LoadInput, OverwriteReplacesTheTypesPresentInOneCommit) {
  ASSERT_GOOD(core_->load(rows_of(item("a", 1) + item("b", 2) + link("a", "first")), keyed("a")));
  const auto lost = core_->load(rows_of(item("b", 3)), keyed("b", LoadMode::kOverwrite));
  EXPECT_EQ(code_of(lost), ErrorCode::constraint_violation);
  EXPECT_EQ(count_of(*core_, "b"), 2);

  const auto receipt = core_->load(rows_of(item("c", 4) + item("b", 3) + link("b", "c")),
                                   keyed("c", LoadMode::kOverwrite));
  ASSERT_GOOD(receipt);
  EXPECT_EQ(receipt->nodes_inserted, 1U);
  EXPECT_EQ(receipt->nodes_updated, 1U);
  EXPECT_EQ(receipt->edges_inserted, 1U);
  const auto again = core_->load(rows_of(item("c", 4) + item("b", 3) + link("b", "c")),
                                 keyed("c", LoadMode::kOverwrite));
  ASSERT_GOOD(again);
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(count_of(*core_, "first"), std::nullopt);
  EXPECT_EQ(count_of(*core_, "b"), 3);
  const CommitInfo commit = core_->history("main", 1)->front();
  EXPECT_EQ(commit.changes,
            (std::vector<TypeChange>{{"Item", false, 1, 1, 2}, {"Link", true, 1, 0, 1}}));
  EXPECT_EQ(findings_of(core_->verify()), "");
}

TEST(LoadFile, ThatIsNoneIsRefusedWithItsName) {
  const ScratchDirectory scratch;
  auto graph = Graph::init(scratch.path("g"), kSchema);
  ASSERT_GOOD(graph);
  const std::string missing = scratch.path("missing.jsonl");
  for (const std::string& path : {missing, scratch.path(), scratch.path("missing.jsonl.gz")}) {
    std::vector<LoadSource> sources;
    sources.push_back(LoadSource::from_file(path));
    const auto receipt = graph->load(std::move(sources), keyed("k"));
    ASSERT_FALSE(receipt.ok());
    EXPECT_NE(to_string(receipt.error()).find(path), std::string::npos) << text_of(receipt);
  }
  EXPECT_EQ(graph->log()->size(), 0U);
  // The same key is still free.
  std::ofstream(missing) << item("a", 1);
  std::vector<LoadSource> sources;
  sources.push_back(LoadSource::from_file(missing));
  ASSERT_GOOD(graph->load(std::move(sources), keyed("k")));
  EXPECT_EQ(count_of(*graph, "a"), 1);
}

}  // namespace
}  // namespace braid::graph_test
