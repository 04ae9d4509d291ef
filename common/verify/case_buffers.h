/// \file
/// The arrays of a case, with its input in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/verify/attention_inputs.h"
#include "common/verify/case.h"
#include "common/verify/inputs.h"
#include "common/verify/labels.h"
#include "common/verify/rows_in_parallel.h"

namespace worklog {

/// What a backward step is given of the forward pass: the softmax of `logits`, or its logarithm.
inline RowSource forward_results(const Step& step, RowSource logits) {
  return step.takes<LogSoftmaxBackward>() ? log_softmax_of(std::move(logits))
                                          : softmax_of(std::move(logits));
}

/// Rows of `cols` elements, rounded to T, row after row.
template <typename T>
std::vector<T> array_of(std::int64_t rows, std::int64_t cols, const RowSource& source) {
  std::vector<T> array(static_cast<std::size_t>(rows * cols));
  for_rows_in_parallel(rows, cols, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> row(static_cast<std::size_t>(cols));
    for (std::int64_t r = begin; r < end; ++r) {
      source(r, row);
      std::transform(row.begin(), row.end(), array.begin() + r * cols,
                     [](float x) { return static_cast<T>(x); });
    }
  });
  return array;
}

/// All rows of a case's array.
template <typename T>
std::vector<T> array_of(const Case& a_case, const RowSource& source) {
  return array_of<T>(a_case.rows, a_case.cols, source);
}

/// All logits of a case. Throws as make_rows() does.
template <typename T>
std::vector<T> logits_of(const Case& a_case) {
  return array_of<T>(a_case, make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols));
}

/// Device memory for `step` on the case, with the case's logits and labels, or what a backward step
/// or an attention is given instead. T is the case's type. Throws as problem_buffers() and
/// make_rows() do.
template <typename T>
ProblemBuffers<T> buffers_of(const Step& step, const Case& a_case) {
  auto buffers = problem_buffers<T>(step, a_case.rows, a_case.cols, a_case.k);
  const RowSource logits = make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols);
  if (step.takes<Attention>()) {
    const AttentionInputs inputs =
        attention_inputs(logits, a_case.input, a_case.dtype, a_case.cols);
    buffers.queries.upload(array_of<T>(a_case.rows, kHeadDim, inputs.queries));
    buffers.keys.upload(array_of<T>(a_case.cols, kHeadDim, inputs.keys));
    buffers.key_values.upload(array_of<T>(a_case.cols, kHeadDim, inputs.values));
  } else if (step.is_backward()) {
    buffers.results.upload(array_of<T>(a_case, forward_results(step, logits)));
    buffers.gradients.upload(array_of<T>(a_case, make_gradients(a_case.input, a_case.dtype)));
  } else {
    buffers.logits.upload(array_of<T>(a_case, logits));
  }
  buffers.labels.upload(labels_of(buffers.labels.size(), a_case.cols));
  return buffers;
}

}  // namespace worklog
