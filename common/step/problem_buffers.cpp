#include "common/step/problem_buffers.h"

#include <algorithm>

#include "common/step/run.h"
#include "common/step/validate.h"

namespace worklog {

std::int64_t ArrayLengths::bytes_to_move(DType dtype) const {
  const std::int64_t elements = logits + results + gradients + queries + 2 * keys + columns;
  return elements * static_cast<std::int64_t>(size_of(dtype)) +
         values * static_cast<std::int64_t>(sizeof(float)) +
         (labels + indices) * static_cast<std::int64_t>(sizeof(std::int64_t));
}

ArrayLengths array_lengths(const Step& step, std::int64_t rows, std::int64_t cols, int k,
                           DType dtype) {
  const std::int64_t scratch = scratch_bytes(step, rows, cols, dtype);  // throws for a bad shape
  ArrayLengths lengths{.scratch_bytes = scratch};
  if (step.takes<Attention>()) {
    validate_shape(rows, kHeadDim, size_of(dtype));
    validate_shape(cols, kHeadDim, size_of(dtype));
    lengths.queries = lengths.columns = rows * kHeadDim;
    lengths.keys = cols * kHeadDim;
  } else if (step.is_backward()) {
    lengths.results = lengths.gradients = rows * cols;
  } else {
    lengths.logits = rows * cols;
  }
  if (step.keeps_columns()) lengths.columns = rows * cols;
  if (step.takes<NegativeLogLikelihood>()) lengths.labels = lengths.values = rows;
  if (step.takes<CrossEntropy>()) {
    lengths.labels = rows;
    lengths.values = 2 * rows + 1;
  }
  if (step.is_top_k()) lengths.values = lengths.indices = rows * std::max(k, 0);
  return lengths;
}

}  // namespace worklog
