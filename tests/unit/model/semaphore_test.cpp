// Semaphores in their two spaces, and the check at the end of a launch.

#include "machine_fixture.h"

namespace replait {
namespace {

class Semaphore : public MachineTest {
 protected:
  Outcome create(SemaphoreId which) { return apply(CreateSemaphore{.semaphore = which}); }
  Outcome signal(SemaphoreId which, std::int64_t increment) {
    return apply(Signal{.semaphore = which, .increment = static_cast<std::uint64_t>(increment)});
  }
  Outcome wait(SemaphoreId which, std::int64_t demand) {
    return apply(Wait{.semaphore = which, .demand = static_cast<std::uint64_t>(demand)});
  }
  Readiness readiness(SemaphoreId which, std::uint64_t demand) {
    return machine->readiness(thread(), Wait{.semaphore = which, .demand = demand});
  }
  SemaphoreId fixed(std::int64_t id, std::uint32_t device = 0) {
    return semaphore(id, device, 0, SemaphoreKind::kFixed);
  }
};

TEST_F(Semaphore, WaitsUntilTheCountSuffices) {
  start();
  create(semaphore());
  EXPECT_FALSE(readiness(semaphore(), 2).ready);
  EXPECT_EQ(signal(semaphore(), 1).count, 1u);
  const Readiness lacks = readiness(semaphore(), 2);
  EXPECT_FALSE(lacks.ready);
  EXPECT_TRUE(lacks.legal);
  EXPECT_EQ(lacks.has, 1u);
  EXPECT_EQ(lacks.needs, 2u);
  signal(semaphore(), 2);
  EXPECT_TRUE(readiness(semaphore(), 2).ready);
  EXPECT_EQ(wait(semaphore(), 2).count, 1u);
  EXPECT_EQ(machine->semaphore_count(semaphore()), 1u);
  EXPECT_EQ(apply(ReadCount{.semaphore = semaphore()}).count, 1u);
}

TEST_F(Semaphore, AWaitForNothingIsReady) {
  start();
  create(semaphore());
  EXPECT_TRUE(readiness(semaphore(), 0).ready);
  EXPECT_EQ(error(wait(semaphore(), 0)), "");
}

TEST_F(Semaphore, HasOneCountACore) {
  start();
  create(semaphore());
  signal(semaphore(2000, 1, 0), 3);
  EXPECT_EQ(machine->semaphore_count(semaphore(2000, 1, 0)), 3u);
  EXPECT_EQ(machine->semaphore_count(semaphore(2000, 0, 0)), 0u);
  EXPECT_EQ(error(signal(semaphore(2000, 1, 1), 1)), "");  // It exists on all cores.
}

TEST_F(Semaphore, MissingOnesRaiseTheirId) {
  start();
  const Op waiting = Wait{.semaphore = semaphore(2004), .demand = 1};
  EXPECT_TRUE(ready(waiting));  // It raises at once.
  for (const Outcome& outcome : {signal(semaphore(2004), 1), apply(waiting),
                                 apply(ReadCount{.semaphore = semaphore(2004)})}) {
    EXPECT_EQ(error(outcome), "KeyError: 2004");
    EXPECT_EQ(rule(outcome), "memory.missing-key");
  }
}

TEST_F(Semaphore, AnIdInBothSpacesIsRefusedOnUse) {
  start();
  EXPECT_EQ(error(create(fixed(2000))), "");
  EXPECT_EQ(error(create(semaphore(2000))), "");
  const Outcome outcome = signal(semaphore(2000), 1);
  EXPECT_EQ(error(outcome), "ValueError: Semaphore 2000 occurs as both fixed-id and internal.");
  EXPECT_EQ(rule(outcome), "memory.key-collision");
  EXPECT_EQ(error(signal(fixed(2000), 1)), error(outcome));
  EXPECT_TRUE(ready(Wait{.semaphore = fixed(2000), .demand = 1}));
}

TEST_F(Semaphore, BothSpacesMeetInEitherOrder) {
  start();
  create(semaphore(2000));
  create(semaphore(2001));
  create(fixed(2000));
  EXPECT_NE(error(signal(semaphore(2000), 1)), "");
  EXPECT_EQ(error(signal(semaphore(2001), 1)), "");
}

TEST_F(Semaphore, FixedIdsOutliveALaunch) {
  start();
  create(fixed(7));
  create(semaphore(2000));
  signal(fixed(7), 2);
  start_another_launch();
  EXPECT_TRUE(readiness(fixed(7), 2).ready);
  EXPECT_EQ(error(signal(semaphore(2000), 1)), "KeyError: 2000");
}

TEST_F(Semaphore, AnIdIsFoundInTheOtherSpace) {
  start();
  create(fixed(7));
  signal(semaphore(7), 2);
  EXPECT_EQ(machine->semaphore_count(fixed(7)), 2u);
}

TEST_F(Semaphore, CountsAre32Bit) {
  start();
  create(semaphore());
  EXPECT_EQ(error(signal(semaphore(), 0x7fffffff)), "");
  EXPECT_EQ(static_cast<std::int64_t>(signal(semaphore(), 2).count), -0x7fffffff);
  EXPECT_EQ(readiness(semaphore(), 1).has, 0u);
  EXPECT_EQ(error(signal(semaphore(), 0x80000000)),
            "OverflowError: Python integer 2147483648 out of bounds for int32");
  EXPECT_EQ(error(signal(semaphore(), -0x80000001LL)),
            "OverflowError: Python integer -2147483649 out of bounds for int32");
  EXPECT_EQ(error(wait(semaphore(), -0x80000001LL)),
            "OverflowError: Python integer -2147483649 out of bounds for int32");
  EXPECT_EQ(static_cast<std::int64_t>(wait(semaphore(), -0x7fffffff).count), 0);
  EXPECT_FALSE(readiness(semaphore(), 0x7fffffffffffffff).ready);
}

TEST_F(Semaphore, ACoreTooManyIsACoreOfTheNextDevice) {
  start();
  create(semaphore());
  EXPECT_EQ(error(signal(semaphore(2000, 0, 2), 5)), "");
  EXPECT_EQ(machine->semaphore_count(semaphore(2000, 1, 0)), 5u);
  const Outcome outcome = signal(semaphore(2000, 2, 0), 5);
  EXPECT_EQ(error(outcome), "IndexError: index 4 is out of bounds for axis 0 with size 4");
  EXPECT_EQ(rule(outcome), "memory.bad-device");
}

TEST_F(Semaphore, TheCheckPrintsACountThatIsLeft) {
  start();
  create(semaphore(2001));
  signal(semaphore(2001, 1, 1), 3);
  actor = thread(0);
  EXPECT_EQ(error(apply(CheckSemaphores{})), "");
  actor = thread(1);
  const Outcome outcome = apply(CheckSemaphores{});
  const ErrorRow& row = tables[outcome.error];
  EXPECT_EQ(row.kind, ErrorKind::kPrinted);
  EXPECT_EQ(row.type, "");
  EXPECT_EQ(row.rule, "sync.semaphore-nonzero");
  EXPECT_EQ(row.text, "Semaphore 2001 has non-zero count for 1 (global core 3) at kernel exit: 3");
}

TEST_F(Semaphore, TheCheckNamesTheFirstOfSeveral) {
  start();
  for (const std::int64_t id : {2002, 2001}) {
    create(semaphore(id));
    signal(semaphore(id), 1);
  }
  create(fixed(3));
  signal(fixed(3), 1);
  EXPECT_EQ(tables[apply(CheckSemaphores{}).error].text,
            "Semaphore 2001 has non-zero count for 0 (global core 0) at kernel exit: 1");
  wait(semaphore(2001), 1);
  wait(semaphore(2002), 1);
  EXPECT_EQ(tables[apply(CheckSemaphores{}).error].text,
            "Semaphore 3 has non-zero count for 0 (global core 0) at kernel exit: 1");
}

TEST_F(Semaphore, TheCheckTakesOverWhichOfSeveralJaxFound) {
  start();
  for (const std::int64_t id : {2001, 2002}) {
    create(semaphore(id));
    signal(semaphore(id), 1);
  }
  const auto printed = [&](const char* text) {
    return Outcome{.value = {},
                   .error = tables.error({.kind = ErrorKind::kPrinted,
                                          .type = "",
                                          .text = text,
                                          .rule = "sync.semaphore-nonzero"}),
                   .count = 0};
  };
  const Outcome second =
      printed("Semaphore 2002 has non-zero count for 0 (global core 0) at kernel exit: 1");
  EXPECT_EQ(apply(CheckSemaphores{}, {}, &second).error, second.error);
  const Outcome wrong =
      printed("Semaphore 2002 has non-zero count for 0 (global core 0) at kernel exit: 2");
  EXPECT_EQ(tables[apply(CheckSemaphores{}, {}, &wrong).error].text,
            "Semaphore 2001 has non-zero count for 0 (global core 0) at kernel exit: 1");
}

TEST_F(Semaphore, IdsCountFrom2000ACore) {
  start();
  EXPECT_EQ(machine->take_semaphore_ids(thread(), 3), 2000);
  EXPECT_EQ(machine->take_semaphore_ids(thread(), 1), 2003);
  EXPECT_EQ(machine->take_semaphore_ids(thread(0, 1), 1), 2000);
}

}  // namespace
}  // namespace replait
