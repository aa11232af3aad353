#include "replay/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace replait {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> near_names(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const bool contains = name.size() >= 2 && candidate.find(name) != std::string::npos;
    const std::size_t distance = contains ? 0 : edit_distance(name, candidate);
    if (2 * distance <= std::max(name.size(), candidate.size()))
      near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > kShown) near.resize(kShown);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near) names.push_back(std::move(candidate));
  return names;
}

std::string nearest_hint(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string> near = near_names(name, known);
  if (near.empty()) return "";
  std::string hint = "did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i > 0) hint += i + 1 == near.size() ? " or " : ", ";
    hint += "'" + near[i] + "'";
  }
  return hint + "?";
}

}  // namespace replait
