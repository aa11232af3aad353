// A failed check is a fault of replait itself: it prints what and where, runs the registered flush,
// and ends the process with exit code 70 (or throws InternalError where the host process is not
// ours to end: the Python module).
//
// Bad input is never a failed check: it is a Result with its place.
#pragma once

#include <stdexcept>
#include <string>

namespace replait {

// Thrown instead of ending the process once `throw_on_failed_check(true)` was called.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// For hosts that must survive a fault of ours (a user's notebook).
void throw_on_failed_check(bool enabled);

// Called once before the process ends, to flush an open trace. Null unsets it.
using FlushHook = void (*)();
void set_flush_hook(FlushHook hook);

[[noreturn]] void failed_check(const char* condition, const char* file, int line,
                               const std::string& message);

}  // namespace replait

#define REPLAIT_CHECK(condition, ...)                                         \
  do {                                                                        \
    if (!(condition)) [[unlikely]]                                            \
      ::replait::failed_check(#condition, __FILE__, __LINE__, {__VA_ARGS__}); \
  } while (false)
