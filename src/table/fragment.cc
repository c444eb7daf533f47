// SPDX-License-Identifier: Apache-2.0
#include "table/fragment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/assert.h"
#include "columnar/arrow/property_column.h"
#include "table/fragment_columns.h"
#include "table/fragment_sums.h"

namespace braid::table {
namespace {

namespace arrow = columnar::arrow;

Error not_a_fragment(std::string_view expected) {
  return Error(ErrorCode::corrupt, "the file is not a fragment of this table")
      .with("expected", std::string(expected));
}

Error out_of_order(std::size_t batch, std::size_t row) {
  return Error(ErrorCode::corrupt, "the ids of a fragment do not ascend")
      .with("batch", batch)
      .with("row", row);
}

// The number of rows that the footer states.
std::optional<std::uint64_t> rows_of(const arrow::Metadata& metadata) {
  const std::string* text = arrow::find(metadata, kFragmentRowsKey);
  if (text == nullptr) return std::nullopt;
  std::uint64_t rows = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, rows);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return rows;
}

// The type without dictionary: readers take both.
const arrow::DataType& plain(const arrow::DataType& type) {
  return type.id() == arrow::TypeId::dictionary ? type.value() : type;
}

}  // namespace

Fragment::Fragment(Token, std::shared_ptr<const arrow::FileReader> file,
                   std::shared_ptr<const schema::RecordType> type, bool is_edge, std::string name)
    : file_(std::move(file)),
      type_(std::move(type)),
      is_edge_(is_edge),
      name_(std::move(name)),
      ids_(file_->batch_count()),
      batches_(file_->batch_count()) {}

Result<std::shared_ptr<const Fragment>> Fragment::open(
    std::string_view bytes, std::shared_ptr<const void> owner,
    std::shared_ptr<const schema::RecordType> type, bool is_edge, std::string file_name) {
  // The digest of the file is verify's business; a reader must not touch every row.
  BRAID_ASSIGN(auto file, arrow::FileReader::open(bytes, std::move(owner), {.check_rows = false}));
  const auto fragment = std::make_shared<Fragment>(Token{}, std::move(file), std::move(type),
                                                   is_edge, std::move(file_name));
  BRAID_TRY(fragment->read_footer());
  BRAID_TRY(fragment->resolve_columns());
  return std::shared_ptr<const Fragment>(fragment);
}

Status Fragment::read_footer() {
  const std::string* format = arrow::find(file_->metadata(), kFragmentFormatKey);
  if (format == nullptr) return not_a_fragment(kFragmentFormatKey);
  if (*format != kFragmentFormat) {
    return Error(ErrorCode::format_mismatch, "a fragment of a format that this version cannot read")
        .with("found", *format)
        .with("supported", std::string(kFragmentFormat));
  }
  const auto rows = rows_of(file_->metadata());
  if (!rows || *rows == 0) return not_a_fragment(kFragmentRowsKey);
  rows_ = *rows;
  if (const std::string* sums = arrow::find(file_->metadata(), kFragmentSumsKey)) {
    BRAID_ASSIGN(sums_, decode_sums(*sums, batch_count() * file_->schema().fields.size()));
  }
  return Unit{};
}

Error Fragment::in_file(const Error& error) const {
  return name_.empty() ? error : error.with("file", name_);
}

Status Fragment::check_sum(std::size_t batch, std::size_t column, const arrow::Array& array) const {
  if (sums_.empty()) return Unit{};
  const arrow::Schema& schema = file_->schema();
  BRAID_ASSIGN(const std::uint32_t sum, sum_of(array));
  const std::uint32_t written = sums_[batch * schema.fields.size() + column];
  if (sum == written) return Unit{};
  return Error(ErrorCode::corrupt, "a column of a fragment is not what was written")
      .with("batch", batch)
      .with("column", schema.fields[column].name)
      .with("expected", written)
      .with("actual", sum);
}

Result<arrow::RecordBatch> Fragment::read_checked(std::size_t batch,
                                                  std::span<const std::size_t> columns) const {
  auto read = file_->read(batch, columns);
  if (!read) return in_file(read.error());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Status good = check_sum(batch, columns[i], read->column(i));  // T14
    if (!good) return in_file(good.error());
  }
  return read;
}

Status Fragment::resolve_columns() {
  const arrow::Schema& schema = file_->schema();
  if (arrow::table_of(schema) != type_->id) {
    return not_a_fragment("table " + std::to_string(type_->id.value));
  }
  const auto has = [&](std::size_t column, std::string_view name, arrow::TypeId type) {
    return column < schema.fields.size() && schema.fields[column].name == name &&
           plain(schema.fields[column].type).id() == type &&
           !arrow::property_of(schema.fields[column]);
  };
  if (!has(kIdColumn, "id", arrow::TypeId::utf8)) return not_a_fragment("a column id");
  columns_.id = kIdColumn;
  if (is_edge_) {
    if (!has(kSourceColumn, "src", arrow::TypeId::utf8) ||
        !has(kTargetColumn, "dst", arrow::TypeId::utf8)) {
      return not_a_fragment("columns src and dst");
    }
    columns_.src = kSourceColumn;
    columns_.dst = kTargetColumn;
  }
  columns_.properties.resize(type_->properties.size());
  for (std::size_t i = leading_columns(is_edge_); i < schema.fields.size(); ++i) {
    const arrow::Field& field = schema.fields[i];
    const auto property = arrow::property_of(field);
    if (!property) {
      const bool is_previous = field.name == kPreviousField;
      // A name that damage made unknown must not pass for a column that is not there (T14).
      if (!is_previous && field.name != kStampField) return not_a_fragment("known columns");
      auto& column = is_previous ? columns_.previous : columns_.stamp;
      // They are read as numbers, without a look at what a dictionary or a null would say.
      if (column || field.nullable || field.type.id() != arrow::TypeId::u64) {
        return not_a_fragment("one column " + field.name + " of u64");
      }
      column = i;
      continue;
    }
    const auto index = type_->property_index(*property);
    if (!index) continue;  // dropped since
    if (plain(field.type) != arrow::data_type_of(type_->properties[*index].type)) {
      return not_a_fragment("another type of property " + type_->properties[*index].name);
    }
    columns_.properties[*index] = i;
  }
  for (const auto& column : {std::optional(columns_.id), columns_.src, columns_.dst,
                             columns_.previous, columns_.stamp}) {
    if (column) deciding_.push_back(*column);
  }
  for (const auto& members : type_->uniques) {
    for (const schema::Member& member : members) {
      if (member.kind != schema::Member::Kind::property) continue;
      if (const auto& column = columns_.properties[member.property]) deciding_.push_back(*column);
    }
  }
  return Unit{};
}

Result<arrow::ArrayPointer> Fragment::ids(std::size_t batch) const {
  {
    const env::Lock lock(mutex_);
    if (ids_[batch] != nullptr) return ids_[batch];
  }
  const std::array<std::size_t, 1> columns = {columns_.id};
  BRAID_ASSIGN(const arrow::RecordBatch read, read_checked(batch, columns));
  if (read.length() == 0) return not_a_fragment("batches that are not empty");
  const env::Lock lock(mutex_);
  ids_[batch] = read.columns().front();
  return ids_[batch];
}

Result<std::shared_ptr<const arrow::RecordBatch>> Fragment::batch(std::size_t index) const {
  {
    const env::Lock lock(mutex_);
    if (batches_[index] != nullptr) return batches_[index];
  }
  auto read = file_->read(index);
  if (!read) return in_file(read.error());
  for (const std::size_t column : deciding_) {
    const Status good = check_sum(index, column, read->column(column));  // T14
    if (!good) return in_file(good.error());
  }
  auto shared = std::make_shared<const arrow::RecordBatch>(*std::move(read));
  const env::Lock lock(mutex_);
  batches_[index] = shared;
  return shared;
}

Result<FragmentPlace> Fragment::lower_bound(std::string_view id) const {
  // The last batch that does not begin above the id; then the row in it.
  std::size_t low = 0;
  std::size_t high = batch_count();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    BRAID_ASSIGN(const arrow::ArrayPointer ids, this->ids(middle));
    (ids->bytes(0) <= id ? low : high) = middle;
  }
  if (batch_count() == 0) return FragmentPlace{};
  BRAID_ASSIGN(const arrow::ArrayPointer ids, this->ids(low));
  std::size_t first = 0;
  std::size_t last = ids->length();
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (ids->bytes(middle) < id) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first == ids->length()) return FragmentPlace{low + 1, 0};
  return FragmentPlace{low, first};
}

Result<std::optional<FragmentPlace>> Fragment::find(std::string_view id) const {
  BRAID_ASSIGN(const FragmentPlace place, lower_bound(id));
  if (place.batch == batch_count()) return std::optional<FragmentPlace>();
  BRAID_ASSIGN(const arrow::ArrayPointer ids, this->ids(place.batch));
  if (ids->bytes(place.row) != id) return std::optional<FragmentPlace>();  // T9
  return std::optional(place);
}

Result<FragmentRow> Fragment::row_of(const arrow::RecordBatch& batch, std::size_t row) const {
  FragmentRow out;
  out.row.id = batch.column(columns_.id).bytes(row);
  if (columns_.src) out.row.src = batch.column(*columns_.src).bytes(row);
  if (columns_.dst) out.row.dst = batch.column(*columns_.dst).bytes(row);
  out.row.values.resize(type_->properties.size());
  for (std::size_t i = 0; i < type_->properties.size(); ++i) {
    const auto& column = columns_.properties[i];
    if (!column) continue;
    out.row.values[i] = arrow::value_at(batch.column(*column), type_->properties[i].type, row);
  }
  const auto position_in = [&](std::size_t column) {
    return Position{batch.column(column).values<std::uint64_t>()[row]};
  };
  if (columns_.previous) out.previous = position_in(*columns_.previous);
  if (columns_.stamp) out.stamp = position_in(*columns_.stamp);
  return out;
}

Result<FragmentRow> Fragment::read(FragmentPlace place) const {
  BRAID_ASSERT(place.batch < batch_count());
  BRAID_ASSIGN(const auto batch, this->batch(place.batch));
  BRAID_ASSERT(place.row < batch->length());
  return row_of(*batch, place.row);
}

Result<std::optional<Position>> Fragment::stamp(FragmentPlace place) const {
  if (!columns_.stamp) return std::optional<Position>();
  BRAID_ASSIGN(const auto batch, this->batch(place.batch));
  return std::optional(Position{batch->column(*columns_.stamp).values<std::uint64_t>()[place.row]});
}

Result<std::shared_ptr<const std::vector<std::uint64_t>>> Fragment::batch_ends() const {
  const env::Lock lock(mutex_);
  if (batch_ends_ != nullptr) return batch_ends_;
  auto ends = std::make_shared<std::vector<std::uint64_t>>();
  std::uint64_t rows = 0;
  for (std::size_t index = 0; index < batch_count(); ++index) {
    BRAID_ASSIGN(const std::size_t length, file_->length_of(index));
    if (length > rows_ - rows) return not_a_fragment("as many rows as its footer says");
    ends->push_back(rows += length);
  }
  batch_ends_ = std::move(ends);
  return batch_ends_;
}

Status Fragment::edges_at(
    std::span<const std::uint32_t> ordinals,
    const std::function<Status(FragmentPlace, const FragmentEdge&)>& visit) const {
  BRAID_ASSERT(is_edge_);
  BRAID_ASSIGN(const auto ends, batch_ends());
  std::shared_ptr<const arrow::RecordBatch> batch;
  std::size_t index = 0;
  for (const std::uint64_t ordinal : ordinals) {
    if (batch == nullptr || ordinal >= (*ends)[index]) {
      index = static_cast<std::size_t>(std::upper_bound(ends->begin(), ends->end(), ordinal) -
                                       ends->begin());
      if (index == ends->size()) {
        return Error(ErrorCode::corrupt, "a fragment has no row of this ordinal")
            .with("ordinal", ordinal);
      }
      BRAID_ASSIGN(batch, this->batch(index));
    }
    const FragmentPlace place{index, ordinal - (index == 0 ? 0 : (*ends)[index - 1])};
    FragmentEdge edge;
    edge.id = batch->column(columns_.id).bytes(place.row);
    edge.src = batch->column(*columns_.src).bytes(place.row);
    edge.dst = batch->column(*columns_.dst).bytes(place.row);
    if (columns_.stamp) {
      edge.stamp = Position{batch->column(*columns_.stamp).values<std::uint64_t>()[place.row]};
    }
    BRAID_TRY(visit(place, edge));
  }
  return Unit{};
}

Result<EndColumns> Fragment::ends(std::size_t batch) const {
  BRAID_ASSERT(is_edge_);
  const std::array columns = {*columns_.src, *columns_.dst};
  BRAID_ASSIGN(const auto read, read_checked(batch, columns));
  return EndColumns{read.columns()[0], read.columns()[1]};
}

Status FragmentCursor::seek(std::string_view from) {
  BRAID_ASSIGN(place_, fragment_->lower_bound(from));
  return enter();
}

Status FragmentCursor::next() {
  BRAID_ASSERT(valid());
  if (++place_.row < ids_->length()) return Unit{};
  place_ = {place_.batch + 1, 0};
  return enter();
}

Status FragmentCursor::enter() {
  ids_ = nullptr;
  if (place_.batch == fragment_->batch_count()) return Unit{};
  BRAID_ASSIGN(ids_, fragment_->ids(place_.batch));
  return Unit{};
}

Status Fragment::check() const {
  std::string before;
  std::uint64_t rows = 0;
  for (std::size_t index = 0; index < batch_count(); ++index) {
    BRAID_ASSIGN(const auto batch, this->batch(index));
    for (const arrow::ArrayPointer& column : batch->columns()) BRAID_TRY(arrow::validate(*column));
    const arrow::Array& ids = batch->column(columns_.id);
    for (std::size_t row = 0; row < batch->length(); ++row) {
      if (rows > 0 && before >= ids.bytes(row)) return out_of_order(index, row);  // T8
      before = ids.bytes(row);
      ++rows;
    }
  }
  if (rows == rows_) return Unit{};
  return Error(ErrorCode::corrupt, "a fragment has another number of rows than its footer says")
      .with("expected", rows_)
      .with("actual", rows);
}

}  // namespace braid::table
