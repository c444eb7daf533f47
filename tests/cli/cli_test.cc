// SPDX-License-Identifier: Apache-2.0
// What the commands print when all is well.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace braid::cli_program {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using CliProgram = Program;

const std::string kAnn =
    "query ann() { match { $p: Person { slug: \"ann\" } } return { $p.name, $p.age as age } }";
const std::string kPerson =
    "query person($slug: String) { match { $p: Person { slug: $slug } } return { $p } }";

const std::string kNote = "{\"type\":\"Note\",\"data\":{\"text\":\"hi\"}}\n";

TEST_F(CliProgram, InitPrintsTheEmptyGraph) {
  const std::string schema = file("s.pg", "node P { k: String @key }");

  EXPECT_EQ(masked(done({"init", path("g"), "--schema", schema})),
            "graph: " + path("g") + "\ncommit: null\nversion: 0\n");
  EXPECT_EQ(masked(done({"init", path("h"), "--schema", "-", "--json"}, {read(schema), {}, {}})),
            "{\"graph\":\"" + path("h") + "\",\"commit\":null,\"version\":0}\n");
}

TEST_F(CliProgram, InitIfNotExistsLeavesTheGraphAlone) {
  const std::string graph = make_graph();
  const std::string before = done({"log", graph, "--json"});

  done({"init", graph, "--schema", path("s.pg"), "--if-not-exists"});

  EXPECT_EQ(done({"log", graph, "--json"}), before);
}

TEST_F(CliProgram, LoadPrintsItsReceipt) {
  const std::string graph = make_graph();
  const std::string rows =
      "{\"type\":\"Person\",\"data\":{\"slug\":\"ann\",\"name\":\"Anne\"}}\n" + kNote;

  const std::string text =
      done({"load", graph, "--data", "-", "--mode", "merge", "--key", "k2"}, {rows, {}, {}});

  EXPECT_EQ(member(text, "version"), "2");
  EXPECT_EQ(member(text, "nodes_inserted"), "1");
  EXPECT_EQ(member(text, "nodes_updated"), "1");
  EXPECT_EQ(member(text, "edges_inserted"), "0");
  EXPECT_EQ(member(text, "edges_updated"), "0");
  EXPECT_EQ(member(text, "key"), "k2");
  EXPECT_EQ(member(text, "replayed"), "false");
  EXPECT_EQ(masked(member(text, "commit")), "ID");
  EXPECT_EQ(masked(member(text, "key_valid_until")), "TIME");
}

TEST_F(CliProgram, ProgressIsShownOnTerminalsOnly) {
  const std::string graph = make_graph();

  const Ran ran = braid({"load", graph, "--data", "-", "--progress"}, {kNote, {}, {}});

  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
}

TEST_F(CliProgram, LoadReplacesWholeTypes) {
  const std::string graph = make_graph();
  done({"load", graph, "--data", "-"}, {kNote, {}, {}});
  const std::string other = "{\"type\":\"Note\",\"data\":{\"text\":\"ho\"}}\n";

  const std::string receipt =
      done({"load", graph, "--data", "-", "--mode", "overwrite"}, {other, {}, {}});

  EXPECT_EQ(member(receipt, "nodes_inserted"), "1");
  const std::string notes = done({"export", graph, "--type", "Note"});
  EXPECT_THAT(notes, HasSubstr("\"ho\""));
  EXPECT_EQ(notes.find("\"hi\""), std::string::npos);
}

TEST_F(CliProgram, LoadWithAKnownKeyPrintsTheStoredReceipt) {
  const std::string graph = make_graph();
  const Words again = {"load", graph,  "--data", path("d.jsonl"), "--key",
                       "k1",   "--as", "bob",    "--json"};

  const std::string first = done(again);
  const std::string second = done(again);

  EXPECT_EQ(first, second);
  EXPECT_THAT(first, HasSubstr("\"nodes_inserted\":2,\"nodes_updated\":0,\"edges_inserted\":1,"
                               "\"edges_updated\":0,\"key\":\"k1\""));
  EXPECT_THAT(first, HasSubstr("\"replayed\":true}\n"));
}

TEST_F(CliProgram, ALoadThatKeepsNoKeyPrintsNoEndOfIt) {
  const std::string graph = make_graph();
  const std::string rows = "{\"type\":\"Person\",\"data\":{\"slug\":\"ann\",\"name\":\"Ann\"}}\n";
  const Words merge = {"load", graph, "--data", "-", "--mode", "merge"};
  const auto with = [&](const Words& more) {
    Words words = merge;
    words.insert(words.end(), more.begin(), more.end());
    return done(words, {rows, {}, {}});
  };

  // Nothing to change, and no key: nothing is kept.
  const std::string json = with({"--json"});
  EXPECT_THAT(json, StartsWith("{\"commit\":null,"));
  EXPECT_EQ(json.find("key_valid_until"), std::string::npos) << json;
  EXPECT_EQ(with({}).find("key_valid_until"), std::string::npos);

  // The receipt of a key is kept, also of one for nothing.
  const std::string keyed = with({"--key", "k9"});
  EXPECT_EQ(member(keyed, "commit"), "null");
  EXPECT_EQ(masked(member(keyed, "key_valid_until")), "TIME");
  EXPECT_EQ(keyed.find("1970"), std::string::npos);
}

TEST_F(CliProgram, QueryPrintsEveryFormat) {
  const std::string graph = make_graph();
  const auto printed = [&](const std::string& format) {
    return done({"query", graph, "-e", kAnn, "--format", format});
  };

  EXPECT_EQ(printed("table"),
            " p.name |              age\n"
            "--------+------------------\n"
            " Ann    | 9007199254740993\n");
  EXPECT_EQ(printed("kv"), "p.name: Ann\nage: 9007199254740993\n");
  EXPECT_EQ(printed("csv"), "p.name,age\r\nAnn,9007199254740993\r\n");
  EXPECT_EQ(printed("jsonl"), "{\"p.name\":\"Ann\",\"age\":9007199254740993}\n");
  EXPECT_EQ(
      printed("json"),
      "{\"columns\":[\"p.name\",\"age\"],\"rows\":[{\"p.name\":\"Ann\",\"age\":9007199254740993}]}"
      "\n");
  EXPECT_EQ(done({"query", graph, "-e", kAnn, "--json", "--json-safe-integers"}),
            "{\"columns\":[\"p.name\",\"age\"],\"rows\":[{\"p.name\":\"Ann\",\"age\":"
            "\"9007199254740993\"}]}\n");
}

TEST_F(CliProgram, AWholeNodeHasItsIdAndItsNulls) {
  const std::string graph = make_graph();
  const std::string queries = file("q.gq", kAnn + "\n" + kPerson);
  const Words words = {
      "query", graph, "--file", queries, "person", "--params", "{\"slug\":\"bob\"}"};
  const auto printed = [&](const std::string& format) {
    Words all = words;
    all.insert(all.end(), {"--format", format});
    return done(all);
  };

  EXPECT_EQ(printed("jsonl"),
            "{\"p\":{\"@id\":\"bob\",\"slug\":\"bob\",\"name\":\"B\u00f6b \\\"B\\\", "
            "jr\\n\\u001b[31m\",\"age\":null,\"tags\":null}}\n");
  EXPECT_EQ(printed("kv"),
            "p.@id: bob\np.slug: bob\np.name: B\u00f6b \"B\", jr\\n\\u001b[31m\np.age: null\n"
            "p.tags: null\n");
}

TEST_F(CliProgram, ANodeThatIsNotThereIsNoRow) {
  const std::string graph = make_graph();
  const std::string parameters = file("p.json", "{\"slug\": \"nobody\"}");
  const Words words = {"query", graph, "-e", kPerson, "--params-file", parameters, "--format"};
  const auto printed = [&](const std::string& format) {
    Words all = words;
    all.push_back(format);
    return done(all);
  };

  EXPECT_EQ(printed("table"), " p\n---\n");
  EXPECT_EQ(printed("kv"), "");
  EXPECT_EQ(printed("csv"), "p\r\n");
  EXPECT_EQ(printed("jsonl"), "");
  EXPECT_EQ(printed("json"), "{\"columns\":[\"p\"],\"rows\":[]}\n");
}

TEST_F(CliProgram, LogListsCommitsNewestFirst) {
  const std::string graph = make_graph();
  done({"load", graph, "--data", "-", "--as", "eve", "--purpose", "talk"}, {kNote, {}, {}});

  const std::string blank(24, ' ');
  const std::string rule(20, '-');
  EXPECT_EQ(masked(done({"log", graph})),
            " commit" + blank.substr(4) + " | version | committed" + blank.substr(9) +
                " | actor | surface | changes\n"
                "-" +
                rule +
                "------"
                "-+---------+-" +
                rule +
                "----"
                "-+-------+---------+-" +
                rule.substr(1) +
                "-\n"
                " ID |       2 | TIME | eve   | load    | Note +1\n"
                " ID |       1 | TIME | bob   | load    | Person +2, Knows +1\n");

  const std::string json = masked(done({"log", graph, "--json", "--limit", "1"}));
  EXPECT_THAT(json, StartsWith("{\"columns\":[\"commit\",\"parents\",\"version\","));
  EXPECT_THAT(json, HasSubstr("\"rows\":[{\"commit\":\"ID\",\"parents\":[\"ID\"],\"version\":2,"));
  EXPECT_THAT(json, HasSubstr("\"branch\":\"main\",\"surface\":\"load\",\"actor\":\"eve\","
                              "\"principal\":\"principal:sha256:HASH\",\"purpose\":\"talk\","
                              "\"key\":\"ID\",\"authored\":\"TIME\",\"committed\":\"TIME\","));
  EXPECT_THAT(json, HasSubstr("\"changes\":[{\"type\":\"Note\",\"inserted\":1,\"updated\":0,"
                              "\"deleted\":0}]}]}\n"));
  EXPECT_EQ(json.find("k1"), std::string::npos);
}

TEST_F(CliProgram, ShowListsTheRowsOfACommit) {
  const std::string graph = make_graph();
  const std::string commit = member(done({"log", graph, "--format", "kv"}), "commit");

  const std::string text = masked(done({"show", graph, commit}));
  EXPECT_THAT(text, StartsWith("commit: ID\nparents: []\nversion: 1\n"));
  EXPECT_THAT(text, HasSubstr("\nchanges: Person +2, Knows +1\n\n"));
  EXPECT_THAT(text, HasSubstr("\n+ Person ann {\"slug\":\"ann\",\"name\":\"Ann\","
                              "\"age\":9007199254740993,\"tags\":[\"x\",\"y\"]}\n"));
  EXPECT_THAT(text, HasSubstr("\n+ Knows ID ann -> bob {\"since\":\"2020-01-02\"}\n"));

  const std::string json = masked(done({"show", graph, commit, "--json"}));
  EXPECT_THAT(json, HasSubstr("{\"change\":\"inserted\",\"edge\":\"Knows\",\"id\":\"ID\",\"from\":"
                              "\"ann\",\"to\":\"bob\",\"data\":{\"since\":\"2020-01-02\"}}"));
}

TEST_F(CliProgram, VerifyFindsNothingInAGoodGraph) {
  const std::string graph = make_graph();

  EXPECT_THAT(done({"verify", graph}), StartsWith("ok: records "));
  const std::string json = done({"verify", graph, "--json"});
  EXPECT_THAT(json, StartsWith("{\"status\":\"ok\",\"records\":"));
  EXPECT_THAT(json, HasSubstr("\"commits\":1,\"rows\":3,\"findings\":[],"
                              "\"findings_truncated\":false}\n"));
}

TEST_F(CliProgram, VerifySaysWhichNameIsWrongAndThatThereAreMore) {
  const std::string graph = make_graph();
  constexpr std::size_t kMore = 150;
  for (std::size_t i = 0; i < kMore; ++i) {
    std::ofstream(graph + "/names/stray-" + std::to_string(i)) << "x";
  }

  const Ran text = braid({"verify", graph});
  EXPECT_EQ(text.status, 6);
  EXPECT_THAT(text.out, HasSubstr("  file: names/stray-"));
  EXPECT_THAT(text.out, testing::EndsWith("findings 100 and more\n"));
  const Ran json = braid({"verify", graph, "--json"});
  EXPECT_EQ(json.status, 6);
  EXPECT_THAT(json.out, testing::EndsWith(",\"findings_truncated\":true}\n"));
}

TEST_F(CliProgram, ExportPrintsWhatLoadCanRead) {
  const std::string graph = make_graph();
  const std::string rows = done({"export", graph});
  const std::string schema = file("again.pg", done({"schema", "show", graph}));
  const std::string again = path("again");
  done({"init", again, "--schema", schema});
  done({"load", again, "--data", "-"}, {rows, {}, {}});

  EXPECT_THAT(rows, HasSubstr("{\"type\":\"Person\",\"data\":{\"slug\":\"ann\""));
  EXPECT_EQ(done({"export", again}), rows);
  EXPECT_EQ(done({"export", again, "--type", "Person"}), rows.substr(0, rows.find("{\"edge\"")));
}

TEST_F(CliProgram, SchemaShowPrintsWhatInitCanRead) {
  const std::string graph = make_graph();

  const std::string schema = done({"schema", "show", graph});

  EXPECT_THAT(schema, StartsWith("node Person {\n  slug: String @key\n"));
  done({"init", path("again"), "--schema", "-"}, {schema, {}, {}});
  EXPECT_EQ(done({"schema", "show", path("again")}), schema);
  EXPECT_EQ(done({"lint", "--schema", "-"}, {schema, {}, {}}), "ok\n");
}

TEST_F(CliProgram, TheGraphMayComeFromAnOptionOrTheEnvironment) {
  const std::string graph = make_graph();
  const Surroundings named = {"", {"BRAID_GRAPH=" + graph}, ""};
  const std::string expected = done({"log", graph});

  EXPECT_EQ(done({"log", "--graph", graph}), expected);
  EXPECT_EQ(done({"log"}, named), expected);
  EXPECT_EQ(done({"query", "ann", "-e", kAnn, "--format", "csv"}, named),
            "p.name,age\r\nAnn,9007199254740993\r\n");
  EXPECT_EQ(done({"log", "g.braid"}), expected);
}

// Without claim_closed_streams() a file of the graph would become the standard output.
TEST_F(CliProgram, WithClosedStreamsNothingIsWrittenIntoTheGraph) {
  const std::string graph = make_graph();
  const std::string note = file("n.jsonl", kNote);
  for (int mask = 1; mask < 8; ++mask) {
    SCOPED_TRACE(mask);
    Surroundings surroundings;
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
      if ((mask & 1 << descriptor) != 0) surroundings.closed.push_back(descriptor);
    }

    EXPECT_EQ(braid({"load", graph, "--data", note}, surroundings).status, 0);
    EXPECT_EQ(braid({"load", graph, "--data", path("d.jsonl")}, surroundings).status, 4);
    EXPECT_EQ(braid({"log", graph}, surroundings).status, 0);
    EXPECT_EQ(braid({"verify", graph}, surroundings).status, 0);
  }

  EXPECT_EQ(member(done({"log", graph, "--format", "kv"}), "version"), "8");
  EXPECT_THAT(done({"verify", graph}), StartsWith("ok: "));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(graph)) {
    if (entry.is_directory()) continue;
    const std::string bytes = read(entry.path());
    for (const char* printed : {"nodes_inserted", "error[", "ok: records", "committed"}) {
      EXPECT_EQ(bytes.find(printed), std::string::npos) << entry.path() << " has " << printed;
    }
  }
}

TEST_F(CliProgram, ReadersGoOnBesideAWriter) {
  const std::string graph = make_graph();
  Background writer({"load", graph, "--data", "-"}, folder());
  wait_until_held(graph, writer);

  EXPECT_EQ(done({"query", graph, "-e", kAnn, "--format", "csv"}),
            "p.name,age\r\nAnn,9007199254740993\r\n");
  EXPECT_THAT(done({"verify", graph}), StartsWith("ok: "));

  EXPECT_EQ(writer.finish("{\"type\":\"Note\",\"data\":{\"text\":\"late\"}}\n"), 0);
  EXPECT_EQ(member(done({"log", graph, "--format", "kv"}), "version"), "2");
}

}  // namespace
}  // namespace braid::cli_program
