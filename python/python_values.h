// From Python's objects to rows: keys, ranges, arrays, errors, as JAX's interpreter has them.
//
// What does not fit is our own hooks' fault or something that JAX itself refuses later; it throws
// pybind11's exceptions, which end the recording with a Python error.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/tables.h"

namespace replait {

// An array's bytes, row-major, for as long as `keep_alive` lives.
struct Array {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keep_alive;
};

class PythonValues {
 public:
  explicit PythonValues(Tables& tables) : tables_(tables) {}

  DType dtype(pybind11::handle numpy_dtype);
  Array array(pybind11::handle object);
  ShapeId shape(pybind11::handle tuple);

  // (space, buffer id, device, core)
  KeyId key(LaunchId launch, pybind11::handle tuple);
  // A tuple of slices and integers; `mask` an array of booleans or None; `window` None or
  // (operand's name, block indices, grid point).
  RangeId range(pybind11::handle tuple, pybind11::handle mask, pybind11::handle window);
  // None, or (type, text, whether it follows from another agent's error).
  ErrorId error(pybind11::handle object);

 private:
  Tables& tables_;
  std::unordered_map<PyObject*, std::pair<pybind11::object, DType>> dtypes_;
};

std::vector<std::int64_t> integers(pybind11::handle tuple);

}  // namespace replait
