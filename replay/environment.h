// What the environment packet of a C++ kernel's trace says: from an allow-list, without the name of
// the machine or of its user.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace replait {

std::vector<std::pair<std::string, std::string>> recording_environment();

}  // namespace replait
