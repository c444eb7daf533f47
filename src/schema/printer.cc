// SPDX-License-Identifier: Apache-2.0
#include "schema/printer.h"

#include <array>
#include <charconv>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "base/assert.h"

namespace braid::schema {
namespace {

/// The shortest text that reads back as the same double, in the form that FLOAT requires.
/// Requires: finite and not negative.
std::string float_text(double value) {
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  BRAID_ASSERT(written.ec == std::errc());
  std::string text(buffer.data(), written.ptr);
  if (text.find('.') != std::string::npos) return text;
  const std::size_t exponent = text.find('e');
  text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

std::string quoted(std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\n\r\t\b\f";
  constexpr std::string_view kNames = "\"\\nrtbf";
  std::string out = "\"";
  for (const char c : text) {
    if (const std::size_t index = kEscaped.find(c); index != std::string_view::npos) {
      out += '\\';
      out += kNames[index];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string literal_text(const Literal& literal) {
  if (const auto* text = std::get_if<std::string>(&literal)) return quoted(*text);
  if (const auto* number = std::get_if<double>(&literal)) return float_text(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&literal)) return std::to_string(*number);
  return std::get<bool>(literal) ? "true" : "false";
}

std::string number_text(const SignedNumber& number) {
  const std::string sign = number.negative ? "-" : "";
  if (const auto* value = std::get_if<double>(&number.magnitude)) return sign + float_text(*value);
  return sign + std::to_string(std::get<std::uint64_t>(number.magnitude));
}

std::string bound_text(const Bound& bound) {
  std::string out;
  if (bound.low) out += number_text(*bound.low);
  out += "..";
  if (bound.high) out += number_text(*bound.high);
  return out;
}

std::string annotation_text(const Annotation& annotation) {
  std::string out = "@" + annotation.name.text;
  if (annotation.bound) return out + "(" + bound_text(*annotation.bound) + ")";
  if (const auto* literal = std::get_if<Literal>(&annotation.argument)) {
    out += "(" + literal_text(*literal);
  } else if (const auto* name = std::get_if<Annotation::Identifier>(&annotation.argument)) {
    out += "(" + name->text;
  } else {
    return out;
  }
  for (const NamedArgument& named : annotation.named_arguments) {
    out += ", " + named.name.text + " = " + literal_text(named.value);
  }
  return out + ")";
}

std::string type_text(const TypeExpression& type) {
  std::string out;
  switch (type.shape) {
    case columnar::Shape::scalar: out = name_of(type.kind); break;
    case columnar::Shape::list: out = fmt::format("[{}]", name_of(type.kind)); break;
    case columnar::Shape::vector: out = fmt::format("Vector({})", type.vector_size); break;
    case columnar::Shape::enumeration:
      for (const auto& value : type.enum_values) {
        out += out.empty() ? "enum(" : ", ";
        out += value.text;
      }
      out += ")";
      break;
  }
  if (type.nullable) out += "?";
  return out;
}

std::string constraint_text(const Constraint& constraint) {
  std::string out = fmt::format("@{}(", name_of(constraint.kind));
  bool first = true;
  for (const Constraint::Member& member : constraint.members) {
    if (!first) out += ", ";
    first = false;
    if (member.with_at) out += "@";
    out += member.name.text;
  }
  if (constraint.bound) out += ", " + bound_text(*constraint.bound);
  if (constraint.kind == ConstraintKind::check) out += ", " + quoted(constraint.pattern);
  return out + ")";
}

void append_annotations(std::string& out, const std::vector<Annotation>& annotations) {
  for (const Annotation& annotation : annotations) out += " " + annotation_text(annotation);
}

void append_body(std::string& out, const std::vector<PropertyDeclaration>& properties,
                 const std::vector<Constraint>& constraints) {
  out += " {\n";
  for (const PropertyDeclaration& property : properties) {
    out += "  " + property.name.text + ": " + type_text(property.type);
    append_annotations(out, property.annotations);
    out += "\n";
  }
  for (const Constraint& constraint : constraints) {
    out += "  " + constraint_text(constraint) + "\n";
  }
  out += "}\n";
}

void append(std::string& out, const InterfaceDeclaration& declaration) {
  out += "interface " + declaration.name.text;
  append_body(out, declaration.properties, {});
}

void append(std::string& out, const NodeDeclaration& declaration) {
  out += "node " + declaration.name.text;
  append_annotations(out, declaration.annotations);
  bool first = true;
  for (const Name& name : declaration.interfaces) {
    out += (first ? " implements " : ", ") + name.text;
    first = false;
  }
  append_body(out, declaration.properties, declaration.constraints);
}

void append(std::string& out, const EdgeDeclaration& declaration) {
  out += fmt::format("edge {}: {} -> {}", declaration.name.text, declaration.from.text,
                     declaration.to.text);
  if (declaration.card) {
    out += fmt::format(" @card({}..", declaration.card->min);
    if (declaration.card->max) out += std::to_string(*declaration.card->max);
    out += ")";
  }
  append_annotations(out, declaration.annotations);
  if (declaration.properties.empty() && declaration.constraints.empty()) {
    out += "\n";
  } else {
    append_body(out, declaration.properties, declaration.constraints);
  }
}

}  // namespace

std::string print(const Document& document) {  // P1
  std::string out;
  for (const Declaration& declaration : document.declarations) {
    if (!out.empty()) out += "\n";
    std::visit([&out](const auto& one) { append(out, one); }, declaration);
  }
  return out;
}

}  // namespace braid::schema
