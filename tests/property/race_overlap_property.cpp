// Overlap of strided ranges against element sets.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "race/overlap.h"

namespace replait {
namespace {

using Element = std::vector<std::int64_t>;

Dim random_dim() {
  const auto start = *rc::gen::inRange<std::int64_t>(0, 9);
  if (*rc::gen::inRange(0, 4) == 0) return {start, start + 1, 1, true};
  const auto stop = *rc::gen::inRange<std::int64_t>(0, 14);
  const auto stride = *rc::gen::inRange<std::int64_t>(1, 6);
  return {start, stop, stride, false};
}

// By the definition: the product of the indices, as far as they lie within the shape.
std::set<Element> elements(const RangeRow& range, const std::vector<std::int64_t>& shape) {
  std::set<Element> found{{}};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Dim dim = d < range.dims.size() ? range.dims[d] : Dim{0, shape[d], 1, false};
    std::set<Element> longer;
    for (std::int64_t i = dim.start; i < std::min(dim.stop, shape[d]); i += dim.stride) {
      for (Element element : found) {
        element.push_back(i);
        longer.insert(element);
      }
    }
    found = longer;
  }
  return found;
}

RC_GTEST_PROP(Overlap, AgreesWithElementSets, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(*rc::gen::inRange<std::int64_t>(0, 10));
  RangeRow a;
  RangeRow b;
  for (RangeRow* row : {&a, &b}) {
    const auto given = *rc::gen::inRange<std::size_t>(0, rank + 1);
    for (std::size_t i = 0; i < given; ++i) row->dims.push_back(random_dim());
  }
  const std::set<Element> first = elements(a, shape);
  const std::set<Element> second = elements(b, shape);
  bool common = false;
  for (const Element& element : first) common |= second.contains(element);
  const Footprint of_a(a, &shape, &shape);
  const Footprint of_b(b, &shape, &shape);
  RC_ASSERT(of_a.empty() == first.empty());
  RC_ASSERT(of_a.overlaps(of_b) == common);
  RC_ASSERT(of_b.overlaps(of_a) == common);
  if (!first.empty() && !second.empty() && common) {
    RC_ASSERT(of_a.hull().first <= of_b.hull().second);
    RC_ASSERT(of_b.hull().first <= of_a.hull().second);
  }
  RC_CLASSIFY(common, "overlap");
}

RC_GTEST_PROP(Overlap, DoesNotDependOnWhereTheRangesLie, ()) {
  const auto shift = std::int64_t{1} << *rc::gen::inRange(0, 61);
  const auto factor = std::int64_t{1} << *rc::gen::inRange(0, 50);
  std::array<Progression, 2> near;
  std::array<Progression, 2> far;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto first = *rc::gen::inRange<std::int64_t>(0, 40);
    const auto stride = *rc::gen::inRange<std::int64_t>(1, 30);
    const auto steps = *rc::gen::inRange<std::int64_t>(0, 40);
    near[i] = {first, first + steps * stride, stride};
    far[i] = {first * factor + shift, (first + steps * stride) * factor + shift, stride * factor};
  }
  RC_ASSERT(meet(near[0], near[1]) == meet(far[0], far[1]));
}

}  // namespace
}  // namespace replait
