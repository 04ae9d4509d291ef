/// \file
/// Softmax, its relatives and their gradients on a GPU, for C++.
///
/// Arrays are row-major, rows x cols, in memory of the current device; T is float, __half or
/// __nv_bfloat16. Rows have no gap between them, but for functions with "scale" in their names.
/// Every function may be called from several threads at once, puts its work on a stream, allocates
/// no device memory and waits for nothing:
///
///     std::size_t bytes = 0;
///     Status status = workspace_bytes<float>(Operation::kSoftmax, rows, cols, &bytes);
///     ...                                        // device memory of so many bytes
///     status = softmax(logits, probabilities, rows, cols, {workspace, bytes}, stream);
///     if (!status.ok()) std::cerr << status.message() << '\n';
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <softmax_worklog/c.h>
#include <string>
#include <type_traits>

namespace softmax_worklog {

/// How a call went.
class Status {
 public:
  /// Success.
  Status() = default;
  /// What a function of the C interface has just returned to this thread.
  explicit Status(softmax_worklog_status code)
      : code_(code),
        message_(code == SOFTMAX_WORKLOG_SUCCESS ? "" : softmax_worklog_last_error()) {}

  /// Whether the work is on the stream.
  bool ok() const { return code_ == SOFTMAX_WORKLOG_SUCCESS; }
  /// What kind of error it is; SOFTMAX_WORKLOG_SUCCESS if none.
  softmax_worklog_status code() const { return code_; }
  /// One line that names the argument, its value and its limit; "" if all is well.
  const std::string& message() const { return message_; }

 private:
  softmax_worklog_status code_ = SOFTMAX_WORKLOG_SUCCESS;
  std::string message_;
};

/// What is computed, for those functions that are asked about it.
enum class Operation {
  kSoftmax = SOFTMAX_WORKLOG_SOFTMAX,                          ///< softmax()
  kLogSoftmax = SOFTMAX_WORKLOG_LOG_SOFTMAX,                   ///< log_softmax()
  kTopK = SOFTMAX_WORKLOG_TOP_K,                               ///< top_k()
  kSoftmaxBackward = SOFTMAX_WORKLOG_SOFTMAX_BACKWARD,         ///< softmax_backward()
  kLogSoftmaxBackward = SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD,  ///< log_softmax_backward()
  kCrossEntropy = SOFTMAX_WORKLOG_CROSS_ENTROPY,               ///< cross_entropy()
  kCrossEntropyLoss = SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS,      ///< cross_entropy_loss()
};

/// Device memory that a call may use until its work on the stream is done.
struct Workspace {
  void* data =
      nullptr;  ///< aligned to SOFTMAX_WORKLOG_WORKSPACE_ALIGNMENT; null where 0 bytes will do
  std::size_t bytes = 0;  ///< workspace_bytes() or more
};

/// What becomes of the losses of all rows.
enum class Reduction {
  kNone = SOFTMAX_WORKLOG_NO_REDUCTION,  ///< nothing: the gradients are those of the losses' sum
  kSum = SOFTMAX_WORKLOG_SUM,            ///< their sum
  kMean = SOFTMAX_WORKLOG_MEAN,          ///< their sum over the number of rows that are not ignored
};

/// What a cross-entropy may be asked for beside the plain loss.
struct CrossEntropyOptions {
  std::int64_t ignore_index = -100;  ///< the label of rows that do not count
  float label_smoothing = 0.0f;      ///< 0 to 1: the share of the target that all columns share
  float z_loss = 0.0f;               ///< 0 or more, finite: log(sum(exp))^2 times this is added
  Reduction reduction = Reduction::kNone;  ///< what becomes of the losses
};

/// The results of a cross-entropy.
template <typename T>
struct CrossEntropyResults {
  float* losses = nullptr;  ///< rows; may be null where there is a reduction
  float* loss = nullptr;    ///< 1: the sum or the mean; null where there is no reduction
  T* gradients = nullptr;   ///< rows x cols; may be the logits
};

/// What is done to the logits of a softmax while they are read, and where rows lie. Strides are in
/// elements, from a row to the next; 0 stands for cols.
template <typename T>
struct ScaleMaskOptions {
  float scale = 1.0f;              ///< what logits are multiplied by; finite
  const T* mask = nullptr;         ///< mask_matrices x mask_rows x cols, added to the scaled
                                   ///< logits; null for none, and then what follows of the mask
                                   ///< is 0
  std::int64_t mask_rows = 0;      ///< of a matrix of the mask: row r has its row r % mask_rows; 0
                                   ///< stands for mask_matrix_rows
  std::int64_t mask_stride = 0;    ///< cols or more
  std::int64_t mask_matrices = 0;  ///< row r has the matrix r / mask_matrix_rows % mask_matrices;
                                   ///< 0 stands for 1
  std::int64_t mask_matrix_rows = 0;  ///< rows of logits in succession that have one matrix; 0
                                      ///< stands for rows
  bool is_causal = false;          ///< whether row r sees columns up to r % queries + causal_offset
  std::int64_t queries = 0;        ///< rows of one matrix; 0 stands for rows, and if not is_causal
  std::int64_t causal_offset = 0;  ///< cols - queries where queries and columns end together; 0 if
                                   ///< not is_causal
  std::int64_t logits_stride = 0;  ///< cols or more
  std::int64_t results_stride = 0;  ///< cols or more
};

/// What the logits of a top-k or a cross-entropy are multiplied by while they are read, and where
/// rows lie, in elements. Rows may be those of several matrices, which lie apart themselves.
struct ScaleOptions {
  float scale = 1.0f;                 ///< above 0 and finite; of a temperature 1 / that
  std::int64_t logits_stride = 0;     ///< from a row to the next: cols or more; 0 stands for cols
  std::int64_t gradients_stride = 0;  ///< likewise; looked at where there are gradients
  std::int64_t matrix_rows = 0;       ///< rows in succession that are a matrix; 0 stands for all
  std::int64_t logits_matrix_stride = 0;  ///< from the first row of a matrix to the next one's; 0
                                          ///< stands for matrix_rows strides
  std::int64_t gradients_matrix_stride = 0;  ///< likewise; looked at where there are gradients
};

/// What logits were multiplied by before a softmax, and where the rows of its backward pass lie.
/// Strides are in elements, from a row to the next: cols or more; 0 stands for cols.
struct ScaleBackwardOptions {
  float scale = 1.0f;                       ///< finite: that of scale_mask_softmax()
  std::int64_t results_stride = 0;          ///< of what the softmax or the log-softmax gave
  std::int64_t gradients_stride = 0;        ///< of the gradients by that
  std::int64_t logit_gradients_stride = 0;  ///< of the gradients by the logits
};

/// The C interface's name of an element's type.
template <typename T>
constexpr softmax_worklog_dtype dtype_of() {
  static_assert(
      std::is_same_v<T, float> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>,
      "elements are float, __half or __nv_bfloat16");
  if (std::is_same_v<T, __half>) return SOFTMAX_WORKLOG_FLOAT16;
  return std::is_same_v<T, float> ? SOFTMAX_WORKLOG_FLOAT32 : SOFTMAX_WORKLOG_BFLOAT16;
}

/// How many bytes of workspace a call needs, into `bytes`. See softmax_worklog_workspace_bytes().
template <typename T>
Status workspace_bytes(Operation operation, std::int64_t rows, std::int64_t cols,
                       std::size_t* bytes, int k = 0) {
  return Status(softmax_worklog_workspace_bytes(static_cast<softmax_worklog_operation>(operation),
                                                dtype_of<T>(), rows, cols, k, bytes));
}

/// Softmax of each row; in place or not. See softmax_worklog_softmax() for all that may be wrong.
template <typename T>
Status softmax(const T* logits, T* probabilities, std::int64_t rows, std::int64_t cols,
               Workspace workspace = {}, cudaStream_t stream = nullptr) {
  return Status(softmax_worklog_softmax(dtype_of<T>(), logits, probabilities, rows, cols,
                                        workspace.data, workspace.bytes, stream));
}

/// The logarithms of the softmax of each row; in place or not. See softmax_worklog_log_softmax().
template <typename T>
Status log_softmax(const T* logits, T* log_probabilities, std::int64_t rows, std::int64_t cols,
                   Workspace workspace = {}, cudaStream_t stream = nullptr) {
  return Status(softmax_worklog_log_softmax(dtype_of<T>(), logits, log_probabilities, rows, cols,
                                            workspace.data, workspace.bytes, stream));
}

/// The C interface's form of the options.
template <typename T>
softmax_worklog_scale_mask_options as_c(const ScaleMaskOptions<T>& options) {
  return {options.scale,         options.mask,          options.mask_rows,
          options.mask_stride,   options.mask_matrices, options.mask_matrix_rows,
          options.is_causal,     options.queries,       options.causal_offset,
          options.logits_stride, options.results_stride};
}

/// Softmax of each row of scale * x + mask, of rows that may lie apart, into results of any type.
/// See softmax_worklog_scale_mask_softmax().
template <typename T, typename Result>
Status scale_mask_softmax(const T* logits, Result* results, std::int64_t rows, std::int64_t cols,
                          const ScaleMaskOptions<T>& options = {}, cudaStream_t stream = nullptr) {
  const softmax_worklog_scale_mask_options asked = as_c(options);
  return Status(softmax_worklog_scale_mask_softmax(dtype_of<T>(), logits, dtype_of<Result>(),
                                                   results, rows, cols, &asked, stream));
}

/// The logarithms of that. See softmax_worklog_scale_mask_log_softmax().
template <typename T, typename Result>
Status scale_mask_log_softmax(const T* logits, Result* results, std::int64_t rows,
                              std::int64_t cols, const ScaleMaskOptions<T>& options = {},
                              cudaStream_t stream = nullptr) {
  const softmax_worklog_scale_mask_options asked = as_c(options);
  return Status(softmax_worklog_scale_mask_log_softmax(dtype_of<T>(), logits, dtype_of<Result>(),
                                                       results, rows, cols, &asked, stream));
}

/// The k largest probabilities of each row, rows x k, and their columns. See
/// softmax_worklog_top_k().
template <typename T>
Status top_k(const T* logits, float* values, std::int64_t* indices, std::int64_t rows,
             std::int64_t cols, int k, Workspace workspace = {}, cudaStream_t stream = nullptr) {
  return Status(softmax_worklog_top_k(dtype_of<T>(), logits, values, indices, rows, cols, k,
                                      workspace.data, workspace.bytes, stream));
}

/// The C interface's form of the options.
inline softmax_worklog_scale_options as_c(const ScaleOptions& options) {
  return {options.scale,       options.logits_stride,        options.gradients_stride,
          options.matrix_rows, options.logits_matrix_stride, options.gradients_matrix_stride};
}

/// The k largest probabilities of each row's softmax of scale * x, and their columns. See
/// softmax_worklog_scale_top_k().
template <typename T>
Status scale_top_k(const T* logits, float* values, std::int64_t* indices, std::int64_t rows,
                   std::int64_t cols, int k, const ScaleOptions& scaling = {},
                   Workspace workspace = {}, cudaStream_t stream = nullptr) {
  const softmax_worklog_scale_options asked = as_c(scaling);
  return Status(softmax_worklog_scale_top_k(dtype_of<T>(), logits, values, indices, rows, cols, k,
                                            &asked, workspace.data, workspace.bytes, stream));
}

/// The gradients of the logits, from those of the probabilities. See
/// softmax_worklog_softmax_backward().
template <typename T>
Status softmax_backward(const T* probabilities, const T* gradients, T* logit_gradients,
                        std::int64_t rows, std::int64_t cols, Workspace workspace = {},
                        cudaStream_t stream = nullptr) {
  return Status(softmax_worklog_softmax_backward(dtype_of<T>(), probabilities, gradients,
                                                 logit_gradients, rows, cols, workspace.data,
                                                 workspace.bytes, stream));
}

/// The same from those of the logarithms. See softmax_worklog_log_softmax_backward().
template <typename T>
Status log_softmax_backward(const T* log_probabilities, const T* gradients, T* logit_gradients,
                            std::int64_t rows, std::int64_t cols, Workspace workspace = {},
                            cudaStream_t stream = nullptr) {
  return Status(softmax_worklog_log_softmax_backward(dtype_of<T>(), log_probabilities, gradients,
                                                     logit_gradients, rows, cols, workspace.data,
                                                     workspace.bytes, stream));
}

/// The C interface's form of the options.
inline softmax_worklog_scale_backward_options as_c(const ScaleBackwardOptions& options) {
  return {options.scale, options.results_stride, options.gradients_stride,
          options.logit_gradients_stride};
}

/// The gradients of logits that scale_mask_softmax() scaled, of their own type. See
/// softmax_worklog_scale_softmax_backward().
template <typename T, typename Logit>
Status scale_softmax_backward(const T* probabilities, const T* gradients, Logit* logit_gradients,
                              std::int64_t rows, std::int64_t cols,
                              const ScaleBackwardOptions& options = {},
                              cudaStream_t stream = nullptr) {
  const softmax_worklog_scale_backward_options asked = as_c(options);
  return Status(softmax_worklog_scale_softmax_backward(dtype_of<T>(), probabilities, gradients,
                                                       dtype_of<Logit>(), logit_gradients, rows,
                                                       cols, &asked, stream));
}

/// The same from those of the logarithms. See softmax_worklog_scale_log_softmax_backward().
template <typename T, typename Logit>
Status scale_log_softmax_backward(const T* log_probabilities, const T* gradients,
                                  Logit* logit_gradients, std::int64_t rows, std::int64_t cols,
                                  const ScaleBackwardOptions& options = {},
                                  cudaStream_t stream = nullptr) {
  const softmax_worklog_scale_backward_options asked = as_c(options);
  return Status(softmax_worklog_scale_log_softmax_backward(
      dtype_of<T>(), log_probabilities, gradients, dtype_of<Logit>(), logit_gradients, rows, cols,
      &asked, stream));
}

/// The C interface's form of the options.
inline softmax_worklog_cross_entropy_options as_c(const CrossEntropyOptions& options) {
  return {options.ignore_index, options.label_smoothing, options.z_loss,
          static_cast<softmax_worklog_reduction>(options.reduction)};
}

/// The C interface's name of a label's type.
template <typename Label>
constexpr softmax_worklog_label_type label_type_of() {
  static_assert(std::is_same_v<Label, std::int64_t> || std::is_same_v<Label, std::int32_t>,
                "labels are std::int64_t or std::int32_t");
  return std::is_same_v<Label, std::int64_t> ? SOFTMAX_WORKLOG_INT64 : SOFTMAX_WORKLOG_INT32;
}

/// Losses and gradients of a classifier's logits in one pass; Label is std::int64_t or
/// std::int32_t, rows of them. See softmax_worklog_cross_entropy().
template <typename T, typename Label>
Status cross_entropy(const T* logits, const Label* labels, const CrossEntropyResults<T>& results,
                     std::int64_t rows, std::int64_t cols, const CrossEntropyOptions& options = {},
                     Workspace workspace = {}, cudaStream_t stream = nullptr) {
  const softmax_worklog_cross_entropy_options asked = as_c(options);
  return Status(softmax_worklog_cross_entropy(
      dtype_of<T>(), logits, labels, label_type_of<Label>(), results.losses, results.loss,
      results.gradients, rows, cols, &asked, workspace.data, workspace.bytes, stream));
}

/// The losses alone, one a row. See softmax_worklog_cross_entropy_loss().
template <typename T>
Status cross_entropy_loss(const T* logits, const std::int64_t* labels, float* losses,
                          std::int64_t rows, std::int64_t cols, Workspace workspace = {},
                          cudaStream_t stream = nullptr) {
  return Status(softmax_worklog_cross_entropy_loss(dtype_of<T>(), logits, labels, losses, rows,
                                                   cols, workspace.data, workspace.bytes, stream));
}

/// Losses of scale * x, of logits x that may lie apart, and gradients by x. See
/// softmax_worklog_scale_cross_entropy().
template <typename T, typename Label>
Status scale_cross_entropy(const T* logits, const Label* labels,
                           const CrossEntropyResults<T>& results, std::int64_t rows,
                           std::int64_t cols, const CrossEntropyOptions& options = {},
                           const ScaleOptions& scaling = {}, Workspace workspace = {},
                           cudaStream_t stream = nullptr) {
  const softmax_worklog_cross_entropy_options asked = as_c(options);
  const softmax_worklog_scale_options scaled = as_c(scaling);
  return Status(softmax_worklog_scale_cross_entropy(
      dtype_of<T>(), logits, labels, label_type_of<Label>(), results.losses, results.loss,
      results.gradients, rows, cols, &asked, &scaled, workspace.data, workspace.bytes, stream));
}

/// The losses of that alone. See softmax_worklog_scale_cross_entropy_loss().
template <typename T>
Status scale_cross_entropy_loss(const T* logits, const std::int64_t* labels, float* losses,
                                std::int64_t rows, std::int64_t cols,
                                const ScaleOptions& scaling = {}, Workspace workspace = {},
                                cudaStream_t stream = nullptr) {
  const softmax_worklog_scale_options scaled = as_c(scaling);
  return Status(softmax_worklog_scale_cross_entropy_loss(dtype_of<T>(), logits, labels, losses,
                                                         rows, cols, &scaled, workspace.data,
                                                         workspace.bytes, stream));
}

}  // namespace softmax_worklog
