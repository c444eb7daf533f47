// SPDX-License-Identifier: Apache-2.0
#include "cli/error_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "cli/text.h"
#include "columnar/value_text.h"

namespace braid::cli {
namespace {

constexpr std::size_t kTabColumns = 4;
/// A longer line is shown around the place only.
constexpr std::size_t kExcerptColumnsMax = 120;
constexpr std::size_t kColumnsBeforePlace = 60;

constexpr std::string_view kBoldRed = "\x1b[1;31m";
constexpr std::string_view kBlue = "\x1b[34m";
constexpr std::string_view kPlain = "\x1b[0m";

/// One character of a line as it is shown.
struct Cell {
  std::string text;
  std::size_t width = 0;
  bool marked = false;
};

/// The line of `text` around `byte`, without its end, and where it starts.
std::pair<std::string_view, std::size_t> line_around(std::string_view text, std::size_t byte) {
  byte = std::min(byte, text.size());
  const std::size_t before = byte == 0 ? std::string_view::npos : text.rfind('\n', byte - 1);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', start), text.size());
  std::string_view line = text.substr(start, end - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return {line, start};
}

std::vector<Cell> cells_of(std::string_view line, std::size_t start, const SourceSpan& span) {
  std::vector<Cell> cells;
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t size = std::max<std::size_t>(base::decode_utf8(line.substr(at)).size, 1);
    const std::string_view character = line.substr(at, size);
    Cell cell;
    cell.text = character == "\t" ? std::string(kTabColumns - column % kTabColumns, ' ')
                                  : printable(character);
    cell.width = display_width(cell.text);
    cell.marked = start + at >= span.byte && start + at < span.byte + span.length;
    column += cell.width;
    at += size;
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::string_view hint_for(const Error& error) {
  switch (error.code()) {
    case ErrorCode::already_exists:
      return "choose another directory, or leave an existing graph as it is with --if-not-exists";
    case ErrorCode::key_conflict: return "\"--mode merge\" updates rows that exist";
    case ErrorCode::idempotency_conflict:
      return "a key stands for one request: send the very same one again, or use a new key";
    case ErrorCode::precondition_failed: return "\"braid log\" shows the head that is there now";
    case ErrorCode::locked:
      return "wait longer with --wait SECONDS, or let the process named above finish";
    case ErrorCode::busy: return "try again in a moment";
    case ErrorCode::outcome_unknown:
      return "send the same request with the same --key again: its receipt says what happened";
    case ErrorCode::no_space: return "make room on the disk, then try again";
    case ErrorCode::corrupt:
      return "leave the files as they are; \"braid verify\" lists all damage, a backup repairs it";
    case ErrorCode::format_mismatch: return "use the version of braid that wrote this graph";
    case ErrorCode::internal: return "this is a fault of braid: please report it";
    default: return {};
  }
}

}  // namespace

std::string excerpt(const Source& source, const SourceSpan& span) {
  const auto [line, start] = line_around(source.text, static_cast<std::size_t>(span.byte));
  const std::vector<Cell> cells = cells_of(line, start, span);

  const auto first_marked = static_cast<std::size_t>(
      std::find_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.marked; }) -
      cells.begin());
  std::size_t first = first_marked;
  for (std::size_t columns = 0; first > 0 && columns < kColumnsBeforePlace;) {
    columns += cells[--first].width;
  }
  std::string shown = first > 0 ? "…" : "";
  std::string marks = first > 0 ? " " : "";
  std::size_t columns = shown.empty() ? 0 : 1;
  std::size_t mark_columns = 0;
  for (std::size_t i = first; i < cells.size(); ++i) {
    if (columns > kExcerptColumnsMax) {
      shown += "…";
      break;
    }
    shown += cells[i].text;
    columns += cells[i].width;
    if (i < first_marked) marks.append(cells[i].width, ' ');
    if (cells[i].marked) mark_columns += cells[i].width;
  }
  marks += '^';
  if (mark_columns > 1) marks.append(mark_columns - 1, '~');

  const std::string number = std::to_string(span.line);
  const std::string margin(number.size(), ' ');
  return fmt::format("{}--> {}:{}:{}\n{} |\n{} | {}\n{} | {}\n", margin, printable(source.name),
                     span.line, span.column, margin, number, shown, margin, marks);
}

std::string error_text(const Error& error, const Source* source, const TextOptions& options) {
  const auto coloured = [&options](std::string_view colour, std::string text) {
    return options.colours ? fmt::format("{}{}{}", colour, text, kPlain) : text;
  };
  std::string out = coloured(kBoldRed, fmt::format("error[{}]", name_of(error.code())));
  out += fmt::format(": {}\n", printable(error.message()));
  if (source != nullptr && error.span()) out += excerpt(*source, *error.span());
  for (const auto& [name, value] : error.details()) {
    out += fmt::format("  {}: {}\n", printable(name), printable(value));
  }
  const std::string_view hint = hint_for(error);
  if (!hint.empty()) out += fmt::format("{}: {}\n", coloured(kBlue, "hint"), hint);
  return out;
}

Value span_value(const std::optional<SourceSpan>& span) {
  if (!span) return {};
  return Value::Object{{"line", "column", "byte", "length"},
                       {span->line, span->column, span->byte, span->length}};
}

Value error_value(const Error& error) {
  Value::Object details;
  for (const auto& [name, raw_value] : error.details()) {
    const std::string value = well_formed(raw_value);
    const auto found = std::find(details.names.begin(), details.names.end(), name);
    if (found == details.names.end()) {
      details.names.push_back(name);
      details.values.emplace_back(value);
      continue;
    }
    Value& earlier = details.values[static_cast<std::size_t>(found - details.names.begin())];
    const auto* list = earlier.as<Value::List>();
    Value::List all = list == nullptr ? Value::List{earlier} : *list;
    all.emplace_back(value);
    earlier = Value(std::move(all));
  }
  return Value::Object{
      {"code", "kind", "message", "details", "span"},
      {std::string(name_of(error.code())), std::string(name_of(error.kind())),
       well_formed(error.message()), std::move(details), span_value(error.span())}};
}

std::string json_line(const Value& value, bool safe_integers) {
  std::string out;
  columnar::append_json(out, value, {.safe_integers = safe_integers});
  out += '\n';
  return out;
}

}  // namespace braid::cli
