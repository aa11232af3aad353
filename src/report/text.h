// A report as text: no line wider than `width` columns (but at least Layout::kWidthMin), the same
// bytes each time.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace replait {

std::string to_text(const Report& report, std::size_t width);

}  // namespace replait
