// Step 08, variant: the loss of one label per row
//
// A classifier's loss is minus the log-softmax of one column. Only that one is needed, so the
// second pass over the row is a single load.

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
static_assert(kMaxWarps <= kWarpSize, "one warp combines the results of all warps, a lane each");

// What is known of a row so far: its maximum m, and d, the sum of exp(x - m).
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", section 3.1)
struct Normalizer {
  float m = kNegativeInfinity;
  float d = 0.0f;
};

// A NaN or +inf on either side makes d NaN, and with it the row.
__device__ Normalizer combine(Normalizer a, Normalizer b) {
  const float m = a.m > b.m ? a.m : b.m;              // not fmaxf, which drops a NaN
  if (m == kNegativeInfinity) return {m, a.d + b.d};  // -inf - -inf would be NaN
  return {m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

// Every lane returns the combination of all 32: first the maximum, so that a lane rescales once.
__device__ Normalizer warp_reduce(Normalizer mine) {
  float m = mine.m;
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = fmaxf(m, __shfl_xor_sync(kAllLanes, m, distance));  // drops a NaN, but d keeps it
  }
  float d = m == kNegativeInfinity ? mine.d : mine.d * expf(mine.m - m);
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    d += __shfl_xor_sync(kAllLanes, d, distance);
  }
  return {m, d};
}

// Every thread returns the combination of all threads of the block.
__device__ Normalizer block_reduce(Normalizer mine) {
  __shared__ float warp_m[kMaxWarps], warp_d[kMaxWarps], row_m, row_d;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_reduce(mine);
  if (lane == 0) {
    warp_m[warp] = mine.m;
    warp_d[warp] = mine.d;
  }
  __syncthreads();
  if (warp == 0) {
    mine = warp_reduce(lane < warps ? Normalizer{warp_m[lane], warp_d[lane]} : Normalizer{});
    if (lane == 0) {
      row_m = mine.m;
      row_d = mine.d;
    }
  }
  __syncthreads();
  return {row_m, row_d};
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread.
struct Cut {
  std::int64_t head;     // elements
  std::int64_t vectors;  // vectors
  std::int64_t edges;    // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, std::int64_t cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const std::int64_t vectors = (cols - head) / kPerVector<T>;  // 0 also for cols < head
  return {head, vectors, cols - vectors * kPerVector<T>};
}

// NaN for a label that is no column.
template <typename T>
__device__ float logit_of(const T* x, std::int64_t label, std::int64_t cols) {
  return 0 <= label && label < cols ? static_cast<float>(x[label]) : kNan;
}

template <typename T>
__global__ void negative_log_likelihood(const T* logits, const std::int64_t* labels, float* losses,
                                        std::int64_t cols) {
  const T* x = logits + blockIdx.x * cols;
  const Cut cut = cut_row(x, cols);
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head);
  const bool has_edge = threadIdx.x < cut.edges;
  const std::int64_t edge =
      threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>;

  Normalizer mine;
  if (has_edge) mine = combine(mine, {static_cast<float>(x[edge]), 1.0f});
  for (std::int64_t i = threadIdx.x; i < cut.vectors; i += blockDim.x) {
    const Vector vector = x_vectors[i];
    const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      mine = combine(mine, {static_cast<float>(values[j]), 1.0f});
    }
  }
  const Normalizer row = block_reduce(mine);
  if (threadIdx.x == 0) {
    const float logit = logit_of(x, labels[blockIdx.x], cols);
    losses[blockIdx.x] = logf(row.d) - (logit - row.m);
  }
}

template <typename T>
void launch(const worklog::NegativeLogLikelihood<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  negative_log_likelihood<<<grid, block, 0, stream>>>(problem.logits, problem.labels,
                                                      problem.losses, problem.cols);
  worklog::check_launch("negative_log_likelihood", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "08_log_softmax",
                      .loads = {.per_column = 1, .per_row = 2},
                      .stores = {.per_row = 1}});
