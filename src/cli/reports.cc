// SPDX-License-Identifier: Apache-2.0
#include "cli/reports.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/rows.h"
#include "cli/text.h"
#include "columnar/value_text.h"
#include "schema/parser.h"
#include "schema/schema.h"

namespace braid::cli {
namespace {

/// As much of a pseudonym as a table shows.
constexpr std::size_t kShortPrincipalSize = std::string_view("principal:sha256:12345678").size();

void add(Value::Object& object, std::string name, Value value) {
  object.names.push_back(std::move(name));
  object.values.push_back(std::move(value));
}

Value commit_value(const std::optional<CommitId>& commit) {
  if (!commit) return {};
  return commit->to_string();
}

Value text_or_null(const std::string& text) {
  if (text.empty()) return {};
  return text;
}

Value changes_value(const std::vector<TypeChange>& changes) {
  Value::List out;
  for (const TypeChange& change : changes) {
    Value::Object object;
    add(object, change.is_edge ? "edge" : "type", change.type);
    add(object, "inserted", change.inserted);
    add(object, "updated", change.updated);
    add(object, "deleted", change.deleted);
    out.emplace_back(std::move(object));
  }
  return out;
}

/// "Person +3 ~1, Knows -2".
std::string changes_text(const std::vector<TypeChange>& changes) {
  std::string out;
  for (const TypeChange& change : changes) {
    if (!out.empty()) out += ", ";
    out += change.type;
    if (change.inserted > 0) out += fmt::format(" +{}", change.inserted);
    if (change.updated > 0) out += fmt::format(" ~{}", change.updated);
    if (change.deleted > 0) out += fmt::format(" -{}", change.deleted);
  }
  return out;
}

std::string_view name_of(RowChange::Kind kind) {
  switch (kind) {
    case RowChange::Kind::kInserted: return "inserted";
    case RowChange::Kind::kUpdated: return "updated";
    case RowChange::Kind::kDeleted: return "deleted";
  }
  return "";
}

char sign_of(RowChange::Kind kind) {
  switch (kind) {
    case RowChange::Kind::kInserted: return '+';
    case RowChange::Kind::kUpdated: return '~';
    case RowChange::Kind::kDeleted: return '-';
  }
  return ' ';
}

Value row_value(const RowChange& row) {
  Value::Object out;
  add(out, "change", std::string(name_of(row.kind)));
  add(out, row.is_edge ? "edge" : "type", row.type);
  add(out, "id", row.id);
  if (row.is_edge) {
    add(out, "from", row.from);
    add(out, "to", row.to);
  }
  add(out, "data", row.kind == RowChange::Kind::kDeleted ? Value() : Value(row.after));
  return out;
}

std::string row_text(const RowChange& row) {
  std::string out = fmt::format("{} {} {}", sign_of(row.kind), row.type, row.id);
  if (row.is_edge) out += fmt::format(" {} -> {}", row.from, row.to);
  if (row.kind != RowChange::Kind::kDeleted) {
    out += ' ';
    columnar::append_json(out, Value(row.after));
  }
  return printable(out) + '\n';
}

schema::Finding finding_of(const Error& error) {
  schema::Finding out;
  out.severity = schema::Severity::error;
  const std::string* const code = error.detail("code");
  if (error.code() == ErrorCode::parse_error) {
    out.code = "Q000";
  } else {
    out.code = code == nullptr ? std::string(name_of(error.code())) : *code;
  }
  out.message = error.message();
  out.span = error.span().value_or(SourceSpan{});
  return out;
}

}  // namespace

Value::Object receipt_object(const Receipt& receipt) {
  Value::Object out;
  add(out, "commit", commit_value(receipt.commit));
  add(out, "version", receipt.version.value);
  add(out, "position", receipt.position.value);
  add(out, "sequence", receipt.sequence.value);
  add(out, "nodes_inserted", receipt.nodes_inserted);
  add(out, "nodes_updated", receipt.nodes_updated);
  add(out, "edges_inserted", receipt.edges_inserted);
  add(out, "edges_updated", receipt.edges_updated);
  add(out, "key", receipt.key);
  // Nothing was committed and no key was given: there is nothing to be answered again.
  if (receipt.key_valid_until_ms != 0) {
    add(out, "key_valid_until", DateTime{receipt.key_valid_until_ms});
  }
  add(out, "replayed", receipt.replayed);
  return out;
}

Value::Object commit_object(const CommitInfo& info) {
  Value::List parents;
  for (const CommitId& parent : info.parents) parents.emplace_back(parent.to_string());
  Value::Object out;
  add(out, "commit", info.id.to_string());
  add(out, "parents", std::move(parents));
  add(out, "version", info.version.value);
  add(out, "position", info.position.value);
  add(out, "sequence", info.sequence.value);
  add(out, "branch", info.branch);
  add(out, "surface", info.surface);
  add(out, "actor", info.actor ? Value(*info.actor) : Value());
  add(out, "principal", info.principal);
  add(out, "purpose", text_or_null(info.purpose));
  add(out, "key", text_or_null(info.key));
  add(out, "authored", DateTime{info.authored_ms});
  add(out, "committed", DateTime{info.committed_ms});
  add(out, "content_hash", info.content_hash);
  add(out, "record_hash", info.record_hash);
  add(out, "changes", changes_value(info.changes));
  return out;
}

QueryResult commit_rows(const std::vector<CommitInfo>& commits) {
  QueryResult out;
  out.columns = commit_object(CommitInfo{}).names;
  for (const CommitInfo& info : commits) out.rows.push_back(commit_object(info).values);
  return out;
}

QueryResult short_commit_rows(const std::vector<CommitInfo>& commits) {
  QueryResult out;
  out.columns = {"commit", "version", "committed", "actor", "surface", "changes"};
  for (const CommitInfo& info : commits) {
    out.rows.push_back({info.id.to_string(), info.version.value, DateTime{info.committed_ms},
                        info.actor.value_or(info.principal.substr(0, kShortPrincipalSize)),
                        info.surface, changes_text(info.changes)});
  }
  return out;
}

Value::Object detail_object(const CommitDetail& detail) {
  Value::Object out = commit_object(detail.info);
  Value::List rows;
  for (const RowChange& row : detail.rows) rows.push_back(row_value(row));
  add(out, "rows", std::move(rows));
  return out;
}

std::string detail_text(const CommitDetail& detail) {
  Value::Object head = commit_object(detail.info);
  head.values.back() = changes_text(detail.info.changes);
  std::string out = object_lines(head);
  if (!detail.rows.empty()) out += '\n';
  for (const RowChange& row : detail.rows) out += row_text(row);
  return out;
}

Value::Object verify_object(const VerifyReport& report) {
  Value::List findings;
  for (const Error& finding : report.findings) findings.push_back(error_value(finding));
  Value::Object out;
  add(out, "status", report.findings.empty() ? "ok" : "damaged");
  add(out, "records", report.records);
  add(out, "commits", report.commits);
  add(out, "rows", report.rows);
  add(out, "findings", std::move(findings));
  add(out, "findings_truncated", report.findings_truncated);
  return out;
}

bool LintReport::has_errors() const {
  return std::any_of(findings.begin(), findings.end(), [](const schema::Finding& finding) {
    return finding.severity == schema::Severity::error;
  });
}

LintReport lint_schema(std::string_view text) {
  Result<schema::Document> document = schema::parse(text);
  if (!document) return {{finding_of(document.error())}};
  const Result<schema::Schema> resolved = schema::resolve(*std::move(document));
  if (!resolved) return {{finding_of(resolved.error())}};
  return {schema::lint(*resolved)};
}

std::string lint_text(const LintReport& report, const Source& source) {
  std::string out;
  std::size_t errors = 0;
  for (const schema::Finding& finding : report.findings) {
    if (finding.severity == schema::Severity::error) ++errors;
    out += fmt::format("{}[{}]: {}\n", schema::name_of(finding.severity), finding.code,
                       printable(finding.message));
    out += excerpt(source, finding.span);
  }
  if (report.findings.empty()) return "ok\n";
  return out + fmt::format("errors: {}, warnings: {}\n", errors, report.findings.size() - errors);
}

Value::Object lint_object(const LintReport& report) {
  Value::List findings;
  for (const schema::Finding& finding : report.findings) {
    Value::Object object;
    add(object, "severity", std::string(schema::name_of(finding.severity)));
    add(object, "code", finding.code);
    add(object, "message", well_formed(finding.message));
    add(object, "type", text_or_null(finding.type));
    add(object, "property", text_or_null(finding.property));
    add(object, "span", span_value(finding.span));
    findings.emplace_back(std::move(object));
  }
  const char* const status =
      report.has_errors() ? "error" : (report.findings.empty() ? "ok" : "warning");
  Value::Object out;
  add(out, "status", status);
  add(out, "findings", std::move(findings));
  return out;
}

}  // namespace braid::cli
