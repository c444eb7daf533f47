// SPDX-License-Identifier: Apache-2.0
// Builders: append rows, get an array. One for each layout but dictionaries (dictionary.h).
//
// A batch holds at most 2^31 - 1 bytes of text (or blobs, or list elements) a column, since its
// offsets are 32 bits. A builder answers `resource_limit` to what does not fit and keeps what it
// has: finish the batch, and append the row to the next. fits() asks first, so that a row of
// several columns is never half there.
//
// Invariants
//   A3  What a builder finishes passes validate() (text being UTF-8) and has exactly the appended
//       rows; the builder is empty then. A failed append adds no row.
//   A4  memory_bytes() is all that a builder holds, spare room included.
// Layer: columnar.
// Threads: a builder belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "braid/result.h"
#include "columnar/arrow/array.h"

namespace braid::columnar::arrow {

/// Bytes or elements of one column of one batch.
inline constexpr std::size_t kOffsetMax = 0x7FFF'FFFF;

class ArrayBuilder {
 public:
  virtual ~ArrayBuilder() = default;
  ArrayBuilder(const ArrayBuilder&) = delete;
  ArrayBuilder& operator=(const ArrayBuilder&) = delete;

  const DataType& type() const { return type_; }
  std::size_t length() const { return length_; }
  std::size_t null_count() const { return null_count_; }

  /// Room for `rows` rows more, as far as their number says.
  virtual void reserve(std::size_t rows) = 0;
  virtual std::size_t memory_bytes() const = 0;  // A4
  void append_null() { append_nulls(1); }
  void append_nulls(std::size_t count);
  /// Rows that are not null and mean nothing (zeros, empty), to stand under a null further up.
  void append_placeholders(std::size_t count);
  /// Rows [begin, begin + count) of `from`, which has this type, or is a dictionary of it.
  /// `resource_limit` if they do not fit, `corrupt` if their offsets or numbers are damaged: then
  /// none is added. Requires: the rows exist.
  Status append_from(const Array& from, std::size_t begin, std::size_t count);
  ArrayPointer finish();

 protected:
  explicit ArrayBuilder(DataType type) : type_(std::move(type)) {}

  /// What appending a value adds beside the value itself.
  void count_value() {
    ++length_;
    if (has_validity_) validity_.push(true);
  }
  void count_values(std::size_t count) {
    length_ += count;
    if (has_validity_) validity_.append(true, count);
  }
  void count_rows(const BitmapView& validity);
  std::size_t validity_bytes() const { return validity_.memory_bytes(); }

  /// `count` rows of zeros, without counting them.
  virtual void add_zeros(std::size_t count) = 0;
  /// The rows without their validity, and without counting them. `from` is a dictionary only for
  /// text, blobs and fixed-size binary.
  virtual Status add_rows(const Array& from, std::size_t begin, std::size_t count) = 0;
  /// Fills in buffers and child, and forgets them.
  virtual void take(ArrayParts& parts) = 0;

 private:
  void need_validity();
  Status add_entries(const Array& from, std::size_t begin, std::size_t count);

  DataType type_;
  std::size_t length_ = 0;
  std::size_t null_count_ = 0;
  bool has_validity_ = false;  // only from the first null on
  BitmapBuilder validity_;
};

/// Of any type of fixed width: numbers, dates, times.
template <class T>
class FixedBuilder final : public ArrayBuilder {
 public:
  /// Requires: holds<T>(type.id()).
  explicit FixedBuilder(const DataType& type) : ArrayBuilder(type) {
    BRAID_ASSERT(holds<T>(type.id()));
  }

  void append(T value) {
    values_.push(value);
    count_value();
  }
  void append(std::span<const T> values) {
    values_.append({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    count_values(values.size());
  }
  /// Requires: as many bits as values.
  void append(std::span<const T> values, const BitmapView& validity) {
    BRAID_ASSERT(values.size() == validity.size());
    values_.append({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    count_rows(validity);
  }
  void reserve(std::size_t rows) override { values_.reserve(rows * sizeof(T)); }
  std::size_t memory_bytes() const override { return values_.capacity() + validity_bytes(); }

 private:
  void add_zeros(std::size_t count) override { values_.append_zeros(count * sizeof(T)); }
  Status add_rows(const Array& from, std::size_t begin, std::size_t count) override {
    const std::span<const T> rows = from.values<T>().subspan(begin, count);
    values_.append({reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
    return Unit{};
  }
  void take(ArrayParts& parts) override { parts.values = values_.finish(); }

  BufferBuilder values_;
};

class BooleanBuilder final : public ArrayBuilder {
 public:
  BooleanBuilder() : ArrayBuilder(TypeId::boolean) {}

  void append(bool value) {
    values_.push(value);
    count_value();
  }
  void reserve(std::size_t rows) override { values_.reserve(rows); }
  std::size_t memory_bytes() const override { return values_.memory_bytes() + validity_bytes(); }

 private:
  void add_zeros(std::size_t count) override { values_.append(false, count); }
  Status add_rows(const Array& from, std::size_t begin, std::size_t count) override;
  void take(ArrayParts& parts) override { parts.values = values_.finish(); }

  BitmapBuilder values_;
};

/// Of text and of blobs. Text must be UTF-8; whoever appends it has checked.
class BytesBuilder final : public ArrayBuilder {
 public:
  /// `size_max` makes batches smaller. Requires: utf8 or binary; size_max <= kOffsetMax.
  explicit BytesBuilder(const DataType& type, std::size_t size_max = kOffsetMax);

  bool fits(std::size_t size) const { return size <= size_max_ - values_.size(); }
  Status append(std::string_view bytes) {
    if (!fits(bytes.size())) return too_large(bytes.size());
    values_.append(bytes);
    offsets_.push(static_cast<std::int32_t>(values_.size()));
    count_value();
    return Unit{};
  }
  void reserve(std::size_t rows) override { offsets_.reserve(rows * sizeof(std::int32_t)); }
  void reserve_bytes(std::size_t size) { values_.reserve(size); }
  std::size_t memory_bytes() const override {
    return values_.capacity() + offsets_.capacity() + validity_bytes();
  }

 private:
  Error too_large(std::size_t size) const;
  void add_zeros(std::size_t count) override;
  Status add_rows(const Array& from, std::size_t begin, std::size_t count) override;
  Status add_entries(const Array& from, std::size_t begin, std::size_t count);
  void take(ArrayParts& parts) override;

  std::size_t size_max_;
  BufferBuilder offsets_;
  BufferBuilder values_;
};

class FixedBinaryBuilder final : public ArrayBuilder {
 public:
  /// Requires: fixed_size_binary.
  explicit FixedBinaryBuilder(const DataType& type);

  /// Requires: bytes.size() == type().size().
  void append(std::string_view bytes) {
    BRAID_ASSERT(bytes.size() == type().size());
    values_.append(bytes);
    count_value();
  }
  void reserve(std::size_t rows) override { values_.reserve(rows * type().size()); }
  std::size_t memory_bytes() const override { return values_.capacity() + validity_bytes(); }

 private:
  void add_zeros(std::size_t count) override { values_.append_zeros(count * type().size()); }
  Status add_rows(const Array& from, std::size_t begin, std::size_t count) override;
  void take(ArrayParts& parts) override { parts.values = values_.finish(); }

  BufferBuilder values_;
};

/// Append the elements to element(), then close the list.
class ListBuilder final : public ArrayBuilder {
 public:
  /// Requires: list.
  explicit ListBuilder(const DataType& type);

  ArrayBuilder& element() { return *element_; }
  /// Whether a row of so many elements can be added.
  bool fits(std::size_t elements) const { return elements <= kOffsetMax - closed_; }
  /// A row of all elements since the last one; an empty list if there are none. `resource_limit`
  /// if the elements are too many: then only finish() is left, which leaves them out.
  Status close();
  void reserve(std::size_t rows) override { offsets_.reserve(rows * sizeof(std::int32_t)); }
  std::size_t memory_bytes() const override {
    return offsets_.capacity() + validity_bytes() + element_->memory_bytes();
  }

 private:
  void add_zeros(std::size_t count) override;
  Status add_rows(const Array& from, std::size_t begin, std::size_t count) override;
  void take(ArrayParts& parts) override;

  std::unique_ptr<ArrayBuilder> element_;
  BufferBuilder offsets_;
  std::size_t closed_ = 0;  ///< elements that belong to rows
};

/// As ListBuilder, of lists of one size.
class FixedListBuilder final : public ArrayBuilder {
 public:
  /// Requires: fixed_size_list.
  explicit FixedListBuilder(const DataType& type);

  ArrayBuilder& element() { return *element_; }
  /// Requires: type().size() elements since the last row.
  void close();
  /// A row of floats. Requires: elements are f32; type().size() values.
  void append(std::span<const float> values);
  void reserve(std::size_t rows) override { element_->reserve(rows * type().size()); }
  std::size_t memory_bytes() const override { return validity_bytes() + element_->memory_bytes(); }

 private:
  void add_zeros(std::size_t count) override;
  Status add_rows(const Array& from, std::size_t begin, std::size_t count) override;
  void take(ArrayParts& parts) override;

  std::unique_ptr<ArrayBuilder> element_;
};

/// Requires: no dictionary, at any depth.
std::unique_ptr<ArrayBuilder> make_builder(const DataType& type);

}  // namespace braid::columnar::arrow
