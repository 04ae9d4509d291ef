/// \file
/// A step's scratch for one launch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/cuda/check.h"
#include "common/step/scratch.h"

namespace worklog::python {

/// Device memory that is freed as soon as what was put on the stream before is done: the host need
/// not wait.
class StreamScratch {
 public:
  /// Throws CudaError when the device is out of memory.
  StreamScratch(std::int64_t bytes, cudaStream_t stream) : bytes_(bytes), stream_(stream) {
    if (bytes == 0) return;
    const cudaError_t code = cudaMallocAsync(&memory_, static_cast<std::size_t>(bytes), stream);
    if (code != cudaSuccess) cudaGetLastError();  // not sticky: leave nothing for the next check
    check(code, "cudaMallocAsync of " + std::to_string(bytes) + " bytes of scratch");
  }
  ~StreamScratch() {
    if (memory_ != nullptr) cudaFreeAsync(memory_, stream_);
  }
  StreamScratch(const StreamScratch&) = delete;
  StreamScratch& operator=(const StreamScratch&) = delete;

  Scratch get() const { return Scratch(memory_, bytes_); }
  /// Where it begins; null where there is none.
  void* data() const { return memory_; }

 private:
  std::int64_t bytes_;
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

}  // namespace worklog::python
