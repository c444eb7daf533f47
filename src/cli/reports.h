// SPDX-License-Identifier: Apache-2.0
// What the engine reports (receipts, commits, verification, lint) as values to print.
// Layer: cli.
// Threads: pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "braid/graph.h"
#include "braid/value.h"
#include "cli/error_text.h"
#include "schema/lint.h"

namespace braid::cli {

Value::Object receipt_object(const Receipt& receipt);

/// All that is known of a commit.
Value::Object commit_object(const CommitInfo& info);
/// All of each commit: for programs.
QueryResult commit_rows(const std::vector<CommitInfo>& commits);
/// The columns that fit a terminal.
QueryResult short_commit_rows(const std::vector<CommitInfo>& commits);

/// The commit's members and `rows`, one object a changed row.
Value::Object detail_object(const CommitDetail& detail);
/// `name: value` lines, then a line a changed row: `+ Person ann {…}`.
std::string detail_text(const CommitDetail& detail);

/// `status` (ok, damaged), counts, and `findings`, one error object each.
Value::Object verify_object(const VerifyReport& report);

/// What is wrong with a schema, and what deserves a look.
struct LintReport {
  std::vector<schema::Finding> findings;
  bool has_errors() const;
};
/// parse, resolve and lint: the first error is a finding too (Q000 for a parse error).
LintReport lint_schema(std::string_view text);
/// Each finding with its line and a caret, then the verdict.
std::string lint_text(const LintReport& report, const Source& source);
/// `status` (ok, warning, error) and `findings`.
Value::Object lint_object(const LintReport& report);

}  // namespace braid::cli
