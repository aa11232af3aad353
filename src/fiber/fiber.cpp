#include "fiber/fiber.h"

#include <cxxabi.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <utility>

#include "base/check.h"
#include "fiber/sanitizers.h"

namespace replait {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

static_assert(std::is_same_v<fcontext_t, void*>);

// A body that swallows this many Cancels will not end by more of them.
constexpr int kCancelsMax = 1000;

}  // namespace

struct Fiber::Switch {
  // The runtime's record of this OS thread, looked up once: asking at each switch costs more than
  // the switch. Null before the thread's first resume.
  static constinit thread_local ExceptionState* exceptions;

  __attribute__((noinline)) static void prepare_thread() {
    watch_for_overflow();
    // The layout of __cxa_eh_globals is fixed by the Itanium C++ ABI; its definition is not public.
    exceptions = static_cast<ExceptionState*>(static_cast<void*>(abi::__cxa_get_globals()));
  }

  static std::size_t stack_bytes(const Fiber& fiber) {
    const Stack& stack = fiber.running_stack_.stack;
    return static_cast<std::size_t>(stack.end - stack.usable_begin);
  }

  // Runs on the fiber's stack; never returns.
  static void enter(transfer_t from) {
    Fiber& fiber = *static_cast<Fiber*>(from.data);
    finish_switch(nullptr, &fiber.outside_bottom_, &fiber.outside_bytes_);
    fiber.outside_ = from.fctx;
    fiber.run_body();
    fiber.state_ = State::kDone;
    // A null place to save tells AddressSanitizer that this stack is left for good.
    start_switch(nullptr, fiber.outside_bottom_, fiber.outside_bytes_);
    switch_thread_state(fiber.outside_thread_state_);
    jump_fcontext(fiber.outside_, nullptr);
    REPLAIT_CHECK(false, "a finished fiber was resumed");
  }

  static void prepare(Fiber& fiber) {
    fiber.inside_ = make_fcontext(fiber.running_stack_.stack.end, stack_bytes(fiber), enter);
    fiber.inside_thread_state_ = create_thread_state();
  }

  // Both are inlined since the processor predicts a return after a jump to another stack wrongly.
  __attribute__((always_inline)) static void go_in(Fiber& fiber) {
    void* fake_stack = nullptr;
    start_switch(&fake_stack, fiber.running_stack_.stack.usable_begin, stack_bytes(fiber));
    fiber.outside_thread_state_ = current_thread_state();
    switch_thread_state(fiber.inside_thread_state_);
    fiber.inside_ = jump_fcontext(fiber.inside_, &fiber).fctx;
    finish_switch(fake_stack, nullptr, nullptr);
  }

  __attribute__((always_inline)) static void go_out(Fiber& fiber) {
    start_switch(&fiber.inside_fake_stack_, fiber.outside_bottom_, fiber.outside_bytes_);
    switch_thread_state(fiber.outside_thread_state_);
    fiber.outside_ = jump_fcontext(fiber.outside_, nullptr).fctx;
    finish_switch(fiber.inside_fake_stack_, &fiber.outside_bottom_, &fiber.outside_bytes_);
  }
};

constinit thread_local Fiber::ExceptionState* Fiber::Switch::exceptions = nullptr;

Result<std::unique_ptr<Fiber>> Fiber::create(StackPool& pool, std::string name, Body body) {
  Result<Stack> stack = pool.acquire();
  if (!stack.ok()) {
    Failure failure = stack.failure();
    failure.message = "fiber '" + name + "': " + failure.message;
    return failure;
  }
  return std::unique_ptr<Fiber>(new Fiber(pool, std::move(name), std::move(body), *stack));
}

Fiber::Fiber(StackPool& pool, std::string name, Body body, const Stack& stack)
    : pool_(pool), name_(std::move(name)), body_(std::move(body)) {
  running_stack_.stack = stack;
  running_stack_.fiber_name = name_.c_str();
  running_stack_.enlarge_hint = pool_.options().enlarge_hint.c_str();
}

Fiber::~Fiber() { cancel(); }

void Fiber::resume() {
  REPLAIT_CHECK(state_ != State::kDone, "resume of a finished fiber: " + name_);
  REPLAIT_CHECK(state_ != State::kRunning, "resume of a running fiber: " + name_);
  if (Switch::exceptions == nullptr) [[unlikely]]
    Switch::prepare_thread();
  if (state_ == State::kNew) Switch::prepare(*this);
  state_ = State::kRunning;
  // The OS thread cannot change before go_in returns, so its variables keep their addresses.
  ExceptionState& exceptions = *Switch::exceptions;
  const RunningStack* const stack_outside = std::exchange(running_stack, &running_stack_);
  const ExceptionState exceptions_outside = std::exchange(exceptions, exceptions_);
  Switch::go_in(*this);
  exceptions_ = std::exchange(exceptions, exceptions_outside);
  running_stack = stack_outside;
  if (state_ == State::kDone) finish();
}

void Fiber::suspend() {
  REPLAIT_CHECK(state_ == State::kRunning, "suspend of a fiber that does not run: " + name_);
  if (!cancelling_) {
    state_ = State::kSuspended;
    Switch::go_out(*this);
  }
  // A second exception out of a destructor would end the process.
  if (!cancelling_ || std::uncaught_exceptions() > 0) return;
  REPLAIT_CHECK(++cancels_thrown_ <= kCancelsMax,
                "fiber '" + name_ + "' goes on after being cancelled: a catch (...) in its body " +
                    "must rethrow replait::Cancel");
  throw Cancel{};
}

void Fiber::cancel() {
  switch (state_) {
    case State::kDone:
      return;
    case State::kRunning:
      REPLAIT_CHECK(false, "cancel of a running fiber: " + name_);
      return;
    case State::kNew:
      state_ = State::kDone;
      finish();
      return;
    case State::kSuspended:
      cancelling_ = true;
      resume();
      REPLAIT_CHECK(done());
      return;
  }
}

void Fiber::run_body() noexcept {
  try {
    body_(*this);
  } catch (const Cancel&) {
    // Ends here.
  } catch (...) {
    error_ = std::current_exception();
  }
  body_ = nullptr;
}

void Fiber::finish() {
  body_ = nullptr;
  if (inside_thread_state_ != nullptr) destroy_thread_state(inside_thread_state_);
  inside_thread_state_ = nullptr;
  inside_ = nullptr;
  pool_.release(running_stack_.stack);
}

}  // namespace replait
