#include "library/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "common/step/validate.h"
#include "library/rows.h"
#include "library/status.h"

namespace worklog::library {

namespace {

// ---- options ----

// An array's strides as they are given, and what they are called.
struct GivenStrides {
  const char* name;
  std::int64_t stride;
  const char* matrix_name;
  std::int64_t matrix_stride;
};

std::int64_t matrix_rows_of(std::int64_t given, std::int64_t rows) {
  if (given < 0) {
    refuse("scaling->matrix_rows", std::to_string(given), "0, which stands for all rows, or more");
  }
  const std::int64_t all = std::max<std::int64_t>(rows, 1);
  return given == 0 ? all : std::min(given, all);
}

// That of a single matrix, where several of them are no different from one.
RowLayout layout_of(const GivenStrides& given, const Shape& shape, std::int64_t matrix_rows) {
  const std::size_t element = size_of(shape.dtype);
  const std::int64_t stride = stride_of(given.name, given.stride, shape.rows, shape.cols, element);
  const std::int64_t of_rows = matrix_rows * stride;
  const std::int64_t fewest = of_rows - stride + shape.cols;
  if (given.matrix_stride != 0 && given.matrix_stride < fewest) {
    refuse(given.matrix_name, std::to_string(given.matrix_stride),
           "0, or " + std::to_string(fewest) + " or more, where a matrix ends");
  }
  const std::int64_t matrices = std::max<std::int64_t>(shape.rows - 1, 0) / matrix_rows + 1;
  const std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element) / matrices;
  if (given.matrix_stride > most) {
    refuse(given.matrix_name, std::to_string(given.matrix_stride),
           "at most " + std::to_string(most) + " for " + std::to_string(matrices) + " matrices");
  }
  if (shape.rows <= 1) return {shape.cols, shape.cols, 1};
  const bool is_one = matrices == 1 || given.matrix_stride == 0 || given.matrix_stride == of_rows;
  if (is_one) return {stride, shape.rows * stride, static_cast<std::uint32_t>(shape.rows)};
  return {stride, given.matrix_stride, static_cast<std::uint32_t>(matrix_rows)};
}

bool has_no_gap(const RowLayout& layout, const Shape& shape) {
  return layout.stride == shape.cols && layout.matrix_rows >= shape.rows;
}

// ---- arrays ----

template <typename T>
Rows rows_of(const char* name, const T* data, std::int64_t rows, std::int64_t cols,
             const RowLayout& layout) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  return {name,
          data,
          rows,
          cols * kSize,
          layout.stride * kSize,
          layout.matrix_rows,
          layout.matrix_stride * kSize};
}

template <typename T>
Rows array_of(const char* name, const T* data, std::int64_t count) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
  return {name, data, 1, bytes, bytes};
}

bool lie_alike(const RowLayout& a, const RowLayout& b) {
  return a.stride == b.stride && a.matrix_stride == b.matrix_stride &&
         a.matrix_rows == b.matrix_rows;
}

}  // namespace

Scaling checked_scaling(const Shape& shape, const softmax_worklog_scale_options* given) {
  static const softmax_worklog_scale_options kPlain = SOFTMAX_WORKLOG_SCALE_DEFAULTS;
  const softmax_worklog_scale_options& asked = given != nullptr ? *given : kPlain;
  if (!(asked.scale > 0.0f) || !std::isfinite(asked.scale)) {
    std::ostringstream text;
    text << asked.scale;
    refuse("scaling->scale", text.str(), "a finite number above 0");
  }
  const std::int64_t matrix_rows = matrix_rows_of(asked.matrix_rows, shape.rows);
  Scaling made;
  made.scale = asked.scale;
  made.logits = layout_of({"scaling->logits_stride", asked.logits_stride,
                           "scaling->logits_matrix_stride", asked.logits_matrix_stride},
                          shape, matrix_rows);
  made.changes_nothing = made.scale == 1.0f && has_no_gap(made.logits, shape);
  if (shape.operation != SOFTMAX_WORKLOG_CROSS_ENTROPY) return made;
  made.gradients = layout_of({"scaling->gradients_stride", asked.gradients_stride,
                              "scaling->gradients_matrix_stride", asked.gradients_matrix_stride},
                             shape, matrix_rows);
  made.changes_nothing = made.changes_nothing && has_no_gap(made.gradients, shape);
  return made;
}

template <typename T>
void require_arrays(const ScaleTopK<T>& problem) {
  validate_shape(problem.rows, problem.k, sizeof(std::int64_t));
  require_aligned("logits", problem.logits, alignof(T));
  require_aligned("values", problem.values, alignof(float));
  require_aligned("indices", problem.indices, alignof(std::int64_t));
  const std::int64_t found = problem.rows * problem.k;
  const Rows logits = rows_of("logits", problem.logits, problem.rows, problem.cols, problem.layout);
  const Rows values = array_of("values", problem.values, found);
  const Rows indices = array_of("indices", problem.indices, found);
  require_clear(logits, values, "");
  require_clear(logits, indices, "");
  require_clear(values, indices, "");
}

template <typename T>
void require_arrays(const ScaleCrossEntropy<T>& problem, bool wants_gradients) {
  const bool reduces = problem.options.reduction != Reduction::kNone;
  const Labels of = problem.labels;
  const Rows labels = of.of_32_bits != nullptr ? array_of("labels", of.of_32_bits, problem.rows)
                                               : array_of("labels", of.of_64_bits, problem.rows);
  require_aligned("logits", problem.logits, alignof(T));
  require_aligned("labels", labels.data,
                  of.of_32_bits != nullptr ? alignof(std::int32_t) : alignof(std::int64_t));
  require_aligned("losses", problem.losses, alignof(float));
  if (reduces) require_aligned("loss", problem.loss, alignof(float));
  if (wants_gradients) require_aligned("gradients", problem.gradients, alignof(T));

  const Rows logits =
      rows_of("logits", problem.logits, problem.rows, problem.cols, problem.logits_layout);
  const Rows gradients =
      rows_of("gradients", problem.gradients, problem.rows, problem.cols, problem.gradients_layout);
  const Rows losses = array_of("losses", problem.losses, problem.rows);
  const Rows loss = array_of("loss", reduces ? problem.loss : nullptr, 1);
  const bool in_place = problem.gradients == problem.logits &&
                        lie_alike(problem.gradients_layout, problem.logits_layout);
  if (!in_place) require_clear(logits, gradients, "equal to logits, with their strides, or ");
  require_clear(labels, gradients, "");
  for (const Rows& result : {losses, loss}) {
    for (const Rows& other : {logits, labels, gradients})
      require_clear(other, result, "");
  }
  require_clear(losses, loss, "");
}

template void require_arrays(const ScaleTopK<float>&);
template void require_arrays(const ScaleTopK<__half>&);
template void require_arrays(const ScaleTopK<__nv_bfloat16>&);
template void require_arrays(const ScaleCrossEntropy<float>&, bool);
template void require_arrays(const ScaleCrossEntropy<__half>&, bool);
template void require_arrays(const ScaleCrossEntropy<__nv_bfloat16>&, bool);

}  // namespace worklog::library
