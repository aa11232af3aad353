#include "trace/row_limits.h"

#include <fmt/format.h>

#include <vector>

namespace replait {
namespace {

bool bounded(std::int64_t n) { return n >= -kSizeMax && n <= kSizeMax; }

std::string shape_bytes_problem(const std::vector<std::int64_t>& dims, DType dtype) {
  std::int64_t bytes = item_bytes(dtype);
  bool empty = false;
  for (const std::int64_t size : dims) {
    if (size < 0) return fmt::format("buffer with a dimension of size {}", size);
    empty = empty || size == 0;
  }
  if (empty) return {};
  for (const std::int64_t size : dims) {
    if (bytes > kSizeMax / size) return "buffer of more than 2^60 bytes";
    bytes *= size;
  }
  return {};
}

std::string permutation_problem(const std::vector<std::uint32_t>& permutation) {
  if (permutation.size() > kDimensionsMax) return "permutation of more than 64 dimensions";
  std::vector<bool> seen(permutation.size());
  for (const std::uint32_t place : permutation) {
    if (place >= seen.size() || seen[place]) {
      return fmt::format("permutation that names dimension {} twice or out of range", place);
    }
    seen[place] = true;
  }
  return {};
}

std::string launch_problem(const LaunchRow& row) {
  if (row.devices < 1 || row.cores_per_device < 1) return "launch without devices or cores";
  const std::uint64_t threads = std::uint64_t{row.devices} * row.cores_per_device;
  if (threads > kThreadsMax) return fmt::format("launch of {} threads", threads);
  return {};
}

std::string agent_problem(const Tables& tables, const AgentRow& row) {
  const LaunchRow& launch = tables[row.launch];
  if (row.device >= launch.devices || row.core >= launch.cores_per_device) {
    return fmt::format("thread at device {}, core {} of a launch with {} devices of {} cores",
                       row.device, row.core, launch.devices, launch.cores_per_device);
  }
  return {};
}

}  // namespace

std::string range_problem(const RangeRow& row) {
  if (row.dims.size() > kDimensionsMax) return "range of more than 64 dimensions";
  for (const Dim& dim : row.dims) {
    if (!bounded(dim.start) || !bounded(dim.stop) || !bounded(dim.stride)) {
      return fmt::format("range {}:{}:{} beyond 2^60", dim.start, dim.stop, dim.stride);
    }
    if (dim.stride < 1) return fmt::format("range with stride {}", dim.stride);
    if (dim.is_index && (dim.stop - dim.start != 1 || dim.stride != 1)) {
      return fmt::format("integer index that is {}:{}:{}", dim.start, dim.stop, dim.stride);
    }
  }
  if (row.window) {
    for (const std::vector<std::int64_t>* place : {&row.window->indices, &row.window->iteration}) {
      const std::string problem = shape_problem(*place);
      if (!problem.empty()) return "window's block: " + problem;
    }
  }
  return permutation_problem(row.permutation);
}

std::string shape_problem(const std::vector<std::int64_t>& dims) {
  if (dims.size() > kDimensionsMax) return "shape of more than 64 dimensions";
  for (const std::int64_t size : dims) {
    if (!bounded(size)) return fmt::format("shape with a size of {}", size);
  }
  return {};
}

std::string buffer_problem(const Tables& tables, const BufferRow& row) {
  std::string problem = shape_bytes_problem(tables[row.content_shape], row.dtype);
  if (problem.empty()) problem = shape_bytes_problem(tables[row.logical_shape], row.dtype);
  return problem;
}

std::string row_problem(const Tables& tables, RowKind kind, std::uint32_t id) {
  switch (kind) {
    case RowKind::kLaunch:
      return launch_problem(tables[LaunchId{id}]);
    case RowKind::kAgent:
      return agent_problem(tables, tables[AgentId{id}]);
    case RowKind::kKey:
      return bounded(tables[KeyId{id}].buffer) ? "" : "key with a buffer id beyond 2^60";
    case RowKind::kBuffer:
      return buffer_problem(tables, tables[BufferId{id}]);
    case RowKind::kShape:
      return shape_problem(tables[ShapeId{id}]);
    case RowKind::kRange:
      return range_problem(tables[RangeId{id}]);
    case RowKind::kSemaphore: {
      const SemaphoreRow& row = tables[SemaphoreId{id}];
      if (!bounded(row.id)) return "semaphore id beyond 2^60";
      const bool fixed = row.kind == SemaphoreKind::kFixed;
      return fixed && to_index(row.launch) != 0 ? "fixed-id semaphore within a launch" : "";
    }
    case RowKind::kBarrier:
      return tables[BarrierId{id}].arrivals >= 1 ? "" : "barrier without arrivals";
    case RowKind::kSource:
    case RowKind::kValue:
    case RowKind::kError:
      return {};
  }
  return {};
}

}  // namespace replait
