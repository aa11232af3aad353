#include "model/strided.h"

#include <cstring>

namespace replait {
namespace {

// From the innermost dimension outwards, so that a whole buffer becomes one run.
void join_runs(std::vector<StridedDim>& dims) {
  std::size_t kept = dims.size();
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i].count == 1) continue;
    if (kept < dims.size()) {
      StridedDim& inner = dims[kept];
      if (dims[i].to == inner.to * inner.count && dims[i].from == inner.from * inner.count) {
        inner.count *= dims[i].count;
        continue;
      }
    }
    dims[--kept] = dims[i];
  }
  dims.erase(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(kept));
}

void move_from(std::byte* to, const std::byte* from, const std::vector<StridedDim>& dims,
               std::size_t depth, std::size_t item_size) {
  if (depth == dims.size()) {
    std::memcpy(to, from, item_size);
    return;
  }
  const StridedDim& dim = dims[depth];
  const auto item = static_cast<std::int64_t>(item_size);
  if (depth + 1 == dims.size() && dim.to == item && dim.from == item) {
    std::memcpy(to, from, static_cast<std::size_t>(dim.count) * item_size);
    return;
  }
  for (std::int64_t i = 0; i < dim.count; ++i) {
    move_from(to + i * dim.to, from + i * dim.from, dims, depth + 1, item_size);
  }
}

}  // namespace

void move_elements(std::byte* to, const std::byte* from, std::vector<StridedDim>& dims,
                   std::size_t item_size) {
  for (const StridedDim& dim : dims) {
    if (dim.count <= 0) return;
  }
  join_runs(dims);
  move_from(to, from, dims, 0, item_size);
}

}  // namespace replait
