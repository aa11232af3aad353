#include "tests/property/random_program.h"

#include <rapidcheck.h>

#include <ostream>

#include "replait/replait.h"

namespace replait {
namespace {

constexpr std::int64_t kElements = 16;

// What a thread of the kernel has at hand.
struct Hands {
  Buffer<float> x;
  std::vector<Semaphore> counters;
  Semaphore send;
  std::vector<Semaphore> receive;
  std::vector<AsyncCopy> copies;
  float next_value;
};

Slice part_of(const RandomStep& step) {
  const std::int64_t start = step.where % kElements;
  const std::int64_t size = 1 + step.amount % (kElements - start);
  return slice(start, start + size, 1 + step.amount % 3);
}

void start_copy(ThreadContext& context, const RandomStep& step, Hands& hands) {
  const std::uint32_t device = step.where % context.devices();
  const std::int64_t half = kElements / 2;
  const std::int64_t from = step.amount % 2 == 0 ? 0 : half;
  const auto source = hands.x.at({slice(from, from + half)});
  const auto destination = hands.x.on_device(device).at({slice(half - from, kElements - from)});
  const Semaphore receive = hands.receive[step.amount % hands.receive.size()];
  hands.copies.push_back(
      context.start_copy<float>(source, destination, {.send = hands.send, .receive = receive}));
}

void access(const RandomStep& step, Hands& hands) {
  const auto view = hands.x.at({part_of(step)});
  const std::vector<float> values(static_cast<std::size_t>(view.shape().elements()),
                                  hands.next_value);
  hands.next_value += 1;
  if (step.kind == StepKind::kRead) view.get();
  if (step.kind == StepKind::kWrite) view.set(values);
  if (step.kind == StepKind::kSwap) view.swap(values);
}

void scratch(ThreadContext& context, Hands& hands) {
  const auto buffer = context.allocate<std::int32_t>(MemorySpace::kVmem, {4}, {.name = "scratch"});
  buffer.set({1, 2, 3, static_cast<std::int32_t>(hands.next_value)});
  context.free(buffer);
}

void run_step(ThreadContext& context, const RandomStep& step, Hands& hands) {
  const std::uint32_t device = step.where % context.devices();
  const Semaphore counter = hands.counters[step.amount % hands.counters.size()];
  switch (step.kind) {
    case StepKind::kRead:
    case StepKind::kWrite:
    case StepKind::kSwap:
      return access(step, hands);
    case StepKind::kSignal:
      return counter.on_device(device).signal(1 + step.amount % 3);
    case StepKind::kWait:
      return counter.wait(1 + step.amount % 2);
    case StepKind::kStartCopy:
      return start_copy(context, step, hands);
    case StepKind::kWaitSend:
      if (!hands.copies.empty()) hands.copies.back().wait_send();
      return;
    case StepKind::kWaitReceive:
      if (!hands.copies.empty()) hands.copies.back().wait_receive();
      return;
    case StepKind::kGlobalBarrier:
      return context.global_barrier();
    case StepKind::kDeviceBarrier:
      return context.device_barrier();
    case StepKind::kChoose:
      // A choice that shows: it decides how often the thread yields.
      for (std::uint32_t i = context.choose(1 + step.amount % 4); i > 0; --i) context.yield();
      return;
    case StepKind::kYield:
      return context.yield();
    case StepKind::kReadCount:
      static_cast<void>(counter.read());
      return;
    case StepKind::kScratch:
      return scratch(context, hands);
    case StepKind::kOutOfBounds:
      hands.x.at({slice(kElements - 2, kElements + 2)}).get();
      return;
  }
}

void run_thread(ThreadContext& context, const RandomProgram& program) {
  const std::vector<float> initial(kElements, static_cast<float>(context.device()));
  Hands hands{.x = context.allocate<float>(MemorySpace::kHbm, {kElements},
                                           {.name = "x", .initial = initial}),
              .counters = context.semaphores(2, {.name = "counter"}),
              .send = context.semaphore({.name = "send_sem", .dma = true}),
              .receive = context.semaphores(2, {.name = "recv_sem", .dma = true}),
              .copies = {},
              .next_value = 1.0F + 100.0F * static_cast<float>(context.core())};
  const std::size_t thread = std::size_t{context.device()} * program.cores + context.core();
  for (const RandomStep& step : program.threads[thread]) run_step(context, step, hands);
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const RandomProgram& program) {
  stream << program.devices << " devices, " << program.cores << " cores\n";
  for (const auto& thread : program.threads) {
    for (const RandomStep& step : thread) {
      stream << " (" << static_cast<int>(step.kind) << ", " << step.where << ", " << step.amount
             << ")";
    }
    stream << "\n";
  }
  return stream;
}

Kernel to_kernel(const RandomProgram& program) {
  return {.name = "random-program",
          .summary = "",
          .expected = "anything",
          .launch = {.devices = program.devices, .cores_per_device = program.cores},
          .body = [program](ThreadContext& context) { run_thread(context, program); }};
}

RandomProgram draw_program() {
  RandomProgram program;
  program.devices = *rc::gen::inRange<std::uint32_t>(1, 4);
  program.cores = *rc::gen::inRange<std::uint32_t>(1, 3);
  // The last kind, which ends the run, comes seldom.
  const auto step = rc::gen::construct<RandomStep>(
      rc::gen::map(rc::gen::inRange<std::uint32_t>(0, 6 * (kStepKinds - 1) + 1),
                   [](std::uint32_t drawn) { return static_cast<StepKind>(drawn / 6); }),
      rc::gen::inRange<std::uint32_t>(0, 16), rc::gen::inRange<std::uint32_t>(0, 16));
  for (std::uint32_t i = 0; i < program.devices * program.cores; ++i)
    program.threads.push_back(*rc::gen::container<std::vector<RandomStep>>(step));
  return program;
}

}  // namespace replait
