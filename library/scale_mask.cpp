#include "library/scale_mask.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "library/rows.h"
#include "library/status.h"

namespace worklog::library {

namespace {

std::int64_t count_of(const char* name, std::int64_t given, std::int64_t rows) {
  if (given < 0) refuse(name, std::to_string(given), "0, which stands for all rows, or more");
  return given == 0 ? std::max<std::int64_t>(rows, 1) : given;
}

// Which row of the mask each row has. More matrices than the rows reach make no difference.
template <typename T>
void set_mask_rows(ScaleMaskSoftmax<T>& problem, const softmax_worklog_scale_mask_options& asked) {
  const std::int64_t rows = std::max<std::int64_t>(problem.rows, 1);
  if (asked.mask_matrices < 0) {
    refuse("options->mask_matrices", std::to_string(asked.mask_matrices),
           "0, which stands for 1, or more");
  }
  const std::int64_t matrix_rows =
      std::min(count_of("options->mask_matrix_rows", asked.mask_matrix_rows, rows), rows);
  const std::int64_t mask_rows = count_of("options->mask_rows", asked.mask_rows, matrix_rows);
  if (mask_rows > SOFTMAX_WORKLOG_MAX_ROWS) {
    refuse("options->mask_rows", std::to_string(mask_rows),
           "at most " + std::to_string(SOFTMAX_WORKLOG_MAX_ROWS));
  }
  const std::int64_t matrices = std::max<std::int64_t>(asked.mask_matrices, 1);
  const std::int64_t reached = (rows - 1) / matrix_rows + 1;
  problem.mask_rows = static_cast<std::uint32_t>(mask_rows);
  problem.mask_matrices = static_cast<std::uint32_t>(std::min(matrices, reached));
  problem.mask_matrix_rows = static_cast<std::uint32_t>(matrix_rows);
}

// How many rows the mask has up to the last that a call may read.
template <typename T>
std::int64_t rows_of_mask(const ScaleMaskSoftmax<T>& problem) {
  const std::int64_t before = std::int64_t{problem.mask_matrices - 1} * problem.mask_rows;
  return before + std::min<std::int64_t>(problem.mask_rows, problem.rows);
}

using Named = std::pair<const char*, std::int64_t>;

void require_zeros(std::initializer_list<Named> all, const std::string& where) {
  for (const auto& [name, given] : all) {
    if (given != 0) refuse(name, std::to_string(given), "0 where " + where);
  }
}

// Somebody who says how a mask lies has forgotten the mask.
void require_mask(const softmax_worklog_scale_mask_options& asked) {
  if (asked.mask != nullptr) return;
  require_zeros({{"options->mask_rows", asked.mask_rows},
                 {"options->mask_stride", asked.mask_stride},
                 {"options->mask_matrices", asked.mask_matrices},
                 {"options->mask_matrix_rows", asked.mask_matrix_rows}},
                "options->mask is null");
}

// The same of a causal one, which has no memory, so that it is the same without rows.
void require_causal(const softmax_worklog_scale_mask_options& asked) {
  if (asked.is_causal != 0) return;
  require_zeros(
      {{"options->queries", asked.queries}, {"options->causal_offset", asked.causal_offset}},
      "options->is_causal is 0");
}

template <typename T>
void require_arrays(const ScaleMaskSoftmax<T>& problem) {
  const std::size_t element = size_of(problem.results_type);
  require_aligned("logits", problem.logits, sizeof(T));
  require_aligned("results", problem.results, element);
  if (problem.mask != nullptr) require_aligned("options->mask", problem.mask, sizeof(T));

  const auto rows_of = [&](const char* name, const void* data, std::int64_t rows,
                           std::int64_t stride, std::size_t bytes) {
    const auto each = static_cast<std::int64_t>(bytes);
    return Rows{name, data, rows, problem.cols * each, stride * each};
  };
  const Rows logits =
      rows_of("logits", problem.logits, problem.rows, problem.logits_stride, sizeof(T));
  const Rows results =
      rows_of("results", problem.results, problem.rows, problem.results_stride, element);
  const Rows mask =
      rows_of("options->mask", problem.mask, rows_of_mask(problem), problem.mask_stride, sizeof(T));
  const bool in_place = problem.logits == problem.results &&
                        dtype_of<T>() == problem.results_type &&
                        problem.logits_stride == problem.results_stride;
  if (!in_place) {
    require_clear(logits, results, "equal to logits, with their type and stride, or ");
  }
  require_clear(mask, results, "");
}

}  // namespace

template <typename T>
ScaleMaskSoftmax<T> checked_scale_mask(const T* logits, DType results_type, void* results,
                                       std::int64_t rows, std::int64_t cols,
                                       const softmax_worklog_scale_mask_options* options) {
  static const softmax_worklog_scale_mask_options kPlain = SOFTMAX_WORKLOG_SCALE_MASK_DEFAULTS;
  const softmax_worklog_scale_mask_options& asked = options != nullptr ? *options : kPlain;
  require_shape_and_scale(rows, cols, std::max(sizeof(T), size_of(results_type)), asked.scale);
  ScaleMaskSoftmax<T> problem;
  problem.logits = logits;
  problem.mask = static_cast<const T*>(asked.mask);
  problem.results = results;
  problem.results_type = results_type;
  problem.is_causal = asked.is_causal != 0;
  problem.scale = asked.scale;
  problem.rows = rows;
  problem.cols = cols;
  set_mask_rows(problem, asked);
  require_causal(asked);
  problem.queries = count_of("options->queries", asked.queries, rows);
  problem.causal_offset = std::clamp(asked.causal_offset, -problem.queries, cols);
  problem.logits_stride =
      stride_of("options->logits_stride", asked.logits_stride, rows, cols, sizeof(T));
  problem.results_stride =
      stride_of("options->results_stride", asked.results_stride, rows, cols, size_of(results_type));
  problem.mask_stride =
      stride_of("options->mask_stride", asked.mask_stride, rows_of_mask(problem), cols, sizeof(T));
  if (rows == 0 || cols == 0) return problem;
  require_mask(asked);
  require_arrays(problem);
  return problem;
}

template ScaleMaskSoftmax<float> checked_scale_mask(const float*, DType, void*, std::int64_t,
                                                    std::int64_t,
                                                    const softmax_worklog_scale_mask_options*);
template ScaleMaskSoftmax<__half> checked_scale_mask(const __half*, DType, void*, std::int64_t,
                                                     std::int64_t,
                                                     const softmax_worklog_scale_mask_options*);
template ScaleMaskSoftmax<__nv_bfloat16> checked_scale_mask(
    const __nv_bfloat16*, DType, void*, std::int64_t, std::int64_t,
    const softmax_worklog_scale_mask_options*);

}  // namespace worklog::library
