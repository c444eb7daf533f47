// SPDX-License-Identifier: Apache-2.0
// What the commands say, and how they end, when something is wrong.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace braid::cli_program {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kGood = "query q() { match { $p: Person { slug: \"ann\" } } return { $p.name } }";

class CliErrors : public Program {
 protected:
  /// Runs it for people and for programs: both end with `status` and name `code`, and neither
  /// prints a result.
  std::string fails(const Words& words, int status, const std::string& code,
                    const Surroundings& surroundings = {}) const {
    const Ran text = braid(words, surroundings);
    EXPECT_EQ(text.status, status) << testing::PrintToString(words) << "\n" << text.err;
    EXPECT_THAT(text.err, StartsWith("error[" + code + "]: "));
    EXPECT_EQ(text.out, "");

    Words with_json = words;
    with_json.emplace_back("--json");
    const Ran json = braid(with_json, surroundings);
    EXPECT_EQ(json.status, status) << json.err;
    EXPECT_THAT(json.err, StartsWith("{\"code\":\"" + code + "\",\"kind\":\""));
    EXPECT_EQ(json.err.find('\n'), json.err.size() - 1);
    return text.err;
  }
};

TEST_F(CliErrors, AWrongRequestIsOne) {
  const std::string graph = make_graph();
  const auto query = [&](const std::string& text) { return Words{"query", graph, "-e", text}; };

  fails(query("query q() { match { $p: Person } }"), 1, "parse_error");
  fails(query("query q() { match { $p: Person { slug: 1 } } return { $p } }"), 1, "type_error");
  fails(query("query q() { match { $p: Person } return { count($p) } }"), 1, "unsupported");
  fails(query("query q($s: String) { match { $p: Person { slug: $s } } return { $p } }"), 1,
        "bad_request");
  fails({"query", graph, "-e", kGood, "--params", "{"}, 1, "parse_error");
  fails({"init", path("new"), "--schema", "-"}, 1, "parse_error", {"node {}", {}, {}});
  fails({"init", path("new"), "--schema", "-"}, 1, "type_error",
        {"node P { a: String a: String }", {}, {}});
  fails({"show", graph, "abc"}, 1, "bad_request");
}

TEST_F(CliErrors, RowsThatBreakTheSchemaAreNotLoaded) {
  const std::string graph = make_graph();
  const auto load = [&](const std::string& rows, const std::string& code) {
    return fails({"load", graph, "--data", "-"}, 1, code, {rows, {}, {}});
  };
  const std::string before = done({"log", graph});

  load("{", "parse_error");
  load(R"({"type":"Person","data":{"slug":"x","name":7}})", "type_error");
  load(R"({"type":"Person","data":{"slug":"x","name":"X","nickname":"x"}})", "type_error");
  load(R"({"edge":"Knows","from":"ann","to":"nobody"})", "constraint_violation");

  EXPECT_EQ(done({"log", graph}), before);
}

TEST_F(CliErrors, ALoadErrorNamesFileAndLine) {
  const std::string graph = make_graph();
  const std::string rows = file("bad.jsonl",
                                "{\"type\":\"Note\",\"data\":{\"text\":\"a\"}}\n"
                                "{\"type\":\"Note\",\"data\":{\"text\":1}}\n");

  const std::string text = fails({"load", graph, "--data", rows}, 1, "type_error");

  EXPECT_THAT(text, HasSubstr("  file: " + rows + "\n"));
  EXPECT_EQ(member(text, "  line"), "2");
}

TEST_F(CliErrors, ADirectoryIsNoData) {
  const std::string graph = make_graph();
  const std::string before = done({"log", graph});
  const Ran ran = braid({"load", graph, "--data", folder()});
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr(folder()));
  EXPECT_EQ(done({"log", graph}), before);
}

TEST_F(CliErrors, DataThatTheUserMayNotReadIsNotLoaded) {
  using std::filesystem::perms;
  const std::string graph = make_graph();
  const std::string rows = file("secret.jsonl", R"({"type":"Note","data":{"text":"hi"}})");
  const std::string before = done({"log", graph});
  std::filesystem::permissions(rows, perms::none);
  if (std::ifstream(rows).good()) {
    // The superuser may read it: somebody else is asked, who may do all else.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(graph)) {
      std::filesystem::permissions(entry.path(), perms::all);
    }
    for (const std::string& path : {folder(), graph}) {
      std::filesystem::permissions(path, perms::all);
    }
    const int probe = std::system("setpriv --reuid=65534 --regid=65534 --clear-groups true");
    if (probe != 0) GTEST_SKIP() << "nobody else is here";
    const std::string command = "setpriv --reuid=65534 --regid=65534 --clear-groups \"" +
                                std::string(std::getenv("BRAID_BINARY")) + "\" load \"" + graph +
                                "\" --data \"" + rows + "\" 2> \"" + path("err") + "\"";
    EXPECT_NE(std::system(command.c_str()), 0);
    EXPECT_THAT(read(path("err")), StartsWith("error[permission]: "));
    EXPECT_THAT(read(path("err")), HasSubstr(rows));
  } else {
    EXPECT_THAT(fails({"load", graph, "--data", rows}, 1, "permission"), HasSubstr(rows));
  }
  EXPECT_EQ(done({"log", graph}), before);
}

TEST_F(CliErrors, AFaultInAQueryIsShownWithACaret) {
  const std::string graph = make_graph();
  const std::string query = file("q.gq",
                                 "query q() {\n"
                                 "  match { $p: Person { slug: \"ann\" } }\n"
                                 "  return { $p.nmae }\n"
                                 "}\n");

  EXPECT_EQ(fails({"query", graph, "--file", query}, 1, "type_error"),
            "error[type_error]: Person has no property nmae\n"
            " --> " +
                query +
                ":3:15\n"
                "  |\n"
                "3 |   return { $p.nmae }\n"
                "  |               ^~~~\n"
                "  code: T6\n");
}

TEST_F(CliErrors, AWrongCommandLineIsTwo) {
  EXPECT_EQ(braid({}).status, 2);
  EXPECT_EQ(braid({"frobnicate"}).status, 2);
  fails({"load", "g"}, 2, "usage");
  fails({"log"}, 2, "usage");
  const std::string graph = make_graph();
  const std::string rows = path("d.jsonl");
  for (const char* wait : {"nan", "-1", "1e9", "0x1", ""}) {
    EXPECT_THAT(fails({"load", graph, "--data", rows, "--wait", wait}, 2, "usage"),
                HasSubstr("--wait"));
  }
  for (const char* limit : {"18446744073709551616", "-1", "1.5", ""}) {
    const std::string text = fails({"log", graph, "--limit", limit}, 2, "usage");
    EXPECT_THAT(text, HasSubstr("--limit"));
    EXPECT_LT(text.size(), 120U) << text;
  }
  EXPECT_THAT(fails({"query", graph, "-e", kGood, "--params", ""}, 2, "usage"),
              HasSubstr("--params"));
}

TEST_F(CliErrors, WhatIsNotThereIsThree) {
  const std::string graph = make_graph();

  fails({"log", path("nothing")}, 3, "not_found");
  fails({"load", path("nothing"), "--data", path("d.jsonl")}, 3, "not_found");
  fails({"load", graph, "--data", path("nothing.jsonl")}, 3, "not_found");
  fails({"query", graph, "--file", path("nothing.gq")}, 3, "not_found");
  fails({"query", graph, "-e", kGood, "other"}, 3, "not_found");
  fails({"show", graph, "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, 3, "not_found");
  EXPECT_FALSE(std::filesystem::exists(path("nothing")));
}

TEST_F(CliErrors, AConflictIsFour) {
  const std::string graph = make_graph();
  const std::string head = member(done({"log", graph, "--format", "kv"}), "commit");
  const std::string note = "{\"type\":\"Note\",\"data\":{\"text\":\"a\"}}\n";
  done({"load", graph, "--data", "-", "--if-commit", head}, {note, {}, {}});

  EXPECT_THAT(fails({"init", graph, "--schema", path("s.pg")}, 4, "already_exists"),
              HasSubstr("hint: "));
  fails({"load", graph, "--data", path("d.jsonl")}, 4, "key_conflict");
  fails({"load", graph, "--data", path("d.jsonl"), "--key", "k1", "--purpose", "other", "--as",
         "bob"},
        4, "idempotency_conflict");
  fails({"load", graph, "--data", "-", "--if-commit", head}, 4, "precondition_failed",
        {note, {}, {}});
}

TEST_F(CliErrors, AHeldGraphIsFiveAndNamesItsHolder) {
  const std::string graph = make_graph();
  Background holder({"load", graph, "--data", "-"}, folder());

  const Ran ran = wait_until_held(graph, holder);

  EXPECT_EQ(ran.status, 5);
  EXPECT_THAT(ran.err, StartsWith("error[locked]: "));
  EXPECT_THAT(member(ran.err, "  holder"), HasSubstr("braid load"));
  EXPECT_EQ(holder.finish(""), 0);
  done({"load", graph, "--data", path("nothing.jsonl"), "--wait", "0"});
}

TEST_F(CliErrors, ALimitIsFive) {
  const std::string graph = make_graph();

  fails({"query", graph, "--file", "-"}, 5, "resource_limit",
        {std::string((1U << 20U) + 1, ' '), {}, {}});
}

TEST_F(CliErrors, OutputThatCannotBeWrittenIsFive) {
  const std::string graph = make_graph();
  const Ran full = braid({"log", graph}, {"", {}, "/dev/full"});

  EXPECT_EQ(full.status, 5);
  EXPECT_THAT(full.err, StartsWith("error[no_space]: "));
}

TEST_F(CliErrors, DamageIsSix) {
  const std::string graph = make_graph();
  // Inside the record of the first load, which the second one makes an acknowledged neighbour of.
  done({"load", graph, "--data", "-"}, {"{\"type\":\"Note\",\"data\":{\"text\":\"a\"}}\n", {}, {}});
  int damaged = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(graph + "/log")) {
    if (!entry.is_regular_file()) continue;
    std::string bytes = read(entry.path().string());
    const std::size_t at = bytes.find("B\u00f6b");
    if (at == std::string::npos) continue;
    bytes[at] = 'C';
    std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << bytes;
    ++damaged;
  }
  ASSERT_EQ(damaged, 1);

  const Ran verify = braid({"verify", graph});

  EXPECT_EQ(verify.status, 6);
  EXPECT_THAT(verify.out + verify.err, HasSubstr("error[corrupt]: "));
  EXPECT_EQ(braid({"verify", graph, "--json"}).status, 6);
}

TEST_F(CliErrors, MessagesAreNeverColouredOffATerminal) {
  EXPECT_EQ(braid({"log", path("nothing")}).err.find('\x1b'), std::string::npos);
  EXPECT_EQ(braid({"log", path("no\x1b[31m")}).err.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace braid::cli_program
