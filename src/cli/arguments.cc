// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/text.h"

namespace braid::cli {
namespace {

constexpr double kWaitSecondsMax = 86'400;

/// What CLI11 writes into while it reads.
struct Raw {
  Invocation invocation;
  std::string graph_option;
  std::string first;
  std::string second;
  std::string format = "table";
  std::string export_format = "jsonl";
  std::string mode = "append";
  std::string if_commit;
  std::string query_text;
  std::string parameters;
  std::string wait = "10";
  std::string limit = "0";
  bool version = false;
};

/// An empty word is a variable that was not set: taking it for "not given" would drop a condition.
CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& word) { return std::string(word.empty() ? "is empty" : ""); }, "");
}

/// Digits with an optional fraction: neither `nan`, `inf`, `1e3` nor a hexadecimal number.
std::optional<double> seconds_of(std::string_view word) {
  double seconds = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, fault] = std::from_chars(word.data(), end, seconds, std::chars_format::fixed);
  const bool good = fault == std::errc{} && rest == end && seconds >= 0;  // false for NaN
  return good && seconds <= kWaitSecondsMax ? std::optional(seconds) : std::nullopt;
}

CLI::Validator wait_seconds() {
  return CLI::Validator(
      [](std::string& word) {
        return seconds_of(word)
                   ? std::string()
                   : fmt::format("{} is no number of seconds from 0 to {}", word, kWaitSecondsMax);
      },
      "");
}

std::optional<std::uint64_t> count_of(std::string_view word) {
  std::uint64_t count = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, fault] = std::from_chars(word.data(), end, count);
  return fault == std::errc{} && rest == end ? std::optional(count) : std::nullopt;
}

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& word) {
        return count_of(word) ? std::string()
                              : fmt::format("{} is no whole number from 0 to {}", word, UINT64_MAX);
      },
      "");
}

std::string example(std::string_view lines) { return fmt::format("Example:\n  {}", lines); }

void add_graph(CLI::App& app, Raw& raw) {
  app.add_option("GRAPH", raw.first, "The graph's directory; left out with --graph or BRAID_GRAPH")
      ->type_name("")
      ->check(not_empty());
  app.add_option("--graph", raw.graph_option, "The graph's directory")
      ->type_name("GRAPH")
      ->check(not_empty());
}

void add_json(CLI::App& app, Raw& raw) {
  app.add_flag("--json", raw.invocation.json, "Print JSON, errors too");
}

void add_write(CLI::App& app, Raw& raw) {
  app.add_option("--as", raw.invocation.actor, "Who does this; default: the system's user")
      ->type_name("ACTOR")
      ->check(not_empty());
  app.add_option("--wait", raw.wait,
                 "How long to wait for another process that writes; default: 10")
      ->type_name("SECONDS")
      ->check(not_empty())
      ->check(wait_seconds());
}

void add_format(CLI::App& app, Raw& raw) {
  CLI::Option* const format =
      app.add_option("--format", raw.format, "table, kv, csv, jsonl or json; default: table")
          ->type_name("FORMAT")
          ->check(CLI::IsMember({"table", "kv", "csv", "jsonl", "json"}));
  app.get_option("--json")->excludes(format);
  app.add_flag("--json-safe-integers", raw.invocation.json_safe_integers,
               "In JSON, integers beyond 2^53 - 1 as strings");
}

CLI::App& add_command(CLI::App& app, Raw& raw, Action action, const std::string& name,
                      const std::string& what, std::string_view example_lines) {
  CLI::App* const command = app.add_subcommand(name, what);
  command->footer(example(example_lines));
  command->callback([&raw, action] { raw.invocation.action = action; });
  add_json(*command, raw);
  return *command;
}

void add_init_and_load(CLI::App& app, Raw& raw) {
  Invocation& out = raw.invocation;
  CLI::App& init = add_command(app, raw, Action::init, "init", "Make a new graph",
                               "braid init shop.braid --schema shop.pg");
  add_graph(init, raw);
  init.add_option("--schema", out.schema_path, "The schema (.pg); - reads standard input")
      ->type_name("FILE")
      ->check(not_empty())
      ->required();
  init.add_flag("--if-not-exists", out.if_not_exists, "Succeed if the graph is there already");
  add_write(init, raw);

  CLI::App& load =
      add_command(app, raw, Action::load, "load", "Load nodes and edges in one commit",
                  "braid load shop.braid --data people.jsonl --data orders.jsonl --key import-7");
  add_graph(load, raw);
  load.add_option("--data", out.data_paths,
                  "JSON Lines, also .gz and .zst; again for more; - reads standard input")
      ->type_name("FILE")
      ->check(not_empty())
      ->required()
      ->allow_extra_args(false);
  load.add_option(
          "--mode", raw.mode,
          "append: an id that exists is an error; merge: it is updated; overwrite: the types "
          "in the files have these rows only; default: append")
      ->type_name("MODE")
      ->check(CLI::IsMember({"append", "merge", "overwrite"}));
  load.add_option("--key", out.key, "Idempotency key: the same load again gets the same receipt")
      ->check(not_empty());
  load.add_option("--if-commit", raw.if_commit, "Only if the head is exactly this commit")
      ->type_name("COMMIT")
      ->check(not_empty());
  load.add_option("--purpose", out.purpose, "Why, for the history");
  load.add_flag("--progress", out.progress, "Show on the terminal how far it is");
  add_write(load, raw);
}

void add_query(CLI::App& app, Raw& raw) {
  Invocation& out = raw.invocation;
  CLI::App& query = add_command(
      app, raw, Action::query, "query", "Run a query",
      "braid query shop.braid --file people.gq person --params '{\"slug\":\"ann\"}'\n  braid query "
      "shop.braid -e 'query q() { match { $p: Person { slug: \"ann\" } } return { $p } }'");
  add_graph(query, raw);
  query.add_option("NAME", raw.second, "Which query of the text, if it has several")
      ->type_name("")
      ->check(not_empty());
  CLI::Option* const text = query.add_option("-e", raw.query_text, "The text of the query (.gq)");
  CLI::Option* const file =
      query.add_option("--file", out.query_path, "The file of the query; - reads standard input");
  text->type_name("TEXT")->excludes(file);
  file->type_name("FILE")->check(not_empty());
  CLI::Option* const parameters =
      query.add_option("--params", raw.parameters, "The parameters, a JSON object");
  CLI::Option* const parameters_file =
      query.add_option("--params-file", out.parameters_path, "The file of the parameters");
  parameters->type_name("JSON")->excludes(parameters_file)->check(not_empty());
  parameters_file->type_name("FILE")->check(not_empty());
  add_format(query, raw);
  query.callback([&raw, text, parameters] {
    raw.invocation.action = Action::query;
    if (text->count() > 0) raw.invocation.query_text = raw.query_text;
    if (parameters->count() > 0) raw.invocation.parameters = raw.parameters;
  });
}

void add_history(CLI::App& app, Raw& raw) {
  CLI::App& log = add_command(app, raw, Action::log, "log", "List the commits, newest first",
                              "braid log shop.braid --limit 10");
  add_graph(log, raw);
  log.add_option("--limit", raw.limit, "At most so many; default, and 0: all")
      ->type_name("N")
      ->check(not_empty())
      ->check(whole_number());
  add_format(log, raw);

  CLI::App& show = add_command(app, raw, Action::show, "show", "Show a commit and its changes",
                               "braid show shop.braid 01ARZ3NDEKTSV4RRFFQ69G5FAV");
  add_graph(show, raw);
  show.add_option("COMMIT", raw.second, "The commit's id")->type_name("")->check(not_empty());

  CLI::App& verify = add_command(app, raw, Action::verify, "verify",
                                 "Check everything that is stored", "braid verify shop.braid");
  add_graph(verify, raw);
}

void add_export(CLI::App& app, Raw& raw) {
  CLI::App& command =
      add_command(app, raw, Action::export_rows, "export", "Print all rows as JSON Lines or Arrow",
                  "braid export shop.braid > shop.jsonl\n"
                  "  braid export shop.braid --type Person --format arrow > person.arrow");
  add_graph(command, raw);
  command
      .add_option("--type", raw.invocation.types,
                  "Only this node or edge type; again for more; default: all")
      ->type_name("NAME")
      ->check(not_empty())
      ->allow_extra_args(false);
  command
      .add_option("--format", raw.export_format,
                  "jsonl, or arrow: an Arrow IPC file of one --type; default: jsonl")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"jsonl", "arrow"}));
}

void add_schema(CLI::App& app, Raw& raw) {
  CLI::App* const schema = app.add_subcommand("schema", "The schema of a graph");
  schema->require_subcommand(1);
  schema->footer(example("braid schema show shop.braid"));
  CLI::App& show = add_command(*schema, raw, Action::schema_show, "show", "Print it as .pg",
                               "braid schema show shop.braid > shop.pg");
  add_graph(show, raw);

  CLI::App& lint = add_command(app, raw, Action::lint, "lint", "Check a schema without a graph",
                               "braid lint --schema shop.pg");
  lint.add_option("--schema", raw.invocation.schema_path,
                  "The schema (.pg); - reads standard input")
      ->type_name("FILE")
      ->check(not_empty())
      ->required();
  add_command(app, raw, Action::version, "version", "Print the version", "braid version --json");
}

/// The word that one positional of the command stands for, besides the graph.
std::string* trailing_word(Invocation& invocation) {
  switch (invocation.action) {
    case Action::query: return &invocation.query_name;
    case Action::show: return &invocation.commit;
    default: return nullptr;
  }
}

/// Empty, or what is wrong. An explicit GRAPH wins over the environment.
std::string settle_positionals(Raw& raw, const Surroundings& surroundings) {
  Invocation& out = raw.invocation;
  std::string* const word = trailing_word(out);
  if (!raw.graph_option.empty()) {
    if (!raw.second.empty() || (word == nullptr && !raw.first.empty())) {
      return "the graph is named twice: with --graph, leave GRAPH out";
    }
    out.graph = raw.graph_option;
    if (word != nullptr) *word = raw.first;
    return {};
  }
  const bool first_is_word = word != nullptr && raw.second.empty() && surroundings.graph;
  if (first_is_word || raw.first.empty()) {
    out.graph = surroundings.graph.value_or("");
    if (word != nullptr) *word = raw.first;
  } else {
    out.graph = raw.first;
    if (word != nullptr) *word = raw.second;
  }
  return out.graph.empty() ? "GRAPH is missing: name the graph's directory" : "";
}

/// Empty, or the file whose format is not there yet.
std::string unknown_data_file(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::string_view name = path;
    for (const std::string_view packed : {".gz", ".zst"}) {
      if (name.ends_with(packed)) name.remove_suffix(packed.size());
    }
    for (const std::string_view ending : {".csv", ".parquet", ".arrow"}) {
      if (name.ends_with(ending)) return path;
    }
  }
  return {};
}

std::string settle_inputs(const Invocation& out) {
  if (out.action == Action::query && !out.query_text && out.query_path.empty()) {
    return "a query is missing: give -e TEXT or --file FILE";
  }
  if (out.action == Action::show && out.commit.empty()) return "COMMIT is missing: see braid log";
  auto inputs = std::count(out.data_paths.begin(), out.data_paths.end(), "-");
  for (const std::string* path : {&out.schema_path, &out.query_path, &out.parameters_path}) {
    if (*path == "-") ++inputs;
  }
  if (inputs > 1) return "the standard input (-) can be read once only";
  const std::string unknown = unknown_data_file(out.data_paths);
  if (!unknown.empty()) return fmt::format("{}: only JSON Lines can be loaded", unknown);
  return {};
}

/// Empty, or what is wrong.
std::string settle(Raw& raw, const Surroundings& surroundings) {
  Invocation& out = raw.invocation;
  if (out.action == Action::version) return {};
  if (out.action != Action::lint) {
    std::string fault = settle_positionals(raw, surroundings);
    if (!fault.empty()) return fault;
  }
  if (out.actor.empty()) out.actor = surroundings.user;
  out.wait_ms = static_cast<std::uint32_t>(std::llround(seconds_of(raw.wait).value_or(0) * 1000));
  out.limit = count_of(raw.limit).value_or(0);
  if (raw.mode == "merge") out.mode = LoadMode::kMerge;
  if (raw.mode == "overwrite") out.mode = LoadMode::kOverwrite;
  constexpr std::string_view kFormats[] = {"table", "kv", "csv", "jsonl", "json"};
  const auto* const format = std::find(std::begin(kFormats), std::end(kFormats), raw.format);
  out.format = static_cast<Format>(format - std::begin(kFormats));
  if (out.json) out.format = Format::json;
  if (out.format == Format::json || out.format == Format::jsonl) out.json = true;
  out.arrow = raw.export_format == "arrow";
  if (out.arrow && out.types.size() != 1) return "an Arrow file has one type: name it with --type";
  if (!raw.if_commit.empty()) {
    const auto ulid = Ulid::parse(raw.if_commit);
    if (!ulid) return fmt::format("--if-commit: {} is no commit id", raw.if_commit);
    out.if_commit = CommitId{*ulid};
  }
  return settle_inputs(out);
}

/// The command that was reached, e.g. "braid schema show".
std::string command_words(const CLI::App& app) {
  std::string out = app.get_name();
  for (const CLI::App* next : app.get_subcommands()) out += " " + command_words(*next);
  return out;
}

Usage fault(const CLI::App& app, std::string_view what) {
  return {kUsageExitStatus,
          fmt::format("error[usage]: {}\nhint: {} --help\n", printable(what), command_words(app)),
          well_formed(what)};
}

}  // namespace

std::variant<Invocation, Usage> parse_arguments(const std::vector<std::string>& arguments,
                                                const Surroundings& surroundings) {
  Raw raw;
  CLI::App app("Braid: a graph database in which every change is one commit.", "braid");
  app.require_subcommand(0, 1);
  app.footer(
      example("braid init shop.braid --schema shop.pg\n  braid load shop.braid --data "
              "people.jsonl\n  braid log shop.braid"));
  app.add_flag("--version", raw.version, "Print the version");
  add_init_and_load(app, raw);
  add_query(app, raw);
  add_history(app, raw);
  add_export(app, raw);
  add_schema(app, raw);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return Usage{0, app.help(), {}};
  } catch (const CLI::Error& error) {
    return fault(app, error.what());
  }
  if (app.get_subcommands().empty()) {
    if (raw.version) return raw.invocation;
    return Usage{kUsageExitStatus, app.help(), "a command is missing"};
  }
  const std::string wrong = settle(raw, surroundings);
  if (!wrong.empty()) return fault(app, wrong);
  return raw.invocation;
}

}  // namespace braid::cli
