/// \file
/// Stands in for Thrust's header of this name: the kinds of memory that vectors lie in. What is
/// found wrong with it is told at the line of the program that asked for it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <new>
#include <thrust/mr/host_memory_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cuda/detail/util.h>
#include <thrust/system/cuda/pointer.h>
#include <thrust/system/detail/bad_alloc.h>

#include "simt/executor/executor.h"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cuda {
namespace detail {

inline cudaError_t malloc_device(void** address, std::size_t bytes, std::size_t alignment) {
  return ::simt::malloc_elements(address, bytes, alignment);
}
inline cudaError_t malloc_managed(void** address, std::size_t bytes, std::size_t alignment) {
  return ::simt::malloc_managed_elements(address, bytes, cudaMemAttachGlobal, alignment);
}
inline cudaError_t malloc_pinned(void** address, std::size_t bytes, std::size_t) {
  return ::cudaMallocHost(address, bytes);
}

/// Memory of one kind.
template <cudaError_t (*kAllocate)(void**, std::size_t, std::size_t), cudaError_t (*kFree)(void*),
          typename Pointer>
class Resource final : public mr::memory_resource<Pointer> {
 public:
  Pointer do_allocate(std::size_t bytes,
                      std::size_t alignment = THRUST_MR_DEFAULT_ALIGNMENT) override {
    const ::simt::LibraryCall call(__builtin_frame_address(0));
    void* address = nullptr;
    const cudaError_t status = kAllocate(&address, bytes, alignment);
    if (status == cudaSuccess) return Pointer(address);
    cudaGetLastError();  // the exception says it
    throw thrust::system::detail::bad_alloc(thrust::cuda_category().message(status).c_str());
  }

  void do_deallocate(Pointer pointer, std::size_t, std::size_t) override {
    const ::simt::LibraryCall call(__builtin_frame_address(0));
    void* const address = thrust::detail::pointer_traits<Pointer>::get(pointer);
    cuda_cub::throw_on_error(kFree(address), "CUDA free failed");
  }
};

}  // namespace detail

using memory_resource = detail::Resource<detail::malloc_device, cudaFree, pointer<void>>;
using universal_memory_resource =
    detail::Resource<detail::malloc_managed, cudaFree, universal_pointer<void>>;
using universal_host_pinned_memory_resource =
    detail::Resource<detail::malloc_pinned, cudaFreeHost, universal_pointer<void>>;

}  // namespace cuda
}  // namespace system

namespace cuda {
using thrust::system::cuda::memory_resource;
using thrust::system::cuda::universal_host_pinned_memory_resource;
using thrust::system::cuda::universal_memory_resource;
}  // namespace cuda
THRUST_NAMESPACE_END
