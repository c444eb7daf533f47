// SPDX-License-Identifier: Apache-2.0
#include "load/jsonl_reader.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/assert.h"

namespace braid::load {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kShownMax = 80;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// How long a character is by its first byte; at least 1.
std::size_t character_size(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

/// Where `text` stops being UTF-8, or its size.
std::size_t utf8_end(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = std::min(character_size(text[at]), text.size() - at);
    if (!simdjson::validate_utf8(text.data() + at, size)) break;
    at += size;
  }
  return at;
}

/// At most kShownMax characters of `text`, none of which a terminal or JSON would mind.
std::string shown(std::string_view text) {
  std::size_t at = 0;
  std::size_t last = 0;
  std::size_t count = 0;
  while (at < text.size()) {
    const std::size_t size = std::min(character_size(text[at]), text.size() - at);
    const bool control = static_cast<unsigned char>(text[at]) < 0x20 || text[at] == 0x7F;
    if (control || !simdjson::validate_utf8(text.data() + at, size)) {
      if (at == 0) return fmt::format("byte 0x{:02X}", static_cast<unsigned char>(text[0]));
      return std::string(text.substr(0, at));
    }
    if (++count > kShownMax) return std::string(text.substr(0, last)) + "…";
    last = at;
    at += size;
  }
  return std::string(text);
}

}  // namespace

ByteSource source_of(std::string_view text) {
  return [text](char* out, std::size_t size) mutable -> Result<std::size_t> {
    const std::size_t part = std::min(size, text.size());
    text.copy(out, part);
    text.remove_prefix(part);
    return part;
  };
}

JsonlReader::JsonlReader(const schema::Schema& schema, ByteSource source, JsonlOptions options)
    : parser_(schema), source_(std::move(source)), options_(std::move(options)) {
  BRAID_ASSERT(options_.buffer_bytes > 0);
  place_.byte = options_.first_byte;
  place_.line = options_.first_line;
}

Result<bool> JsonlReader::next(LoadRow& row) {
  if (failed_) return *failed_;
  Result<bool> found = read(row);
  if (!found) failed_ = found.error();  // J5: nothing after a fault is given
  return found;
}

Result<bool> JsonlReader::read(LoadRow& row) {
  BRAID_ASSIGN(const bool found, skip_to_record());
  if (!found) return false;
  BRAID_ASSIGN(const std::string_view text, frame_record(row));
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    const std::size_t at = utf8_end(text);
    const auto fault = parser_.parse(text.substr(0, at), row);
    BRAID_ASSERT(fault.has_value());  // a record that is cut is none
    if (fault->at < at) return fault_error(text, *fault);
    return fault_error(
        text, {ErrorCode::parse_error, "the text is not UTF-8", at, 1, fault->field, "UTF-8"});
  }
  if (const auto fault = parser_.parse(text, row)) return fault_error(text, *fault);
  row.line = place_.line;
  row.byte = place_.byte;
  consume(text.size());
  return true;
}

std::string_view JsonlReader::window() const {
  return std::string_view(buffer_).substr(begin_, end_ - begin_);
}

Result<bool> JsonlReader::fill() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < options_.buffer_bytes) {
    buffer_.resize(std::max(buffer_.size() * 2, end_ + options_.buffer_bytes));
  }
  BRAID_ASSIGN(const std::size_t size, source_(buffer_.data() + end_, options_.buffer_bytes));
  BRAID_ASSERT(size <= options_.buffer_bytes);
  end_ += size;
  ended_ = size == 0;
  return !ended_;
}

Result<bool> JsonlReader::skip_to_record() {
  if (place_.byte == 0) {
    while (window().size() < kByteOrderMark.size()) {
      BRAID_ASSIGN(const bool more, fill());
      if (!more) break;
    }
    if (window().starts_with(kByteOrderMark)) {
      begin_ += kByteOrderMark.size();
      place_.byte += kByteOrderMark.size();
    }
  }
  for (;;) {
    const std::size_t at = window().find_first_not_of(kSpace);
    consume(std::min(at, window().size()));
    if (at != std::string_view::npos) break;
    BRAID_ASSIGN(const bool more, fill());
    if (!more) return false;
  }
  if (window().front() == '{') return true;
  // What stands there is shown as far as its line goes, however the source has cut it (J4).
  while (window().size() < 8 * kShownMax) {
    BRAID_ASSIGN(const bool more, fill());
    if (!more) break;
  }
  return fault_error(window(),
                     {ErrorCode::parse_error, "a record begins with '{'", 0, 1, "", "a record"});
}

Result<std::string_view> JsonlReader::frame_record(LoadRow& row) {
  JsonFrame frame;
  for (;;) {
    const JsonFrame::Outcome outcome = frame.scan(window());
    // The limit binds wherever the source has cut the text (J4).
    if (frame.position() > options_.record_bytes_max) {
      return unframed(JsonFrame::Outcome::unfinished, options_.record_bytes_max, row);
    }
    if (outcome == JsonFrame::Outcome::complete) return window().substr(0, frame.position());
    if (outcome != JsonFrame::Outcome::unfinished) {
      return unframed(outcome, frame.position(), row);
    }
    BRAID_ASSIGN(const bool more, fill());
    if (!more) return unframed(outcome, window().size(), row);
  }
}

/// Why the record at the front of the window has no end: at `at`, unless it is broken before.
Error JsonlReader::unframed(JsonFrame::Outcome outcome, std::size_t at, LoadRow& row) {
  // Enough to show what stands there, however the source has cut it (J4).
  while (window().size() < at + 8 * kShownMax) {
    const Result<bool> more = fill();
    if (!more) return more.error();
    if (!*more) break;
  }
  const bool ends = outcome == JsonFrame::Outcome::unfinished;
  const std::string_view whole = window().substr(0, ends ? at : at + 1);
  const std::string_view text = whole.substr(0, utf8_end(whole));
  const auto fault = parser_.parse(text, row);
  BRAID_ASSERT(fault.has_value());  // a record that is cut is none
  if (outcome == JsonFrame::Outcome::too_deep) {
    return fault_error(window(), {ErrorCode::parse_error, "the value is nested too deeply", at, 1,
                                  fault->field, "depth of 512 at most"});
  }
  if (fault->at < text.size()) return fault_error(window(), *fault);
  if (text.size() < whole.size()) {
    return fault_error(window(), {ErrorCode::parse_error, "the text is not UTF-8", text.size(), 1,
                                  fault->field, "UTF-8"});
  }
  if (window().size() > options_.record_bytes_max) {
    return fault_error(window(),
                       {ErrorCode::resource_limit, "the record is too large", 0, 1, fault->field,
                        std::to_string(options_.record_bytes_max) + " bytes at most"});
  }
  return fault_error(window(), {ErrorCode::parse_error, "the text ends within a record", at, 0,
                                fault->field, "the rest of the record"});
}

Error JsonlReader::fault_error(std::string_view text, const RecordFault& fault) const {
  const Place place = place_after(text.substr(0, fault.at));
  SourceSpan span;
  span.line = place.line;
  span.column = place.column;
  span.byte = place.byte;
  span.length = fault.length == 0 && fault.at < text.size() ? 1 : fault.length;
  // Of a syntax error the rest of the line is shown, of others the value.
  std::string_view value = text.substr(fault.at);
  if (fault.length > 1) value = value.substr(0, fault.length);
  Error error(fault.code, fault.message);
  if (!options_.file.empty()) error = error.with("file", options_.file);
  error = error.with("line", place.line).with("byte", place.byte);
  if (!fault.field.empty()) error = error.with("field", fault.field);
  if (fault.at < text.size()) error = error.with("value", shown(value));
  return error.with("expected", fault.expected).at(span);
}

JsonlReader::Place JsonlReader::place_after(std::string_view text) const {
  Place place = place_;
  place.byte += text.size();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  place.line += static_cast<std::uint32_t>(lines);
  if (lines > 0) {
    place.column = 1;
    text.remove_prefix(text.rfind('\n') + 1);
  }
  const auto points = std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); });
  place.column += static_cast<std::uint32_t>(points);
  return place;
}

void JsonlReader::consume(std::size_t size) {
  place_ = place_after(window().substr(0, size));
  begin_ += size;
}

}  // namespace braid::load
