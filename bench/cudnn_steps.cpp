#include "bench/cudnn_steps.h"

#include "bench/cudnn_softmax.h"

namespace worklog::bench {

namespace {

template <typename T>
void accurate(const Softmax<T>& problem, cudaStream_t stream) {
  cudnn_softmax(CudnnAlgorithm::kAccurate, dtype_of<T>(), problem.rows, problem.cols,
                problem.logits, problem.probabilities, stream);
}

template <typename T>
void fast(const Softmax<T>& problem, cudaStream_t stream) {
  cudnn_softmax(CudnnAlgorithm::kFast, dtype_of<T>(), problem.rows, problem.cols, problem.logits,
                problem.probabilities, stream);
}

template <typename T>
void log(const LogSoftmax<T>& problem, cudaStream_t stream) {
  cudnn_softmax(CudnnAlgorithm::kLog, dtype_of<T>(), problem.rows, problem.cols, problem.logits,
                problem.log_probabilities, stream);
}

}  // namespace

const std::vector<Step>& cudnn_steps() {
  static const std::vector<Step> steps = {
      {"cudnn/softmax_accurate", "", {}, WORKLOG_LAUNCHES(accurate)},
      {"cudnn/softmax_fast", "", {}, WORKLOG_LAUNCHES(fast)},
      {"cudnn/log_softmax", "", {}, WORKLOG_LAUNCHES(log)},
  };
  return steps;
}

}  // namespace worklog::bench
