// SPDX-License-Identifier: Apache-2.0
#include "cli/rows.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "cli/error_text.h"
#include "cli/text.h"
#include "columnar/value_text.h"

namespace braid::cli {
namespace {

/// Without quotes around a text, with control characters as they are.
std::string bare_text(const Value& value) {
  std::string out;
  if (const auto* text = value.as<std::string>()) return *text;
  columnar::append_json(out, value);
  // Dates, blobs and floats that are not finite are strings in JSON.
  if (out.size() >= 2 && out.front() == '"') return out.substr(1, out.size() - 2);
  return out;
}

bool is_number(const Value& value) {
  return std::visit(
      [](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        return std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
      },
      value.variant());
}

Value::Object row_object(const QueryResult& result, std::size_t row) {
  return {result.columns, result.rows[row]};
}

class Table {
 public:
  explicit Table(const QueryResult& result) {
    for (const std::string& name : result.columns) {
      names_.push_back(printable(name));
      widths_.push_back(display_width(names_.back()));
    }
    right_.assign(names_.size(), !result.rows.empty());
    for (const std::vector<Value>& row : result.rows) {
      std::vector<std::string>& cells = cells_.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) {
        cells.push_back(cell_text(row[i]));
        widths_[i] = std::max(widths_[i], display_width(cells.back()));
        if (!row[i].is_null() && !is_number(row[i])) right_[i] = false;
      }
    }
  }

  Status write(Console& console) const {
    BRAID_TRY(console.write(line(names_)));
    std::string rule;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      rule += i == 0 ? "-" : "-+-";
      rule.append(widths_[i], '-');
    }
    BRAID_TRY(console.write(rule + "-\n"));
    for (const std::vector<std::string>& cells : cells_) BRAID_TRY(console.write(line(cells)));
    return Unit{};
  }

 private:
  std::string line(const std::vector<std::string>& cells) const {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out += i == 0 ? " " : " | ";
      const std::size_t blank = widths_[i] - display_width(cells[i]);
      if (right_[i]) out.append(blank, ' ');
      out += cells[i];
      if (!right_[i]) out.append(blank, ' ');
    }
    out.resize(out.find_last_not_of(' ') + 1);
    return out + '\n';
  }

  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<std::size_t> widths_;
  std::vector<bool> right_;
};

Status write_kv(Console& console, const QueryResult& result) {
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    // A whole node shows its properties as columns of their own.
    Value::Object flat;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
      const Value& value = result.rows[row][i];
      if (const auto* object = value.as<Value::Object>()) {
        for (std::size_t k = 0; k < object->names.size(); ++k) {
          flat.names.push_back(fmt::format("{}.{}", result.columns[i], object->names[k]));
          flat.values.push_back(object->values[k]);
        }
      } else {
        flat.names.push_back(result.columns[i]);
        flat.values.push_back(value);
      }
    }
    BRAID_TRY(console.write((row == 0 ? "" : "\n") + object_lines(flat)));
  }
  return Unit{};
}

void append_csv_field(std::string& out, std::string_view text) {
  const bool plain = !text.empty() && text.front() != ' ' && text.back() != ' ' &&
                     text.find_first_of(",\"\r\n") == std::string_view::npos;
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

Status write_csv(Console& console, const QueryResult& result) {
  std::string line;
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    if (i > 0) line += ',';
    append_csv_field(line, result.columns[i]);
  }
  BRAID_TRY(console.write(line + "\r\n"));
  for (const std::vector<Value>& row : result.rows) {
    line.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += ',';
      if (!row[i].is_null()) append_csv_field(line, bare_text(row[i]));
    }
    BRAID_TRY(console.write(line + "\r\n"));
  }
  return Unit{};
}

Status write_jsonl(Console& console, const QueryResult& result, bool safe_integers) {
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    BRAID_TRY(console.write(json_line(row_object(result, row), safe_integers)));
  }
  return Unit{};
}

Status write_json(Console& console, const QueryResult& result, bool safe_integers) {
  std::string out = "{\"columns\":";
  Value::List columns;
  for (const std::string& name : result.columns) columns.emplace_back(name);
  columnar::append_json(out, Value(std::move(columns)));
  out += ",\"rows\":[";
  for (std::size_t row = 0; row < result.rows.size(); ++row) {
    if (row > 0) out += ',';
    columnar::append_json(out, Value(row_object(result, row)), {.safe_integers = safe_integers});
    BRAID_TRY(console.write(out));
    out.clear();
  }
  return console.write(out + "]}\n");
}

}  // namespace

std::string cell_text(const Value& value) { return printable(bare_text(value)); }

std::string object_lines(const Value::Object& object) {
  std::string out;
  for (std::size_t i = 0; i < object.names.size(); ++i) {
    out += fmt::format("{}: {}\n", printable(object.names[i]), cell_text(object.values[i]));
  }
  return out;
}

Status write_rows(Console& console, const QueryResult& result, const RowOptions& options) {
  for (const std::vector<Value>& row : result.rows) {
    BRAID_ASSERT(row.size() == result.columns.size());
  }
  switch (options.format) {
    case Format::table: return Table(result).write(console);
    case Format::kv: return write_kv(console, result);
    case Format::csv: return write_csv(console, result);
    case Format::jsonl: return write_jsonl(console, result, options.safe_integers);
    case Format::json: return write_json(console, result, options.safe_integers);
  }
  return Unit{};
}

}  // namespace braid::cli
