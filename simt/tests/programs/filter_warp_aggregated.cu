// Keeps the positive elements of an array; one atomic operation for all lanes of a warp that found one.

#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ int atomic_agg_inc(int *counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(active.size()));
  first = active.shfl(first, 0);
  return first + static_cast<int>(active.thread_rank());
}

// The same by hand.
__device__ int atomic_agg_inc_by_hand(int *counter) {
  const unsigned mask = __activemask();
  const int leader = __ffs(mask) - 1;
  const int lane = threadIdx.x % warpSize;
  int first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(mask));
  first = __shfl_sync(mask, first, leader);
  return first + __popc(mask & ((1u << lane) - 1));
}

template <bool kByHand>
__global__ void filter(int *to, int *count, const int *from, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  if (from[i] > 0)
    to[kByHand ? atomic_agg_inc_by_hand(count) : atomic_agg_inc(count)] = from[i];
}

int main() {
  const int n = 5000;
  std::vector<int> from(n), to(n);
  long long expected_sum = 0;
  int expected_count = 0;
  for (int i = 0; i < n; ++i) {
    from[i] = i * 7919 % 1000 - 400;
    if (from[i] > 0) {
      ++expected_count;
      expected_sum += from[i];
    }
  }
  int *d_from, *d_to, *d_count;
  cudaMalloc(&d_from, n * sizeof(int));
  cudaMalloc(&d_to, n * sizeof(int));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d_from, from.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  bool ok = true;
  for (int version = 0; version < 2; ++version) {
    cudaMemset(d_count, 0, sizeof(int));
    if (version == 0)
      filter<false><<<(n + 255) / 256, 256>>>(d_to, d_count, d_from, n);
    else
      filter<true><<<(n + 255) / 256, 256>>>(d_to, d_count, d_from, n);
    int count = 0;
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(to.data(), d_to, count * sizeof(int), cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (int i = 0; i < count; ++i) sum += to[i];
    printf("%d of %d kept\n", count, n);
    ok = ok && count == expected_count && sum == expected_sum;
  }
  cudaFree(d_from);
  cudaFree(d_to);
  cudaFree(d_count);
  return ok ? 0 : 1;
}
