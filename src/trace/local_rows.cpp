#include "trace/local_rows.h"

#include <algorithm>

namespace replait {

std::uint32_t LocalRows::use_new(RowKind kind, std::uint32_t number) {
  const auto known = [this](RowKind k, std::uint32_t id) {
    if (has_none(k) && id == 0) return true;
    const std::vector<Mark>& marks = marks_[index_of(k)];
    const std::uint32_t n = canonical_.number(k, id);
    return n < marks.size() && marks[n].chunk == chunk_;
  };
  enter_row(tables_, kind, canonical_.id(kind, number), known, [this](RowKind k, std::uint32_t id) {
    const std::uint32_t n = canonical_.number(k, id);
    std::vector<Mark>& marks = marks_[index_of(k)];
    if (n >= marks.size()) marks.resize(std::max<std::size_t>(n + 1, marks.size() * 2));
    std::vector<std::uint32_t>& used = used_[index_of(k)];
    marks[n] = {.chunk = chunk_, .local = static_cast<std::uint32_t>(used.size())};
    used.push_back(n);
    if (k == RowKind::kRange) bytes_ += tables_[RangeId{id}].mask.size();
    if (k == RowKind::kError) bytes_ += tables_[ErrorId{id}].text.size();
  });
  return marks_[index_of(kind)][number].local;
}

}  // namespace replait
