// Fibers from their user's side: control goes in and out, exceptions stay in, cancelling unwinds.
#include "fiber/fiber.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fiber/sanitizers.h"

namespace replait {
namespace {

#if defined(REPLAIT_ASAN) || defined(REPLAIT_TSAN)
constexpr int kManyFibers = 1500;
#else
constexpr int kManyFibers = 20000;
#endif

std::unique_ptr<Fiber> make_fiber(StackPool& pool, Fiber::Body body, std::string name = "fiber") {
  return Fiber::create(pool, std::move(name), std::move(body)).value();
}

std::string what_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

// Appends its text when its scope ends.
class Note {
 public:
  Note(std::string& log, std::string text) : log_(log), text_(std::move(text)) {}
  ~Note() { log_ += text_; }

 private:
  std::string& log_;
  std::string text_;
};

TEST(Fiber, RunsOnlyBetweenResumeAndSuspend) {
  StackPool pool;
  std::string log;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    log += "b";
    self.suspend();
    log += "d";
  });
  log += "a";
  fiber->resume();
  EXPECT_FALSE(fiber->done());
  log += "c";
  fiber->resume();
  EXPECT_TRUE(fiber->done());
  EXPECT_EQ(log, "abcd");
  EXPECT_EQ(fiber->error(), nullptr);
}

TEST(Fiber, TwentyThousandInterleaveAndKeepTheirLocals) {
  StackPool pool;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<int> sums(kManyFibers);
  for (int i = 0; i < kManyFibers; ++i) {
    fibers.push_back(make_fiber(pool, [i, &sum = sums[static_cast<std::size_t>(i)]](Fiber& self) {
      std::array<int, 64> local;
      local.fill(i);
      self.suspend();
      for (const int value : local) sum += value;
      self.suspend();
    }));
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto& fiber : fibers) fiber->resume();
  }
  for (int i = 0; i < kManyFibers; ++i) {
    ASSERT_EQ(sums[static_cast<std::size_t>(i)], 64 * i);
    ASSERT_TRUE(fibers[static_cast<std::size_t>(i)]->done());
  }
}

TEST(Fiber, ResumesAnotherFromInside) {
  StackPool pool;
  std::string log;
  const auto inner = make_fiber(pool, [&](Fiber& self) {
    log += "b";
    self.suspend();
    log += "d";
  });
  const auto outer = make_fiber(pool, [&](Fiber& self) {
    log += "a";
    inner->resume();
    log += "c";
    self.suspend();
    inner->resume();
    log += "e";
  });
  outer->resume();
  outer->resume();
  EXPECT_EQ(log, "abcde");
}

TEST(Fiber, MovesToAnotherThread) {
  StackPool pool;
  int steps = 0;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    try {
      throw std::runtime_error("kept across threads");
    } catch (const std::exception&) {
      self.suspend();
      ++steps;
      EXPECT_EQ(what_of(std::current_exception()), "kept across threads");
    }
    self.suspend();
    throw std::runtime_error("on the second thread");
  });
  fiber->resume();
  std::thread([&] {
    fiber->resume();
    fiber->resume();
  }).join();
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(what_of(fiber->error()), "on the second thread");
}

TEST(Fiber, KeepsWhatItsBodyThrows) {
  StackPool pool;
  const auto fiber = make_fiber(pool, [](Fiber& self) {
    self.suspend();
    throw std::runtime_error("from the kernel");
  });
  fiber->resume();
  EXPECT_EQ(fiber->error(), nullptr);
  fiber->resume();
  EXPECT_TRUE(fiber->done());
  EXPECT_EQ(what_of(fiber->error()), "from the kernel");
}

TEST(Fiber, InterleavedCatchBlocksKeepTheirOwnException) {
  StackPool pool;
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<std::string> seen(3);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    fibers.push_back(make_fiber(pool, [&text = seen[i], i](Fiber& self) {
      try {
        throw std::runtime_error("exception " + std::to_string(i));
      } catch (const std::exception&) {
        self.suspend();
        text = what_of(std::current_exception());
        self.suspend();
        try {
          throw;
        } catch (const std::exception& again) {
          text += ", again " + std::string(again.what());
        }
      }
    }));
  }
  // First in, first out: the runtime's own record is a stack and would hand out the wrong ones.
  for (int round = 0; round < 3; ++round) {
    for (const auto& fiber : fibers) fiber->resume();
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"exception 0, again exception 0",
                                            "exception 1, again exception 1",
                                            "exception 2, again exception 2"}));
  EXPECT_EQ(std::current_exception(), nullptr);
}

TEST(Fiber, ResumedInsideACatchBlockSeesNoForeignException) {
  StackPool pool;
  std::exception_ptr inside = std::make_exception_ptr(0);
  int uncaught = -1;
  const auto fiber = make_fiber(pool, [&](Fiber&) {
    inside = std::current_exception();
    uncaught = std::uncaught_exceptions();
  });
  try {
    throw std::runtime_error("outside");
  } catch (const std::exception&) {
    fiber->resume();
    EXPECT_EQ(what_of(std::current_exception()), "outside");
  }
  EXPECT_EQ(inside, nullptr);
  EXPECT_EQ(uncaught, 0);
}

TEST(FiberCancel, RunsDestructorsFromTheInsideOut) {
  StackPool pool;
  std::string log;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    const Note outer(log, "outer");
    const Note inner(log, "inner ");
    self.suspend();
    log += "unreachable";
  });
  fiber->resume();
  fiber->cancel();
  EXPECT_TRUE(fiber->done());
  EXPECT_EQ(log, "inner outer");
  EXPECT_EQ(fiber->error(), nullptr);
}

TEST(FiberCancel, HappensWhenAnUnfinishedFiberIsDestroyed) {
  StackPool pool;
  std::string log;
  {
    const auto fiber = make_fiber(pool, [&](Fiber& self) {
      const Note note(log, "ended");
      self.suspend();
    });
    fiber->resume();
  }
  EXPECT_EQ(log, "ended");
}

TEST(FiberCancel, DropsABodyThatNeverRan) {
  StackPool pool;
  const auto held = std::make_shared<int>(1);
  const auto fiber = make_fiber(pool, [held](Fiber&) { ADD_FAILURE() << "must not run"; });
  fiber->cancel();
  EXPECT_TRUE(fiber->done());
  EXPECT_EQ(held.use_count(), 1) << "what the body holds is destroyed with it";
}

TEST(FiberCancel, PassesHandlersOfStandardExceptions) {
  StackPool pool;
  bool caught = false;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    try {
      self.suspend();
    } catch (const std::exception&) {
      caught = true;
    }
  });
  fiber->resume();
  fiber->cancel();
  EXPECT_FALSE(caught);
  EXPECT_TRUE(fiber->done());
}

TEST(FiberCancel, ReachesASuspendInsideACatchBlock) {
  StackPool pool;
  std::string log;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    try {
      throw std::runtime_error("first");
    } catch (const std::exception&) {
      const Note note(log, "handler left");
      self.suspend();
    }
  });
  fiber->resume();
  fiber->cancel();
  EXPECT_EQ(log, "handler left");
  EXPECT_EQ(std::current_exception(), nullptr);
}

// Destructors of a kernel may do ops, and so suspend, also when the kernel is being cancelled.
struct SuspendsWhenDestroyed {
  Fiber& fiber;
  bool& was_cancelling;
  ~SuspendsWhenDestroyed() {
    fiber.suspend();
    was_cancelling = fiber.cancelling();
  }
};

TEST(FiberCancel, LetsDestructorsSuspendWhileItUnwinds) {
  StackPool pool;
  bool was_cancelling = false;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    const SuspendsWhenDestroyed guard{self, was_cancelling};
    self.suspend();
  });
  fiber->resume();
  fiber->cancel();
  EXPECT_TRUE(was_cancelling);
  EXPECT_TRUE(fiber->done());
}

TEST(FiberCancel, LetsADestructorGoOnThatSuspendedDuringAnotherException) {
  StackPool pool;
  bool was_cancelling = false;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    const SuspendsWhenDestroyed guard{self, was_cancelling};
    throw std::runtime_error("the kernel's own");
  });
  fiber->resume();
  EXPECT_FALSE(fiber->done());
  fiber->cancel();
  EXPECT_TRUE(was_cancelling);
  EXPECT_EQ(what_of(fiber->error()), "the kernel's own");
}

TEST(FiberCancel, ThatIsSwallowedOnceIsThrownAgain) {
  StackPool pool;
  int swallowed = 0;
  const auto fiber = make_fiber(pool, [&](Fiber& self) {
    try {
      self.suspend();
    } catch (...) {
      ++swallowed;
    }
    self.suspend();
    swallowed = 100;
  });
  fiber->resume();
  fiber->cancel();
  EXPECT_EQ(swallowed, 1);
  EXPECT_TRUE(fiber->done());
}

}  // namespace
}  // namespace replait
