// Async copies: their steps, their sizes, and their faults at the step where JAX has them.

#include "machine_fixture.h"

namespace replait {
namespace {

class Copy : public MachineTest {
 protected:
  void begin(const MachineOptions& options = {}) {
    start(options);
    allocate(key(100), buffer({4}, DType::kI8), {1, 2, 3, 4});
    allocate(key(101, "vmem", 1), buffer({4}, DType::kI8), {0, 0, 0, 0});
    apply(CreateSemaphore{.semaphore = semaphore(2000)});
    apply(CreateSemaphore{.semaphore = semaphore(2001)});
    row = {.source_key = key(100),
           .source_range = range({}),
           .destination_key = key(101, "vmem", 1),
           .destination_range = range({}),
           .send_semaphore = semaphore(2000),
           .receive_semaphore = semaphore(2001, 1)};
  }
  AgentId issue(std::uint64_t number = 0) {
    const AgentId copy = tables.copy(thread(), number, row);
    last_issue = apply(IssueCopy{.copy = copy});
    return copy;
  }
  static Op step(CopyPhase phase, std::uint64_t bytes = 0) {
    return CopyStep{.phase = phase, .value = {}, .bytes = bytes};
  }
  // Applies the next step and returns its outcome.
  Outcome advance(AgentId copy) { return apply_as(copy, *machine->next_phase(copy)); }
  std::vector<CopyPhase> run(AgentId copy) {
    std::vector<CopyPhase> phases;
    while (const std::optional<Op> next = machine->next_phase(copy)) {
      phases.push_back(std::get<CopyStep>(*next).phase);
      apply_as(copy, *next);
    }
    return phases;
  }

  CopyRow row;
  Outcome last_issue;
};

TEST_F(Copy, MovesBytesAndSignalsBothSides) {
  begin();
  const AgentId copy = issue();
  EXPECT_EQ(run(copy),
            (std::vector<CopyPhase>{CopyPhase::kReadSource, CopyPhase::kSignalSend,
                                    CopyPhase::kWriteDestination, CopyPhase::kSignalReceive}));
  EXPECT_EQ(machine->semaphore_count(semaphore(2000)), 4u);
  EXPECT_EQ(machine->semaphore_count(semaphore(2001, 1)), 4u);
  read(key(101, "vmem", 1), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_TRUE(machine->copies_in_flight().empty());
}

TEST_F(Copy, WithoutASendSemaphoreHasNoSuchStep) {
  begin();
  row.send_semaphore.reset();
  EXPECT_EQ(run(issue()),
            (std::vector<CopyPhase>{CopyPhase::kReadSource, CopyPhase::kWriteDestination,
                                    CopyPhase::kSignalReceive}));
}

TEST_F(Copy, TakesWhatItsSourceHoldsAtTheReadStep) {
  begin();
  const AgentId copy = issue();
  write(key(100), {at(0)}, {9});
  advance(copy);
  write(key(100), {at(1)}, {9});
  run(copy);
  read(key(101, "vmem", 1), {});
  EXPECT_EQ(read_values(), (std::vector<int>{9, 2, 3, 4}));
}

TEST_F(Copy, LooksItsSemaphoresUpWhenIssued) {
  begin();
  row.send_semaphore = semaphore(2005);
  const AgentId copy = issue(0);
  EXPECT_EQ(error(last_issue), "KeyError: 2005");
  EXPECT_FALSE(machine->next_phase(copy).has_value());
  row.send_semaphore.reset();
  row.receive_semaphore = semaphore(2006, 1);
  issue(1);
  EXPECT_EQ(error(last_issue), "KeyError: 2006");
  EXPECT_TRUE(machine->copies_in_flight().empty());
}

TEST_F(Copy, MissingSourceRaisesAtTheReadStep) {
  begin();
  const AgentId copy = issue();
  EXPECT_EQ(error(last_issue), "");
  apply(Free{.key = key(100)});
  EXPECT_EQ(error(advance(copy)), "KeyError: ('vmem', 100, 0, 0)");
}

TEST_F(Copy, MissingDestinationRaisesAtTheWriteStep) {
  begin();
  const AgentId copy = issue();
  apply(Free{.key = key(101, "vmem", 1)});
  EXPECT_EQ(error(advance(copy)), "");
  EXPECT_EQ(error(advance(copy)), "");
  EXPECT_EQ(error(advance(copy)), "KeyError: ('vmem', 101, 1, 0)");
}

TEST_F(Copy, OutOfBoundsNamesTheSideThatIsOutside) {
  begin();
  row.source_range = range({slice(2, 6)});
  EXPECT_EQ(error(advance(issue(0))),
            "IndexError: Out-of-bounds read of (0 0 vmem 100): reading [(slice(2, 6, 1),)] but "
            "buffer has shape (4,).");
  row.source_range = range({});
  row.destination_range = range({slice(2, 6)});
  row.send_semaphore.reset();
  const AgentId copy = issue(1);
  advance(copy);
  EXPECT_EQ(error(advance(copy)),
            "ValueError: Out-of-bounds write of (1 0 vmem 101): writing [(slice(2, 6, 1),)] but "
            "buffer has shape (4,) .");
}

TEST_F(Copy, SharedMemoryNamesTheCoresOfTheCopy) {
  begin();
  allocate(key(102, "hbm"), buffer({4}, DType::kI8));
  allocate(key(102, "hbm", 1), buffer({4}, DType::kI8));
  actor = thread(0, 1);
  row = {.source_key = key(102, "hbm"),
         .source_range = range({at(9)}),
         .destination_key = key(102, "hbm", 1),
         .destination_range = range({at(9)}),
         .send_semaphore = {},
         .receive_semaphore = semaphore(2001, 1, 1)};
  const AgentId reading = tables.copy(*actor, 0, row);
  apply(IssueCopy{.copy = reading});
  EXPECT_EQ(error(advance(reading)).substr(0, 49),
            "IndexError: Out-of-bounds read of (0 1 hbm 102): ");
  row.source_range = range({at(0)});
  const AgentId writing = tables.copy(*actor, 1, row);
  apply(IssueCopy{.copy = writing});
  advance(writing);
  EXPECT_EQ(error(advance(writing)).substr(0, 50),
            "ValueError: Out-of-bounds write of (1 1 hbm 102): ");
}

TEST_F(Copy, AnotherTypeIsAnAssertionAtTheWriteStep) {
  begin();
  allocate(key(103), buffer({4}, DType::kU8));
  row.destination_key = key(103);
  row.send_semaphore.reset();
  const AgentId copy = issue();
  advance(copy);
  EXPECT_EQ(error(advance(copy)), "AssertionError: ");
}

TEST_F(Copy, AnotherShapeFitsAsNumpyFitsIt) {
  begin();
  row.send_semaphore.reset();
  const auto write_step = [&](std::vector<Dim> from, std::vector<Dim> to, std::uint64_t number) {
    row.source_range = range(std::move(from));
    row.destination_range = range(std::move(to));
    const AgentId copy = issue(number);
    advance(copy);
    return error(advance(copy));
  };
  EXPECT_EQ(write_step({slice(0, 2)}, {slice(0, 4)}, 0),
            "ValueError: could not broadcast input array from shape (2,) into shape (4,)");
  EXPECT_EQ(write_step({slice(0, 4)}, {slice(0, 2)}, 1), "");  // The front of the value.
  EXPECT_EQ(write_step({slice(3, 4)}, {slice(2, 4)}, 2), "");  // One element repeats.
  read(key(101, "vmem", 1), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 2, 4, 4}));
  EXPECT_EQ(write_step({at(3)}, {slice(2, 4)}, 3),
            "ValueError: Out-of-bounds write of (1 0 vmem 101): writing [(slice(2, 4, 1),)] but "
            "buffer has shape (4,) .");
}

TEST_F(Copy, ReadsUninitializedElementsWhereTheLaunchAllows) {
  start(Launching{.devices = 2, .out_of_bounds_reads_raise = false});
  allocate(key(100), buffer({2}), {1, 2});
  allocate(key(101), buffer({3}), {0, 0, 0});
  apply(CreateSemaphore{.semaphore = semaphore()});
  row = {.source_key = key(100),
         .source_range = range({slice(0, 3)}),
         .destination_key = key(101),
         .destination_range = range({}),
         .send_semaphore = {},
         .receive_semaphore = semaphore()};
  run(issue());
  read(key(101), {});
  EXPECT_EQ(read_values(), (std::vector<int>{1, 2, 0x7f}));
  EXPECT_EQ(machine->semaphore_count(semaphore()), 3u);
}

TEST_F(Copy, AddsAPartOfItsBytesEarly) {
  begin();
  row.send_semaphore.reset();
  const AgentId copy = issue();
  const Op part = step(CopyPhase::kPartialReceive, 3);
  EXPECT_FALSE(machine->readiness(copy, part).legal);  // Its size is not known yet.
  advance(copy);
  EXPECT_TRUE(machine->readiness(copy, part).ready);
  apply_as(copy, part);
  EXPECT_EQ(machine->semaphore_count(semaphore(2001, 1)), 3u);
  EXPECT_FALSE(machine->readiness(copy, step(CopyPhase::kPartialReceive, 2)).legal);
  EXPECT_FALSE(machine->readiness(copy, step(CopyPhase::kPartialReceive, 0)).legal);
  run(copy);
  EXPECT_EQ(machine->semaphore_count(semaphore(2001, 1)), 4u);
}

TEST_F(Copy, StepsOutOfTurnAreNotLegal) {
  begin();
  const AgentId copy = tables.copy(thread(), 0, row);
  EXPECT_FALSE(machine->readiness(copy, step(CopyPhase::kReadSource)).legal);
  EXPECT_FALSE(machine->readiness(thread(1), IssueCopy{.copy = copy}).legal);
  EXPECT_FALSE(machine->readiness(thread(), IssueCopy{.copy = thread(1)}).legal);
  issue();
  EXPECT_FALSE(machine->readiness(thread(), IssueCopy{.copy = copy}).legal);
  EXPECT_FALSE(machine->readiness(copy, step(CopyPhase::kWriteDestination)).legal);
  EXPECT_FALSE(machine->readiness(copy, Yield{}).legal);
  EXPECT_FALSE(machine->readiness(thread(), step(CopyPhase::kReadSource)).legal);
  EXPECT_TRUE(machine->readiness(copy, step(CopyPhase::kReadSource)).ready);
  run(copy);
  EXPECT_FALSE(machine->readiness(copy, step(CopyPhase::kReadSource)).legal);
  EXPECT_FALSE(machine->readiness(thread(), IssueCopy{.copy = copy}).legal);
}

TEST_F(Copy, AStepThatRaisedCanBeAskedForAgain) {
  begin();
  const AgentId copy = issue();
  apply(Free{.key = key(100)});
  const Outcome first = advance(copy);
  EXPECT_EQ(advance(copy).error, first.error);
}

TEST_F(Copy, CopiesInFlightStandInOrderOfIdentity) {
  begin();
  const AgentId other = tables.copy(thread(1), 0, row);
  apply_as(thread(1), IssueCopy{.copy = other});
  const AgentId second = tables.copy(thread(0), 1, row);
  apply(IssueCopy{.copy = second});
  const AgentId first = tables.copy(thread(0), 0, row);
  apply(IssueCopy{.copy = first});
  EXPECT_EQ(machine->copies_in_flight(), (std::vector<AgentId>{first, second, other}));
  run(second);
  EXPECT_EQ(machine->copies_in_flight(), (std::vector<AgentId>{first, other}));
}

TEST_F(Copy, CarriesItsValueFromTheReadToTheWrite) {
  begin(MachineOptions{.jax_version = "0.12.0.1", .values = ValueLevel::kHash});
  const ValueId whole = read(key(100), {}).value;
  const AgentId copy = issue();
  EXPECT_EQ(advance(copy).value, whole);
  advance(copy);
  EXPECT_EQ(std::get<CopyStep>(*machine->next_phase(copy)).value, whole);
  EXPECT_EQ(advance(copy).value, whole);
  EXPECT_EQ(read(key(101, "vmem", 1), {}).value, whole);
}

TEST_F(Copy, WithoutBytesTheRecordedValueIsCarried) {
  begin(MachineOptions{
      .jax_version = "0.12.0.1", .values = ValueLevel::kHash, .compute_values = false});
  row.send_semaphore.reset();
  const ValueId moved = tables.value({.hash = {5, 5}, .bytes = {}});
  const AgentId copy = issue();
  const Op reading = CopyStep{.phase = CopyPhase::kReadSource, .value = moved, .bytes = 0};
  EXPECT_EQ(apply_as(copy, reading).value, moved);
  advance(copy);
  EXPECT_EQ(read(key(101, "vmem", 1), {}).value, moved);
}

}  // namespace
}  // namespace replait
