#include "bench/library_steps.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bench/times.h"

namespace worklog::bench {

namespace {

softmax_worklog_dtype type_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return SOFTMAX_WORKLOG_FLOAT32;
    case DType::kFloat16:
      return SOFTMAX_WORKLOG_FLOAT16;
    case DType::kBFloat16:
      break;
  }
  return SOFTMAX_WORKLOG_BFLOAT16;
}

template <typename T>
softmax_worklog_dtype type_of() {
  return type_of(dtype_of<T>());
}

void require(softmax_worklog_status status) {
  if (status == SOFTMAX_WORKLOG_SUCCESS) return;
  if (status == SOFTMAX_WORKLOG_INVALID_ARGUMENT) throw Refused(softmax_worklog_last_error());
  throw std::runtime_error(softmax_worklog_last_error());
}

std::size_t workspace_bytes(softmax_worklog_operation operation, softmax_worklog_dtype dtype,
                            std::int64_t rows, std::int64_t cols) {
  const int k = static_cast<int>(std::min<std::int64_t>(kSampledK, cols));  // any takes as much
  std::size_t bytes = 0;
  require(softmax_worklog_workspace_bytes(operation, dtype, rows, cols, k, &bytes));
  return bytes;
}

struct Workspace {
  void* data;
  std::size_t bytes;
};

template <template <typename> class Problem, typename T>
Workspace workspace_of(softmax_worklog_operation operation, const Problem<T>& problem) {
  const std::size_t bytes = workspace_bytes(operation, type_of<T>(), problem.rows, problem.cols);
  if (bytes == 0) return {nullptr, 0};
  return {problem.scratch.template take<std::byte>(static_cast<std::int64_t>(bytes)), bytes};
}

template <typename T>
void softmax(const Softmax<T>& problem, cudaStream_t stream) {
  const Workspace workspace = workspace_of(SOFTMAX_WORKLOG_SOFTMAX, problem);
  require(softmax_worklog_softmax(type_of<T>(), problem.logits, problem.probabilities, problem.rows,
                                  problem.cols, workspace.data, workspace.bytes, stream));
}

template <typename T>
void log_softmax(const LogSoftmax<T>& problem, cudaStream_t stream) {
  const Workspace workspace = workspace_of(SOFTMAX_WORKLOG_LOG_SOFTMAX, problem);
  require(softmax_worklog_log_softmax(type_of<T>(), problem.logits, problem.log_probabilities,
                                      problem.rows, problem.cols, workspace.data, workspace.bytes,
                                      stream));
}

template <typename T>
void top_k(const TopK<T>& problem, cudaStream_t stream) {
  const Workspace workspace = workspace_of(SOFTMAX_WORKLOG_TOP_K, problem);
  require(softmax_worklog_top_k(type_of<T>(), problem.logits, problem.values, problem.indices,
                                problem.rows, problem.cols, problem.k, workspace.data,
                                workspace.bytes, stream));
}

template <typename T>
void softmax_backward(const SoftmaxBackward<T>& problem, cudaStream_t stream) {
  const Workspace workspace = workspace_of(SOFTMAX_WORKLOG_SOFTMAX_BACKWARD, problem);
  require(softmax_worklog_softmax_backward(type_of<T>(), problem.probabilities, problem.gradients,
                                           problem.logit_gradients, problem.rows, problem.cols,
                                           workspace.data, workspace.bytes, stream));
}

softmax_worklog_reduction reduction_of(Reduction reduction) {
  if (reduction == Reduction::kNone) return SOFTMAX_WORKLOG_NO_REDUCTION;
  return reduction == Reduction::kSum ? SOFTMAX_WORKLOG_SUM : SOFTMAX_WORKLOG_MEAN;
}

// Where the losses are reduced, the library is asked for that alone, as training asks.
template <typename T>
void cross_entropy(const CrossEntropy<T>& problem, cudaStream_t stream) {
  const Workspace workspace = workspace_of(SOFTMAX_WORKLOG_CROSS_ENTROPY, problem);
  const CrossEntropyOptions& asked = problem.options;
  const softmax_worklog_cross_entropy_options options = {
      asked.ignore_index, asked.label_smoothing, asked.z_loss, reduction_of(asked.reduction)};
  const bool reduces = asked.reduction != Reduction::kNone;
  const bool is_short = problem.labels.of_64_bits == nullptr;
  const void* labels = is_short ? static_cast<const void*>(problem.labels.of_32_bits)
                                : static_cast<const void*>(problem.labels.of_64_bits);
  require(softmax_worklog_cross_entropy(
      type_of<T>(), problem.logits, labels,
      is_short ? SOFTMAX_WORKLOG_INT32 : SOFTMAX_WORKLOG_INT64, reduces ? nullptr : problem.losses,
      reduces ? problem.loss : nullptr, problem.gradients, problem.rows, problem.cols, &options,
      workspace.data, workspace.bytes, stream));
}

struct Named {
  softmax_worklog_operation operation;
  const char* name;
  AnyLaunches launches;
};

StepInfo info_of(softmax_worklog_operation operation) {
  StepInfo info;
  info.max_k = SOFTMAX_WORKLOG_MAX_K;
  info.scratch_bytes = [operation](std::int64_t rows, std::int64_t cols, std::size_t element) {
    const DType dtype = element == sizeof(float) ? DType::kFloat32 : DType::kBFloat16;
    return static_cast<std::int64_t>(workspace_bytes(operation, type_of(dtype), rows, cols));
  };
  return info;
}

const std::vector<Named>& named() {
  static const std::vector<Named> all = {
      {SOFTMAX_WORKLOG_SOFTMAX, "library/softmax", WORKLOG_LAUNCHES(softmax)},
      {SOFTMAX_WORKLOG_LOG_SOFTMAX, "library/log_softmax", WORKLOG_LAUNCHES(log_softmax)},
      {SOFTMAX_WORKLOG_TOP_K, "library/top_k", WORKLOG_LAUNCHES(top_k)},
      {SOFTMAX_WORKLOG_SOFTMAX_BACKWARD, "library/softmax_backward",
       WORKLOG_LAUNCHES(softmax_backward)},
      {SOFTMAX_WORKLOG_CROSS_ENTROPY, "library/cross_entropy", WORKLOG_LAUNCHES(cross_entropy)},
  };
  return all;
}

}  // namespace

const std::vector<Step>& library_steps() {
  static const std::vector<Step> steps = [] {
    std::vector<Step> made;
    for (const Named& one : named())
      made.push_back({one.name, "", info_of(one.operation), one.launches});
    return made;
  }();
  return steps;
}

const Step& library_step(softmax_worklog_operation operation) {
  for (std::size_t i = 0; i < named().size(); ++i) {
    if (named()[i].operation == operation) return library_steps()[i];
  }
  throw std::invalid_argument("the library is not timed with operation " +
                              std::to_string(static_cast<int>(operation)));
}

}  // namespace worklog::bench
