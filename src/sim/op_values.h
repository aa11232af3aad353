// From a kernel's C++ types to what tables hold: element types, spaces, shapes.
#pragma once

#include <string>
#include <string_view>

#include "replait/detail.h"
#include "sim/simulated_thread.h"
#include "trace/dtype.h"

namespace replait {

DType to_dtype(ElementType type);
std::string_view space_name(MemorySpace space);  // "vmem", as JAX prints it.
std::string shape_text(const Shape& shape);      // "(8, 128)"

void perform_allocate(SimulatedThread& thread, KeyId key, std::uint32_t references,
                      const detail::Allocation& allocation, const Location& where);

}  // namespace replait
