// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. A dropped result does not compile. Layer: base.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "braid/error.h"

namespace braid {

namespace detail {
/// Ends the process: a caller used a Result without looking. That is a bug of the caller.
[[noreturn]] void result_misused(const char* what, const Error* error);
}  // namespace detail

/// Either a T or the Error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  template <class U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Requires: ok().
  T& operator*() & { return *checked(std::get_if<0>(&state_)); }
  const T& operator*() const& { return *checked(std::get_if<0>(&state_)); }
  T&& operator*() && { return std::move(*checked(std::get_if<0>(&state_))); }
  T* operator->() { return checked(std::get_if<0>(&state_)); }
  const T* operator->() const { return checked(std::get_if<0>(&state_)); }

  /// Requires: !ok().
  const Error& error() const& {
    if (ok()) detail::result_misused("error() of a success", nullptr);
    return *std::get_if<1>(&state_);
  }
  Error error() && {
    if (ok()) detail::result_misused("error() of a success", nullptr);
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  template <class P>
  P* checked(P* value) const {
    if (value == nullptr) detail::result_misused("value of a failure", std::get_if<1>(&state_));
    return value;
  }

  std::variant<T, Error> state_;
};

/// The value of an operation that only succeeds or fails.
struct Unit {
  friend bool operator==(const Unit&, const Unit&) = default;
};
using Status = Result<Unit>;

}  // namespace braid

#define BRAID_CONCAT_INNER(a, b) a##b
#define BRAID_CONCAT(a, b) BRAID_CONCAT_INNER(a, b)

/// Returns the error of `expr` from the enclosing function, if it has one.
#define BRAID_TRY(expr) BRAID_TRY_INNER(BRAID_CONCAT(braid_status_, __LINE__), expr)
#define BRAID_TRY_INNER(temporary, expr)                 \
  do {                                                   \
    auto temporary = (expr);                             \
    if (!temporary) return std::move(temporary).error(); \
  } while (false)

/// Declares or assigns `target` from the value of `expr`, or returns its error:
/// BRAID_ASSIGN(const auto file, open(path));
#define BRAID_ASSIGN(target, expr) \
  BRAID_ASSIGN_INNER(BRAID_CONCAT(braid_result_, __LINE__), target, expr)
#define BRAID_ASSIGN_INNER(temporary, target, expr)    \
  auto temporary = (expr);                             \
  if (!temporary) return std::move(temporary).error(); \
  target = *std::move(temporary)
