// libcu++: a pipeline of tiles, a barrier of a block, atomic objects, and its standard library.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kTiles = 16, kStages = 2;

__global__ void sum_tiles(const float* in, float* out) {
  __shared__ alignas(16) float tile[kStages][kThreads];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  float sum = 0.0f;
  for (int compute = 0, fetch = 0; compute < kTiles; ++compute) {
    for (; fetch < kTiles && fetch < compute + kStages; ++fetch) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tile[fetch % kStages], in + fetch * kThreads,
                         cuda::aligned_size_t<16>(sizeof(float) * kThreads), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += tile[compute % kStages][kThreads - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void count_evens(cuda::std::span<const int> values, cuda::atomic<int, cuda::thread_scope_device>* count) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> mine;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    mine.store(0, cuda::std::memory_order_relaxed);
  }
  __syncthreads();
  for (auto i = threadIdx.x; i < values.size(); i += blockDim.x) {
    if (values[i] % 2 == 0) mine.fetch_add(1, cuda::std::memory_order_relaxed);
  }
  bar.arrive_and_wait();
  if (threadIdx.x == 0) count->fetch_add(mine.load(cuda::std::memory_order_relaxed));
}

__global__ void standard_library(int* out) {
  cuda::std::array<int, 3> numbers = {3, 1, 2};
  auto [low, high] = cuda::std::tuple<int, int>(numbers[1], numbers[0]);
  static_assert(cuda::std::is_same_v<decltype(low), int>, "");
  out[0] = high - low + cuda::std::popcount(0xf0u);
  out[1] = cuda::std::numeric_limits<short>::max();
}

template <typename T>
T* managed(int count) {
  void* address = nullptr;
  cudaMallocManaged(&address, count * sizeof(T));
  return static_cast<T*>(address);
}

int main() {
  float* in = managed<float>(kTiles * kThreads);
  float* out = managed<float>(kThreads);
  for (int i = 0; i < kTiles * kThreads; ++i)
    in[i] = static_cast<float>(i % 7);
  sum_tiles<<<1, kThreads>>>(in, out);
  int* values = managed<int>(1000);
  for (int i = 0; i < 1000; ++i)
    values[i] = i;
  auto* count = managed<cuda::atomic<int, cuda::thread_scope_device>>(1);
  count->store(0);
  count_evens<<<1, kThreads>>>(cuda::std::span<const int>(values, 1000), count);
  int* numbers = managed<int>(2);
  standard_library<<<1, 1>>>(numbers);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < kThreads; ++i) {
    float expected = 0.0f;
    for (int tile = 0; tile < kTiles; ++tile)
      expected += in[tile * kThreads + kThreads - 1 - i];
    wrong += out[i] != expected;
  }
  wrong += count->load() != 500;
  wrong += numbers[0] != 6 || numbers[1] != 32767;
  std::printf("libcudacxx: %s\n", wrong == 0 ? "passed" : "failed");
  return wrong != 0;
}
