// SPDX-License-Identifier: Apache-2.0
#include "load/record_parser.h"

#include <utility>

#include "base/assert.h"
#include "columnar/value_text.h"

namespace braid::load {
namespace {

constexpr std::string_view kIdentity = "@id";

const columnar::PropertyType& endpoint_type() {
  static const columnar::PropertyType type;  // a String
  return type;
}

}  // namespace

std::optional<RecordFault> RecordParser::parse(std::string_view text, LoadRow& row) {
  text_ = text;
  cursor_ = JsonCursor(text);
  row_ = &row;
  row.is_edge = false;
  row.node_type = nullptr;
  row.edge_type = nullptr;
  row.id.reset();
  row.from.clear();
  row.to.clear();
  row.assigned.clear();
  type_ = nullptr;
  fault_ = {};
  field_.clear();
  for (auto* at : {&type_at_, &from_at_, &to_at_, &data_at_, &id_at_}) at->reset();
  data_left_.reset();
  ++record_;
  if (read_record()) return std::nullopt;
  return std::move(fault_);
}

bool RecordParser::read_record() {
  JsonToken record;
  if (!cursor_.value(record)) return syntax_fault();
  if (record.kind != Kind::object) return type_fault(record, "a record is an object", "object");
  for (bool first = true;; first = false) {
    JsonToken name;
    const auto step = cursor_.member(first, name);
    if (step == JsonCursor::Step::fault) return syntax_fault();
    if (step == JsonCursor::Step::end) break;
    if (!read_member(name)) return false;
  }
  return check_members() && identify();
}

bool RecordParser::read_member(const JsonToken& name) {
  field_ = cursor_.string(name);
  if (field_ == "type" || field_ == "edge") return read_type(name, field_ == "edge");
  if (field_ == "from") return read_string_member(name, from_at_, row_->from);
  if (field_ == "to") return read_string_member(name, to_at_, row_->to);
  if (field_ != "data") return unknown(name, "type, edge, from, to or data");
  if (data_at_) return repeated(name);
  data_at_ = name;
  return type_ == nullptr ? skip_data(name) : read_data();
}

bool RecordParser::read_type(const JsonToken& name, bool is_edge) {
  if (type_at_) {
    if (is_edge == row_->is_edge) return repeated(name);
    return type_fault(name, "a record has either \"type\" or \"edge\"", "one of type and edge");
  }
  std::string text;
  if (!read_string_member(name, type_at_, text)) return false;
  row_->is_edge = is_edge;
  if (is_edge) {
    type_ = row_->edge_type = schema_.edge_type(text);
  } else {
    type_ = row_->node_type = schema_.node_type(text);
  }
  if (type_ != nullptr) {
    if (assigned_.size() < type_->properties.size()) assigned_.resize(type_->properties.size());
    return true;
  }
  JsonToken value = *type_at_;
  const std::string what = is_edge ? "edge type" : "node type";
  return type_fault(value, "the schema has no " + what + " of this name", what);
}

/// `at` becomes the value.
bool RecordParser::read_string_member(const JsonToken& name, std::optional<JsonToken>& at,
                                      std::string& out) {
  if (at) return repeated(name);
  JsonToken value;
  if (!cursor_.value(value)) return syntax_fault();
  if (value.kind != Kind::string) return type_fault(value, "expected a string", "String");
  out = cursor_.string(value);
  at = value;
  return true;
}

bool RecordParser::skip_data(const JsonToken& name) {
  const std::size_t begin = cursor_.position();
  JsonToken value;
  if (!cursor_.value(value)) return syntax_fault();
  if (value.kind != Kind::object) return type_fault(value, "expected an object", "object");
  JsonFrame frame;
  const auto outcome = frame.scan(text_.substr(value.begin));
  if (outcome != JsonFrame::Outcome::complete) {
    fault_ = {ErrorCode::parse_error,
              "malformed JSON",
              value.begin + frame.position(),
              0,
              field_,
              "JSON"};
    return false;
  }
  cursor_.seek(value.begin + frame.position());
  data_left_ = begin;
  data_at_ = name;
  return true;
}

bool RecordParser::check_members() {  // J3
  const JsonToken record{.kind = Kind::object, .begin = 0, .end = 1};
  if (type_ == nullptr) {
    field_ = "type";
    return type_fault(record, "the record has neither \"type\" nor \"edge\"", "type or edge");
  }
  for (const bool is_from : {true, false}) {
    const auto& at = is_from ? from_at_ : to_at_;
    field_ = is_from ? "from" : "to";
    if (row_->is_edge && !at) {
      return type_fault(record, "an edge has \"from\" and \"to\"", "String");
    }
    if (!row_->is_edge && at) return unknown(*at, "an edge, if it has from and to");
  }
  if (!data_left_) return true;
  field_ = "data";
  cursor_.seek(*std::exchange(data_left_, std::nullopt));
  return read_data();
}

bool RecordParser::read_data() {
  JsonToken data;
  if (!cursor_.value(data)) return syntax_fault();
  if (data.kind != Kind::object) return type_fault(data, "expected an object", "object");
  for (bool first = true;; first = false) {
    JsonToken name;
    const auto step = cursor_.member(first, name);
    if (step == JsonCursor::Step::fault) return syntax_fault();
    if (step == JsonCursor::Step::end) break;
    if (!read_data_member(name)) return false;
  }
  field_ = "data";
  return true;
}

bool RecordParser::read_data_member(const JsonToken& name) {
  if (name.escaped) {
    field_ = cursor_.string(name);
  } else {
    field_ = cursor_.plain_string(name);
  }
  if (const auto index = type_->property_index(field_)) return read_property(name, *index);
  const bool has_id_property = type_->property_index("id").has_value();
  if (field_ != (has_id_property ? kIdentity : "id")) {
    return unknown(name, "a property of " + type_->name);
  }
  std::string id;
  if (!read_string_member(name, id_at_, id)) return false;
  if (id.empty() && !type_->is_keyed()) {
    return type_fault(*id_at_, "an identity is not empty", "String");
  }
  row_->id = std::move(id);
  return true;
}

bool RecordParser::read_property(const JsonToken& name, std::size_t index) {
  Assigned& assigned = assigned_[index];
  if (assigned.record == record_) return repeated(name);
  Value value;
  const std::size_t begin = cursor_.position();
  if (auto problem = read_value(cursor_, type_->properties[index].type, value)) {
    return value_fault(*std::move(problem), type_->name + "." + field_);
  }
  assigned = {record_, {}, row_->assigned.size()};
  assigned.at.begin = begin + text_.substr(begin).find_first_not_of(" \t\r\n");
  assigned.at.end = cursor_.position();
  row_->assigned.emplace_back(index, std::move(value));
  return true;
}

bool RecordParser::identify() {
  if (!type_->is_keyed()) return true;
  std::string key;
  if (!key_of_row(key)) return false;
  if (row_->id && *row_->id != key) {
    field_ = type_->property_index("id") ? kIdentity : "id";
    return type_fault(*id_at_, "the identity of a keyed record is the text of its key: " + key,
                      key);
  }
  row_->id = std::move(key);
  return true;
}

bool RecordParser::key_of_row(std::string& out) {
  const Value from(row_->from);
  const Value to(row_->to);
  std::vector<columnar::KeyMember> members;
  JsonToken place{.kind = Kind::object, .begin = 0, .end = 1};
  for (const schema::Member& member : type_->key) {
    if (member.kind != schema::Member::Kind::property) {
      members.push_back(
          {&endpoint_type(), member.kind == schema::Member::Kind::source ? &from : &to});
      continue;
    }
    const schema::Property& property = type_->properties[member.property];
    const Assigned& assigned = assigned_[member.property];
    field_ = property.name;
    if (assigned.record != record_) {
      return type_fault(place, "the record lacks a member of its key",
                        columnar::to_string(property.type));
    }
    members.push_back({&property.type, &row_->assigned[assigned.position].second});
    // One at a time, so that a fault has a place.
    auto text = columnar::key_text({&members.back(), 1});
    if (!text) {
      return type_fault(assigned.at, text.error().message(), *text.error().detail("expected"));
    }
    out = *std::move(text);
  }
  if (type_->key.size() == 1 && type_->key.front().kind == schema::Member::Kind::property) {
    return true;  // the text of the only member is the key's
  }
  auto text = columnar::key_text(members);
  BRAID_ASSERT(text.ok());  // every member has been tried
  out = *std::move(text);
  return true;
}

bool RecordParser::syntax_fault() {
  fault_ = {ErrorCode::parse_error, cursor_.fault().what, cursor_.fault().at, 0, field_, "JSON"};
  return false;
}

bool RecordParser::type_fault(const JsonToken& token, std::string message, std::string expected) {
  fault_ = {ErrorCode::type_error, std::move(message), token.begin, extent(token), field_,
            std::move(expected)};
  return false;
}

bool RecordParser::repeated(const JsonToken& name) {
  type_fault(name, "the name stands twice in one object", "each name once");
  fault_.code = ErrorCode::parse_error;
  return false;
}

bool RecordParser::unknown(const JsonToken& name, std::string expected) {
  return type_fault(name, "no such field here", std::move(expected));
}

bool RecordParser::value_fault(ValueProblem problem, const std::string& property) {
  if (problem.element) field_ += "[" + std::to_string(*problem.element) + "]";
  const bool syntax = problem.code == ErrorCode::parse_error;
  fault_ = {problem.code,
            syntax ? std::move(problem.message) : property + ": " + problem.message,
            problem.token.begin,
            syntax ? 0 : extent(problem.token),
            field_,
            std::move(problem.expected)};
  return false;
}

/// The size of a whole value; a token of an object or array is its bracket only.
std::size_t RecordParser::extent(const JsonToken& token) const {
  if (token.kind != Kind::object && token.kind != Kind::array) return token.end - token.begin;
  JsonFrame frame;
  frame.scan(text_.substr(token.begin));
  return frame.position();
}

}  // namespace braid::load
