/// \file
/// A CUDA stream that destroys itself.
#pragma once

#include <cuda_runtime.h>

#include "common/cuda/check.h"

namespace worklog {

/// A stream of its own, which does not wait for the default stream.
class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// What the CUDA runtime takes; valid while this lives.
  cudaStream_t get() const { return stream_; }

  /// Waits for all work; throws CudaError if a kernel failed.
  void synchronize() const { check(cudaStreamSynchronize(stream_), "waiting for a stream"); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace worklog
