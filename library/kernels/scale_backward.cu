// The lanes of a group, a warp or several warps own a row and keep both its arrays in registers,
// from their one read to the one write of the gradients, as step 19 does. Rows that no block can
// hold are read twice. The scale is in the gradients when they are rounded, so that it moves no
// byte.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/check_launch.h"
#include "library/kernels/scale_backward.h"
#include "packs.cuh"
#include "row_threads.cuh"

namespace worklog::library {
namespace {

// The most columns of which a thread holds both arrays.
constexpr int kMostOfBoth = 2 * kFewPerThread;

// From the column `col` on; 0 outside the row, which adds nothing to a sum.
template <int kCount, bool kIsWhole, typename T, typename Index>
__device__ void load(const T* row, Index col, std::int64_t cols, float* x) {
  const Pack<T, kCount> pack = load_pack<kCount, kIsWhole>(row, col, cols);
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    x[i] = static_cast<float>(pack.values[i]);
  set_outside<kCount>(0.0f, col, cols, x);
}

// What a column adds to the sum of its row.
__device__ float share_of(float y, float dy, bool logarithm) {
  return logarithm ? dy : y * dy;
}

template <int kCount>
__device__ void make_gradients(const float* y, float* dy, float sum, float scale, bool logarithm) {
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    dy[i] = scale * (logarithm ? dy[i] - expf(y[i]) * sum : y[i] * (dy[i] - sum));
}

// ---- kernels ----

// The threads of one y own a row: of a short one fewer than a warp. A thread holds kPacks packs of
// kCount columns, blockDim.x apart, and stores where it alone has loaded.
template <typename T, int kCount, bool kIsWhole, int kPacks, bool kIsShort>
__global__ void __launch_bounds__(kMaxThreads) scale_backward(const ScaleBackward<T> problem) {
  static_assert(kCount * kPacks <= kMostOfBoth, "a thread's part of both arrays fits in registers");
  const std::int64_t number = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const bool exists = number < problem.rows;  // the last block may have more groups than rows
  const std::int64_t row = exists ? number : 0;
  const std::int64_t cols = exists ? problem.cols : 0;
  const T* results = problem.results + row * problem.results_stride;
  const T* gradients = problem.gradients + row * problem.gradients_stride;
  const int before = columns_before<kCount, kIsWhole>(results);
  const auto col_of = [before](int i) {
    return static_cast<int>(threadIdx.x + i * blockDim.x) * kCount - before;
  };

  float y[kPacks][kCount];
  float dy[kPacks][kCount];
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    load<kCount, kIsWhole>(results, col_of(i), cols, y[i]);
    load<kCount, kIsWhole>(gradients, col_of(i), cols, dy[i]);
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPacks * kCount; ++i)
    sum += share_of(y[i / kCount][i % kCount], dy[i / kCount][i % kCount], problem.logarithm);
  sum = group_sum(sum, kIsShort ? blockDim.x : kWarpSize);
  if (!kIsShort) sum = sum_warps(sum);

#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    make_gradients<kCount>(y[i], dy[i], sum, problem.scale, problem.logarithm);
    store_pack_as<kCount, kIsWhole>(problem.logit_type, dy[i], problem.logit_gradients,
                                    row * problem.logit_gradients_stride, col_of(i), cols);
  }
}

// For rows of any length: a block reads its row once for the sum, and once more for the gradients.
template <typename T, int kCount, bool kIsWhole>
__global__ void __launch_bounds__(kMaxThreads)
    scale_backward_of_long_rows(const ScaleBackward<T> problem) {
  constexpr int kPacks = kFewPerThread / kCount;
  const std::int64_t row = blockIdx.x;
  const T* results = problem.results + row * problem.results_stride;
  const T* gradients = problem.gradients + row * problem.gradients_stride;
  const std::int64_t stride = std::int64_t{blockDim.x} * kCount;
  const std::int64_t first =
      std::int64_t{threadIdx.x} * kCount - columns_before<kCount, kIsWhole>(results);

  float sum = 0.0f;
  for (std::int64_t col = first; col < problem.cols; col += kPacks * stride) {
    float y[kPacks][kCount];
    float dy[kPacks][kCount];
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      load<kCount, kIsWhole>(results, col + i * stride, problem.cols, y[i]);
      load<kCount, kIsWhole>(gradients, col + i * stride, problem.cols, dy[i]);
    }
#pragma unroll
    for (int i = 0; i < kPacks * kCount; ++i)
      sum += share_of(y[i / kCount][i % kCount], dy[i / kCount][i % kCount], problem.logarithm);
  }
  sum = sum_warps(group_sum(sum, kWarpSize));

  for (std::int64_t col = first; col < problem.cols; col += stride) {
    float y[kCount];
    float dy[kCount];
    load<kCount, kIsWhole>(results, col, problem.cols, y);
    load<kCount, kIsWhole>(gradients, col, problem.cols, dy);
    make_gradients<kCount>(y, dy, sum, problem.scale, problem.logarithm);
    store_pack_as<kCount, kIsWhole>(problem.logit_type, dy, problem.logit_gradients,
                                    row * problem.logit_gradients_stride, col, problem.cols);
  }
}

// ---- launches ----

template <typename T, int kCount, bool kIsWhole, int kPerThread, bool kIsShort = false>
void launch_in_registers(const ScaleBackward<T>& problem, cudaStream_t stream) {
  const std::int64_t columns = columns_of_packs<kCount, kIsWhole>(problem.cols);
  const auto [grid, block] = shape_for(problem.rows, threads_for(columns, kPerThread));
  scale_backward<T, kCount, kIsWhole, kPerThread / kCount, kIsShort>
      <<<grid, block, 0, stream>>>(problem);
  check_launch("scale_backward", grid, block);
}

template <typename T, int kCount, bool kIsWhole>
void launch_of_long_rows(const ScaleBackward<T>& problem, cudaStream_t stream) {
  const auto [grid, block] = shape_for(problem.rows, kMaxThreads);
  scale_backward_of_long_rows<T, kCount, kIsWhole><<<grid, block, 0, stream>>>(problem);
  check_launch("scale_backward_of_long_rows", grid, block);
}

template <typename T, int kCount, bool kIsWhole>
void launch(const ScaleBackward<T>& problem, cudaStream_t stream) {
  const std::int64_t columns = columns_of_packs<kCount, kIsWhole>(problem.cols);
  if (columns <= kFewPerThread * kMaxThreads) {
    launch_in_registers<T, kCount, kIsWhole, kFewPerThread>(problem, stream);
  } else if (columns <= kMostOfBoth * kMaxThreads) {
    launch_in_registers<T, kCount, kIsWhole, kMostOfBoth>(problem, stream);
  } else {
    launch_of_long_rows<T, kCount, kIsWhole>(problem, stream);
  }
}

// Whether whole packs lie where packs may lie, in every row.
template <typename T, int kCount>
bool takes_packs(const ScaleBackward<T>& problem) {
  return problem.cols % kCount == 0 &&
         lies_well<kCount>(problem.results, problem.results_stride, sizeof(T)) &&
         lies_well<kCount>(problem.gradients, problem.gradients_stride, sizeof(T)) &&
         lies_well<kCount>(problem.logit_gradients, problem.logit_gradients_stride,
                           size_of(problem.logit_type));
}

}  // namespace

template <typename T>
void run(const ScaleBackward<T>& problem, cudaStream_t stream) {
  constexpr int kPerPack = sizeof(uint4) / sizeof(T);
  const bool is_whole = takes_packs<T, kPerPack>(problem);
  if (problem.cols > kShortestOfWarps) {
    if (is_whole) return launch<T, kPerPack, true>(problem, stream);
    return launch<T, kPerPack, false>(problem, stream);
  }
  if (is_whole) return launch_in_registers<T, kPerPack, true, kFewPerThread, true>(problem, stream);
  launch_in_registers<T, 1, true, kFewPerThread, true>(problem, stream);
}

template void run(const ScaleBackward<float>&, cudaStream_t);
template void run(const ScaleBackward<__half>&, cudaStream_t);
template void run(const ScaleBackward<__nv_bfloat16>&, cudaStream_t);

}  // namespace worklog::library
