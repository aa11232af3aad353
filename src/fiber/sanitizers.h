// What the sanitizers must be told about stacks, and nothing in an ordinary build.
//
// AddressSanitizer keeps a "fake stack" and the bounds of the running stack; ThreadSanitizer keeps
// a shadow call stack and a vector clock for each fiber. Both lose their way when the stack pointer
// moves without notice. Switches synchronise in ThreadSanitizer's eyes: fibers of one OS thread
// cannot race with each other.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REPLAIT_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define REPLAIT_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define REPLAIT_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define REPLAIT_TSAN 1
#endif

#if defined(REPLAIT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(REPLAIT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace replait {

#if defined(REPLAIT_ASAN)
inline void unpoison_memory(const void* begin, std::size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
}
inline void start_switch(void** fake_stack_save, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake_stack_save, bottom, bytes);
}
inline void finish_switch(void* fake_stack, const void** old_bottom, std::size_t* old_bytes) {
  __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_bytes);
}
#else
inline void unpoison_memory(const void*, std::size_t) {}
inline void start_switch(void**, const void*, std::size_t) {}
inline void finish_switch(void*, const void**, std::size_t*) {}
#endif

#if defined(REPLAIT_TSAN)
inline void* create_thread_state() { return __tsan_create_fiber(0); }
inline void destroy_thread_state(void* state) { __tsan_destroy_fiber(state); }
inline void* current_thread_state() { return __tsan_get_current_fiber(); }
// Inlined into the function that jumps, or the runtime leaves this one on the wrong shadow stack.
__attribute__((always_inline)) inline void switch_thread_state(void* state) {
  __tsan_switch_to_fiber(state, 0);
}
#else
inline void* create_thread_state() { return nullptr; }
inline void destroy_thread_state(void*) {}
inline void* current_thread_state() { return nullptr; }
inline void switch_thread_state(void*) {}
#endif

}  // namespace replait
