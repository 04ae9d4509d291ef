/// \file
/// The values on which conditional nodes of graphs depend: kernels set them.
#pragma once

#include <atomic>

#include "simt/include/cuda_standin/graphs.h"

namespace simt {

/// One of them, which lives as long as the program: kernels may have its handle.
struct GraphCondition {
  std::atomic<unsigned> value{0};  ///< what kernels have set last
  unsigned at_first = 0;           ///< what it is when a launch of its graph begins,
  bool begins_anew = false;        ///< if it is not what it was
};

/// Makes one.
cudaGraphConditionalHandle make_condition(unsigned at_first, bool begins_anew);
/// That of a handle; null if there is none.
GraphCondition* condition_of(cudaGraphConditionalHandle handle);

}  // namespace simt
