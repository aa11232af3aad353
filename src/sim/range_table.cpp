#include "sim/range_table.h"

#include "sched/describe.h"

namespace replait {

namespace {

Dim to_dim(const Slice& slice) {
  return {
      .start = slice.start, .stop = slice.stop, .stride = slice.stride, .is_index = slice.is_index};
}

}  // namespace

template <typename SliceAt>
RangeId RangeTable::find(std::size_t rank, SliceAt slice_at) {
  std::uint64_t hash = rank;
  for (std::size_t i = 0; i < rank; ++i) {
    const Slice slice = slice_at(i);
    hash = mix(hash, static_cast<std::uint64_t>(slice.start));
    if (slice.is_index) continue;
    hash = mix(hash, static_cast<std::uint64_t>(slice.stop));
    hash = mix(hash, static_cast<std::uint64_t>(slice.stride));
  }
  const auto next = static_cast<std::uint32_t>(known_.size());
  const std::uint32_t row = index_.find_or_insert(hash, next, [&](std::uint32_t number) {
    const Known& known = known_[number];
    bool equal = known.rank == rank;
    for (std::size_t i = 0; equal && i < rank; ++i) {
      equal = dims_[known.first + i] == to_dim(slice_at(i));
    }
    return equal;
  });
  if (row == next) {
    const auto first = static_cast<std::uint32_t>(dims_.size());
    std::vector<Slice> slices;
    for (std::size_t i = 0; i < rank; ++i) slices.push_back(slice_at(i));
    for (const Slice& slice : slices) dims_.push_back(to_dim(slice));
    known_.push_back(
        {.first = first, .rank = static_cast<std::uint32_t>(rank), .id = id(slices, {}, nullptr)});
  }
  return known_[row].id;
}

RangeId RangeTable::id(const Index& index) {
  return find(index.rank, [&](std::size_t i) { return Slice(index.at[i]); });
}

RangeId RangeTable::id(std::span<const Slice> slices) {
  return find(slices.size(), [&](std::size_t i) { return slices[i]; });
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
