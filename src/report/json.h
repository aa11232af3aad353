// A report as JSON: docs/json.md.
#pragma once

#include <string>

#include "report/report.h"

namespace replait {

std::string to_json(const Report& report);

}  // namespace replait
