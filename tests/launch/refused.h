/// \file
/// A kernel for launches that must be refused.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Launches a kernel that writes 1 to `*result`, and checks the launch as a step does.
void launch_checked(int* result, dim3 grid, dim3 block, std::size_t shared_bytes);
