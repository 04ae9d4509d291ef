// The lanes of a group, a warp or several warps own a row and keep it in registers, from its one
// read to its one write, as steps 13 and 14 do. Rows that no block can hold are read twice, as step
// 12 does. The logits become scale * x + mask where they are loaded, so that scaling and a causal
// mask move no byte, and another mask is only read.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/check_launch.h"
#include "library/kernels/scale_mask_softmax.h"
#include "packs.cuh"
#include "rows.cuh"

namespace worklog::library {
namespace {

// ---- what is loaded ----

// A row of the logits, and what becomes of it.
template <typename T>
struct Row {
  const T* logits;
  const T* mask;  // null for none
  std::int64_t cols;
  std::int64_t visible;  // columns; those behind count as -inf
  float scale;
};

// The row of the mask, of all its matrices, that a row has.
template <typename T>
__device__ std::int64_t row_of_mask(const ScaleMaskSoftmax<T>& problem, std::int64_t row) {
  const auto r = static_cast<std::uint32_t>(row);  // in 32 bits, in which division takes less time
  const std::uint32_t matrix = r / problem.mask_matrix_rows % problem.mask_matrices;
  return std::int64_t{matrix} * problem.mask_rows + r % problem.mask_rows;
}

template <typename T>
__device__ Row<T> row_of(const ScaleMaskSoftmax<T>& problem, std::int64_t row) {
  const T* logits = problem.logits + row * problem.logits_stride;
  const T* mask = problem.mask;
  if (mask != nullptr) mask += row_of_mask(problem, row) * problem.mask_stride;
  std::int64_t visible = problem.cols;
  if (problem.is_causal) visible = row % problem.queries + problem.causal_offset + 1;
  visible = visible < problem.cols ? visible : problem.cols;
  return {logits, mask, problem.cols, visible, problem.scale};
}

// scale * x + mask, from the column `col` on; -inf outside what is visible of the row.
template <int kCount, bool kIsWhole, typename T, typename Index>
__device__ void load(const Row<T>& row, Index col, float* x) {
  Pack<T, kCount> logits{};
  Pack<T, kCount> mask{};
  if (col < row.visible) {
    logits = load_pack<kCount, kIsWhole>(row.logits, col, row.cols);
    if (row.mask != nullptr) mask = load_pack<kCount, kIsWhole>(row.mask, col, row.cols);
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const float added = row.mask != nullptr ? static_cast<float>(mask.values[i]) : 0.0f;
    x[i] = fmaf(static_cast<float>(logits.values[i]), row.scale, added);
  }
  set_outside<kCount>(kNegativeInfinity, col, row.visible, x);
}

// ---- kernels ----

// The threads of one y own a row: of a short one fewer than a warp. A thread holds kPacks packs of
// kCount logits, blockDim.x apart.
template <typename T, int kCount, bool kIsWhole, int kPacks, bool kIsShort>
__global__ void __launch_bounds__(kMaxThreads)
    scale_mask_softmax(const ScaleMaskSoftmax<T> problem) {
  static_assert(kCount * kPacks <= kMostPerThread<kIsWhole>,
                "a thread's part of the row fits in registers");
  const std::int64_t number = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const bool exists = number < problem.rows;  // the last block may have more groups than rows
  Row<T> row = row_of(problem, exists ? number : 0);
  if (!exists) row.visible = row.cols = 0;
  // That the compiler knows it for longer rows saves a quarter of a copy's time at 4096 of bf16.
  const int lanes = kIsShort ? blockDim.x : kWarpSize;
  const int before = columns_before<kCount, kIsWhole>(row.logits);
  const auto col_of = [before](int i) {
    return static_cast<int>(threadIdx.x + i * blockDim.x) * kCount - before;
  };

  float x[kPacks][kCount];
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    load<kCount, kIsWhole>(row, col_of(i), x[i]);

  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPacks * kCount; ++i)
    m = max_or_nan(m, x[i / kCount][i % kCount]);
  m = group_max(m, lanes);

  // Of a softmax only the exponentials are wanted from here on.
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPacks * kCount; ++i) {
    float& each = x[i / kCount][i % kCount];
    const float e = exponential<T>(each - origin_of(m));
    d += e;
    if (!problem.logarithm) each = e;
  }
  d = group_sum(d, lanes);
  const Normalizer all = kIsShort ? Normalizer{m, d} : combine_warps({m, d});

  const float factor = ratio_of(m, all.m) / all.d;
  const float log_d = logf(all.d);
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      x[i][j] = problem.logarithm ? (x[i][j] - all.m) - log_d : x[i][j] * factor;
    if (!exists) continue;
    store_pack_as<kCount, kIsWhole>(problem.results_type, x[i], problem.results,
                                    number * problem.results_stride, col_of(i), problem.cols);
  }
}

// For rows of any length: a block reads its row once for m and d, and once more for the results.
template <typename T, int kCount, bool kIsWhole>
__global__ void __launch_bounds__(kMaxThreads)
    scale_mask_softmax_of_long_rows(const ScaleMaskSoftmax<T> problem) {
  constexpr int kPacks = kFewPerThread / kCount;
  const Row<T> row = row_of(problem, blockIdx.x);
  const std::int64_t stride = std::int64_t{blockDim.x} * kCount;
  const std::int64_t first =
      std::int64_t{threadIdx.x} * kCount - columns_before<kCount, kIsWhole>(row.logits);

  Normalizer mine;
  for (std::int64_t col = first; col < row.visible; col += kPacks * stride) {
    float x[kPacks][kCount];
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      load<kCount, kIsWhole>(row, col + i * stride, x[i]);
    float m = mine.m;
#pragma unroll
    for (int i = 0; i < kPacks * kCount; ++i)
      m = max_or_nan(m, x[i / kCount][i % kCount]);
    mine.d *= ratio_of(mine.m, m);
#pragma unroll
    for (int i = 0; i < kPacks * kCount; ++i)
      mine.d += exponential<T>(x[i / kCount][i % kCount] - origin_of(m));
    mine.m = m;
  }
  const Normalizer all = combine_warps(warp_combine(mine));

  const float factor = 1.0f / all.d;
  const float log_d = logf(all.d);
  for (std::int64_t col = first; col < problem.cols; col += stride) {
    float x[kCount];
    load<kCount, kIsWhole>(row, col, x);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      x[i] = problem.logarithm ? (x[i] - all.m) - log_d : exponential<T>(x[i] - all.m) * factor;
    store_pack_as<kCount, kIsWhole>(problem.results_type, x, problem.results,
                                    std::int64_t{blockIdx.x} * problem.results_stride, col,
                                    problem.cols);
  }
}

// ---- launches ----

template <typename T, int kCount, bool kIsWhole, int kPerThread, bool kIsShort = false>
void launch_in_registers(const ScaleMaskSoftmax<T>& problem, cudaStream_t stream) {
  const std::int64_t columns = columns_of_packs<kCount, kIsWhole>(problem.cols);
  const auto [grid, block] = shape_for(problem.rows, threads_for(columns, kPerThread));
  scale_mask_softmax<T, kCount, kIsWhole, kPerThread / kCount, kIsShort>
      <<<grid, block, 0, stream>>>(problem);
  check_launch("scale_mask_softmax", grid, block);
}

template <typename T, int kCount, bool kIsWhole>
void launch_of_long_rows(const ScaleMaskSoftmax<T>& problem, cudaStream_t stream) {
  const auto [grid, block] = shape_for(problem.rows, kMaxThreads);
  scale_mask_softmax_of_long_rows<T, kCount, kIsWhole><<<grid, block, 0, stream>>>(problem);
  check_launch("scale_mask_softmax_of_long_rows", grid, block);
}

template <typename T, int kCount, bool kIsWhole>
void launch(const ScaleMaskSoftmax<T>& problem, cudaStream_t stream) {
  const std::int64_t columns = columns_of_packs<kCount, kIsWhole>(problem.cols);
  const bool one_warp =
      columns > kFewPerThread * kWarpSize && columns <= kMostPerThread<kIsWhole> * kWarpSize;
  if (columns <= kFewPerThread * kMaxThreads && !one_warp) {
    launch_in_registers<T, kCount, kIsWhole, kFewPerThread>(problem, stream);
  } else if (columns <= kMostPerThread<kIsWhole> * kMaxThreads) {
    launch_in_registers<T, kCount, kIsWhole, kMostPerThread<kIsWhole>>(problem, stream);
  } else {
    launch_of_long_rows<T, kCount, kIsWhole>(problem, stream);
  }
}

// Whether whole packs lie where packs may lie, in every row.
template <typename T, int kCount>
bool takes_packs(const ScaleMaskSoftmax<T>& problem) {
  return problem.cols % kCount == 0 &&
         lies_well<kCount>(problem.logits, problem.logits_stride, sizeof(T)) &&
         lies_well<kCount>(problem.results, problem.results_stride,
                           size_of(problem.results_type)) &&
         (problem.mask == nullptr ||
          lies_well<kCount>(problem.mask, problem.mask_stride, sizeof(T)));
}

}  // namespace

template <typename T>
void run(const ScaleMaskSoftmax<T>& problem, cudaStream_t stream) {
  constexpr int kPerPack = sizeof(uint4) / sizeof(T);
  const bool is_whole = takes_packs<T, kPerPack>(problem);
  if (problem.cols > kShortestOfWarps) {
    if (is_whole) return launch<T, kPerPack, true>(problem, stream);
    return launch<T, kPerPack, false>(problem, stream);
  }
  if (is_whole) return launch_in_registers<T, kPerPack, true, kFewPerThread, true>(problem, stream);
  launch_in_registers<T, 1, true, kFewPerThread, true>(problem, stream);
}

template void run(const ScaleMaskSoftmax<float>&, cudaStream_t);
template void run(const ScaleMaskSoftmax<__half>&, cudaStream_t);
template void run(const ScaleMaskSoftmax<__nv_bfloat16>&, cudaStream_t);

}  // namespace worklog::library
