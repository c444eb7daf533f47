// SPDX-License-Identifier: Apache-2.0
#include "schema/annotation_rules.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace braid::schema {
namespace {

using columnar::ScalarKind;

constexpr std::array<std::string_view, 3> kOnTypes = {"description", "instruction", "rename_from"};
constexpr std::array<std::string_view, 9> kOnProperties = {
    "key",   "unique",      "index",       "range",      "check",
    "embed", "description", "instruction", "rename_from"};

Error type_error(const SourceSpan& span, std::string message) {
  return Error(ErrorCode::type_error, std::move(message)).at(span);
}

bool is_name(std::string_view text, Annotated annotated) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty()) return false;
  const char first = text.front();
  if (annotated == Annotated::type ? !is_upper(first) : !is_lower(first)) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_upper(c) || is_lower(c) || is_digit(c); });
}

/// The one text that @description and its like take.
Result<std::string> text_argument(const Annotation& annotation) {
  const auto* literal = std::get_if<Literal>(&annotation.argument);
  const auto* text = literal == nullptr ? nullptr : std::get_if<std::string>(literal);
  if (text == nullptr || !annotation.named_arguments.empty()) {
    return type_error(annotation.name.place.span,
                      fmt::format("@{0} takes one string: @{0}(\"…\")", annotation.name.text));
  }
  if (text->empty()) {
    return type_error(annotation.argument_place.span,
                      fmt::format("the text of @{} is empty; write one or leave the annotation out",
                                  annotation.name.text));
  }
  return *text;
}

Status set_once(std::string& out, const Annotation& annotation) {
  BRAID_ASSIGN(std::string text, text_argument(annotation));
  if (!out.empty()) {
    return type_error(annotation.name.place.span,
                      fmt::format("@{} stands here twice; keep one", annotation.name.text));
  }
  out = std::move(text);
  return Unit{};
}

Status set_former_name(std::string& out, const Annotation& annotation, Annotated annotated) {
  std::string text;
  if (const auto* name = std::get_if<Annotation::Identifier>(&annotation.argument);
      name != nullptr && annotation.named_arguments.empty()) {
    text = name->text;
  } else {
    BRAID_ASSIGN(text, text_argument(annotation));
  }
  if (!out.empty()) {
    return type_error(annotation.name.place.span, "@rename_from stands here twice; keep one");
  }
  if (!is_name(text, annotated)) {
    return type_error(annotation.argument_place.span,
                      annotated == Annotated::type
                          ? "@rename_from of a type takes a type's name, such as \"Person\""
                          : "@rename_from of a property takes a property's name, such as \"age\"");
  }
  out = std::move(text);
  return Unit{};
}

Error out_of_range(ScalarKind kind) {
  return Error(
      ErrorCode::type_error,
      fmt::format("a bound is outside of what {} holds; widen the property's type or leave "
                  "that side open",
                  name_of(kind)));
}

Result<RangeLimit> whole_limit(const SignedNumber& number, ScalarKind kind) {
  const auto* magnitude = std::get_if<std::uint64_t>(&number.magnitude);
  if (magnitude == nullptr) {
    return Error(
        ErrorCode::type_error,
        fmt::format("the bounds of a property of type {} are whole numbers", name_of(kind)));
  }
  const bool narrow = kind == ScalarKind::i32 || kind == ScalarKind::u32;
  if (kind == ScalarKind::u32 || kind == ScalarKind::u64) {
    const std::uint64_t highest = narrow ? std::numeric_limits<std::uint32_t>::max()
                                         : std::numeric_limits<std::uint64_t>::max();
    if (number.negative || *magnitude > highest) return out_of_range(kind);
    return RangeLimit(*magnitude);
  }
  const std::uint64_t highest =
      narrow ? static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())
             : static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (*magnitude > highest + (number.negative ? 1 : 0)) return out_of_range(kind);
  // Two's complement: the negation is right for -2^63 too.
  const std::uint64_t bits = number.negative ? ~*magnitude + 1 : *magnitude;
  return RangeLimit(static_cast<std::int64_t>(bits));
}

}  // namespace

bool is_known_on_type(std::string_view name) {
  return std::find(kOnTypes.begin(), kOnTypes.end(), name) != kOnTypes.end();
}

bool is_known_on_property(std::string_view name) {
  return std::find(kOnProperties.begin(), kOnProperties.end(), name) != kOnProperties.end();
}

Result<Notes> notes_of(const std::vector<Annotation>& annotations, Annotated annotated) {
  Notes out;
  for (const Annotation& annotation : annotations) {
    const std::string_view name = annotation.name.text;
    if (name == "description") {
      BRAID_TRY(set_once(out.description, annotation));
    } else if (name == "instruction") {
      BRAID_TRY(set_once(out.instruction, annotation));
    } else if (name == "rename_from") {
      BRAID_TRY(set_former_name(out.rename_from, annotation, annotated));
    } else if (annotated == Annotated::type && name == "embed") {
      return type_error(annotation.name.place.span, "@embed stands after a Vector property");
    } else if (!is_known_on_property(name)) {
      out.unknown_annotations.push_back(annotation);
    }
  }
  return out;
}

Result<RangeLimit> range_limit(const SignedNumber& number, ScalarKind kind) {
  if (columnar::is_integer(kind)) return whole_limit(number, kind);
  const double magnitude =
      std::visit([](auto value) { return static_cast<double>(value); }, number.magnitude);
  const double value = number.negative ? -magnitude : magnitude;
  if (kind == ScalarKind::f64) return RangeLimit(value);
  if (magnitude > static_cast<double>(std::numeric_limits<float>::max())) return out_of_range(kind);
  return RangeLimit(static_cast<double>(static_cast<float>(value)));
}

}  // namespace braid::schema
