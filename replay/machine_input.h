// What a recorded event gives to a Machine, and how the answer is compared: one rule for every
// driver that starts from a trace.
#pragma once

#include <cstddef>
#include <span>

#include "model/machine.h"

namespace replait {

// A Machine for the recording: its JAX version and values; bytes only where it kept them.
MachineOptions machine_options(const Header& header);

// The bytes that an op stores, as the recording kept them; empty where it did not.
std::span<const std::byte> stored_bytes(const Tables& tables, const Op& op);

// Equal in every field.
bool same_op(const Op& a, const Op& b);

// Equal but for values that the recording did not keep in full.
bool same_outcome(const Tables& tables, ValueLevel level, const Outcome& a, const Outcome& b);

}  // namespace replait
