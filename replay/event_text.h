// An event in one line, for divergences, states and outcomes:
//
//     device 1, core 0    wait for 512 on recv_sem [2003 on device 1, core 0]    ring.cpp:42
#pragma once

#include <string>

#include "trace/describe.h"
#include "trace/tables.h"

namespace replait {

class Machine;

// "kernel.py:42"; empty where there is none.
std::string source_text(const Tables& tables, SourceId id);

// "wait for 512 on recv_sem [...]    ring.cpp:42": the line without who does it.
std::string op_and_source_text(const Tables& tables, const Machine& machine, SourceId source,
                               const Op& op);

// The columns, without spaces at the end. A key that holds a named buffer in `machine` is called by
// that name.
std::string event_text(const Tables& tables, const Machine& machine, AgentId agent, SourceId source,
                       const Op& op);

// What came of an op: "count 512, value 0123..", "ValueError: ..."; "nothing" if empty.
std::string outcome_text(const Tables& tables, const Outcome& outcome);

// 12345678 -> "12,345,678".
std::string grouped(std::uint64_t number);

}  // namespace replait
