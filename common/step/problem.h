/// \file
/// What a step is asked to do: device pointers, a shape, and how to launch.
#pragma once

#include <cstdint>

#include "common/step/scratch.h"

namespace worklog {

/// Softmax over the last dimension of a row-major rows x cols array in device memory.
///
/// A step receives problems that common/step/validate.h has accepted: rows and cols are at least 1,
/// rows fits a grid's x dimension, pointers are aligned to T, and `probabilities` is either
/// `logits` itself or does not overlap it. A row with a NaN, with +inf, or of -inf only gives NaN
/// throughout; any other -inf gives exactly 0.
template <typename T>
struct Softmax {
  const T* logits = nullptr;   ///< rows x cols
  T* probabilities = nullptr;  ///< rows x cols; each row sums to 1 within rounding
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int block_size = 0;         ///< threads a block: a multiple of 32, at most 1024
  mutable Scratch scratch{};  ///< the device memory that the step's registration asked for
};

/// The k largest probabilities of each row's softmax and their columns, descending, ties to the
/// lowest column.
///
/// As for Softmax, validate.h has accepted the problem: 1 <= k <= cols and k is within the step's
/// limit. The values of a row with a NaN or +inf, or of -inf only, are all NaN.
template <typename T>
struct TopK {
  const T* logits = nullptr;        ///< rows x cols
  float* values = nullptr;          ///< rows x k
  std::int64_t* indices = nullptr;  ///< rows x k, each in 0 .. cols - 1
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int k = 0;
  int block_size = 0;         ///< threads a block: a multiple of 32, at most 1024
  mutable Scratch scratch{};  ///< the device memory that the step's registration asked for
};

}  // namespace worklog
