// Step 03, variant: without a branch
//
// The step's combine returns early where there are no values but -inf. That is a branch between two
// loads, over which nvcc does not move the second one up. Here a select takes its place: the
// smallest finite number stands for -inf as a maximum, so that -inf minus it is still -inf.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr float kLowest = std::numeric_limits<float>::lowest();

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// A NaN or +inf on either side makes d NaN, and with it the row.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float larger = a.m > b.m ? a.m : b.m;  // not fmaxf, which drops a NaN
  const float m = larger == kNegativeInfinity ? kLowest : larger;
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

template <typename T>
__global__ void softmax(const T* logits, T* probabilities, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* x = logits + row * cols;
  T* y = probabilities + row * cols;

  Normalizer mine;
  for (std::int64_t col = 0; col < cols; ++col) {
    mine = combine(mine, {static_cast<float>(x[col]), 1.0f});
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    y[col] = static_cast<T>(expf(static_cast<float>(x[col]) - mine.m) / mine.d);
  }
}

template <typename T>
void launch(const worklog::Softmax<T>& problem, cudaStream_t stream) {
  const dim3 grid((problem.rows + problem.block_size - 1) / problem.block_size);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.rows,
                                      problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "03_online",
                      .loads = {2},
                      .stores = {1},
                      .summation = worklog::Summation::kSerial});
