/// \file
/// A kernel for what must be refused: launches, and more shared memory than there is.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Launches a kernel that writes 1 to `*result`, and checks the launch as a step does.
void launch_checked(int* result, dim3 grid, dim3 block, std::size_t shared_bytes);

/// Asks for dynamic shared memory of launch_checked()'s kernel, as a step does.
void allow_bytes(int bytes);
