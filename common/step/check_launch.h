/// \file
/// A launch that CUDA refuses must not pass silently: `<<<>>>` returns nothing.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <source_location>
#include <string_view>

namespace worklog {

/// Call right after a launch, with the same shape. Throws CudaError that names the kernel, its
/// grid, block and dynamic shared memory (bytes), CUDA's message, and the line of the launch.
/// Errors inside the kernel surface later, at the next synchronization.
void check_launch(std::string_view kernel, dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                  std::source_location where = std::source_location::current());

}  // namespace worklog
