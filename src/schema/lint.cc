// SPDX-License-Identifier: Apache-2.0
#include "schema/lint.h"

#include <variant>

#include <fmt/format.h>

#include "schema/annotation_rules.h"

namespace braid::schema {
namespace {

class Linter {
 public:
  void operator()(const InterfaceDeclaration& declaration) {
    of_properties(declaration.name.text, declaration.properties);
  }
  void operator()(const NodeDeclaration& declaration) {
    of_type(declaration.name.text, declaration.annotations);
    of_properties(declaration.name.text, declaration.properties);
  }
  void operator()(const EdgeDeclaration& declaration) {
    of_type(declaration.name.text, declaration.annotations);
    of_properties(declaration.name.text, declaration.properties);
  }

  std::vector<Finding> take() && { return std::move(findings_); }

 private:
  void of_type(const std::string& type, const std::vector<Annotation>& annotations) {
    for (const Annotation& annotation : annotations) {
      if (!is_known_on_type(annotation.name.text)) unknown(annotation, type, "");
    }
  }

  void of_properties(const std::string& type, const std::vector<PropertyDeclaration>& properties) {
    for (const PropertyDeclaration& property : properties) {
      for (const Annotation& annotation : property.annotations) {
        if (is_known_on_property(annotation.name.text)) continue;
        unknown(annotation, type, property.name.text);
      }
    }
  }

  void unknown(const Annotation& annotation, const std::string& type, const std::string& property) {
    findings_.push_back(
        {Severity::warning, "L203",
         fmt::format("@{} is not an annotation that Braid knows; it is kept and has no effect",
                     annotation.name.text),
         annotation.name.place.span, type, property});
  }

  std::vector<Finding> findings_;
};

}  // namespace

std::string_view name_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::vector<Finding> lint(const Schema& schema) {
  Linter linter;
  for (const Declaration& declaration : schema.document().declarations) {
    std::visit(linter, declaration);
  }
  return std::move(linter).take();
}

}  // namespace braid::schema
