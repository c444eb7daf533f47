// SPDX-License-Identifier: Apache-2.0
#include "columnar/content_hash.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include "base/assert.h"

namespace braid::columnar {
namespace {

// Tags of docs/formats/content-hash.md. Part of the format: never changed, never reused.
enum class Form : std::uint8_t {
  boolean = 1,
  natural = 2,   // an integer of 0 to 2^64 - 1
  negative = 3,  // an integer of -2^63 to -1
  real = 4,      // any other number
  string = 5,
  blob = 6,
  date = 7,
  date_time = 8,
  list = 9,
  vector = 10,
};
constexpr std::uint8_t kRowTag = 'r';
constexpr std::uint8_t kCellTag = 'c';
constexpr std::uint8_t kNodeTag = 'n';
constexpr std::uint8_t kEdgeTag = 'e';
constexpr std::string_view kTotalLabel = "braid content 1\n";

void put_form(base::ByteWriter& writer, Form form) { writer.u8(static_cast<std::uint8_t>(form)); }

void put_integer(base::ByteWriter& writer, bool negative, std::uint64_t bits) {
  put_form(writer, negative ? Form::negative : Form::natural);
  writer.u64(bits);
}

void put_real(base::ByteWriter& writer, double value) {
  // V6: 5.0 is the integer 5. Minus zero, stored as such, stays a number of its own.
  const bool whole = std::trunc(value) == value && !(value == 0 && std::signbit(value));
  if (whole && value >= 0 && value < 0x1p64) {
    return put_integer(writer, false, static_cast<std::uint64_t>(value));
  }
  if (whole && value < 0 && value >= -0x1p63) {
    return put_integer(writer, true, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  put_form(writer, Form::real);
  writer.u64(std::isnan(value) ? 0x7FF8000000000000 : std::bit_cast<std::uint64_t>(value));
}

void put_vector(base::ByteWriter& writer, const Value::Vector& vector) {
  put_form(writer, Form::vector);
  for (const float element : vector) {
    writer.u32(std::isnan(element) ? 0x7FC00000 : std::bit_cast<std::uint32_t>(element));
  }
}

void put_value(base::ByteWriter& writer, const Value& value);

void put_list(base::ByteWriter& writer, const Value::List& list) {
  put_form(writer, Form::list);
  for (const Value& element : list) {
    base::ByteWriter each;
    put_value(each, element);
    writer.bytes(each.view());
  }
}

void put_value(base::ByteWriter& writer, const Value& value) {
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, bool>) {
          put_form(writer, Form::boolean);
          writer.u8(held ? 1 : 0);
        } else if constexpr (std::is_floating_point_v<T>) {
          put_real(writer, held);
        } else if constexpr (std::is_integral_v<T>) {
          put_integer(writer, held < T{0}, static_cast<std::uint64_t>(held));
        } else if constexpr (std::is_same_v<T, std::string>) {
          put_form(writer, Form::string);
          writer.raw(held);
        } else if constexpr (std::is_same_v<T, Blob>) {
          put_form(writer, Form::blob);
          writer.array(base::sha256(held.bytes));
        } else if constexpr (std::is_same_v<T, Date>) {
          put_form(writer, Form::date);
          writer.u32(static_cast<std::uint32_t>(held.days));
        } else if constexpr (std::is_same_v<T, DateTime>) {
          put_form(writer, Form::date_time);
          writer.u64(static_cast<std::uint64_t>(held.ms));
        } else if constexpr (std::is_same_v<T, Value::List>) {
          put_list(writer, held);
        } else if constexpr (std::is_same_v<T, Value::Vector>) {
          put_vector(writer, held);
        } else {
          BRAID_ASSERT((std::is_same_v<T, Null>));  // no cell holds an object
        }
      },
      value.variant());
}

void put_part(base::ByteWriter& writer, ContentHash::Part part, const base::Hash128& sum) {
  writer.u64(part.table.value);
  writer.u64(part.property.value);
  writer.u64(sum.low);
  writer.u64(sum.high);
}

}  // namespace

RowIdentity RowIdentity::node(std::string_view id) {
  base::ByteWriter writer;
  writer.u8(kNodeTag);
  writer.bytes(id);
  return RowIdentity(std::move(writer).take());
}

RowIdentity RowIdentity::edge(std::string_view id, std::string_view source,
                              std::string_view target) {
  base::ByteWriter writer;
  writer.u8(kEdgeTag);
  writer.bytes(id);
  writer.bytes(source);
  writer.bytes(target);
  return RowIdentity(std::move(writer).take());
}

std::string hashed_form(const Value& value) {
  base::ByteWriter writer;
  put_value(writer, value);
  return std::move(writer).take();
}

base::Hash128 row_hash(const HashScope& scope, const RowIdentity& row) {
  base::ByteWriter writer;
  writer.u8(kRowTag);
  writer.u64(scope.table.value);
  writer.raw(row.bytes());
  return base::xxh3_128(writer.view(), scope.salt);
}

base::Hash128 cell_hash(const HashScope& scope, PropertyId property, const RowIdentity& row,
                        const Value& value, const Value* initial_default) {
  if (value.is_null()) return {};  // V6
  base::ByteWriter writer;
  writer.reserve(row.bytes().size() + 64);
  writer.u8(kCellTag);
  writer.u64(scope.table.value);
  writer.u64(property.value);
  writer.raw(row.bytes());
  const std::size_t form_at = writer.size();
  put_value(writer, value);
  if (initial_default != nullptr &&
      std::string_view(writer.view()).substr(form_at) == hashed_form(*initial_default)) {
    return {};  // V6
  }
  return base::xxh3_128(writer.view(), scope.salt);
}

void ContentHash::add(Part part, const base::Hash128& hash) {
  if (hash.is_zero()) return;
  const auto at = parts_.try_emplace(part).first;
  at->second += hash;                          // V5: addition commutes
  if (at->second.is_zero()) parts_.erase(at);  // V7
}

void ContentHash::remove(Part part, const base::Hash128& hash) {
  base::Hash128 negative;
  negative -= hash;
  add(part, negative);
}

void ContentHash::add_row(const HashScope& scope, const RowIdentity& row) {
  add({scope.table, {}}, row_hash(scope, row));
}

void ContentHash::remove_row(const HashScope& scope, const RowIdentity& row) {
  remove({scope.table, {}}, row_hash(scope, row));
}

void ContentHash::add_cell(const HashScope& scope, PropertyId property, const RowIdentity& row,
                           const Value& value, const Value* initial_default) {
  BRAID_ASSERT(property != PropertyId{});  // zero stands for the rows
  add({scope.table, property}, cell_hash(scope, property, row, value, initial_default));
}

void ContentHash::remove_cell(const HashScope& scope, PropertyId property, const RowIdentity& row,
                              const Value& value, const Value* initial_default) {
  BRAID_ASSERT(property != PropertyId{});
  remove({scope.table, property}, cell_hash(scope, property, row, value, initial_default));
}

ContentHash& ContentHash::operator+=(const ContentHash& other) {
  BRAID_ASSERT(this != &other);
  for (const auto& [part, sum] : other.parts_) add(part, sum);
  return *this;
}

ContentHash& ContentHash::operator-=(const ContentHash& other) {
  BRAID_ASSERT(this != &other);
  for (const auto& [part, sum] : other.parts_) remove(part, sum);
  return *this;
}

base::Hash128 ContentHash::part(Part part) const {
  const auto at = parts_.find(part);
  return at == parts_.end() ? base::Hash128{} : at->second;
}

base::Digest ContentHash::total() const {
  base::ByteWriter writer;
  writer.raw(kTotalLabel);
  for (const auto& [part, sum] : parts_) put_part(writer, part, sum);
  return base::sha256(writer.view());
}

void ContentHash::encode(base::ByteWriter& writer) const {
  writer.varint(parts_.size());
  for (const auto& [part, sum] : parts_) put_part(writer, part, sum);
}

Result<ContentHash> ContentHash::decode(base::ByteReader& reader) {
  ContentHash out;
  const std::uint64_t count = reader.varint();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    Part part;
    part.table.value = reader.u64();
    part.property.value = reader.u64();
    base::Hash128 sum;
    sum.low = reader.u64();
    sum.high = reader.u64();
    const bool ordered = out.parts_.empty() || out.parts_.rbegin()->first < part;
    if (!ordered || sum.is_zero()) reader.fail();  // V7
    out.parts_.emplace_hint(out.parts_.end(), part, sum);
  }
  if (reader.failed()) {
    return Error(ErrorCode::corrupt, "the content hash is cut short or malformed")
        .with("offset", reader.offset());
  }
  return out;
}

}  // namespace braid::columnar
