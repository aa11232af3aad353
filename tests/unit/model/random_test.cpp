// Random programs: what must hold whatever the ops are.

#include <limits>

#include "base/rng.h"
#include "machine_fixture.h"

namespace replait {
namespace {

constexpr int kPrograms = 300;
constexpr int kOps = 60;

class RandomProgram : public MachineTest {
 protected:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  template <typename T>
  T pick(std::initializer_list<T> from) {
    return *(from.begin() + rng.below(from.size()));
  }

  Rng rng{1};
};

class Replayed : public RandomProgram {
 protected:
  struct Step {
    AgentId agent;
    Op op;
    std::vector<std::byte> bytes;
    Outcome outcome;
  };

  RangeId any_range() {
    std::vector<Dim> dims;
    const std::int64_t rank = draw(0, 2);
    for (std::int64_t i = 0; i < rank; ++i) {
      const std::int64_t start = draw(0, 3);
      const std::int64_t stride = draw(1, 2);
      const std::int64_t size = draw(0, 2);
      dims.push_back(draw(0, 3) == 0 ? at(start) : slice(start, start + size * stride, stride));
    }
    std::vector<std::uint8_t> mask;
    if (draw(0, 7) == 0) mask.push_back(static_cast<std::uint8_t>(draw(0, 255)));
    return range(std::move(dims), std::move(mask));
  }

  // An op on the two buffers, with fitting bytes and the value id of what it stores.
  Step any_step(std::uint64_t& issues) {
    const KeyId where = key(draw(100, 101));
    Step step{.agent = thread(), .op = Yield{}, .bytes = {}, .outcome = {}};
    if (!machine->copies_in_flight().empty() && draw(0, 2) == 0) {
      const std::vector<AgentId>& copies = machine->copies_in_flight();
      step.agent = copies[rng.below(copies.size())];
      step.op = *machine->next_phase(step.agent);
      return step;
    }
    const std::int64_t kind = draw(0, 9);
    const RangeId on = any_range();
    if (kind == 0) {
      CopyRow row;
      row.source_key = where;
      row.source_range = on;
      row.destination_key = key(draw(100, 101));
      row.destination_range = on;
      row.receive_semaphore = semaphore();
      step.op = IssueCopy{.copy = tables.copy(thread(), issues++, row)};
    } else if (kind == 1) {
      step.op = Allocate{.key = where, .buffer = buffer_of({4, 4}, {4, draw(3, 4)}), .value = {}};
      step.bytes = any_bytes(16);
    } else if (kind == 2) {
      step.op = Free{.key = where};
    } else if (kind < 6) {
      step.op = Read{.key = where, .range = on, .proxy = Proxy::kGeneric};
    } else {
      const std::optional<BufferId> held = machine->buffer_at(where);
      std::int64_t columns = held ? tables[tables[*held].logical_shape][1] : 4;
      std::int64_t elements = 1;
      const std::vector<Dim>& dims = tables[on].dims;
      for (std::size_t i = 0; i < 2; ++i) {
        if (i >= dims.size()) {
          elements *= i == 0 ? 4 : columns;
        } else if (!dims[i].is_index) {
          elements *= dims[i].size();
        }
      }
      step.bytes = any_bytes(elements);
      if (kind < 8) {
        step.op = Write{.key = where, .range = on, .value = {}, .proxy = Proxy::kGeneric};
      } else {
        step.op = Swap{.key = where, .range = on, .value = {}, .proxy = Proxy::kGeneric};
      }
    }
    return step;
  }
  std::vector<std::byte> any_bytes(std::int64_t count) {
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(draw(0, 3)));
    return bytes;
  }

  // Fills in the value that the op stores, as a recording would.
  void set_value(Step& step) {
    const ValueId value = machine->stored_value(step.op, step.bytes);
    if (auto* allocate = std::get_if<Allocate>(&step.op)) allocate->value = value;
    if (auto* write = std::get_if<Write>(&step.op)) write->value = value;
    if (auto* swap = std::get_if<Swap>(&step.op)) swap->value = value;
  }
};

// A replay without bytes knows fewer values than the recording, but none that is wrong: whatever it
// is told, it returns the recorded one where it knows it, and else what it is told.
TEST_F(Replayed, WithoutBytesNoKnownValueIsWrong) {
  int known = 0;
  for (int program = 0; program < kPrograms; ++program) {
    MachineOptions options{.jax_version = "0.12.0.1", .values = ValueLevel::kHash};
    start(options);
    apply(CreateSemaphore{.semaphore = semaphore()});
    std::vector<Step> steps;
    std::uint64_t issues = 0;
    for (int i = 0; i < kOps; ++i) {
      Step step = any_step(issues);
      if (i < 2) {
        step.op = Allocate{.key = key(100 + i), .buffer = buffer({4, 4}), .value = {}};
        step.bytes = any_bytes(16);
      }
      set_value(step);
      step.outcome = machine->apply(step.agent, step.op, step.bytes, nullptr);
      steps.push_back(std::move(step));
    }

    options.compute_values = false;
    machine = std::make_unique<Machine>(tables, options);
    apply(CreateSemaphore{.semaphore = semaphore()});
    for (const Step& step : steps) {
      Op op = step.op;
      if (auto* copied = std::get_if<CopyStep>(&op)) copied->value = step.outcome.value;
      ASSERT_TRUE(machine->readiness(step.agent, op).ready);
      EXPECT_EQ(machine->apply(step.agent, op, {}, &step.outcome), step.outcome);
    }

    // Again, with a value observed that is never right: only known ones come out right then, and
    // copies carry the wrong ones along.
    const ValueId wrong = tables.value({.hash = {1, 1}, .bytes = {}});
    machine = std::make_unique<Machine>(tables, options);
    apply(CreateSemaphore{.semaphore = semaphore()});
    for (const Step& step : steps) {
      const Outcome told{.value = wrong, .error = step.outcome.error, .count = 0};
      const Outcome outcome = machine->apply(step.agent, step.op, {}, &told);
      if (!std::holds_alternative<Read>(step.op) || outcome.error != ErrorId{}) continue;
      if (outcome.value == wrong) continue;
      ++known;
      EXPECT_EQ(outcome.value, step.outcome.value);
    }
  }
  EXPECT_GT(known, kPrograms);
}

class Hostile : public RandomProgram {
 protected:
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

  std::int64_t number() {
    return pick<std::int64_t>({kMin, kMin + 1, -5, -1, 0, 0, 1, 1, 2, 3, 4, 8,
                               std::int64_t{1} << 31, std::int64_t{1} << 60, kMax - 1, kMax});
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(draw(0, 3)); }
  std::uint32_t any_place() { return draw(0, 9) == 0 ? 0xffffffff : small(); }

  RangeId any_range() {
    RangeRow row;
    for (std::int64_t i = draw(0, 3); i > 0; --i) {
      const std::int64_t start = number();
      const std::int64_t stop = number();
      const std::int64_t stride = number();
      row.dims.push_back(
          {.start = start, .stop = stop, .stride = stride, .is_index = draw(0, 3) == 0});
    }
    for (std::int64_t i = draw(0, 5) - 3; i > 0; --i) row.permutation.push_back(small());
    for (std::int64_t i = draw(0, 5) - 3; i > 0; --i) {
      row.mask.push_back(static_cast<std::uint8_t>(draw(0, 255)));
    }
    if (draw(0, 5) == 0) row.window = WindowBlock{};
    return tables.range(row);
  }
  BufferId any_buffer() {
    std::vector<std::int64_t> content;
    std::vector<std::int64_t> logical;
    for (std::int64_t i = draw(0, 3); i > 0; --i) {
      // No gigabytes: they would be filled.
      content.push_back(draw(0, 2) == 0 ? pick({kMin, kMax, std::int64_t{-1}}) : draw(0, 4));
      logical.push_back(draw(0, 2) == 0 ? number() : content.back());
    }
    if (draw(0, 9) == 0) logical.push_back(1);
    BufferRow row;
    row.kind = draw(0, 9) == 0 ? AllocationKind::kOther : AllocationKind::kBuffer;
    row.dtype = pick({DType::kI8, DType::kF32, DType::kC128, DType::kF8E8M0FNU});
    row.content_shape = tables.shape(content);
    row.logical_shape = tables.shape(logical);
    row.references = small();
    return tables.buffer(row);
  }
  KeyId any_key() { return key(draw(0, 3), pick<std::string>({"vmem", "hbm"}), 0, 0); }
  SemaphoreId any_semaphore() {
    const std::uint32_t device = any_place();
    const std::uint32_t core = any_place();
    return semaphore(draw(0, 3), device, core,
                     pick({SemaphoreKind::kInternal, SemaphoreKind::kFixed}));
  }
  BarrierId any_barrier() {
    BarrierRow row;
    row.launch = launch;
    row.kind = pick({BarrierKind::kUser, BarrierKind::kLaunchEnd});
    row.arrivals = small();
    row.interpreter_only = draw(0, 9) == 0;
    return tables.barrier(row);
  }
  AgentId any_copy() {
    CopyRow row;
    row.source_key = any_key();
    row.source_range = any_range();
    row.destination_key = any_key();
    row.destination_range = any_range();
    if (draw(0, 1) == 0) row.send_semaphore = any_semaphore();
    row.receive_semaphore = any_semaphore();
    return tables.copy(thread(), rng.below(50), row);
  }
  Op any_op() {
    const KeyId where = any_key();
    const RangeId on = any_range();
    switch (draw(0, 15)) {
      case 0:
        return Enter{};
      case 1:
        return CheckSemaphores{};
      case 2:
        return Free{.key = where};
      case 3:
        return CreateSemaphore{.semaphore = any_semaphore()};
      case 4: {
        const SemaphoreId which = any_semaphore();
        return Signal{.semaphore = which, .increment = static_cast<std::uint64_t>(number())};
      }
      case 5: {
        const SemaphoreId which = any_semaphore();
        return Wait{.semaphore = which, .demand = static_cast<std::uint64_t>(number())};
      }
      case 6:
        return ReadCount{.semaphore = any_semaphore()};
      case 7:
        return IssueCopy{.copy = any_copy()};
      case 8:
      case 9: {
        const CopyPhase phase =
            pick({CopyPhase::kReadSource, CopyPhase::kSignalSend, CopyPhase::kWriteDestination,
                  CopyPhase::kPartialReceive, CopyPhase::kSignalReceive});
        return CopyStep{.phase = phase, .value = {}, .bytes = rng.below(20)};
      }
      case 10:
        return Arrive{.barrier = any_barrier()};
      case 11: {
        const BarrierId which = any_barrier();
        return AwaitBarrier{.barrier = which, .phase = static_cast<std::uint64_t>(number())};
      }
      case 12:
        return Read{.key = where, .range = on, .proxy = {}};
      case 13:
        return Write{.key = where, .range = on, .value = {}, .proxy = {}};
      case 14:
        return Swap{.key = where, .range = on, .value = {}, .proxy = {}};
      default:
        return Allocate{.key = where, .buffer = any_buffer(), .value = {}};
    }
  }
};

// Nothing that a trace may hold stops the Machine or overflows; the sanitizer builds watch.
TEST_F(Hostile, OpsAreRefusedOrAppliedButNeverFatal) {
  std::size_t applied = 0;
  for (int program = 0; program < kPrograms; ++program) {
    start(Launching{.devices = small(),
                    .cores_per_device = small(),
                    .out_of_bounds_reads_raise = draw(0, 1) == 0,
                    .uninitialized_nan = draw(0, 1) == 0},
          MachineOptions{.jax_version = pick<std::string>({"0.10.2", "0.12.0.1", "", "x", "0"}),
                         .values = pick({ValueLevel::kNone, ValueLevel::kHash, ValueLevel::kFull}),
                         .compute_values = draw(0, 1) == 0});
    for (int i = 0; i < kOps; ++i) {
      const Op op = any_op();
      const std::vector<AgentId>& copies = machine->copies_in_flight();
      const bool by_copy = !copies.empty() && draw(0, 3) == 0;
      const AgentId agent = by_copy ? copies[rng.below(copies.size())] : thread();
      std::vector<std::byte> bytes(rng.below(40));
      if (!machine->readiness(agent, op).ready) continue;
      machine->apply(agent, op, bytes, nullptr);
      ++applied;
    }
  }
  EXPECT_GT(applied, std::size_t{kPrograms} * kOps / 2);
}

}  // namespace
}  // namespace replait
