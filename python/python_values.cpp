#include "python_values.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace replait {
namespace {

namespace py = pybind11;

std::int64_t integer(py::handle object) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!index) throw py::error_already_set();
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

Dim dimension(py::handle object) {
  if (PySlice_Check(object.ptr()) == 0) {
    const std::int64_t index = integer(object);
    return {.start = index, .stop = index + 1, .stride = 1, .is_index = true};
  }
  const auto* slice = reinterpret_cast<PySliceObject*>(object.ptr());
  return {.start = slice->start == Py_None ? 0 : integer(slice->start),
          .stop = integer(slice->stop),
          .stride = slice->step == Py_None ? 1 : integer(slice->step),
          .is_index = false};
}

std::vector<std::uint8_t> bits(const Array& mask) {
  std::vector<std::uint8_t> packed((mask.bytes.size() + 7) / 8);
  for (std::size_t i = 0; i < mask.bytes.size(); ++i) {
    if (mask.bytes[i] == std::byte{0}) continue;
    packed[i / 8] = static_cast<std::uint8_t>(packed[i / 8] | (1U << (i % 8)));
  }
  return packed;
}

}  // namespace

std::vector<std::int64_t> integers(py::handle tuple) {
  std::vector<std::int64_t> values;
  for (const py::handle item : tuple) values.push_back(integer(item));
  return values;
}

DType PythonValues::dtype(py::handle numpy_dtype) {
  const auto known = dtypes_.find(numpy_dtype.ptr());
  if (known != dtypes_.end()) return known->second.second;
  const auto name = py::str(numpy_dtype.attr("name")).cast<std::string>();
  const std::optional<DType> parsed = parse_dtype(name);
  if (!parsed) throw py::type_error(fmt::format("arrays of type {} cannot be recorded", name));
  dtypes_.emplace(numpy_dtype.ptr(),
                  std::pair(py::reinterpret_borrow<py::object>(numpy_dtype), *parsed));
  return *parsed;
}

Array PythonValues::array(py::handle object) {
  auto values = py::array::ensure(object, py::array::c_style);
  if (!values) throw py::error_already_set();
  Array array;
  array.dtype = dtype(values.dtype());
  for (py::ssize_t i = 0; i < values.ndim(); ++i) array.shape.push_back(values.shape(i));
  array.bytes = {static_cast<const std::byte*>(values.data()),
                 static_cast<std::size_t>(values.nbytes())};
  array.keep_alive = std::make_shared<py::array>(std::move(values));
  return array;
}

ShapeId PythonValues::shape(py::handle tuple) { return tables_.shape(integers(tuple)); }

KeyId PythonValues::key(LaunchId launch, py::handle tuple) {
  const auto parts = py::reinterpret_borrow<py::tuple>(tuple);
  if (parts.size() != 4) throw py::value_error("a memory key has four parts");
  return tables_.key({.launch = launch,
                      .space = parts[0].cast<std::string>(),
                      .buffer = integer(parts[1]),
                      .device = static_cast<std::uint32_t>(integer(parts[2])),
                      .core = static_cast<std::uint32_t>(integer(parts[3]))});
}

RangeId PythonValues::range(py::handle tuple, py::handle mask, py::handle window) {
  RangeRow row;
  for (const py::handle item : tuple) row.dims.push_back(dimension(item));
  if (!mask.is_none()) row.mask = bits(array(mask));
  if (!window.is_none()) {
    const auto parts = py::reinterpret_borrow<py::tuple>(window);
    row.window = WindowBlock{.name = parts[0].cast<std::string>(),
                             .indices = integers(parts[1]),
                             .iteration = integers(parts[2])};
  }
  return tables_.range(row);
}

ErrorId PythonValues::error(py::handle object) {
  if (object.is_none()) return {};
  const auto parts = py::reinterpret_borrow<py::tuple>(object);
  return tables_.error({.kind = ErrorKind::kRaised,
                        .type = parts[0].cast<std::string>(),
                        .text = parts[1].cast<std::string>(),
                        .rule = parts[2].cast<bool>() ? "exec.follower" : "exec.exception"});
}

}  // namespace replait
