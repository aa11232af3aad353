#include "fiber/overflow.h"

#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/check.h"

namespace replait {

constinit thread_local const RunningStack* running_stack = nullptr;

namespace {

constexpr std::size_t kAlternateStackBytes = std::size_t{128} << 10;

struct sigaction previous_action;

std::string_view to_text(std::size_t number, std::array<char, 24>& buffer) {
  std::size_t at = buffer.size();
  do {
    buffer[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  return {buffer.data() + at, buffer.size() - at};
}

// Async-signal-safe: one system call on pieces that already exist.
void print_overflow(const RunningStack& fiber) {
  std::array<char, 24> digits;
  const auto usable_bytes = static_cast<std::size_t>(fiber.stack.end - fiber.stack.usable_begin);
  const std::array<std::string_view, 7> pieces = {
      "replait: stack overflow in fiber '",
      fiber.fiber_name,
      "': its stack of ",
      to_text(usable_bytes >> 10, digits),
      " KiB is used up (deep recursion, or big local variables)\n  to give every fiber more: ",
      fiber.enlarge_hint,
      "\n"};
  std::array<iovec, pieces.size()> vectors;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
  }
  [[maybe_unused]] const ssize_t written =
      writev(STDERR_FILENO, vectors.data(), static_cast<int>(vectors.size()));
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  } else {
    // The faulting instruction runs again on return and ends the process the ordinary way; a signal
    // that somebody sent has no such instruction.
    struct sigaction defaults = {};
    defaults.sa_handler = SIG_DFL;
    sigaction(signal, &defaults, nullptr);
    if (info->si_code <= 0) raise(signal);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const RunningStack* const fiber = running_stack;
  const auto* const address = static_cast<const std::byte*>(info->si_addr);
  const bool overflowed = info->si_code > 0 && fiber != nullptr &&
                          address >= fiber->stack.guard_begin &&
                          address < fiber->stack.usable_begin;
  if (!overflowed) return pass_on(signal, info, context);
  print_overflow(*fiber);
  _exit(70);
}

// Leaves an alternate stack alone that somebody else (a sanitizer, a Python host) has set up.
class AlternateStack {
 public:
  AlternateStack() {
    stack_t present = {};
    REPLAIT_CHECK(sigaltstack(nullptr, &present) == 0);
    if ((present.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::make_unique<std::byte[]>(kAlternateStackBytes);
    stack_t own = {};
    own.ss_sp = memory_.get();
    own.ss_size = kAlternateStackBytes;
    REPLAIT_CHECK(sigaltstack(&own, nullptr) == 0, std::strerror(errno));
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack() {
    stack_t present = {};
    if (memory_ == nullptr || sigaltstack(nullptr, &present) != 0) return;
    if (present.ss_sp != memory_.get()) return;
    stack_t disabled = {};
    disabled.ss_flags = SS_DISABLE;
    sigaltstack(&disabled, nullptr);
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

void watch_for_overflow() {
  thread_local const AlternateStack alternate_stack;
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    REPLAIT_CHECK(sigaction(SIGSEGV, &action, &previous_action) == 0);
  });
}

}  // namespace replait
