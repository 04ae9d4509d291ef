/// \file
/// Runs a step on a problem: the one way that tests, bench and learners' own programs take.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/problem.h"
#include "common/step/step.h"

namespace worklog {

/// Bytes of scratch that `run` needs for a shape; 0 for most steps. Throws as `run` does on a bad
/// shape.
std::int64_t scratch_bytes(const Step& step, std::int64_t rows, std::int64_t cols, DType dtype);

/// Validates the problem, then launches `step` on `stream`; does not wait for the end.
///
/// `problem.block_size` 0 means the step's own choice. More rows than a grid's x dimension holds
/// (2^31 - 1) are launched in parts. 0 rows or 0 columns: nothing is launched. Throws ArgumentError
/// (common/step/validate.h) before any launch, CudaError when CUDA refuses one,
/// std::invalid_argument when the step is of another operation.
template <typename T>
void run(const Step& step, const Softmax<T>& problem, cudaStream_t stream);

/// The same for the steps of other operations.
template <typename T>
void run(const Step& step, const LogSoftmax<T>& problem, cudaStream_t stream);
/// The same; labels that name no column are no error, but give NaN.
template <typename T>
void run(const Step& step, const NegativeLogLikelihood<T>& problem, cudaStream_t stream);
/// The same.
template <typename T>
void run(const Step& step, const SoftmaxBackward<T>& problem, cudaStream_t stream);
/// The same.
template <typename T>
void run(const Step& step, const LogSoftmaxBackward<T>& problem, cudaStream_t stream);
/// The same; labels that name no column give NaN.
template <typename T>
void run(const Step& step, const CrossEntropy<T>& problem, cudaStream_t stream);
/// The same.
template <typename T>
void run(const Step& step, const Attention<T>& problem, cudaStream_t stream);
/// The same; k must be within the step's limit (StepInfo::max_k).
template <typename T>
void run(const Step& step, const TopK<T>& problem, cudaStream_t stream);

/// The same for a step of any operation.
template <typename T>
void run(const Step& step, const AnyProblem<T>& problem, cudaStream_t stream);

}  // namespace worklog
