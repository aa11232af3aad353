// An event in one line: op, who, operands, source. For divergences, states and outcomes.
//
//     wait               device 1 core 0   recv_sem 512                  ring.cpp:42
#pragma once

#include <string>

#include "trace/tables.h"

namespace replait {

class Machine;

// "wait", "read source": an op's word, a copy's phase by its own.
std::string op_word(const Op& op);

// "device 1 core 0", "copy 3 of device 1 core 0".
std::string agent_text(const Tables& tables, AgentId agent);

// "recv_sem 512", "x_vmem[0:128]". A key that holds a named buffer in `machine` has that name.
std::string operands_text(const Tables& tables, const Machine& machine, const Op& op);

// "recv_sem", or "semaphore 2000"; with the core it is on.
std::string semaphore_text(const Tables& tables, SemaphoreId id);

// "kernel.py:42"; empty where there is none.
std::string source_text(const Tables& tables, SourceId id);

// The columns, without spaces at the end.
std::string event_text(const Tables& tables, const Machine& machine, AgentId agent, SourceId source,
                       const Op& op);

// "count 512", "value 0123..", "ValueError: ...": what an outcome says, joined; "nothing" if empty.
std::string outcome_text(const Tables& tables, const Outcome& outcome);

// 12345678 -> "12,345,678".
std::string grouped(std::uint64_t number);

}  // namespace replait
