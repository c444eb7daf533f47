// SPDX-License-Identifier: Apache-2.0
// One typed value: what a property holds, a parameter is, a result column shows.
// Layer: columnar.
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace braid {

/// Days since the Unix epoch, proleptic Gregorian; may be negative.
struct Date {
  std::int32_t days = 0;
  friend auto operator<=>(const Date&, const Date&) = default;
};

/// Milliseconds since the Unix epoch, UTC; may be negative.
struct DateTime {
  std::int64_t ms = 0;
  friend auto operator<=>(const DateTime&, const DateTime&) = default;
};

/// Bytes, as opposed to text.
struct Blob {
  std::string bytes;
  friend bool operator==(const Blob&, const Blob&) = default;
};

struct Null {
  friend bool operator==(const Null&, const Null&) = default;
};

/// The alternatives follow the scalar kinds of the schema language. A string or an enum value is
/// std::string (UTF-8), a Vector is std::vector<float>, a list is std::vector<Value> of one kind.
/// An Object is what a query returns for a whole node; no property holds one.
/// Floats compare by IEEE rules in operator==: use columnar::same_value where NaN equals NaN.
class Value {
 public:
  using List = std::vector<Value>;
  using Vector = std::vector<float>;
  /// Names and values side by side, in order.
  struct Object {
    std::vector<std::string> names;
    std::vector<Value> values;
    friend bool operator==(const Object&, const Object&) = default;
  };
  using Variant =
      std::variant<Null, bool, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float,
                   double, std::string, Blob, Date, DateTime, List, Vector, Object>;

  Value() = default;
  template <class T>
    requires std::is_constructible_v<Variant, T>
  Value(T value) : data_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Value(const char* text) : data_(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  bool is_null() const { return std::holds_alternative<Null>(data_); }
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(data_);
  }
  /// nullptr unless it holds a T.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&data_);
  }
  const Variant& variant() const { return data_; }
  friend bool operator==(const Value&, const Value&) = default;

 private:
  Variant data_;
};

}  // namespace braid
