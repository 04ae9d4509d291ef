// Exercise 06: head and tail
//
// Four floats a request. That needs addresses that are multiples of 16 bytes, which a row has only
// if the rows before it are so wide.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "normalizer.cuh"

namespace {

using namespace given;

constexpr int kPerVector = sizeof(float4) / sizeof(float);

// A row cut into a head, whole vectors, and a tail.
struct Cut {
  std::int64_t head;     // elements before the first vector
  std::int64_t vectors;  // vectors
  std::int64_t tail;     // elements behind the last vector
};

// ---- your part begins ----

// Of a row that begins at x.
__device__ Cut cut_row(const float* x, std::int64_t cols) {
  const std::int64_t past = reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % kPerVector;
  const std::int64_t head = (kPerVector - past) % kPerVector;
  const std::int64_t vectors = (cols - head) / kPerVector;  // 0 also for cols < head
  if (vectors == 0) return {0, 0, cols};
  return {head, vectors, cols - head - vectors * kPerVector};
}

// ---- your part ends ----

__device__ Normalizer combine_vector(Normalizer a, float4 x) {
  const Normalizer low = combine(Normalizer{x.x, 1.0f}, Normalizer{x.y, 1.0f});
  const Normalizer high = combine(Normalizer{x.z, 1.0f}, Normalizer{x.w, 1.0f});
  return combine(a, combine(low, high));
}

__device__ float softmax_of(float x, Normalizer row) {
  return expf(x - row.m) / row.d;
}

__global__ void softmax(const float* logits, float* probabilities, std::int64_t cols) {
  const float* x = logits + blockIdx.x * cols;
  float* y = probabilities + blockIdx.x * cols;
  const Cut cut = cut_row(x, cols);
  const std::int64_t tail = cut.head + cut.vectors * kPerVector;  // where it begins
  const auto* x_vectors = reinterpret_cast<const float4*>(x + cut.head);
  auto* y_vectors = reinterpret_cast<float4*>(y + cut.head);

  Normalizer mine;
  if (threadIdx.x < cut.head) mine = combine(mine, {x[threadIdx.x], 1.0f});
  for (std::int64_t i = threadIdx.x; i < cut.vectors; i += blockDim.x) {
    mine = combine_vector(mine, x_vectors[i]);
  }
  if (threadIdx.x < cut.tail) mine = combine(mine, {x[tail + threadIdx.x], 1.0f});

  const Normalizer row = block_reduce(mine);
  if (threadIdx.x < cut.head) y[threadIdx.x] = softmax_of(x[threadIdx.x], row);
  for (std::int64_t i = threadIdx.x; i < cut.vectors; i += blockDim.x) {
    const float4 v = x_vectors[i];
    y_vectors[i] = {softmax_of(v.x, row), softmax_of(v.y, row), softmax_of(v.z, row),
                    softmax_of(v.w, row)};
  }
  if (threadIdx.x < cut.tail) y[tail + threadIdx.x] = softmax_of(x[tail + threadIdx.x], row);
}

// Logits and probabilities are both as cudaMalloc gives them, so that a row of one is aligned as
// the same row of the other.
void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax<<<grid, block, 0, stream>>>(problem.logits, problem.probabilities, problem.cols);
  worklog::check_launch("softmax", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch,
                 {.rows = 64,
                  .cols = 4095,
                  .counters = {"loads_per_element", "stores_per_element", "global_load_requests",
                               "global_store_requests", "global_load_sectors"},
                  .block_size = 128});
