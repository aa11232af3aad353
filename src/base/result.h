// Bad input as a value: Result<T> is a T, or a Failure that says what was expected, what was found,
// where, and what to do.
//
// No exception crosses a module border; std::expected is C++23, which Debian 12's compilers lack.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace replait {

// Each kind has one exit code of the command line.
enum class FailureKind {
  kUsage,       // 2: wrong use, unknown name, a path that cannot be written.
  kUnreadable,  // 3: trace unreadable, damaged or too new.
  kDiverged,    // 4: a replay left the recording.
  kNothing,     // 5: nothing recorded, or stopped at a limit without a verdict.
};

struct Failure {
  FailureKind kind = FailureKind::kUsage;
  std::string message;  // What was expected and what was found, with its place.
  std::string remedy;   // What to do; may be empty.
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & {
    REPLAIT_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    REPLAIT_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    REPLAIT_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  const Failure& failure() const {
    REPLAIT_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : failure_(std::move(failure)) {}

  bool ok() const { return !failure_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Failure& failure() const {
    REPLAIT_CHECK(!ok());
    return *failure_;
  }

 private:
  std::optional<Failure> failure_;
};

}  // namespace replait
