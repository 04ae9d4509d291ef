/// \file
/// What the current device is.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/cuda/check.h"

namespace worklog {

/// Properties that a recorded time needs beside it.
struct Device {
  std::string name;             ///< as CUDA tells it, such as "NVIDIA H200"
  int sm_count = 0;             ///< multiprocessors
  std::int64_t l2_bytes = 0;    ///< size of the L2 cache
  std::string driver_version;   ///< the newest CUDA that the driver supports, such as "13.0"
  std::string runtime_version;  ///< the CUDA runtime that is linked
};

/// Throws CudaError if there is no device.
inline Device current_device() {
  const auto version_text = [](int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  };
  int index = 0;
  cudaDeviceProp properties{};
  int driver = 0;
  int runtime = 0;
  check(cudaGetDevice(&index), "finding a GPU");
  check(cudaGetDeviceProperties(&properties, index), "properties of the GPU");
  check(cudaDriverGetVersion(&driver), "version of the driver");
  check(cudaRuntimeGetVersion(&runtime), "version of the CUDA runtime");
  return {properties.name, properties.multiProcessorCount, properties.l2CacheSize,
          version_text(driver), version_text(runtime)};
}

/// Bytes of device memory that are free now.
inline std::int64_t free_device_memory() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free device memory");
  return static_cast<std::int64_t>(free_bytes);
}

}  // namespace worklog
