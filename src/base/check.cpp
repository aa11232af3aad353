#include "base/check.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace replait {
namespace {

std::atomic<bool> throws{false};
std::atomic<FlushHook> flush_hook{nullptr};

}  // namespace

void throw_on_failed_check(bool enabled) { throws = enabled; }

void set_flush_hook(FlushHook hook) { flush_hook = hook; }

void failed_check(const char* condition, const char* file, int line, const std::string& message) {
  std::string text = "replait: internal error: " + std::string(file) + ":" + std::to_string(line) +
                     ": " + condition;
  if (!message.empty()) text += ": " + message;
  if (throws) throw InternalError(text);
  std::fprintf(stderr,
               "%s\nThis is a fault of replait, not of your kernel. Please report it with this "
               "line and the trace.\n",
               text.c_str());
  // Taken out first: a check that fails while flushing must not come back here.
  if (FlushHook hook = flush_hook.exchange(nullptr)) hook();
  _exit(70);
}

}  // namespace replait
