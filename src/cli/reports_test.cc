// SPDX-License-Identifier: Apache-2.0
#include "cli/reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/error_text.h"

namespace braid::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CommitId kCommit{*Ulid::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV")};

CommitInfo commit() {
  CommitInfo info;
  info.id = kCommit;
  info.parents = {kCommit};
  info.version = Version{3};
  info.position = Position{9};
  info.sequence = Sequence{4};
  info.branch = "main";
  info.principal = "principal:sha256:" + std::string(64, 'a');
  info.actor = "ann";
  info.surface = "load";
  info.key = "k1";
  info.authored_ms = 1000;
  info.committed_ms = 2000;
  info.content_hash = "c0";
  info.record_hash = "d0";
  info.changes = {{"Person", false, 3, 1, 0}, {"Knows", true, 0, 0, 2}};
  return info;
}

TEST(CliReports, AReceiptSaysWhatHappened) {
  Receipt receipt;
  receipt.version = Version{2};
  receipt.position = Position{5};
  receipt.sequence = Sequence{2};
  receipt.nodes_inserted = 7;
  receipt.key = "k";
  receipt.replayed = true;
  EXPECT_EQ(json_line(Value(receipt_object(receipt))),
            "{\"commit\":null,\"version\":2,\"position\":5,\"sequence\":2,\"nodes_inserted\":7,"
            "\"nodes_updated\":0,\"edges_inserted\":0,\"edges_updated\":0,\"key\":\"k\","
            "\"replayed\":true}\n");

  receipt.key_valid_until_ms = 1;
  EXPECT_THAT(
      json_line(Value(receipt_object(receipt))),
      HasSubstr(
          "\"key\":\"k\",\"key_valid_until\":\"1970-01-01T00:00:00.001Z\",\"replayed\":true}\n"));

  receipt.commit = kCommit;
  EXPECT_EQ(*receipt_object(receipt).values[0].as<std::string>(), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
}

TEST(CliReports, ACommitInATableIsOneShortRow) {
  CommitInfo nameless = commit();
  nameless.actor.reset();

  const QueryResult rows = short_commit_rows({commit(), nameless});

  EXPECT_THAT(rows.columns,
              ElementsAre("commit", "version", "committed", "actor", "surface", "changes"));
  EXPECT_THAT(rows.rows[0],
              ElementsAre(Value("01ARZ3NDEKTSV4RRFFQ69G5FAV"), Value(std::uint64_t{3}),
                          Value(DateTime{2000}), Value("ann"), Value("load"),
                          Value("Person +3 ~1, Knows -2")));
  EXPECT_EQ(rows.rows[1][3], Value("principal:sha256:aaaaaaaa"));
}

TEST(CliReports, ACommitForProgramsIsWhole) {
  const QueryResult rows = commit_rows({commit()});

  EXPECT_THAT(rows.columns,
              ElementsAre("commit", "parents", "version", "position", "sequence", "branch",
                          "surface", "actor", "principal", "purpose", "key", "authored",
                          "committed", "content_hash", "record_hash", "changes"));
  EXPECT_EQ(rows.rows[0][9], Value());
  EXPECT_EQ(json_line(rows.rows[0][15]),
            "[{\"type\":\"Person\",\"inserted\":3,\"updated\":1,\"deleted\":0},"
            "{\"edge\":\"Knows\",\"inserted\":0,\"updated\":0,\"deleted\":2}]\n");
}

CommitDetail detail() {
  CommitDetail out;
  out.info = commit();
  RowChange node;
  node.kind = RowChange::Kind::kInserted;
  node.type = "Person";
  node.id = "ann\n";
  node.after = {{"slug"}, {"ann\n"}};
  RowChange edge;
  edge.kind = RowChange::Kind::kDeleted;
  edge.type = "Knows";
  edge.is_edge = true;
  edge.id = "e1";
  edge.from = "ann";
  edge.to = "bob";
  out.rows = {node, edge};
  return out;
}

TEST(CliReports, ADetailListsItsRows) {
  const std::string text = detail_text(detail());

  EXPECT_THAT(text, HasSubstr("changes: Person +3 ~1, Knows -2\n"));
  EXPECT_THAT(text,
              HasSubstr("\n\n+ Person ann\\n {\"slug\":\"ann\\n\"}\n- Knows e1 ann -> bob\n"));
}

TEST(CliReports, ADetailForProgramsHasRowsAsObjects) {
  const Value::Object object = detail_object(detail());

  EXPECT_EQ(object.names.back(), "rows");
  EXPECT_EQ(
      json_line(object.values.back()),
      "[{\"change\":\"inserted\",\"type\":\"Person\",\"id\":\"ann\\n\",\"data\":{\"slug\":"
      "\"ann\\n\"}},{\"change\":\"deleted\",\"edge\":\"Knows\",\"id\":\"e1\",\"from\":\"ann\","
      "\"to\":\"bob\",\"data\":null}]\n");
}

TEST(CliReports, VerificationHasAStatus) {
  VerifyReport report;
  report.records = 4;
  EXPECT_EQ(json_line(Value(verify_object(report))),
            "{\"status\":\"ok\",\"records\":4,\"commits\":0,\"rows\":0,\"findings\":[],"
            "\"findings_truncated\":false}\n");

  report.findings.push_back(Error(ErrorCode::corrupt, "bad frame").with("file", "log/1"));
  EXPECT_EQ(json_line(Value(verify_object(report))),
            "{\"status\":\"damaged\",\"records\":4,\"commits\":0,\"rows\":0,\"findings\":[{"
            "\"code\":\"corrupt\",\"kind\":\"corrupt\",\"message\":\"bad frame\",\"details\":{"
            "\"file\":\"log/1\"},\"span\":null}],\"findings_truncated\":false}\n");
}

TEST(CliLint, AGoodSchemaIsOk) {
  const LintReport report = lint_schema("node P { a: String }");

  EXPECT_FALSE(report.has_errors());
  EXPECT_EQ(json_line(Value(lint_object(report))), "{\"status\":\"ok\",\"findings\":[]}\n");
  EXPECT_EQ(lint_text(report, {"s.pg", ""}), "ok\n");
}

TEST(CliLint, AnUnknownAnnotationIsAWarning) {
  const std::string text = "node P { a: String @colour }";
  const LintReport report = lint_schema(text);

  EXPECT_FALSE(report.has_errors());
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].code, "L203");
  EXPECT_THAT(json_line(Value(lint_object(report))),
              HasSubstr("\"status\":\"warning\",\"findings\":[{\"severity\":\"warning\",\"code\":"
                        "\"L203\""));
  EXPECT_THAT(lint_text(report, {"s.pg", text}), HasSubstr("--> s.pg:1:20\n"));
}

TEST(CliLint, WhatCannotBeReadIsAnError) {
  EXPECT_TRUE(lint_schema("node").has_errors());
  EXPECT_EQ(lint_schema("node").findings[0].code, "Q000");
  EXPECT_EQ(lint_schema("node P { a: String a: String }").findings[0].code, "type_error");
  EXPECT_THAT(json_line(Value(lint_object(lint_schema("node")))),
              HasSubstr("\"status\":\"error\""));
}

}  // namespace
}  // namespace braid::cli
