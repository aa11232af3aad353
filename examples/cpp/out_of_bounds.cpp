// Accesses outside a buffer, in each form that JAX's interpret mode has a text for.
#include <array>
#include <vector>

#include "replait/replait.h"
#include "samples.h"

namespace replait {

namespace {

constexpr std::int64_t kSize = 8;

Buffer<float> allocate(ThreadContext& context, const char* name) {
  const std::vector<float> zeros(kSize);
  return context.allocate<float>(MemorySpace::kVmem, {kSize}, {.name = name, .initial = zeros});
}

void read(ThreadContext& context) { allocate(context, "x").at({slice(4, 12)}).get(); }

void write(ThreadContext& context) { allocate(context, "x").at({slice(6, 10)}).set({1, 2, 3, 4}); }

void swap(ThreadContext& context) {
  const std::vector<float> values = {1, 2, 3, 4};
  allocate(context, "x").at({slice(6, 10)}).swap(values);
}

void masked_swap(ThreadContext& context) {
  const std::vector<float> values = {1, 2, 3, 4};
  const std::array<bool, 4> mask = {true, false, true, false};
  allocate(context, "x").at({slice(6, 10)}).masked_swap(values, mask);
}

// A grid of three steps over blocks of four: the third block is outside.
void input_block(ThreadContext& context) {
  const auto x = allocate(context, "x");
  for (std::int64_t step = 0; step < 3; ++step) {
    context.grid_step({step});
    const GridBlock block = {.operand = "x", .indices = {step}, .iteration = {step}};
    x.at({slice(4 * step, 4 * step + 4)}).fetch(block);
  }
}

void output_block(ThreadContext& context) {
  const auto y = allocate(context, "y");
  const std::vector<float> values = {1, 2, 3, 4};
  for (std::int64_t step = 0; step < 3; ++step) {
    context.grid_step({step});
    const GridBlock block = {.operand = "y", .indices = {step}, .iteration = {step}};
    y.at({slice(4 * step, 4 * step + 4)}).write_back(values, block);
  }
}

}  // namespace

Kernels out_of_bounds_kernels() {
  return {
      {.name = "out-of-bounds-read",
       .summary = "a read that ends outside its buffer",
       .expected = "memory.out-of-bounds IndexError",
       .body = read},
      {.name = "out-of-bounds-write",
       .summary = "a write that ends outside its buffer",
       .expected = "memory.out-of-bounds ValueError",
       .body = write},
      {.name = "out-of-bounds-swap",
       .summary = "a swap that ends outside its buffer",
       .expected = "memory.out-of-bounds ValueError",
       .body = swap},
      {.name = "out-of-bounds-masked-swap",
       .summary = "a masked swap that ends outside its buffer",
       .expected = "memory.out-of-bounds ValueError",
       .body = masked_swap},
      {.name = "out-of-bounds-input-block",
       .summary = "the index map of an input names a block that is not there",
       .expected = "memory.out-of-bounds IndexError",
       .body = input_block},
      {.name = "out-of-bounds-output-block",
       .summary = "the index map of an output names a block that is not there",
       .expected = "memory.out-of-bounds IndexError",
       .body = output_block},
  };
}

}  // namespace replait
