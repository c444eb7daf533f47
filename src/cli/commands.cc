// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/error_text.h"
#include "cli/json_parameters.h"
#include "cli/reports.h"
#include "cli/rows.h"
#include "lang/gq/lexer.h"

namespace braid::cli {
namespace {

constexpr std::size_t kSchemaBytesMax = std::size_t{16} << 20U;
constexpr std::size_t kParametersBytesMax = std::size_t{64} << 20U;
constexpr std::string_view kStandardInput = "-";

class Command {
 public:
  Command(const Invocation& invocation, Console& console) : asked_(invocation), console_(console) {}

  /// The exit status when nothing failed.
  Result<int> run();
  void report(const Error& error) const;

 private:
  Result<int> init();
  Result<int> load();
  Result<int> query();
  Result<int> log();
  Result<int> show();
  Result<int> verify();
  Result<int> export_rows();
  Result<int> schema_show();
  Result<int> lint();
  Result<int> version();

  /// The text of a file or of the standard input; from then on places refer to it.
  Result<std::string> read_source(const std::string& path, std::size_t size_bytes_max);
  Result<Parameters> parameters();
  Result<std::string> query_text();
  LoadSource load_source(const std::string& path);
  OpenOptions open_options(std::string_view words) const;
  Result<Graph> open_to_read() const;
  Status write_object(const Value::Object& object);

  const Invocation& asked_;
  Console& console_;
  std::optional<Source> source_;
};

Result<int> Command::run() {
  switch (asked_.action) {
    case Action::init: return init();
    case Action::load: return load();
    case Action::query: return query();
    case Action::log: return log();
    case Action::show: return show();
    case Action::verify: return verify();
    case Action::export_rows: return export_rows();
    case Action::schema_show: return schema_show();
    case Action::lint: return lint();
    case Action::version: return version();
  }
  return 0;
}

void Command::report(const Error& error) const {
  if (asked_.json) {
    console_.message(json_line(error_value(error)));
  } else {
    console_.message(
        error_text(error, source_ ? &*source_ : nullptr, {.colours = console_.colours_messages()}));
  }
}

Result<std::string> Command::read_source(const std::string& path, std::size_t size_bytes_max) {
  const bool is_input = path == kStandardInput;
  Result<std::string> text = is_input ? read_all_input(console_, size_bytes_max)
                                      : env::read_file(console_.files(), path, size_bytes_max);
  if (text) source_ = Source{is_input ? "standard input" : path, *text};
  return text;
}

OpenOptions Command::open_options(std::string_view words) const {
  OpenOptions options;
  options.lock_wait_ms = asked_.wait_ms;
  options.process_name = fmt::format("braid {} {}", words, asked_.graph);
  return options;
}

Result<Graph> Command::open_to_read() const {
  OpenOptions options;
  options.read_only = true;
  return Graph::open(asked_.graph, options);
}

Status Command::write_object(const Value::Object& object) {
  return console_.write(asked_.json ? json_line(Value(object), asked_.json_safe_integers)
                                    : object_lines(object));
}

Result<int> Command::init() {
  BRAID_ASSIGN(const std::string schema, read_source(asked_.schema_path, kSchemaBytesMax));
  InitOptions options;
  options.if_not_exists = asked_.if_not_exists;
  options.actor = asked_.actor;
  BRAID_ASSIGN(Graph graph, Graph::init(asked_.graph, schema, options, open_options("init")));
  BRAID_ASSIGN(const Snapshot snapshot, graph.read());
  const CommitId head = snapshot.commit();
  const Value commit = head.ulid.is_zero() ? Value() : Value(head.to_string());
  BRAID_TRY(write_object(
      {{"graph", "commit", "version"}, {asked_.graph, commit, snapshot.version().value}}));
  BRAID_TRY(graph.close());
  return 0;
}

LoadSource Command::load_source(const std::string& path) {
  if (path != kStandardInput) return LoadSource::from_file(path);
  LoadSource source;
  source.name = "standard input";
  source.read = [this](char* out, std::size_t size) { return console_.read(out, size); };
  return source;
}

Result<int> Command::load() {
  std::vector<LoadSource> sources;
  for (const std::string& path : asked_.data_paths) sources.push_back(load_source(path));
  LoadOptions options;
  options.mode = asked_.mode;
  options.key = asked_.key;
  options.if_commit = asked_.if_commit;
  options.actor = asked_.actor;
  options.purpose = asked_.purpose;
  BRAID_ASSIGN(Graph graph, Graph::open(asked_.graph, open_options("load")));
  if (asked_.progress) {
    options.progress = [this](const LoadProgress& progress) {
      console_.show_progress(fmt::format("{} MiB read, {} rows parsed", progress.bytes_read >> 20U,
                                         progress.rows_parsed));
    };
  }
  const Result<Receipt> loaded = graph.load(std::move(sources), options);
  if (asked_.progress) console_.show_progress("");
  BRAID_ASSIGN(const Receipt receipt, loaded);
  BRAID_TRY(write_object(receipt_object(receipt)));
  BRAID_TRY(graph.close());
  return 0;
}

Result<Parameters> Command::parameters() {
  std::string text;
  if (asked_.parameters) {
    text = *asked_.parameters;
    source_ = Source{"--params", text};
  } else if (!asked_.parameters_path.empty()) {
    BRAID_ASSIGN(text, read_source(asked_.parameters_path, kParametersBytesMax));
  }
  return parse_parameters(text);
}

Result<std::string> Command::query_text() {
  if (asked_.query_text) {
    source_ = Source{"-e", *asked_.query_text};
    return *asked_.query_text;
  }
  return read_source(asked_.query_path, gq::kTextBytesMax);
}

Result<int> Command::query() {
  BRAID_ASSIGN(const Parameters given, parameters());
  BRAID_ASSIGN(const std::string text, query_text());
  BRAID_ASSIGN(const Graph graph, open_to_read());
  BRAID_ASSIGN(const Snapshot snapshot, graph.read());
  BRAID_ASSIGN(const QueryResult result, snapshot.query(text, given, asked_.query_name));
  BRAID_TRY(write_rows(console_, result, {asked_.format, asked_.json_safe_integers}));
  return 0;
}

Result<int> Command::log() {
  BRAID_ASSIGN(const Graph graph, open_to_read());
  BRAID_ASSIGN(const std::vector<CommitInfo> commits, graph.log("main", asked_.limit));
  const QueryResult rows =
      asked_.format == Format::table ? short_commit_rows(commits) : commit_rows(commits);
  BRAID_TRY(write_rows(console_, rows, {asked_.format, asked_.json_safe_integers}));
  return 0;
}

Result<int> Command::show() {
  BRAID_ASSIGN(const Graph graph, open_to_read());
  BRAID_ASSIGN(const CommitDetail detail, graph.show(asked_.commit));
  BRAID_TRY(
      console_.write(asked_.json ? json_line(Value(detail_object(detail))) : detail_text(detail)));
  return 0;
}

Result<int> Command::verify() {
  BRAID_ASSIGN(const Graph graph, open_to_read());
  BRAID_ASSIGN(const VerifyReport report, graph.verify());
  int status = 0;
  for (const Error& finding : report.findings) {
    status = std::max(status, exit_status_of(finding.code()));
  }
  if (asked_.json) {
    BRAID_TRY(console_.write(json_line(Value(verify_object(report)))));
    return status;
  }
  for (const Error& finding : report.findings) {
    BRAID_TRY(console_.write(error_text(finding, nullptr)));
  }
  BRAID_TRY(console_.write(fmt::format("{}: records {}, commits {}, rows {}, findings {}{}\n",
                                       report.findings.empty() ? "ok" : "damaged", report.records,
                                       report.commits, report.rows, report.findings.size(),
                                       report.findings_truncated ? " and more" : "")));
  return status;
}

Result<int> Command::export_rows() {
  BRAID_ASSIGN(const Graph graph, open_to_read());
  BRAID_ASSIGN(const Snapshot snapshot, graph.read());
  const ExportSink sink = [this](std::string_view piece) { return console_.write(piece); };
  BRAID_TRY(asked_.arrow ? snapshot.export_arrow(asked_.types.front(), sink)
                         : snapshot.export_jsonl({asked_.types}, sink));
  return 0;
}

Result<int> Command::schema_show() {
  BRAID_ASSIGN(const Graph graph, open_to_read());
  BRAID_ASSIGN(const Snapshot snapshot, graph.read());
  const std::string text = snapshot.schema();
  BRAID_TRY(
      console_.write(asked_.json ? json_line(Value(Value::Object{{"schema"}, {text}})) : text));
  return 0;
}

Result<int> Command::lint() {
  BRAID_ASSIGN(const std::string text, read_source(asked_.schema_path, kSchemaBytesMax));
  const LintReport report = lint_schema(text);
  const int status = report.has_errors() ? exit_status_of(ErrorCode::parse_error) : 0;
  if (asked_.json) {
    BRAID_TRY(console_.write(json_line(Value(lint_object(report)))));
    return status;
  }
  BRAID_TRY(console_.write(lint_text(report, *source_)));
  return status;
}

Result<int> Command::version() {
  constexpr std::string_view kVersion = BRAID_VERSION;
  BRAID_TRY(console_.write(
      asked_.json ? json_line(Value(Value::Object{{"version"}, {std::string(kVersion)}}))
                  : fmt::format("braid {}\n", kVersion)));
  return 0;
}

/// Whether a wrong command line is to be answered in JSON.
bool wants_json(const std::vector<std::string>& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
}

}  // namespace

int run(const Invocation& invocation, Console& console) {
  Command command(invocation, console);
  const Result<int> done = command.run();
  const Status flushed = console.flush();
  if (!done) {
    command.report(done.error());
    return exit_status_of(done.error().code());
  }
  if (!flushed) {  // (K3)
    command.report(flushed.error());
    return exit_status_of(flushed.error().code());
  }
  return *done;
}

int main_with(const std::vector<std::string>& arguments, const Surroundings& surroundings,
              Console& console) {
  const auto parsed = parse_arguments(arguments, surroundings);
  if (const auto* invocation = std::get_if<Invocation>(&parsed)) return run(*invocation, console);
  const auto& usage = std::get<Usage>(parsed);
  if (usage.exit_status == 0) {
    Invocation help;
    help.json = wants_json(arguments);
    const Status written = console.write(usage.text);
    const Status flushed = console.flush();
    const Status& failed = written ? flushed : written;
    if (failed) return 0;
    Command(help, console).report(failed.error());
    return exit_status_of(failed.error().code());
  }
  if (wants_json(arguments)) {
    console.message(json_line(
        Value(Value::Object{{"code", "kind", "message", "details", "span"},
                            {"usage", "invalid", usage.message, Value::Object{}, Value()}})));
  } else {
    console.message(usage.text);
  }
  return usage.exit_status;
}

}  // namespace braid::cli
