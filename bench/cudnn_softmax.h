/// \file
/// cuDNN's softmax, through its C API. Two implementations: one that calls cuDNN, and one for
/// builds without it, which has no version and refuses.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/step/dtype.h"

namespace worklog::bench {

/// cudnnSoftmaxAlgorithm_t.
enum class CudnnAlgorithm {
  kAccurate,  ///< the maximum is subtracted
  kFast,      ///< it is not
  kLog,       ///< log-softmax
};

/// Of the library that is loaded, such as "9.19.0"; "" where CMake found no cuDNN.
std::string cudnn_version();

/// Puts cudnnSoftmaxForward on `stream`: over the channels of a rows x cols x 1 x 1 tensor
/// (CUDNN_SOFTMAX_MODE_CHANNEL), from `logits` to `results`, both row-major arrays of `dtype`.
///
/// Throws Refused (bench/times.h), which names the shape and cuDNN's reason, and std::runtime_error
/// where cuDNN cannot even start.
void cudnn_softmax(CudnnAlgorithm algorithm, DType dtype, std::int64_t rows, std::int64_t cols,
                   const void* logits, void* results, cudaStream_t stream);

}  // namespace worklog::bench
