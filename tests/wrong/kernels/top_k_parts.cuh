// A right top-k, a thread per row, whose order of logits each kernel here supplies.
#pragma once

#include "parts.cuh"

struct Candidate {
  float logit = kNegativeInfinity;
  std::int64_t col = -1;
  bool is_empty = true;
};

// Descending, with a NaN as the largest.
__device__ inline bool comes_before(float a, float b) {
  return isnan(a) ? !isnan(b) : a > b;
}

// Order::nothing() is what the list holds at first; Order::enters_before(logit, listed) says
// whether a column goes before one that is listed already.
template <typename Order>
__global__ void softmax_top_k(const float* logits, float* values, std::int64_t* indices,
                              std::int64_t rows, std::int64_t cols, int k) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * cols;
  Candidate best[worklog::kUsualMaxK];
  for (int i = 0; i < k; ++i)
    best[i] = Order::nothing();

  Normalizer normalizer;
  for (std::int64_t col = 0; col < cols; ++col) {
    const float logit = x[col];
    normalizer = combine(normalizer, {logit, 1.0f});
    int place = k;
    while (place > 0 &&
           (best[place - 1].is_empty || Order::enters_before(logit, best[place - 1].logit)))
      --place;
    if (place == k) continue;
    for (int i = k - 1; i > place; --i)
      best[i] = best[i - 1];
    best[place] = {logit, col, false};
  }
  for (int i = 0; i < k; ++i) {
    values[row * k + i] = expf(best[i].logit - normalizer.m) / normalizer.d;
    indices[row * k + i] = best[i].col;
  }
}

template <typename Order>
void launch_top_k(const worklog::TopK<float>& problem, cudaStream_t stream) {
  const dim3 block(problem.block_size);
  const dim3 grid((problem.rows + block.x - 1) / block.x);
  softmax_top_k<Order><<<grid, block, 0, stream>>>(problem.logits, problem.values, problem.indices,
                                                   problem.rows, problem.cols, problem.k);
  worklog::check_launch("softmax_top_k", grid, block);
}
