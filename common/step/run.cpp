#include "common/step/run.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <variant>

#include "common/step/validate.h"

namespace worklog {

namespace {

constexpr std::int64_t kMaxRowsPerLaunch = std::numeric_limits<std::int32_t>::max();

const char* kind_of_problem(const Step& step) {
  if (step.is_top_k()) return "a TopK problem";
  if (step.takes<LogSoftmax>()) return "a LogSoftmax problem";
  if (step.takes<NegativeLogLikelihood>()) return "a NegativeLogLikelihood problem";
  if (step.takes<SoftmaxBackward>()) return "a SoftmaxBackward problem";
  if (step.takes<LogSoftmaxBackward>()) return "a LogSoftmaxBackward problem";
  if (step.takes<CrossEntropy>()) return "a CrossEntropy problem";
  if (step.takes<Attention>()) return "an Attention problem";
  return "a Softmax problem";
}

// The launch function of `step` for problems of this kind and type.
template <template <typename> class Problem, typename T>
Launch<Problem, T> launch_of(const Step& step) {
  const auto* launches = std::get_if<Launches<Problem>>(&step.launches);
  if (launches == nullptr) {
    throw std::invalid_argument(step.label() + " takes " + kind_of_problem(step));
  }
  return std::get<Launch<Problem, T>>(*launches);
}

template <typename T>
Softmax<T> part_of(Softmax<T> problem, std::int64_t first_row, std::int64_t rows) {
  problem.logits += first_row * problem.cols;
  problem.probabilities += first_row * problem.cols;
  problem.rows = rows;
  return problem;
}

template <typename T>
LogSoftmax<T> part_of(LogSoftmax<T> problem, std::int64_t first_row, std::int64_t rows) {
  problem.logits += first_row * problem.cols;
  problem.log_probabilities += first_row * problem.cols;
  problem.rows = rows;
  return problem;
}

template <typename T>
NegativeLogLikelihood<T> part_of(NegativeLogLikelihood<T> problem, std::int64_t first_row,
                                 std::int64_t rows) {
  problem.logits += first_row * problem.cols;
  problem.labels += first_row;
  problem.losses += first_row;
  problem.rows = rows;
  return problem;
}

template <typename T>
SoftmaxBackward<T> part_of(SoftmaxBackward<T> problem, std::int64_t first_row, std::int64_t rows) {
  problem.probabilities += first_row * problem.cols;
  problem.gradients += first_row * problem.cols;
  problem.logit_gradients += first_row * problem.cols;
  problem.rows = rows;
  return problem;
}

template <typename T>
LogSoftmaxBackward<T> part_of(LogSoftmaxBackward<T> problem, std::int64_t first_row,
                              std::int64_t rows) {
  problem.log_probabilities += first_row * problem.cols;
  problem.gradients += first_row * problem.cols;
  problem.logit_gradients += first_row * problem.cols;
  problem.rows = rows;
  return problem;
}

template <typename T>
CrossEntropy<T> part_of(CrossEntropy<T> problem, std::int64_t first_row, std::int64_t rows) {
  problem.logits += first_row * problem.cols;
  problem.gradients += first_row * problem.cols;
  problem.losses += first_row;
  problem.log_sum_exps += first_row;
  if (problem.labels.of_64_bits != nullptr) {
    problem.labels.of_64_bits += first_row;
  } else {
    problem.labels.of_32_bits += first_row;
  }
  problem.rows = rows;
  return problem;
}

template <typename T>
Attention<T> part_of(Attention<T> problem, std::int64_t first_row, std::int64_t rows) {
  problem.queries += first_row * kHeadDim;
  problem.outputs += first_row * kHeadDim;
  problem.rows = rows;
  return problem;
}

template <typename T>
TopK<T> part_of(TopK<T> problem, std::int64_t first_row, std::int64_t rows) {
  problem.logits += first_row * problem.cols;
  problem.values += first_row * problem.k;
  problem.indices += first_row * problem.k;
  problem.rows = rows;
  return problem;
}

// Parts take the scratch from its start again: work on one stream is in order.
template <template <typename> class Problem, typename T>
void run_in_parts(const Step& step, Problem<T> problem, cudaStream_t stream) {
  const Launch<Problem, T> launch = launch_of<Problem, T>(step);
  if (problem.block_size == 0)
    problem.block_size = step.info.block_size_for(problem.rows, problem.cols, sizeof(T));
  validate(step, problem);
  if (problem.rows == 0 || problem.cols == 0) return;
  for (std::int64_t first = 0; first < problem.rows; first += kMaxRowsPerLaunch) {
    launch(part_of(problem, first, std::min(kMaxRowsPerLaunch, problem.rows - first)), stream);
  }
}

}  // namespace

std::int64_t scratch_bytes(const Step& step, std::int64_t rows, std::int64_t cols, DType dtype) {
  validate_shape(rows, cols, size_of(dtype));
  if (!step.info.scratch_bytes) return 0;
  return step.info.scratch_bytes(std::min(rows, kMaxRowsPerLaunch), cols, size_of(dtype));
}

template <typename T>
void run(const Step& step, const Softmax<T>& problem, cudaStream_t stream) {
  run_in_parts<Softmax, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const LogSoftmax<T>& problem, cudaStream_t stream) {
  run_in_parts<LogSoftmax, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const NegativeLogLikelihood<T>& problem, cudaStream_t stream) {
  run_in_parts<NegativeLogLikelihood, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const SoftmaxBackward<T>& problem, cudaStream_t stream) {
  run_in_parts<SoftmaxBackward, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const LogSoftmaxBackward<T>& problem, cudaStream_t stream) {
  run_in_parts<LogSoftmaxBackward, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const CrossEntropy<T>& problem, cudaStream_t stream) {
  run_in_parts<CrossEntropy, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const Attention<T>& problem, cudaStream_t stream) {
  run_in_parts<Attention, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const TopK<T>& problem, cudaStream_t stream) {
  run_in_parts<TopK, T>(step, problem, stream);
}

template <typename T>
void run(const Step& step, const AnyProblem<T>& any, cudaStream_t stream) {
  const auto [logits, results, gradients, labels, queries, keys, key_values, columns, values,
              indices, rows, cols, k, block_size, scratch, cross_entropy] = any;
  if (step.is_top_k()) {
    run(step, TopK<T>{logits, values, indices, rows, cols, k, block_size, scratch}, stream);
  } else if (step.takes<NegativeLogLikelihood>()) {
    run(step, NegativeLogLikelihood<T>{logits, labels, values, rows, cols, block_size, scratch},
        stream);
  } else if (step.takes<CrossEntropy>()) {
    run(step,
        CrossEntropy<T>{logits, Labels{labels}, values, values + rows, values + 2 * rows, columns,
                        cross_entropy, rows, cols, block_size, scratch},
        stream);
  } else if (step.takes<Attention>()) {
    run(step, Attention<T>{queries, keys, key_values, columns, rows, cols, block_size, scratch},
        stream);
  } else if (step.takes<SoftmaxBackward>()) {
    run(step, SoftmaxBackward<T>{results, gradients, columns, rows, cols, block_size, scratch},
        stream);
  } else if (step.takes<LogSoftmaxBackward>()) {
    run(step, LogSoftmaxBackward<T>{results, gradients, columns, rows, cols, block_size, scratch},
        stream);
  } else if (step.takes<LogSoftmax>()) {
    run(step, LogSoftmax<T>{logits, columns, rows, cols, block_size, scratch}, stream);
  } else {
    run(step, Softmax<T>{logits, columns, rows, cols, block_size, scratch}, stream);
  }
}

template void run(const Step&, const Softmax<float>&, cudaStream_t);
template void run(const Step&, const Softmax<__half>&, cudaStream_t);
template void run(const Step&, const Softmax<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const LogSoftmax<float>&, cudaStream_t);
template void run(const Step&, const LogSoftmax<__half>&, cudaStream_t);
template void run(const Step&, const LogSoftmax<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const NegativeLogLikelihood<float>&, cudaStream_t);
template void run(const Step&, const NegativeLogLikelihood<__half>&, cudaStream_t);
template void run(const Step&, const NegativeLogLikelihood<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const SoftmaxBackward<float>&, cudaStream_t);
template void run(const Step&, const SoftmaxBackward<__half>&, cudaStream_t);
template void run(const Step&, const SoftmaxBackward<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const LogSoftmaxBackward<float>&, cudaStream_t);
template void run(const Step&, const LogSoftmaxBackward<__half>&, cudaStream_t);
template void run(const Step&, const LogSoftmaxBackward<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const CrossEntropy<float>&, cudaStream_t);
template void run(const Step&, const CrossEntropy<__half>&, cudaStream_t);
template void run(const Step&, const CrossEntropy<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const Attention<float>&, cudaStream_t);
template void run(const Step&, const Attention<__half>&, cudaStream_t);
template void run(const Step&, const Attention<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const TopK<float>&, cudaStream_t);
template void run(const Step&, const TopK<__half>&, cudaStream_t);
template void run(const Step&, const TopK<__nv_bfloat16>&, cudaStream_t);
template void run(const Step&, const AnyProblem<float>&, cudaStream_t);
template void run(const Step&, const AnyProblem<__half>&, cudaStream_t);
template void run(const Step&, const AnyProblem<__nv_bfloat16>&, cudaStream_t);

}  // namespace worklog
