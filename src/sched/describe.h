// Words for agents and ops in a scheduler's messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/event.h"
#include "trace/tables.h"

namespace replait {

// "device 1 core 0", "copy 3 of device 1 core 0"; with "launch 2" in front where there are several.
std::string to_string(const AgentIdentity& agent);

// "wait", "read", "issue copy".
std::string_view op_name(const Op& op);

// Equal ops have equal fingerprints; ids enter as they are, so it compares executions that number
// their tables alike.
std::uint64_t op_fingerprint(const Op& op);

// Order-dependent mixing of one number into a fingerprint.
std::uint64_t mix(std::uint64_t fingerprint, std::uint64_t number);

}  // namespace replait
