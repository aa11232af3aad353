// "Did you mean": the known names nearest to one that is not known, by edit distance [Levenshtein
// 1966].
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace replait {

// At most three, nearest first, then in the given order; none that shares less than half with
// `name`. A known name that contains `name` counts as near.
std::vector<std::string> near_names(std::string_view name, std::span<const std::string> known);

// "did you mean 'ring' or 'ring-shared'?", or empty where nothing is near.
std::string nearest_hint(std::string_view name, std::span<const std::string> known);

}  // namespace replait
