/// \file
/// A launch that CUDA refuses must not pass silently: `<<<>>>` returns nothing. And what CUDA wants
/// to be asked for before a launch.
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

/// allow_shared_memory() for any kernel, by the address that the host has of it.
void allow_shared_memory_of(const void* kernel, std::string_view name, int bytes,
                            std::source_location where);

/// Lets the launches of `kernel` that follow have up to so many bytes of dynamic shared memory:
/// for more than 48 KB, CUDA wants to be asked. As in
///
///     allow_shared_memory(softmax<T>, "softmax", bytes);
///
/// Throws CudaError that names the kernel, the bytes, CUDA's message and the line of the call where
/// a block of this GPU cannot have as many, and changes nothing then.
template <typename Kernel>
void allow_shared_memory(Kernel* kernel, std::string_view name, int bytes,
                         std::source_location where = std::source_location::current()) {
  allow_shared_memory_of(reinterpret_cast<const void*>(kernel), name, bytes, where);
}

/// allow_large_clusters() for any kernel, by the address that the host has of it.
void allow_large_clusters_of(const void* kernel, std::string_view name, std::source_location where);

/// Lets the launches of `kernel` that follow have clusters of more than 8 blocks, which not every
/// GPU with clusters has. Throws as allow_shared_memory() does.
template <typename Kernel>
void allow_large_clusters(Kernel* kernel, std::string_view name,
                          std::source_location where = std::source_location::current()) {
  allow_large_clusters_of(reinterpret_cast<const void*>(kernel), name, where);
}

}  // namespace worklog
