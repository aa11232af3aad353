// What JAX's interpret mode refuses: ops that it does not have, and launches that cannot be.
#include "replait/replait.h"
#include "samples.h"

namespace replait {

Kernels refused_kernels() {
  return {
      {.name = "masked-load",
       .summary = "a load with a mask, which JAX's interpret mode does not implement",
       .expected = "exec.exception NotImplementedError",
       .body = [](ThreadContext& context) { context.masked_load(); }},
      {.name = "collective-run-scoped",
       .summary = "run_scoped over a collective axis, which JAX does not implement there",
       .expected = "exec.exception NotImplementedError",
       .body = [](ThreadContext& context) { context.collective_run_scoped(); }},
      {.name = "vector-clock-size",
       .summary = "a launch whose vector clocks are smaller than its number of cores",
       .expected = "exec.exception ValueError",
       .launch = {.devices = 2, .cores_per_device = 2, .vector_clock_size = 4},
       .body = [](ThreadContext& context) { context.global_barrier(); }},
  };
}

}  // namespace replait
