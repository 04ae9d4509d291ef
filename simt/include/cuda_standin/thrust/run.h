/// \file
/// Runs what Thrust does on a device. As all of the device's system, this is included in the middle
/// of whichever of Thrust's headers comes first, and so uses none but those that include no others.
#pragma once

#include <optional>
#include <stdexcept>
#include <thrust/system/cuda/detail/execution_policy.h>
#include <type_traits>
#include <utility>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/runtime_api.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

/// Throws for an error. A program that knows thrust::system_error gets that.
inline void (*throw_error)(cudaError_t error, const char* what) = [](cudaError_t error,
                                                                     const char* what) {
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
};

inline void throw_on_error(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw_error(error, what);
}

/// The address that a pointer of Thrust's holds.
template <typename Value>
Value* raw(Value* pointer) {
  return pointer;
}
template <typename Pointer>
auto raw(const Pointer& pointer) -> decltype(pointer.get()) {
  return pointer.get();
}

/// Calls `work` in a thread of the device and waits for it; at once where a kernel asks for it.
template <typename Work>
void run_on_device(const char* algorithm, Work work) {
  if (::simt::in_kernel()) return work();
  const ::simt::LibraryCall call(__builtin_frame_address(0));
  const int error = ::simt::run_for_library(
      algorithm, [](void* it) { (*static_cast<Work*>(it))(); }, &work);
  throw_on_error(static_cast<cudaError_t>(error), algorithm);
}

/// The same, and returns what `work` does.
template <typename Work>
auto result_on_device(const char* algorithm, Work work) {
  using Result = decltype(work());
  if constexpr (std::is_void_v<Result>) {
    run_on_device(algorithm, std::move(work));
  } else {
    std::optional<Result> result;
    run_on_device(algorithm, [&] { result.emplace(work()); });
    return *std::move(result);
  }
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
