/// \file
/// What the steps do not compute: every operation in fp64, and the k smallest, or more of the
/// largest than any step finds. Each kernel is as plain as step 04's, a block for each row, and
/// nobody has tuned it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/scratch.h"

namespace worklog::python {

/// A row-major array of rows x cols, without a gap between rows.
struct Extent {
  std::int64_t rows;  ///< 1 or more
  std::int64_t cols;  ///< 1 or more
};

/// Softmax of each row; in place or not. Special rows come out as steps have them.
void softmax_of_doubles(const double* x, double* y, Extent extent, cudaStream_t stream);
/// The logarithms of that.
void log_softmax_of_doubles(const double* x, double* y, Extent extent, cudaStream_t stream);
/// The gradients of the logits, from what softmax gave and the gradients by it; in place or not.
void softmax_backward_of_doubles(const double* y, const double* dy, double* dx, Extent extent,
                                 cudaStream_t stream);
/// The same for a log-softmax.
void log_softmax_backward_of_doubles(const double* y, const double* dy, double* dx, Extent extent,
                                     cudaStream_t stream);

/// What a cross-entropy of fp64 works on. Of a step's options, neither a z-loss nor a reduction.
struct CrossEntropyOfDoubles {
  const double* logits;        ///< rows x cols
  const std::int64_t* labels;  ///< rows
  double* losses;              ///< rows
  double* gradients;          ///< rows x cols, of the losses' sum; may be null: then there are none
  std::int64_t ignore_index;  ///< the label of rows that do not count
  double label_smoothing;     ///< 0 to 1: the share of the target that all columns share
};
/// The losses of all rows, and the gradients of their sum.
void cross_entropy_of_doubles(const CrossEntropyOfDoubles& problem, Extent extent,
                              cudaStream_t stream);

/// The first k of each row when it is sorted.
template <typename Key>
struct Sorted {
  const Key* keys;        ///< rows x cols; a NaN counts as the largest
  Key* values;            ///< rows x k: the keys themselves, or their probabilities
  std::int64_t* indices;  ///< rows x k: their columns, of equal keys the lowest first
  std::int64_t k;         ///< 1 to cols
  bool largest;           ///< the largest first, else the smallest
  bool probabilities;     ///< of what a softmax makes of scale * row; not of integers
  double scale;           ///< above 0, so that the keys' own order is that of the probabilities
};
/// How many bytes of scratch it takes.
std::int64_t sort_scratch_bytes(Extent extent);
/// Key is double or std::int64_t.
template <typename Key>
void sort_rows(const Sorted<Key>& problem, Extent extent, Scratch scratch, cudaStream_t stream);

}  // namespace worklog::python
