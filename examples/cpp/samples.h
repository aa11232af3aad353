// The sample kernels that `replait record NAME` runs: good ones, their faulty twins, and one for
// each failure of JAX's interpret mode.
#pragma once

#include "replait/kernel.h"

namespace replait {

// All of them, in the order of `replait record --list`.
const Kernels& sample_kernels();

// One group a file.
Kernels ring_kernels();
Kernels message_passing_kernels();
Kernels pipeline_kernels();
Kernels deadlock_kernels();
Kernels wrong_memory_kernels();
Kernels out_of_bounds_kernels();
Kernels refused_kernels();
Kernels semaphore_kernels();

// The text of these files, built into the program (embed_sources.py).
std::span<const EmbeddedSource> sample_sources();

}  // namespace replait
