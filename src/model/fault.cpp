#include "model/fault.h"

#include <fmt/format.h>

#include <utility>

#include "model/machine.h"

namespace replait {
namespace {

// Python's tuple as numpy's messages print it: (3,4), without blanks.
std::string numpy_shape(const Shape& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ","));
}

std::uint32_t printed_core(const KeyRow& key, const Access& access) {
  return is_shared_space(key.space) ? access.core : key.core;
}

// A block of the grid's pipeline has a text of its own.
ErrorId block_out_of_bounds(Tables& tables, bool is_input, const Access& access,
                            const Shape& logical) {
  const RangeRow& range = tables[access.range];
  const WindowBlock& block = *range.window;
  const KeyRow& key = tables[access.key];
  const std::string operand = is_input ? "input" : "output";
  return raised(tables, "IndexError",
                fmt::format("Out-of-bounds block index {} for {} \"{}\" in iteration {} on device "
                            "{} (core {}): reading [{}] but {} has shape {}.",
                            python_repr(block.indices), operand, block.name,
                            python_repr(block.iteration), key.device, printed_core(key, access),
                            python_repr(range), operand, python_repr(logical)),
                kOutOfBounds);
}

}  // namespace

ErrorId raised(Tables& tables, std::string_view type, std::string text, std::string_view rule) {
  return tables.error({.kind = ErrorKind::kRaised,
                       .type = std::string(type),
                       .text = std::move(text),
                       .rule = std::string(rule)});
}

ErrorId raised(Tables& tables, const Bounds& bounds) {
  return raised(tables, bounds.type, bounds.text, kException);
}

ErrorId not_a_buffer(Tables& tables, AccessKind kind, KeyId key) {
  const std::string name = python_repr(tables[key]);
  std::string text;
  switch (kind) {
    case AccessKind::kRead:
      text = fmt::format(
          "Attempting to get contents of allocation with key `{}` that is not a `Buffer`.", name);
      break;
    case AccessKind::kWrite:
      text = fmt::format(
          "Attempting to store into allocation with key `{}` that is not a `Buffer`.", name);
      break;
    case AccessKind::kSwap:
      text = fmt::format("Attempting to swap into allocation with `key` {} that is not a `Buffer`.",
                         name);
      break;
  }
  return raised(tables, "ValueError", std::move(text), kNotABuffer);
}

ErrorId out_of_bounds(Tables& tables, AccessKind kind, const Access& access, const Shape& logical) {
  const RangeRow& range = tables[access.range];
  const KeyRow& key = tables[access.key];
  const std::string where =
      fmt::format("({} {} {} {})", key.device, printed_core(key, access), key.space, key.buffer);
  const std::string what = python_repr(range);
  const std::string shape = python_repr(logical);
  switch (kind) {
    case AccessKind::kRead:
      if (range.window) return block_out_of_bounds(tables, true, access, logical);
      return raised(tables, "IndexError",
                    fmt::format("Out-of-bounds read of {}: reading [{}] but buffer has shape {}.",
                                where, what, shape),
                    kOutOfBounds);
    case AccessKind::kWrite:
      if (range.window) return block_out_of_bounds(tables, false, access, logical);
      return raised(tables, "ValueError",
                    fmt::format("Out-of-bounds write of {}: writing [{}] but buffer has shape {} .",
                                where, what, shape),
                    kOutOfBounds);
    case AccessKind::kSwap:
      break;
  }
  const bool masked = !range.mask.empty();
  return raised(tables, "ValueError",
                fmt::format("Out-of-bounds {}swap of {}: swapping [{}] but buffer has shape {} .{}",
                            masked ? "masked " : "", where, what, shape, masked ? " " : ""),
                kOutOfBounds);
}

ErrorId no_broadcast(Tables& tables, const Shape& from, const Shape& into) {
  return raised(tables, "ValueError",
                fmt::format("could not broadcast input array from shape {} into shape {}",
                            numpy_shape(from), numpy_shape(into)),
                kException);
}

ErrorId not_an_int32(Tables& tables, std::int64_t out_of_range) {
  return raised(tables, "OverflowError",
                fmt::format("Python integer {} out of bounds for int32", out_of_range), kException);
}

}  // namespace replait
