/// \file
/// Comes before Thrust's own header of this name, which needs to know the device's memory.
#pragma once

// clang-format off
#include <thrust/system/cuda/memory.h>
#include_next <thrust/universal_allocator.h>
// clang-format on
