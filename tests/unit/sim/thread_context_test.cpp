// The kernel's interface: what each op of it does.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "event_log.h"
#include "replait/replait.h"

namespace replait {
namespace {

using Body = std::function<void(ThreadContext&)>;

std::unique_ptr<Run> run_body(const Body& body, const LaunchOptions& launch = {}) {
  return run(Kernel{.name = "test", .launch = launch, .body = body});
}

// "type: text" of what ended the execution.
std::string last_error(const Run& run) {
  return run.log.errors.empty() ? ""
                                : run.log.errors.back().type + ": " + run.log.errors.back().text;
}

std::vector<float> iota(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST(Buffer, ElementsReadWhatWasWritten) {
  std::vector<int> seen;
  const auto result = run_body([&](ThreadContext& context) {
    const auto x =
        context.allocate<int>(MemorySpace::kSmem, {2, 3}, {.initial = std::vector<int>(6)});
    x[{1, 2}] = 4;
    x[{0, 1}] = x[{1, 2}];
    x[{0, 1}] += 3;
    x[{0, 1}] *= 2;
    x[{0, 1}] -= 1;
    seen = x.get();
  });
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_EQ(seen, (std::vector<int>{0, 13, 0, 0, 0, 4}));
  // One allocation, one write; read and write; three times read and write; one read.
  EXPECT_EQ(result->log.lines.size(), 1U + 1 + 1 + 2 + 6 + 1 + 2);
}

TEST(Buffer, SlicesMoveBlocks) {
  std::vector<float> row;
  std::vector<float> strided;
  std::vector<float> rest;
  Shape shape;
  run_body([&](ThreadContext& context) {
    const auto x = context.allocate<float>(MemorySpace::kVmem, {4, 6}, {.initial = iota(24)});
    row = x.at({2}).get();
    x.at({slice(0, 4, 2), slice(1, 6, 2)}).set({90, 91, 92, 93, 94, 95});
    strided = x.at({0}).get();
    const View<float> view = x.at({all(), 3});
    shape = view.shape();
    rest.resize(4);
    view.get(rest);
  });
  EXPECT_EQ(row, (std::vector<float>{12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(strided, (std::vector<float>{0, 90, 2, 91, 4, 92}));
  EXPECT_EQ(shape, (Shape{4}));
  EXPECT_EQ(rest, (std::vector<float>{91, 9, 94, 21}));
}

TEST(Buffer, SwapReturnsWhatWasThere) {
  std::vector<float> before;
  std::vector<float> masked;
  std::vector<float> after;
  run_body([&](ThreadContext& context) {
    const auto x = context.allocate<float>(MemorySpace::kVmem, {4}, {.initial = iota(4)});
    before = x.swap(std::vector<float>{5, 6, 7, 8});
    const bool mask[] = {true, false, false, true};
    masked = x.masked_swap(std::vector<float>{1, 1, 1, 1}, mask);
    after = x.get();
  });
  EXPECT_EQ(before, iota(4));
  EXPECT_EQ(masked, (std::vector<float>{5, 1, 1, 8}));
  EXPECT_EQ(after, (std::vector<float>{1, 6, 7, 1}));
}

template <typename T>
std::vector<T> round_trip(T first, T second) {
  std::vector<T> seen;
  run_body([&](ThreadContext& context) {
    const auto x = context.allocate<T>(MemorySpace::kVmem, {2});
    x.set({first, first});
    x[1] = second;
    seen = x.get();
  });
  return seen;
}

TEST(Buffer, HoldsEveryArithmeticType) {
  EXPECT_EQ(round_trip<bool>(true, false), (std::vector<bool>{true, false}));
  EXPECT_EQ(round_trip<std::int8_t>(-3, 4), (std::vector<std::int8_t>{-3, 4}));
  EXPECT_EQ(round_trip<std::uint16_t>(65535, 1), (std::vector<std::uint16_t>{65535, 1}));
  EXPECT_EQ(round_trip<std::int64_t>(-1, 1), (std::vector<std::int64_t>{-1, 1}));
  EXPECT_EQ(round_trip<double>(0.1, -2), (std::vector<double>{0.1, -2}));
}

TEST(Buffer, IsFilledAsJaxFillsWhatIsNotInitialised) {
  std::vector<float> nan;
  std::vector<std::int32_t> largest;
  const Body body = [&](ThreadContext& context) {
    nan = context.allocate<float>(MemorySpace::kVmem, {2}).get();
    largest = context.allocate<std::int32_t>(MemorySpace::kVmem, {1}).get();
  };
  run_body(body);
  EXPECT_TRUE(std::isnan(nan[0]) && std::isnan(nan[1]));
  EXPECT_EQ(largest[0], 0x7fffffff);
  run_body(body, {.uninitialized_nan = false});
  EXPECT_EQ(nan, (std::vector<float>{0, 0}));
  EXPECT_EQ(largest[0], 0);
}

TEST(Buffer, ReadsOutsideMayReturnUninitialisedValues) {
  std::vector<float> seen;
  const auto result = run_body(
      [&](ThreadContext& context) {
        const auto x = context.allocate<float>(MemorySpace::kVmem, {2}, {.initial = iota(2)});
        seen = x.at({slice(1, 3)}).get();
      },
      {.out_of_bounds_reads_raise = false, .uninitialized_nan = false});
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_EQ(seen, (std::vector<float>{1, 0}));
}

TEST(Buffer, HbmBelongsToTheDeviceAndVmemToTheCore) {
  std::vector<float> hbm(4, -1);
  std::vector<float> vmem(4, -1);
  run_body(
      [&](ThreadContext& context) {
        const std::size_t me = 2 * context.device() + context.core();
        const auto shared =
            context.allocate<float>(MemorySpace::kHbm, {1}, {.initial = std::vector<float>(1)});
        const auto own =
            context.allocate<float>(MemorySpace::kVmem, {1}, {.initial = std::vector<float>(1)});
        context.global_barrier();
        if (me == 2) {
          shared[0] = 5.0F;
          own[0] = 6.0F;
          own.on_core(1)[0] = 7.0F;
          own.on_device(0)[0] = 8.0F;
        }
        context.global_barrier();
        hbm[me] = shared[0];
        vmem[me] = own[0];
      },
      {.devices = 2, .cores_per_device = 2});
  EXPECT_EQ(hbm, (std::vector<float>{0, 0, 5, 5}));
  EXPECT_EQ(vmem, (std::vector<float>{8, 0, 6, 7}));
}

TEST(Buffer, LivesUntilItsLastReferenceIsFreed) {
  const auto result = run_body(
      [&](ThreadContext& context) {
        const auto shared = context.allocate<float>(MemorySpace::kHbm, {1});
        context.device_barrier();
        context.free(shared);
        context.device_barrier();
        shared.get();
      },
      {.cores_per_device = 2});
  EXPECT_EQ(last_error(*result), "KeyError: ('hbm', 100, 0, 0)");
  EXPECT_NE(result->text().find("free ('hbm', 100, 0, 0) -> 1"), std::string::npos);
}

struct Misuse {
  std::string what;
  Body body;
  std::string error;
};
void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.what; }

class Misused : public testing::TestWithParam<Misuse> {};

TEST_P(Misused, IsTheKernelsException) {
  const auto result = run_body(GetParam().body, {.devices = 2});
  EXPECT_EQ(result->end.kind, EndKind::kFailed);
  EXPECT_EQ(last_error(*result), "std::invalid_argument: " + GetParam().error);
}

Buffer<float> some(ThreadContext& context) {
  return context.allocate<float>(MemorySpace::kVmem, {2, 3});
}

INSTANTIATE_TEST_SUITE_P(
    All, Misused,
    testing::Values(
        Misuse{"too few values",
               [](ThreadContext& c) {
                 some(c).set({1, 2});
               },
               "set: 2 values or dimensions do not fit the shape (2, 3)"},
        Misuse{"too few values of a block",
               [](ThreadContext& c) {
                 some(c).at({0}).set({1, 2});
               },
               "set: 2 values or dimensions do not fit the shape (3,)"},
        Misuse{"too few indices", [](ThreadContext& c) { some(c)[1] = 2; },
               "index: 1 values or dimensions do not fit the shape (2, 3)"},
        Misuse{"too many slices",
               [](ThreadContext& c) {
                 some(c).at({0, 0, 0});
               },
               "region: 3 values or dimensions do not fit the shape (2, 3)"},
        Misuse{"initial content",
               [](ThreadContext& c) {
                 c.allocate<float>(MemorySpace::kVmem, {3}, {.initial = iota(2)});
               },
               "initial: 2 values or dimensions do not fit the shape (3,)"},
        Misuse{"a stride of 0", [](ThreadContext& c) { some(c).at({slice(0, 2, 0)}); },
               "the stride of a slice must be at least 1"},
        Misuse{"choose of 0", [](ThreadContext& c) { c.choose(0); },
               "choose: there must be something to choose from"},
        Misuse{"a barrier of nobody", [](ThreadContext& c) { c.barrier({.arrivals = 0}); },
               "a barrier needs at least 1 arrival"},
        Misuse{"another core's semaphore",
               [](ThreadContext& c) { c.semaphore({}).on_device(1 - c.device()).wait(); },
               "a core waits for its own semaphores only: device 0, core 0 cannot wait for that "
               "of device 1, core 0"},
        Misuse{"copies of two sizes",
               [](ThreadContext& c) {
                 c.start_copy<float>(some(c), some(c).at({0}), {.receive = c.semaphore({})});
               },
               "start_copy: source (2, 3) and destination (3,) differ"},
        Misuse{"a copy from elsewhere",
               [](ThreadContext& c) {
                 const auto x = some(c);
                 c.start_copy<float>(x.on_device(1 - c.device()), x, {.receive = c.semaphore({})});
               },
               "start_copy: the source must be on the issuing device"},
        Misuse{"a remote copy without a send semaphore",
               [](ThreadContext& c) {
                 const auto x = some(c);
                 c.start_copy<float>(x, x.on_device(1 - c.device()), {.receive = c.semaphore({})});
               },
               "start_copy: a remote copy needs a send semaphore"}));

TEST(Copy, RemoteRaisesTheReceiversSemaphore) {
  std::vector<float> received;
  const auto result = run_body(
      [&](ThreadContext& context) {
        const auto x = context.allocate<float>(
            MemorySpace::kVmem, {3},
            {.initial = std::vector<float>(3, static_cast<float>(context.device() + 1))});
        const auto y = context.allocate<float>(MemorySpace::kVmem, {3});
        const Semaphore send = context.semaphore({.name = "send", .dma = true});
        const Semaphore receive = context.semaphore({.name = "receive", .dma = true});
        context.global_barrier();
        const std::uint32_t peer = 1 - context.device();
        context.start_copy<float>(x, y.on_device(peer), {.send = send, .receive = receive}).wait();
        if (context.device() == 0) received = y.get();
      },
      {.devices = 2});
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_EQ(received, (std::vector<float>{2, 2, 2}));
  EXPECT_NE(result->text().find("wait receive@0.0 12"), std::string::npos) << result->text();
  EXPECT_NE(result->text().find("wait send@1.0 12"), std::string::npos);
}

TEST(Semaphore, ArraysAndFixedIds) {
  const auto result = run_body([](ThreadContext& context) {
    const auto sems = context.semaphores(3, {.name = "s"});
    const Semaphore next = context.semaphore({.name = "t"});
    const Semaphore barrier = context.barrier_semaphore(7);
    sems[1].signal(2);
    sems[1].wait(2);
    next.signal();
    if (next.read() == 1) next.wait();
    barrier.signal();
    barrier.wait();
  });
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_NE(result->text().find("create semaphore s[2]@0.0"), std::string::npos);
  EXPECT_NE(result->text().find("wait s[1]@0.0 2"), std::string::npos);
  EXPECT_NE(result->text().find("read count t@0.0 -> 1"), std::string::npos);
  EXPECT_NE(result->text().find("wait barrier_semaphore@0.0 1"), std::string::npos);
}

TEST(Barrier, EachPhaseNeedsAllArrivals) {
  int counter = 0;
  bool wrong = false;
  const auto result = run(Kernel{.name = "phases",
                                 .launch = {.cores_per_device = 3},
                                 .body =
                                     [&](ThreadContext& context) {
                                       const Barrier barrier =
                                           context.barrier({.number = 4, .arrivals = 3});
                                       for (int phase = 1; phase <= 5; ++phase) {
                                         ++counter;
                                         barrier.arrive_and_wait();
                                         wrong = wrong || counter < 3 * phase;
                                         barrier.arrive_and_wait();
                                       }
                                     }},
                          {.scheduler = "random", .seed = 3});
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
  EXPECT_FALSE(wrong);
}

TEST(Barrier, OneMayArriveAndAnotherWait) {
  const auto result = run_body(
      [](ThreadContext& context) {
        const Barrier barrier = context.barrier({.arrivals = 2, .name = "b"});
        if (context.core() == 2) {
          barrier.wait();
        } else {
          barrier.arrive();
        }
      },
      {.cores_per_device = 3});
  EXPECT_EQ(result->end.kind, EndKind::kFinished);
}

TEST(ThreadContext, KnowsItsPlace) {
  std::vector<std::vector<std::uint32_t>> places;
  run_body(
      [&](ThreadContext& context) {
        places.push_back(
            {context.device(), context.core(), context.devices(), context.cores_per_device()});
      },
      {.devices = 2, .cores_per_device = 2});
  EXPECT_EQ(places, (std::vector<std::vector<std::uint32_t>>{
                        {0, 0, 2, 2}, {0, 1, 2, 2}, {1, 0, 2, 2}, {1, 1, 2, 2}}));
}

}  // namespace
}  // namespace replait
