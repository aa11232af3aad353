// replait: deterministic race detection, record and replay for accelerator kernels.
//
// Write a kernel over a ThreadContext, put it into Kernels, call replait::main, link libreplait.
#pragma once

#include "replait/barrier.h"
#include "replait/buffer.h"
#include "replait/copy.h"
#include "replait/kernel.h"
#include "replait/location.h"
#include "replait/memory.h"
#include "replait/semaphore.h"
#include "replait/shape.h"
#include "replait/thread_context.h"
