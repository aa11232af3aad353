// The execution of docs/trace-format.md: device 0 copies a row to device 1, which waits and reads.
#pragma once

#include "random_execution.h"

namespace replait::test {

Execution tiny_execution();

// Each frame's content, field by field: where, which bytes, what they say. Without the schema and
// the tool's version, which are others in each version.
std::string annotated(const std::string& trace_bytes);

}  // namespace replait::test
