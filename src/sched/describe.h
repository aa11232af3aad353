// Agents in a scheduler's messages, and ops as numbers to compare.
#pragma once

#include <cstdint>
#include <string>

#include "trace/event.h"
#include "trace/tables.h"

namespace replait {

// "device 1, core 0", "copy 3 of device 1, core 0"; with "launch 2, " in front where there are
// several.
std::string to_string(const AgentIdentity& agent);

// Equal ops have equal fingerprints; ids enter as they are, so it compares executions that number
// their tables alike.
std::uint64_t op_fingerprint(const Op& op);

// Order-dependent mixing of one number into a fingerprint.
inline std::uint64_t mix(std::uint64_t fingerprint, std::uint64_t number) {
  std::uint64_t z = (fingerprint ^ number) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace replait
