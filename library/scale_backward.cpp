#include "library/scale_backward.h"

#include <algorithm>
#include <string>

#include "library/rows.h"
#include "library/status.h"

namespace worklog::library {

namespace {

template <typename T>
void require_arrays(const ScaleBackward<T>& problem, const char* results_name) {
  const std::size_t element = size_of(problem.logit_type);
  require_aligned(results_name, problem.results, sizeof(T));
  require_aligned("gradients", problem.gradients, sizeof(T));
  require_aligned("logit_gradients", problem.logit_gradients, element);

  const auto rows_of = [&](const char* name, const void* data, std::int64_t stride,
                           std::size_t bytes) {
    const auto each = static_cast<std::int64_t>(bytes);
    return Rows{name, data, problem.rows, problem.cols * each, stride * each};
  };
  const Rows made =
      rows_of("logit_gradients", problem.logit_gradients, problem.logit_gradients_stride, element);
  const auto require_clear_or_equal = [&](const char* name, const T* data, std::int64_t stride) {
    const bool in_place = data == problem.logit_gradients && dtype_of<T>() == problem.logit_type &&
                          stride == problem.logit_gradients_stride;
    if (in_place) return;
    require_clear(rows_of(name, data, stride, sizeof(T)), made,
                  "equal to " + std::string(name) + ", with their type and stride, or ");
  };
  require_clear_or_equal(results_name, problem.results, problem.results_stride);
  require_clear_or_equal("gradients", problem.gradients, problem.gradients_stride);
}

}  // namespace

template <typename T>
ScaleBackward<T> checked_scale_backward(const BackwardArrays<T>& arrays, std::int64_t rows,
                                        std::int64_t cols,
                                        const softmax_worklog_scale_backward_options* options) {
  static const softmax_worklog_scale_backward_options kPlain =
      SOFTMAX_WORKLOG_SCALE_BACKWARD_DEFAULTS;
  const softmax_worklog_scale_backward_options& asked = options != nullptr ? *options : kPlain;
  const std::size_t element = size_of(arrays.logit_type);
  require_shape_and_scale(rows, cols, std::max(sizeof(T), element), asked.scale);
  ScaleBackward<T> problem;
  problem.results = arrays.results;
  problem.gradients = arrays.gradients;
  problem.logit_gradients = arrays.logit_gradients;
  problem.logit_type = arrays.logit_type;
  problem.scale = asked.scale;
  problem.rows = rows;
  problem.cols = cols;
  problem.results_stride =
      stride_of("options->results_stride", asked.results_stride, rows, cols, sizeof(T));
  problem.gradients_stride =
      stride_of("options->gradients_stride", asked.gradients_stride, rows, cols, sizeof(T));
  problem.logit_gradients_stride = stride_of("options->logit_gradients_stride",
                                             asked.logit_gradients_stride, rows, cols, element);
  if (rows > 0 && cols > 0) require_arrays(problem, arrays.results_name);
  return problem;
}

template ScaleBackward<float> checked_scale_backward(const BackwardArrays<float>&, std::int64_t,
                                                     std::int64_t,
                                                     const softmax_worklog_scale_backward_options*);
template ScaleBackward<__half> checked_scale_backward(
    const BackwardArrays<__half>&, std::int64_t, std::int64_t,
    const softmax_worklog_scale_backward_options*);
template ScaleBackward<__nv_bfloat16> checked_scale_backward(
    const BackwardArrays<__nv_bfloat16>&, std::int64_t, std::int64_t,
    const softmax_worklog_scale_backward_options*);

}  // namespace worklog::library
