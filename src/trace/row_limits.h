// What a row must hold to be stored and to be believed: the writer and the reader ask the same.
//
// Bounds are wide, but leave room: sums and products of two bounded sizes do not overflow where the
// Machine and the race detector form them.
#pragma once

#include <cstdint>
#include <string>

#include "trace/op_fields.h"
#include "trace/tables.h"

namespace replait {

constexpr std::int64_t kSizeMax = std::int64_t{1} << 60;
constexpr std::size_t kDimensionsMax = 64;
constexpr std::uint64_t kThreadsMax = std::uint64_t{1} << 20;  // Of a launch.

// What is wrong with the row: "range with stride 0"; empty if nothing is. The rows that it refers
// to must be in the tables.
std::string row_problem(const Tables& tables, RowKind kind, std::uint32_t id);

// The same for rows that are not in the tables yet.
std::string range_problem(const RangeRow& row);
std::string shape_problem(const std::vector<std::int64_t>& dims);
std::string buffer_problem(const Tables& tables, const BufferRow& row);

}  // namespace replait
