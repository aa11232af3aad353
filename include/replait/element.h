// One element of a buffer, read and written through.
#pragma once

#include <cstddef>
#include <span>

#include "replait/detail.h"
#include "replait/memory.h"
#include "replait/shape.h"

namespace replait {

template <typename T>
class Element {
 public:
  Element(SimulatedThread& thread, KeyId key, const Index& index)
      : thread_(thread), key_(key), index_(index) {}
  Element(const Element&) = default;

  operator T() const {
    T value{};
    detail::read_element(thread_, key_, index_, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  Element& operator=(T value) {
    detail::write_element(thread_, key_, index_, std::as_bytes(std::span(&value, 1)));
    return *this;
  }
  Element& operator=(const Element& other) { return *this = static_cast<T>(other); }
  // A read, then a write: not atomic.
  Element& operator+=(T value) { return *this = static_cast<T>(static_cast<T>(*this) + value); }
  Element& operator-=(T value) { return *this = static_cast<T>(static_cast<T>(*this) - value); }
  Element& operator*=(T value) { return *this = static_cast<T>(static_cast<T>(*this) * value); }

 private:
  SimulatedThread& thread_;
  KeyId key_;
  Index index_;
};

}  // namespace replait
