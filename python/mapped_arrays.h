/// \file
/// Arrays of the caller's that kernels work on where they lie.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#ifdef SIMT_EXECUTOR
#include <string>
#include <vector>

#include "common/cuda/check.h"
#include "simt/executor/executor.h"
#endif

namespace worklog::python {

/// Lets the CPU executor's kernels reach arrays in the host's memory, and counts what they do
/// there, for as long as this lives. A GPU is given arrays in its own memory: nothing is to be done
/// for them.
class MappedArrays {
 public:
  MappedArrays() = default;
  MappedArrays(const MappedArrays&) = delete;
  MappedArrays& operator=(const MappedArrays&) = delete;

#ifdef SIMT_EXECUTOR
  ~MappedArrays() {
    for (const void* array : mapped_)
      simt::unmap_host_memory(array);
  }

  /// Throws CudaError if there is no room for that many bytes.
  void add(const void* array, std::size_t bytes, std::size_t element_bytes) {
    if (bytes == 0) return;
    const int error = simt::map_host_memory(array, bytes, element_bytes);
    check(static_cast<cudaError_t>(error), "mapping an array of " + std::to_string(bytes) +
                                               " bytes for the CPU executor, which has 8 GiB");
    mapped_.push_back(array);
  }

 private:
  std::vector<const void*> mapped_;
#else
  void add(const void*, std::size_t, std::size_t) {}
#endif
};

}  // namespace worklog::python
