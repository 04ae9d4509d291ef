/// \file
/// Stands in for Thrust's header of this name, by which CUB launches its kernels.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <thrust/detail/config.h>
#include <type_traits>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {
namespace launcher {

/// A launch that waits for its kernel.
class triple_chevron {
 public:
  triple_chevron(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr)
      : grid_(grid), block_(block), shared_bytes_(shared_bytes), stream_(stream) {}

  /// Where CUB launches, the executor's copy of its headers gives a name.
  template <typename Kernel, typename... Arguments>
  cudaError_t doit(const char* name, Kernel kernel, const Arguments&... arguments) const {
    ::simt::launcher(
        name, [kernel](auto... each) { kernel(each...); },
        [kernel](auto of) -> decltype(of(kernel)) { return of(kernel); }, grid_, block_,
        shared_bytes_, stream_)(arguments...);
    return cudaPeekAtLastError();
  }

 private:
  dim3 grid_;
  dim3 block_;
  std::size_t shared_bytes_;
  cudaStream_t stream_;
};

}  // namespace launcher
}  // namespace cuda_cub
THRUST_NAMESPACE_END
