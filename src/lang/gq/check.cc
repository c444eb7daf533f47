// SPDX-License-Identifier: Apache-2.0
#include "lang/gq/check.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "columnar/value_text.h"

namespace braid::gq {
namespace {

using columnar::PropertyType;
using columnar::ScalarKind;
using columnar::Shape;

constexpr std::string_view kIdProperty = "id";

Error type_fault(std::string_view code, const SourceSpan& span, std::string message) {
  return Error(ErrorCode::type_error, std::move(message)).with("code", std::string(code)).at(span);
}

/// What an unkeyed node's id is compared as.
PropertyType id_type() { return {}; }

bool is_text(const PropertyType& type) {
  return type.shape == Shape::enumeration ||
         (type.shape == Shape::scalar && type.kind == ScalarKind::string);
}

class Checker {
 public:
  Checker(const Query& query, const schema::Schema& schema) : query_(query), schema_(schema) {}

  Result<CheckedLookup> run(const Lookup& lookup);

 private:
  Status check_parameters(const Lookup& lookup);
  Result<CheckedMatch> match(const PropertyMatch& match) const;
  Result<CheckedOperand> operand(const Operand& operand, std::string_view property,
                                 const PropertyType& type) const;
  Result<CheckedOperand> parameter(const ParameterUse& use, const SourceSpan& span,
                                   std::string_view property, const PropertyType& type) const;
  Status check_key(const Lookup& lookup, const CheckedLookup& checked) const;
  Result<Column> column(const ReturnItem& item, const Name& variable) const;

  const Query& query_;
  const schema::Schema& schema_;
  const schema::NodeType* type_ = nullptr;
  std::unordered_map<std::string_view, const ParameterDeclaration*> parameters_;
};

Result<CheckedLookup> Checker::run(const Lookup& lookup) {
  const Binding& binding = lookup.binding;
  BRAID_TRY(check_parameters(lookup));
  type_ = schema_.node_type(binding.type.text);
  if (type_ == nullptr) {
    const bool is_edge = schema_.edge_type(binding.type.text) != nullptr;
    return type_fault("T1", binding.type.span,
                      fmt::format("the schema has no node type {}{}", binding.type.text,
                                  is_edge ? "; an edge type has this name" : ""));
  }
  CheckedLookup out;
  out.type = type_;
  for (const PropertyMatch& each : binding.matches) {
    BRAID_ASSIGN(out.matches.emplace_back(), match(each));
  }
  std::unordered_set<std::string> names;
  for (const ReturnItem& item : lookup.items) {
    BRAID_ASSIGN(out.columns.emplace_back(), column(item, binding.variable));
    if (!names.insert(out.columns.back().name).second) {
      return type_fault(
          "T25", item.span,
          fmt::format("two columns are named {}; rename one with \"as\"", out.columns.back().name));
    }
  }
  BRAID_TRY(check_key(lookup, out));
  return out;
}

Status Checker::check_parameters(const Lookup& lookup) {
  for (const ParameterDeclaration& parameter : query_.parameters) {
    if (parameter.type.kind == ScalarKind::blob) {
      return type_fault("T24", parameter.type_span, "a Blob is not a query value");
    }
    parameters_.emplace(parameter.name.text, &parameter);
  }
  const Name& variable = lookup.binding.variable;
  if (parameters_.contains(variable.text)) {
    return type_fault("T6", variable.span,
                      fmt::format("${} is a parameter; name the node otherwise", variable.text));
  }
  return Unit{};
}

Result<CheckedMatch> Checker::match(const PropertyMatch& match) const {
  CheckedMatch out;
  PropertyType type = id_type();
  out.property = type_->property_index(match.property.text);
  if (out.property) {
    type = type_->properties[*out.property].type;
  } else if (type_->is_keyed() || match.property.text != kIdProperty) {
    return type_fault("T2", match.property.span,
                      fmt::format("{} has no property {}", type_->name, match.property.text));
  }
  const bool comparable = (type.shape == Shape::scalar || type.shape == Shape::enumeration) &&
                          type.kind != ScalarKind::blob;
  if (!comparable) {
    return type_fault("T3", match.property.span,
                      fmt::format("{} is of type {}, which \":\" cannot compare",
                                  match.property.text, columnar::to_string(type)));
  }
  BRAID_ASSIGN(out.operand, operand(match.operand, match.property.text, type));
  return out;
}

Result<CheckedOperand> Checker::operand(const Operand& operand, std::string_view property,
                                        const PropertyType& type) const {
  const auto fault = [&](std::string_view what) {
    return type_fault(
        "T3", operand.span,
        fmt::format("{} is of type {}, and {} is not", property, columnar::to_string(type), what));
  };
  const auto known = [&](bool fits, std::string_view what, Value value) -> Result<CheckedOperand> {
    if (!fits) return fault(what);
    return CheckedOperand(std::move(value));
  };
  if (const auto* use = std::get_if<ParameterUse>(&operand.value)) {
    return parameter(*use, operand.span, property, type);
  }
  if (const auto* value = std::get_if<bool>(&operand.value)) {
    return known(type.kind == ScalarKind::boolean, "a Bool", *value);
  }
  if (const auto* value = std::get_if<std::uint64_t>(&operand.value)) {
    return known(columnar::is_numeric(type.kind), "a number", *value);
  }
  if (const auto* value = std::get_if<double>(&operand.value)) {
    return known(columnar::is_numeric(type.kind), "a number", *value);
  }
  if (const auto* value = std::get_if<std::string>(&operand.value)) {
    const bool missing =
        type.shape == Shape::enumeration &&
        !std::binary_search(type.enum_values.begin(), type.enum_values.end(), *value);
    return known(is_text(type) && !missing, missing ? "this value" : "a string", *value);
  }
  if (const auto* literal = std::get_if<DateLiteral>(&operand.value)) {
    const Result<Date> date = columnar::parse_date(literal->text);
    if (!date) return type_fault("T3", operand.span, date.error().message());
    return known(type.kind == ScalarKind::date, "a Date", *date);
  }
  if (const auto* literal = std::get_if<DateTimeLiteral>(&operand.value)) {
    const Result<DateTime> time = columnar::parse_date_time(literal->text);
    if (!time) return type_fault("T3", operand.span, time.error().message());
    return known(type.kind == ScalarKind::date_time, "a DateTime", *time);
  }
  return CheckedOperand(Value());
}

Result<CheckedOperand> Checker::parameter(const ParameterUse& use, const SourceSpan& span,
                                          std::string_view property,
                                          const PropertyType& type) const {
  const auto found = parameters_.find(use.name);
  if (found == parameters_.end()) {
    return type_fault("T6", span, fmt::format("the query has no parameter ${}", use.name));
  }
  const PropertyType& declared = found->second->type;
  const bool fits = declared.shape == Shape::scalar &&
                    (declared.kind == type.kind ||
                     (columnar::is_numeric(declared.kind) && columnar::is_numeric(type.kind)));
  if (!fits) {
    return type_fault(
        "T3", span,
        fmt::format("{} is of type {}, and ${} is of type {}", property, columnar::to_string(type),
                    use.name, columnar::to_string(declared)));
  }
  return CheckedOperand(use);
}

Status Checker::check_key(const Lookup& lookup, const CheckedLookup& checked) const {
  const auto matched = [&checked](std::optional<std::size_t> property) {
    return std::any_of(checked.matches.begin(), checked.matches.end(),
                       [&](const CheckedMatch& match) { return match.property == property; });
  };
  std::string missing;
  const auto miss = [&missing](std::string_view name) {
    if (!missing.empty()) missing += ", ";
    missing += name;
  };
  for (const schema::Member& member : type_->key) {
    if (!matched(member.property)) miss(type_->properties[member.property].name);
  }
  if (!type_->is_keyed() && !matched(std::nullopt)) miss(kIdProperty);
  if (missing.empty()) return Unit{};
  const Name& type = lookup.binding.type;
  return Error(ErrorCode::unsupported,
               fmt::format("this version can look up one node by its whole key only; add {} to "
                           "the braces behind {}",
                           missing, type.text))
      .with("construct", "a binding without the whole key")
      .with("missing", missing)
      .at(type.span);
}

Result<Column> Checker::column(const ReturnItem& item, const Name& variable) const {
  if (item.variable.text == "_") {
    return type_fault("T6", item.variable.span, "$_ has no name to return it by; name the node");
  }
  if (item.variable.text != variable.text) {
    return type_fault("T6", item.variable.span,
                      fmt::format("${} is not bound in match", item.variable.text));
  }
  Column out;
  switch (item.kind) {
    case ReturnItem::Kind::object:
      out.name = variable.text;
      out.kind = Column::Kind::object;
      break;
    case ReturnItem::Kind::id:
      out.name = variable.text + ".@id";
      out.kind = Column::Kind::id;
      break;
    case ReturnItem::Kind::property: {
      const auto index = type_->property_index(item.property.text);
      if (!index) {
        return type_fault("T6", item.property.span,
                          fmt::format("{} has no property {}", type_->name, item.property.text));
      }
      if (type_->properties[*index].type.kind == ScalarKind::blob) {
        return type_fault("T24", item.property.span, "a Blob is not a query value");
      }
      out.name = fmt::format("{}.{}", variable.text, item.property.text);
      out.kind = Column::Kind::property;
      out.property = *index;
      break;
    }
  }
  if (item.alias) out.name = item.alias->text;
  return out;
}

}  // namespace

Result<CheckedLookup> check(const Query& query, const schema::Schema& schema) {
  if (const auto* reason = std::get_if<Error>(&query.body)) return *reason;
  return Checker(query, schema).run(std::get<Lookup>(query.body));
}

}  // namespace braid::gq
