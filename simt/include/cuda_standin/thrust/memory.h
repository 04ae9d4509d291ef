/// \file
/// thrust::malloc() and thrust::free() of a device.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "simt/include/cuda_standin/thrust/run.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <typename Derived>
void* malloc(execution_policy<Derived>&, std::size_t bytes) {
  if (::simt::in_kernel()) return std::malloc(bytes);
  const ::simt::LibraryCall call(__builtin_frame_address(0));
  void* address = nullptr;
  if (cudaMalloc(&address, bytes) != cudaSuccess) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  return address;
}

template <typename Derived, typename Pointer>
void free(execution_policy<Derived>&, Pointer pointer) {
  void* const address = raw(pointer);
  if (::simt::in_kernel()) return std::free(address);
  const ::simt::LibraryCall call(__builtin_frame_address(0));
  throw_on_error(cudaFree(address), "thrust::free");
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
