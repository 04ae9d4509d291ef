/// \file
/// A CUDA graph that destroys itself: launches recorded once, then replayed as one.
#pragma once

#include <cuda_runtime.h>

#include "common/cuda/check.h"
#include "common/cuda/stream.h"

namespace worklog {

/// What `enqueue(stream)` put on a stream, ready to be replayed.
class Graph {
 public:
  /// Nothing runs yet. `enqueue` must not wait or allocate.
  template <typename Enqueue>
  explicit Graph(Enqueue&& enqueue) {
    const Stream stream;
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
          "beginning a graph");
    cudaGraph_t captured = nullptr;
    try {
      enqueue(stream.get());
    } catch (...) {
      cudaStreamEndCapture(stream.get(), &captured);
      if (captured != nullptr) cudaGraphDestroy(captured);
      throw;
    }
    check(cudaStreamEndCapture(stream.get(), &captured), "ending a graph");
    const cudaError_t code = cudaGraphInstantiate(&graph_, captured, 0);
    cudaGraphDestroy(captured);
    check(code, "instantiating a graph");
  }
  ~Graph() { cudaGraphExecDestroy(graph_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Puts the captured work on the stream once. Throws CudaError.
  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(graph_, stream), "launching a graph");
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace worklog
