#include "replay/machine_input.h"

#include "sched/describe.h"

namespace replait {

MachineOptions machine_options(const Header& header) {
  MachineOptions options;
  options.jax_version = header.jax_version;
  options.values = header.values;
  options.compute_values = header.values == ValueLevel::kFull;
  return options;
}

std::span<const std::byte> stored_bytes(const Tables& tables, const Op& op) {
  ValueId value{};
  if (const auto* allocate = std::get_if<Allocate>(&op)) value = allocate->value;
  if (const auto* write = std::get_if<Write>(&op)) value = write->value;
  if (const auto* swap = std::get_if<Swap>(&op)) value = swap->value;
  return tables[value].bytes;
}

bool same_op(const Op& a, const Op& b) { return op_fingerprint(a) == op_fingerprint(b); }

bool same_outcome(const Tables& tables, ValueLevel level, const Outcome& a, const Outcome& b) {
  if (a == b) return true;
  if (a.count != b.count || a.error != b.error) return false;
  // Two rows of values may hold one hash.
  return level != ValueLevel::kFull || tables[a.value].hash == tables[b.value].hash;
}

}  // namespace replait
