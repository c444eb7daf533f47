// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/key_lookup.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/assert.h"
#include "columnar/value_codec.h"
#include "columnar/value_text.h"
#include "lang/gq/check.h"
#include "lang/gq/parser.h"

namespace braid::gq {
namespace {

using columnar::PropertyType;
using columnar::ScalarKind;
using columnar::Shape;

Result<const Query*> find_query(const Document& document, std::string_view name) {
  const std::vector<Query>& queries = document.queries;
  if (name.empty() && queries.size() == 1) return &queries.front();
  std::string names;
  for (const Query& query : queries) {
    if (query.name.text == name) return &query;
    if (!names.empty()) names += ", ";
    names += query.name.text;
  }
  if (queries.empty()) return Error(ErrorCode::bad_request, "the text has no query");
  if (!name.empty()) {
    return Error(ErrorCode::not_found, fmt::format("the text has no query {}", name))
        .with("query", std::string(name))
        .with("queries", names);
  }
  return Error(ErrorCode::bad_request, "the text has several queries; name the one to run")
      .with("queries", names);
}

bool is_nan(const Value& value) {
  if (const auto* narrow = value.as<float>()) return std::isnan(*narrow);
  if (const auto* wide = value.as<double>()) return std::isnan(*wide);
  return false;
}

/// The value that a property of `type` has when it equals `value`; nothing when none can.
std::optional<Value> as_property(const Value& value, const PropertyType& type) {
  if (value.is_null() || is_nan(value)) return std::nullopt;
  if (columnar::is_numeric(type.kind)) return number_as(value, type.kind);
  if (type.shape == Shape::enumeration) {
    const auto* text = value.as<std::string>();
    BRAID_ASSERT(text != nullptr);
    if (!std::binary_search(type.enum_values.begin(), type.enum_values.end(), *text)) {
      return std::nullopt;
    }
  }
  return value;
}

class Binder {
 public:
  explicit Binder(CheckedLookup checked) : checked_(std::move(checked)) {
    out_.type = checked_.type;
    out_.columns = std::move(checked_.columns);
  }

  Result<KeyLookup> run(const Parameters& parameters) &&;

 private:
  void bind_id(const Value& value);
  void bind_property(std::size_t property, const Value& value);
  Status make_key_id();

  CheckedLookup checked_;
  KeyLookup out_;
  std::optional<std::string> id_;
  /// By position in the key.
  std::vector<std::optional<Value>> key_;
};

Result<KeyLookup> Binder::run(const Parameters& parameters) && {
  key_.resize(out_.type->key.size());
  for (const CheckedMatch& match : checked_.matches) {
    const auto* use = std::get_if<ParameterUse>(&match.operand);
    const Value& value =
        use == nullptr ? std::get<Value>(match.operand) : parameters.find(use->name)->second;
    if (match.property) {
      bind_property(*match.property, value);
    } else {
      bind_id(value);
    }
  }
  if (out_.impossible) return std::move(out_);
  if (out_.type->is_keyed()) {
    BRAID_TRY(make_key_id());
  } else {
    BRAID_ASSERT(id_.has_value());  // (Q3)
    out_.id = *std::move(id_);
  }
  return std::move(out_);
}

void Binder::bind_id(const Value& value) {
  const auto* text = value.as<std::string>();
  if (text == nullptr || (id_ && *id_ != *text)) {
    out_.impossible = true;
  } else {
    id_ = *text;
  }
}

void Binder::bind_property(std::size_t property, const Value& value) {
  const schema::NodeType& type = *out_.type;
  auto fitted = as_property(value, type.properties[property].type);
  if (!fitted) {
    out_.impossible = true;
    return;
  }
  for (std::size_t i = 0; i < type.key.size(); ++i) {
    if (type.key[i].property == property && !key_[i]) {
      key_[i] = *std::move(fitted);
      return;
    }
  }
  out_.filters.push_back({property, *std::move(fitted)});
}

Status Binder::make_key_id() {
  const schema::NodeType& type = *out_.type;
  std::vector<columnar::KeyMember> members;
  for (std::optional<Value>& value : key_) {
    BRAID_ASSERT(value.has_value());  // (Q3)
    out_.key.push_back(*std::move(value));
  }
  for (std::size_t i = 0; i < type.key.size(); ++i) {
    members.push_back({&type.properties[type.key[i].property].type, &out_.key[i]});
  }
  BRAID_ASSIGN(out_.id, columnar::key_text(members));
  return Unit{};
}

bool is_part_of_object(const PropertyType& type) {
  return type.kind != ScalarKind::blob && type.shape != Shape::vector;
}

Value object_of(const schema::NodeType& type, std::string_view id,
                const std::vector<Value>& values) {
  Value::Object object;
  object.names.emplace_back("@id");
  object.values.emplace_back(std::string(id));
  for (std::size_t i = 0; i < type.properties.size(); ++i) {
    if (!is_part_of_object(type.properties[i].type)) continue;
    object.names.push_back(type.properties[i].name);
    object.values.push_back(values[i]);
  }
  return object;
}

}  // namespace

Result<KeyLookup> prepare(std::string_view text, std::string_view name,
                          const Parameters& parameters, const schema::Schema& schema) {
  BRAID_ASSIGN(const Document document, parse(text));
  BRAID_ASSIGN(const Query* query, find_query(document, name));
  BRAID_ASSIGN(CheckedLookup checked, check(*query, schema));
  BRAID_ASSIGN(const Parameters bound, bind_parameters(query->parameters, parameters));
  return Binder(std::move(checked)).run(bound);
}

bool accepts(const KeyLookup& lookup, const std::vector<Value>& values) {
  BRAID_ASSERT(values.size() == lookup.type->properties.size());
  return std::all_of(
      lookup.filters.begin(), lookup.filters.end(),
      [&values](const EqualityFilter& filter) { return values[filter.property] == filter.value; });
}

std::vector<Value> project(const KeyLookup& lookup, std::string_view id,
                           const std::vector<Value>& values) {
  BRAID_ASSERT(values.size() == lookup.type->properties.size());
  std::vector<Value> row;
  row.reserve(lookup.columns.size());
  for (const Column& column : lookup.columns) {
    switch (column.kind) {
      case Column::Kind::object: row.push_back(object_of(*lookup.type, id, values)); break;
      case Column::Kind::property: row.push_back(values[column.property]); break;
      case Column::Kind::id: row.emplace_back(std::string(id)); break;
    }
  }
  return row;
}

}  // namespace braid::gq
