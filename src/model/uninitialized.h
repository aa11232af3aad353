// What memory holds before it is written, as JAX's interpret mode fills it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "trace/dtype.h"

namespace replait {

// One element, as the first item_bytes(dtype) bytes. With `nan`: NaN, the largest integer or True;
// nullopt for complex types, for which JAX has no such value. Else zero.
std::optional<std::array<std::byte, 16>> uninitialized_element(DType dtype, bool nan);

// Fills whole elements of `size` bytes; a rest that is no whole element stays.
void fill_elements(std::span<std::byte> bytes, const std::array<std::byte, 16>& element,
                   std::size_t size);

}  // namespace replait
