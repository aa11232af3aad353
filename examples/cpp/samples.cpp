#include "samples.h"

#include <utility>

namespace replait {

namespace {

Kernels collect() {
  Kernels all;
  for (Kernels (*group)() :
       {ring_kernels, message_passing_kernels, pipeline_kernels, deadlock_kernels,
        wrong_memory_kernels, out_of_bounds_kernels, refused_kernels, semaphore_kernels}) {
    for (Kernel& kernel : group()) {
      kernel.sources = sample_sources();
      all.push_back(std::move(kernel));
    }
  }
  return all;
}

}  // namespace

const Kernels& sample_kernels() {
  static const Kernels kernels = collect();
  return kernels;
}

}  // namespace replait
