/// \file
/// What the capture of streams needs of events, and of a stream that others wait for.
#pragma once

#include <vector>

#include "simt/include/cuda_standin/graphs.h"

struct CUevent_st {
  int device = 0;  ///< that it belongs to
  bool timed = true;
  bool recorded = false;
  cudaGraph_t captured = nullptr;     ///< the graph of the stream that it was recorded in
  std::vector<cudaGraphNode_t> last;  ///< what comes before it there
};

namespace simt {

/// The event was recorded in that stream.
void record_in_capture(cudaStream_t stream, CUevent_st& event);
/// The stream waits for an event of a stream that is captured, and so is captured with it.
void join_capture(cudaStream_t stream, const CUevent_st& event);

}  // namespace simt
