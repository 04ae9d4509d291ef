/// \file
/// Runs what Thrust does on a device.
#pragma once

#include <optional>
#include <thrust/system/cuda/detail/util.h>
#include <type_traits>
#include <utility>

#include "simt/executor/executor.h"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

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
