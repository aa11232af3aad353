// A fiber: a function with a stack of its own that can stop in the middle and go on later.
//
// Each simulated thread is one. Fibers are cooperative: `resume` runs the body until it suspends or
// ends, so exactly one thing runs at a time and whoever resumes decides what. The switch itself is
// Boost.Context's fcontext; its own fiber class is as fast but cannot be made clean under
// ThreadSanitizer, and ending an unfinished fiber by its forced unwinding is not clean either: we
// resume it with a flag and throw `Cancel` where it had stopped.
//
// Limits: a fiber may be resumed from another OS thread than before if the caller orders the two.
// A body that calls into Python needs a stack of 4 MiB or more.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "fiber/overflow.h"
#include "fiber/stack_pool.h"

namespace replait {

// Thrown inside a fiber that is cancelled. Not a std::exception, so `catch (const std::exception&)`
// lets it pass; a `catch (...)` in a body must rethrow it.
class Cancel {};

class Fiber {
 public:
  using Body = std::function<void(Fiber&)>;

  // Fails when there is no memory for another stack. `name` is what messages call the fiber. The
  // body does not run before the first resume; it is destroyed as soon as it has ended.
  static Result<std::unique_ptr<Fiber>> create(StackPool& pool, std::string name, Body body);

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();  // Cancels an unfinished body. REQUIRES: not running.

  // Runs the body until it suspends or ends; what it throws stays inside, see error().
  // REQUIRES: !done() and not running. A fiber may resume others, which then run on top of it.
  void resume();

  // Ends an unfinished body: throws Cancel where it stands, so that its destructors run. A body
  // that never ran is dropped. Does nothing once done().
  void cancel();

  // From inside the body only: back to whoever resumed. Throws Cancel when cancelled meanwhile,
  // also inside a catch block. While a Cancel (or another exception) already unwinds a cancelled
  // body, it returns at once instead, so that destructors may call it; see cancelling().
  void suspend();

  bool done() const { return state_ == State::kDone; }
  bool cancelling() const { return cancelling_; }
  const std::string& name() const { return name_; }

  // What the body threw, if it did; never a Cancel.
  std::exception_ptr error() const { return error_; }

 private:
  enum class State {
    kNew,        // The body has not run yet.
    kSuspended,  // Stopped in suspend().
    kRunning,    // Between a resume and its return; perhaps under another fiber.
    kDone,       // The body ended or was dropped; the stack is back in the pool.
  };
  // The C++ runtime's record of exceptions being handled, which belongs to a call stack but is kept
  // for each OS thread: swapped at each switch, or catch blocks of interleaved fibers mix.
  struct ExceptionState {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  struct Switch;  // The part that knows Boost.Context.

  Fiber(StackPool& pool, std::string name, Body body, const Stack& stack);
  void run_body() noexcept;
  void finish();

  StackPool& pool_;
  std::string name_;
  Body body_;
  RunningStack running_stack_;
  State state_ = State::kNew;
  bool cancelling_ = false;
  int cancels_thrown_ = 0;
  std::exception_ptr error_;
  ExceptionState exceptions_;

  // Where the fiber stopped, and where whoever resumed it did.
  void* inside_ = nullptr;
  void* outside_ = nullptr;

  // The sanitizers' state of both; unused in ordinary builds.
  void* inside_fake_stack_ = nullptr;
  const void* outside_bottom_ = nullptr;
  std::size_t outside_bytes_ = 0;
  void* inside_thread_state_ = nullptr;
  void* outside_thread_state_ = nullptr;
};

}  // namespace replait
