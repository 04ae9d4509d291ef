/// \file
/// The arrays of a case, with its input in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/verify/case.h"
#include "common/verify/inputs.h"
#include "common/verify/labels.h"
#include "common/verify/rows_in_parallel.h"

namespace worklog {

/// All logits of a case, rounded to T, row after row. Throws as make_rows() does.
template <typename T>
std::vector<T> logits_of(const Case& a_case) {
  const RowSource source = make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols);
  std::vector<T> logits(static_cast<std::size_t>(a_case.rows * a_case.cols));
  for_rows_in_parallel(a_case.rows, a_case.cols, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> row(static_cast<std::size_t>(a_case.cols));
    for (std::int64_t r = begin; r < end; ++r) {
      source(r, row);
      std::transform(row.begin(), row.end(), logits.begin() + r * a_case.cols,
                     [](float x) { return static_cast<T>(x); });
    }
  });
  return logits;
}

/// Device memory for `step` on the case, with the case's logits and labels. T is the case's type.
/// Throws as problem_buffers() and make_rows() do.
template <typename T>
ProblemBuffers<T> buffers_of(const Step& step, const Case& a_case) {
  auto buffers = problem_buffers<T>(step, a_case.rows, a_case.cols, a_case.k);
  buffers.logits.upload(logits_of<T>(a_case));
  buffers.labels.upload(labels_of(buffers.labels.size(), a_case.cols));
  return buffers;
}

}  // namespace worklog
