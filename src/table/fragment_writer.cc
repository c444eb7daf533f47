// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/assert.h"
#include "columnar/arrow/property_column.h"
#include "table/fragment.h"
#include "table/fragment_columns.h"
#include "table/fragment_sums.h"

namespace braid::table {
namespace {

namespace arrow = columnar::arrow;

arrow::Field required_field(std::string_view name, arrow::TypeId type) {
  return {.name = std::string(name), .type = type, .nullable = false};
}

Status append_text(arrow::ArrayBuilder& builder, std::string_view text) {
  BRAID_ASSERT(builder.type().id() == arrow::TypeId::utf8);
  return static_cast<arrow::BytesBuilder&>(builder).append(text);
}

void append_position(arrow::ArrayBuilder& builder, Position position) {
  BRAID_ASSERT(builder.type().id() == arrow::TypeId::u64);
  static_cast<arrow::FixedBuilder<std::uint64_t>&>(builder).append(position.value);
}

}  // namespace

arrow::Schema fragment_schema(const schema::RecordType& type, bool is_edge,
                              const FragmentOptions& options) {
  arrow::Schema schema;
  schema.fields.push_back(required_field("id", arrow::TypeId::utf8));
  if (is_edge) {
    schema.fields.push_back(required_field("src", arrow::TypeId::utf8));
    schema.fields.push_back(required_field("dst", arrow::TypeId::utf8));
  }
  for (const schema::Property& property : type.properties) {
    schema.fields.push_back(arrow::field_of(property.name, property.id, property.type));
  }
  if (options.with_previous) {
    schema.fields.push_back(required_field(kPreviousField, arrow::TypeId::u64));
  }
  if (options.with_stamps) {
    schema.fields.push_back(required_field(kStampField, arrow::TypeId::u64));
  }
  schema.metadata.emplace_back(arrow::kTableKey, std::to_string(type.id.value));
  return schema;
}

FragmentWriter::FragmentWriter(Token, arrow::Sink& sink, const schema::RecordType& type,
                               bool is_edge, const FragmentOptions& options)
    : sink_(sink),
      type_(type),
      is_edge_(is_edge),
      options_(options),
      schema_(std::make_shared<const arrow::Schema>(fragment_schema(type, is_edge, options))) {
  for (const arrow::Field& field : schema_->fields) {
    builders_.push_back(arrow::make_builder(field.type));
  }
}

Result<std::unique_ptr<FragmentWriter>> FragmentWriter::begin(arrow::Sink& sink,
                                                              const schema::RecordType& type,
                                                              bool is_edge,
                                                              const FragmentOptions& options) {
  BRAID_ASSERT(options.batch_rows > 0);
  auto writer = std::make_unique<FragmentWriter>(Token{}, sink, type, is_edge, options);
  BRAID_ASSIGN(writer->writer_,
               arrow::IpcWriter::begin(writer->sink_, writer->schema_,
                                       {arrow::Container::file, options.compression}));
  return writer;
}

Status FragmentWriter::append(const FragmentRow& row) {
  BRAID_ASSERT(summary_.rows == 0 || summary_.last_id < row.row.id);  // T8
  BRAID_ASSERT(row.row.values.size() == type_.properties.size());
  BRAID_ASSERT(options_.with_previous || row.previous == Position{});
  BRAID_ASSERT(options_.with_stamps == row.stamp.has_value());
  BRAID_TRY(append_values(row));
  if (summary_.rows == 0) summary_.first_id = row.row.id;
  summary_.last_id = row.row.id;
  ++summary_.rows;
  ++batch_rows_;
  if (batch_rows_ < options_.batch_rows && memory_bytes() < options_.batch_bytes) return Unit{};
  return write_batch();
}

Status FragmentWriter::append_values(const FragmentRow& row) {
  std::size_t column = 0;
  BRAID_TRY(append_text(*builders_[column++], row.row.id));
  if (is_edge_) {
    BRAID_TRY(append_text(*builders_[column++], row.row.src));
    BRAID_TRY(append_text(*builders_[column++], row.row.dst));
  }
  for (std::size_t i = 0; i < type_.properties.size(); ++i) {
    BRAID_TRY(
        arrow::append_value(*builders_[column++], type_.properties[i].type, row.row.values[i]));
  }
  if (options_.with_previous) append_position(*builders_[column++], row.previous);
  if (options_.with_stamps) append_position(*builders_[column++], *row.stamp);
  return Unit{};
}

std::size_t FragmentWriter::memory_bytes() const {
  std::size_t sum = 0;
  for (const auto& builder : builders_) sum += builder->memory_bytes();
  return sum;
}

Status FragmentWriter::write_batch() {
  std::vector<arrow::ArrayPointer> columns;
  for (const auto& builder : builders_) {
    columns.push_back(builder->finish());
    BRAID_ASSIGN(const std::uint32_t sum, sum_of(*columns.back()));
    sums_.push_back(sum);
  }
  BRAID_ASSIGN(
      const arrow::RecordBatch batch,
      arrow::RecordBatch::make(schema_, std::exchange(batch_rows_, 0), std::move(columns)));
  return writer_->append(batch);
}

Result<FragmentSummary> FragmentWriter::finish() {
  BRAID_ASSERT(summary_.rows > 0);
  if (batch_rows_ > 0) BRAID_TRY(write_batch());
  BRAID_TRY(writer_->finish({{std::string(kFragmentFormatKey), std::string(kFragmentFormat)},
                             {std::string(kFragmentRowsKey), std::to_string(summary_.rows)},
                             {std::string(kFragmentSumsKey), encode_sums(sums_)}}));
  return summary_;
}

}  // namespace braid::table
