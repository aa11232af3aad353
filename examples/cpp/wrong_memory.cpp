// Accesses to keys that hold no buffer. Each raises as JAX's interpret mode does.
//
// On the TPU only buffers get into JAX's memory map, so "not a `Buffer`" comes from custom
// primitives and direct calls; the samples allocate such a thing at a key of their own.
#include "replait/replait.h"
#include "samples.h"

namespace replait {

namespace {

constexpr MemoryKey kKey = {.space = MemorySpace::kVmem, .buffer = 100, .device = 0, .core = 0};

// What the key looks like to a kernel that takes it for a buffer.
Buffer<float> not_a_buffer(ThreadContext& context) {
  context.allocate_other_at(kKey, "barrier");
  return context.buffer_at<float>(kKey, {4});
}

}  // namespace

Kernels wrong_memory_kernels() {
  return {
      {.name = "get-not-a-buffer",
       .summary = "a read of an allocation that is not a buffer",
       .expected = "memory.not-a-buffer ValueError",
       .body = [](ThreadContext& context) { not_a_buffer(context).get(); }},
      {.name = "store-not-a-buffer",
       .summary = "a write to an allocation that is not a buffer",
       .expected = "memory.not-a-buffer ValueError",
       .body =
           [](ThreadContext& context) {
             not_a_buffer(context).set({1, 2, 3, 4});
           }},
      {.name = "swap-not-a-buffer",
       .summary = "a swap with an allocation that is not a buffer",
       .expected = "memory.not-a-buffer ValueError",
       .body =
           [](ThreadContext& context) {
             not_a_buffer(context).swap(std::vector<float>{1, 2, 3, 4});
           }},
      {.name = "deallocate-not-a-buffer",
       .summary = "a deallocation of something that is not a buffer",
       .expected = "memory.not-a-buffer ValueError",
       .body = [](ThreadContext& context) { context.free(not_a_buffer(context)); }},
      {.name = "missing-key",
       .summary = "a read after the buffer was freed: JAX raises a bare KeyError",
       .expected = "memory.missing-key KeyError",
       .body =
           [](ThreadContext& context) {
             const auto scratch =
                 context.allocate<float>(MemorySpace::kVmem, {4}, {.name = "scratch"});
             context.free(scratch);
             scratch.get();
           }},
      {.name = "logical-shape",
       .summary = "a buffer whose logical shape is bigger than its padded content",
       .expected = "exec.exception ValueError",
       .body =
           [](ThreadContext& context) {
             context.allocate<float>(MemorySpace::kVmem, {8, 200},
                                     {.name = "scratch", .content_shape = Shape{8, 128}});
           }},
  };
}

}  // namespace replait
