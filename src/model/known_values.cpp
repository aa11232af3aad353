#include "model/known_values.h"

#include <algorithm>
#include <utility>

namespace replait {
namespace {

bool ranges_may_overlap(const std::vector<Axis>& a, const std::vector<Axis>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!may_overlap(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

void KnownValues::forget(const std::vector<Axis>& axes) {
  std::erase_if(entries_, [&](const Entry& entry) { return ranges_may_overlap(entry.axes, axes); });
}

void KnownValues::remember(const std::vector<Axis>& axes,
                           const std::vector<std::uint32_t>& permutation, ValueId value) {
  if (!entries_.empty() && entries_.back().axes == axes &&
      entries_.back().permutation == permutation) {
    entries_.back().value = value;
    return;
  }
  forget(axes);
  Entry entry;
  if (entries_.size() == kEntriesMax) {
    entry = std::move(entries_.front());  // Its memory serves again.
    entries_.erase(entries_.begin());
  }
  entry.axes = axes;
  entry.permutation = permutation;
  entry.value = value;
  entries_.push_back(std::move(entry));
}

ValueId KnownValues::find(const std::vector<Axis>& axes,
                          const std::vector<std::uint32_t>& permutation) const {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.axes == axes && entry.permutation == permutation;
  });
  return found == entries_.rend() ? ValueId{} : found->value;
}

}  // namespace replait
