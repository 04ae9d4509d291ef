// Exercise 18: the bin of the k-th
//
// A block finds the k-th largest of its row's entries by their bits, eight at a time: it counts
// them in 256 bins, looks for the bin that has the k-th, and goes on with what is in that.

#include <cstdint>

#include "common/exercise/exercise.h"
#include "given.cuh"

namespace {

using namespace given;

constexpr int kBinBits = 8;
constexpr int kBins = 1 << kBinBits;
constexpr int kMost = 32;  // the largest k of this exercise

// How many entries have the same eight bits, and where the k-th largest is.
struct Histogram {
  unsigned bins[kBins];
  unsigned bin;    // the bin that has it,
  unsigned above;  // and how many entries are in the bins above that one
};

// ---- your part begins ----

// Finds the bin that has the k-th largest entry. All threads of the block call it, after a barrier.
__device__ void find_bin(Histogram& histogram, unsigned k) {
  constexpr int kPerLane = kBins / kWarpSize;
  if (threadIdx.x >= kWarpSize) return;
  const int lane = threadIdx.x;
  int bin = kBins - lane * kPerLane;  // behind this lane's: lane 0 has the highest
  unsigned mine = 0;
  for (int i = 1; i <= kPerLane; ++i)
    mine += histogram.bins[bin - i];
  unsigned above = mine;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const unsigned other = __shfl_up_sync(kAllLanes, above, distance);
    if (lane >= distance) above += other;
  }
  above -= mine;
  if (above >= k || above + mine < k) return;
  while (above + histogram.bins[--bin] < k)
    above += histogram.bins[bin];
  histogram.bin = bin;
  histogram.above = above;
}

// ---- your part ends ----

__global__ void softmax_top_k(const float* logits, float* values, std::int64_t* indices,
                              std::int64_t cols, int k) {
  __shared__ Histogram histogram;
  __shared__ Entry best[kMost];
  __shared__ int found;
  const float* x = logits + blockIdx.x * cols;

  Normalizer mine;
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    mine = combine(mine, {x[col], 1.0f});
  }
  const Normalizer row = block_reduce(mine);

  Entry known = 0;  // the bits of the k-th that are known, all others 0
  unsigned wanted = k;
  for (int shift = kEntryBits - kBinBits; shift >= 0; shift -= kBinBits) {
    for (int i = threadIdx.x; i < kBins; i += blockDim.x)
      histogram.bins[i] = 0;
    __syncthreads();
    for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
      const Entry further = entry_of(x[col], col) - known;  // what has other bits, is too large
      if (further >> shift < kBins) atomicAdd(&histogram.bins[further >> shift], 1);
    }
    __syncthreads();
    find_bin(histogram, wanted);
    __syncthreads();
    known |= static_cast<Entry>(histogram.bin) << shift;
    wanted -= histogram.above;
  }

  // Those from the k-th on, each into the place that is left by how many are better.
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  for (std::int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
    const Entry entry = entry_of(x[col], col);
    if (entry >= known) best[atomicAdd(&found, 1)] = entry;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < k; i += blockDim.x) {
    int place = 0;
    for (int j = 0; j < k; ++j)
      place += best[j] > best[i];
    values[blockIdx.x * k + place] = expf(logit_of(best[i]) - row.m) / row.d;
    indices[blockIdx.x * k + place] = column_of(best[i]);
  }
}

void launch(const worklog::TopK<float>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax_top_k<<<grid, block, 0, stream>>>(problem.logits, problem.values, problem.indices,
                                            problem.cols, problem.k);
  worklog::check_launch("softmax_top_k", grid, block);
}

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 16,
                          .cols = 4096,
                          .k = 20,
                          .counters = {"block_barriers", "shared_load_requests", "shuffles"},
                          .block_size = 128});
