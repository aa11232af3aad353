#include "sim/range_table.h"

#include <algorithm>

#include "sched/describe.h"

namespace replait {

namespace {

Dim to_dim(const Slice& slice) {
  return {
      .start = slice.start, .stop = slice.stop, .stride = slice.stride, .is_index = slice.is_index};
}

}  // namespace

RangeId RangeTable::id(std::span<const Slice> slices) {
  std::uint64_t hash = slices.size();
  for (const Slice& slice : slices) {
    hash = mix(hash, static_cast<std::uint64_t>(slice.start));
    if (slice.is_index) continue;
    hash = mix(hash, static_cast<std::uint64_t>(slice.stop));
    hash = mix(hash, static_cast<std::uint64_t>(slice.stride));
  }
  const auto next = static_cast<std::uint32_t>(known_.size());
  const std::uint32_t row = index_.find_or_insert(hash, next, [&](std::uint32_t number) {
    const Known& known = known_[number];
    return known.rank == slices.size() &&
           std::equal(slices.begin(), slices.end(), dims_.begin() + known.first,
                      [](const Slice& a, const Dim& b) { return to_dim(a) == b; });
  });
  if (row == next) {
    Known known{.first = static_cast<std::uint32_t>(dims_.size()),
                .rank = static_cast<std::uint32_t>(slices.size()),
                .id = id(slices, {}, nullptr)};
    for (const Slice& slice : slices) dims_.push_back(to_dim(slice));
    known_.push_back(known);
  }
  return known_[row].id;
}

RangeId RangeTable::id(std::span<const Slice> slices, std::span<const bool> mask,
                       const GridBlock* block) {
  RangeRow range;
  for (const Slice& slice : slices) range.dims.push_back(to_dim(slice));
  if (!mask.empty()) range.mask.resize((mask.size() + 7) / 8);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i]) range.mask[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  }
  if (block != nullptr) {
    range.window = WindowBlock{
        .name = block->operand, .indices = block->indices, .iteration = block->iteration};
  }
  return tables_.range(range);
}

}  // namespace replait
