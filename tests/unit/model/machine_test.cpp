// Launches, barriers, refused ops, and Python's spelling.

#include "machine_fixture.h"

namespace replait {
namespace {

class Launch : public MachineTest {};

TEST_F(Launch, TheVectorClockMustBeLongerThanTheThreads) {
  start(Launching{.devices = 2, .cores_per_device = 2, .vector_clock_size = 4});
  const Outcome outcome = apply(Enter{});
  EXPECT_EQ(error(outcome),
            "ValueError: Vector clock size (4) must be greater than the total number of "
            "cores/threads (4).");
  EXPECT_EQ(rule(outcome), "exec.exception");
}

TEST_F(Launch, OneEntryMoreIsEnough) {
  start(Launching{.devices = 2, .cores_per_device = 2, .vector_clock_size = 5});
  EXPECT_EQ(error(apply(Enter{})), "");
  EXPECT_EQ(error(apply(GridStep{.point = tables.shape({})})), "");
  EXPECT_EQ(error(apply(Yield{})), "");
  EXPECT_EQ(error(apply(Exit{})), "");
}

TEST_F(Launch, RefusesWhatJaxRefuses) {
  start();
  EXPECT_EQ(error(apply(Refuse{.what = RefusedOp::kMaskedLoad})),
            "NotImplementedError: masked load_p");
  EXPECT_EQ(error(apply(Refuse{.what = RefusedOp::kCollectiveRunScoped})),
            "NotImplementedError: run_scoped_p with collective axes is not supported");
}

TEST_F(Launch, RaisesAndChoosesWhatWasObserved) {
  start();
  const Outcome observed{.value = {},
                         .error = tables.error({.kind = ErrorKind::kRaised,
                                                .type = "ZeroDivisionError",
                                                .text = "division by zero",
                                                .rule = "exec.exception"}),
                         .count = 2};
  EXPECT_EQ(error(apply(Raise{}, {}, &observed)), "ZeroDivisionError: division by zero");
  EXPECT_EQ(apply(Choose{.n = 3}, {}, &observed).count, 2u);
}

class Barrier : public MachineTest {
 protected:
  BarrierId barrier(BarrierKind kind, std::uint32_t arrivals, bool interpreter_only = false) {
    return tables.barrier({.launch = launch,
                           .kind = kind,
                           .device = 0,
                           .number = 0,
                           .arrivals = arrivals,
                           .interpreter_only = interpreter_only,
                           .name = ""});
  }
};

TEST_F(Barrier, IsPassedWhenAllHaveArrived) {
  start();
  const BarrierId user = barrier(BarrierKind::kUser, 2);
  const Op wait = AwaitBarrier{.barrier = user, .phase = 0};
  EXPECT_EQ(apply(Arrive{.barrier = user}).count, 0u);
  const Readiness lacks = machine->readiness(thread(), wait);
  EXPECT_FALSE(lacks.ready);
  EXPECT_EQ(lacks.has, 1u);
  EXPECT_EQ(lacks.needs, 2u);
  EXPECT_EQ(apply(Arrive{.barrier = user}).count, 1u);
  EXPECT_TRUE(ready(wait));
  EXPECT_EQ(apply(wait).count, 1u);
  EXPECT_FALSE(ready(AwaitBarrier{.barrier = user, .phase = 1}));
}

TEST_F(Barrier, AnOldPhaseStaysPassed) {
  start();
  const BarrierId user = barrier(BarrierKind::kUser, 1);
  apply(Arrive{.barrier = user});
  apply(Arrive{.barrier = user});
  EXPECT_TRUE(ready(AwaitBarrier{.barrier = user, .phase = 0}));
  EXPECT_TRUE(ready(AwaitBarrier{.barrier = user, .phase = 1}));
  EXPECT_FALSE(ready(AwaitBarrier{.barrier = user, .phase = ~std::uint64_t{0}}));
}

// JAX's interpreter drops everything at the end of a launch; hardware does not.
TEST_F(Barrier, TheInterpretersEndOfALaunchDropsItsState) {
  for (const bool interpreter_only : {false, true}) {
    start();
    const SemaphoreId fixed = semaphore(7, 0, 0, SemaphoreKind::kFixed);
    allocate(key(), buffer({1}), {1});
    apply(CreateSemaphore{.semaphore = fixed});
    apply(CreateSemaphore{.semaphore = semaphore()});
    apply(Signal{.semaphore = fixed, .increment = 1});
    const AgentId copy = tables.copy(thread(), 0,
                                     {.source_key = key(),
                                      .source_range = range({}),
                                      .destination_key = key(),
                                      .destination_range = range({}),
                                      .send_semaphore = {},
                                      .receive_semaphore = semaphore()});
    apply(IssueCopy{.copy = copy});
    const BarrierId end = barrier(BarrierKind::kLaunchEnd, 2, interpreter_only);
    apply(Arrive{.barrier = end});
    EXPECT_TRUE(machine->buffer_at(key()).has_value());
    apply(Arrive{.barrier = end});
    EXPECT_EQ(machine->buffer_at(key()).has_value(), !interpreter_only);
    EXPECT_EQ(machine->next_phase(copy).has_value(), !interpreter_only);
    EXPECT_EQ(machine->semaphore_count(fixed), interpreter_only ? 0u : 1u);
    EXPECT_EQ(error(apply(Signal{.semaphore = fixed, .increment = 1})),
              interpreter_only ? "KeyError: 7" : "");
  }
}

TEST(PythonRepr, SpellsKeysShapesAndRanges) {
  EXPECT_EQ(
      python_repr(KeyRow{.launch = {}, .space = "vmem", .buffer = 102, .device = 3, .core = 1}),
      "('vmem', 102, 3, 1)");
  EXPECT_EQ(
      python_repr(KeyRow{.launch = {}, .space = "it's\n", .buffer = 1, .device = 0, .core = 0}),
      "(\"it's\\n\", 1, 0, 0)");
  EXPECT_EQ(python_repr(std::vector<std::int64_t>{}), "()");
  EXPECT_EQ(python_repr(std::vector<std::int64_t>{8}), "(8,)");
  EXPECT_EQ(python_repr(std::vector<std::int64_t>{8, 128}), "(8, 128)");
  EXPECT_EQ(python_repr(RangeRow{.dims = {slice(0, 8), at(3)}, .permutation = {}, .mask = {}}),
            "(slice(0, 8, 1), 3)");
}

}  // namespace
}  // namespace replait
