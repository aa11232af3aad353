// Random C++ kernels: threads with buffers, semaphores, copies, barriers and choices, in any order.
//
// Most of them deadlock, race or fail, which is the point: whatever a run does, its replay must do.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "replait/kernel.h"

namespace replait {

enum class StepKind : std::uint8_t {
  kRead,
  kWrite,
  kSwap,
  kSignal,
  kWait,
  kStartCopy,
  kWaitSend,
  kWaitReceive,
  kGlobalBarrier,
  kDeviceBarrier,
  kChoose,
  kYield,
  kReadCount,
  kScratch,      // Allocates, writes and frees a buffer.
  kOutOfBounds,  // Raises.
};
constexpr std::uint8_t kStepKinds = 15;

struct RandomStep {
  StepKind kind = StepKind::kYield;
  std::uint32_t where = 0;   // Of another thread, or of a range.
  std::uint32_t amount = 0;  // Of a range, a signal, a choice.
};

struct RandomProgram {
  std::uint32_t devices = 1;
  std::uint32_t cores = 1;
  std::vector<std::vector<RandomStep>> threads;  // One a core, by place.
};

std::ostream& operator<<(std::ostream& stream, const RandomProgram& program);

Kernel to_kernel(const RandomProgram& program);

// Drawn from rapidcheck, so that a failing program shrinks. Call inside a property.
RandomProgram draw_program();

}  // namespace replait
