// The lanes of a group, a warp or several warps own a row and keep it in registers, from its one
// read to the one write of its gradients. Rows that no block can hold are read twice. The logits
// are scaled where they are loaded, and found where they lie, so that neither moves a byte.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "common/step/check_launch.h"
#include "library/kernels/scale_cross_entropy.h"
#include "packs.cuh"
#include "rows.cuh"

namespace worklog::library {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// ---- a row's label ----

// Labels that are none of the row's columns.
constexpr std::int64_t kNoColumn = -1;
constexpr std::int64_t kIgnored = -2;

__device__ std::int64_t label_of(Labels labels, std::int64_t row) {
  return labels.of_64_bits != nullptr ? labels.of_64_bits[row] : labels.of_32_bits[row];
}

template <typename T>
__device__ std::int64_t target_of(const ScaleCrossEntropy<T>& problem, std::int64_t row) {
  const std::int64_t label = label_of(problem.labels, row);
  const bool may_be_ignored = problem.gradients != nullptr;
  if (may_be_ignored && label == problem.options.ignore_index) return kIgnored;
  return 0 <= label && label < problem.cols ? label : kNoColumn;
}

// The label's logit, which one thread of the row asks for.
template <typename T>
__device__ float logit_of(const ScaleCrossEntropy<T>& problem, const T* row, std::int64_t target) {
  if (threadIdx.x != 0 || target < 0) return kNan;
  return scaled(static_cast<float>(row[target]), problem.scale);
}

// scale * x, from the column `col` on; -inf outside the row.
template <int kCount, bool kIsWhole, typename T, typename Index>
__device__ void load(const T* row, Index col, std::int64_t cols, float scale, float* x) {
  const Pack<T, kCount> pack = load_pack<kCount, kIsWhole>(row, col, cols);
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    x[i] = scaled(static_cast<float>(pack.values[i]), scale);
  set_outside<kCount>(kNegativeInfinity, col, cols, x);
}

// What these add to the sum of the row's logits.
template <int kCount, bool kIsWhole, typename Index>
__device__ float sum_of(const float* x, Index col, std::int64_t cols) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    sum += is_of_row<kIsWhole>(col, i, cols) ? x[i] : 0.0f;
  return sum;
}

// ---- what becomes of a row ----

// The loss of a row, given its label's logit and the sum of its logits. What has no share in it
// must not be infinite times 0.
template <typename T>
__device__ float loss_of(const ScaleCrossEntropy<T>& problem, Normalizer row, float logit,
                         float sum) {
  const float log_d = logf(row.d);
  const float log_sum_exp = row.m + log_d;
  const float smooth = problem.options.label_smoothing;
  float loss = problem.options.z_loss * log_sum_exp * log_sum_exp;
  if (smooth < 1.0f) loss += (1.0f - smooth) * (log_d - (logit - row.m));
  if (smooth > 0.0f) loss += smooth * (log_sum_exp - sum / static_cast<float>(problem.cols));
  return loss;
}

// What makes gradients: an exponential times the factor, and what is added to that.
struct Gradients {
  float factor;
  float elsewhere;
  float at_label;
};

// Stores the loss of a row, and returns what its gradients are made of.
template <typename T>
__device__ Gradients finish(const ScaleCrossEntropy<T>& problem, std::int64_t row,
                            std::int64_t target, float logit, Normalizer all, float sum) {
  all.d += all.m - all.m;  // NaN for a row with a NaN or +inf, or of -inf only
  if (threadIdx.x == 0) {
    float loss = loss_of(problem, all, logit, sum);
    if (target == kNoColumn) loss = kNan;
    problem.losses[row] = target == kIgnored ? 0.0f : loss;
  }
  if (target == kIgnored) return {0.0f, 0.0f, 0.0f};
  const float weight = problem.options.reduction == Reduction::kMean && problem.gradients != nullptr
                           ? problem.scale * *problem.weight
                           : problem.scale;
  const float smooth = problem.options.label_smoothing;
  const float log_sum_exp = all.m + logf(all.d);
  const float factor = weight * (1.0f + 2.0f * problem.options.z_loss * log_sum_exp) / all.d;
  const float elsewhere = -weight * smooth / static_cast<float>(problem.cols);
  return {target == kNoColumn ? kNan : factor, elsewhere, elsewhere - weight * (1.0f - smooth)};
}

// Exponentials of columns from `col` on become gradients.
template <int kCount, typename Index>
__device__ void make_gradients(float* e, Gradients of_row, float ratio, Index col,
                               std::int64_t target) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const float added = col + i == target ? of_row.at_label : of_row.elsewhere;
    e[i] = fmaf(e[i] * ratio, of_row.factor, added);
  }
}

// ---- kernels ----

// The threads of one y own a row: of a short one fewer than a warp. A thread holds kPacks packs of
// kCount logits, blockDim.x apart. Gradients may be in the logits' place: a thread stores where it
// alone has loaded, but for the label's logit, which is loaded before the first barrier.
template <typename T, int kCount, bool kIsWhole, int kPacks, bool kIsShort>
__global__ void __launch_bounds__(kMaxThreads)
    scale_cross_entropy(const ScaleCrossEntropy<T> problem) {
  static_assert(kCount * kPacks <= kMostPerThread<kIsWhole>,
                "a thread's part of the row fits in registers");
  const std::int64_t number = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const bool exists = number < problem.rows;  // the last block may have more groups than rows
  const std::int64_t row = exists ? number : 0;
  const T* logits = problem.logits + problem.logits_layout.begin_of(row);
  // A group without a row reads nothing: its row's place may be in use, by whoever stores there.
  const std::int64_t target = exists ? target_of(problem, row) : kIgnored;
  const std::int64_t cols = target != kIgnored ? problem.cols : 0;
  const int lanes = kIsShort ? blockDim.x : kWarpSize;
  const int before = columns_before<kCount, kIsWhole>(logits);
  const auto col_of = [before](int i) {
    return static_cast<int>(threadIdx.x + i * blockDim.x) * kCount - before;
  };

  float x[kPacks][kCount];
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    load<kCount, kIsWhole>(logits, col_of(i), cols, problem.scale, x[i]);
  const float logit = logit_of(problem, logits, target);
  __syncwarp();

  float m = kNegativeInfinity;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      m = max_or_nan(m, x[i][j]);
    if (problem.options.label_smoothing > 0.0f)
      sum += sum_of<kCount, kIsWhole>(x[i], col_of(i), cols);
  }
  m = group_max(m, lanes);
  float d = 0.0f;
#pragma unroll
  for (int i = 0; i < kPacks * kCount; ++i) {
    float& each = x[i / kCount][i % kCount];
    each = exponential<T>(each - origin_of(m));
    d += each;
  }
  d = group_sum(d, lanes);
  sum = group_sum(sum, lanes);
  const Normalizer all = kIsShort ? Normalizer{m, d} : combine_warps({m, d});
  if (!kIsShort && problem.options.label_smoothing > 0.0f) sum = sum_warps(sum);
  if (!exists) return;

  const Gradients of_row = finish(problem, row, target, logit, all, sum);
  if (problem.gradients == nullptr) return;
  const float ratio = ratio_of(m, all.m);
  T* gradients = problem.gradients + problem.gradients_layout.begin_of(row);
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    make_gradients<kCount>(x[i], of_row, ratio, col_of(i), target);
    store_pack<kCount, kIsWhole>(x[i], gradients, col_of(i), problem.cols);
  }
}

// For rows of any length: a block reads its row once for the loss, and once more for gradients.
template <typename T, int kCount, bool kIsWhole>
__global__ void __launch_bounds__(kMaxThreads)
    scale_cross_entropy_of_long_rows(const ScaleCrossEntropy<T> problem) {
  constexpr int kPacks = kFewPerThread / kCount;
  const std::int64_t row = blockIdx.x;
  const T* logits = problem.logits + problem.logits_layout.begin_of(row);
  const std::int64_t target = target_of(problem, row);
  const std::int64_t cols = target != kIgnored ? problem.cols : 0;
  const std::int64_t stride = std::int64_t{blockDim.x} * kCount;
  const std::int64_t first =
      std::int64_t{threadIdx.x} * kCount - columns_before<kCount, kIsWhole>(logits);
  const float logit = logit_of(problem, logits, target);

  Normalizer mine;
  float sum = 0.0f;
  for (std::int64_t begin = first; begin < cols; begin += kPacks * stride) {
    float x[kPacks][kCount];
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      load<kCount, kIsWhole>(logits, begin + i * stride, cols, problem.scale, x[i]);
    float m = mine.m;
#pragma unroll
    for (int i = 0; i < kPacks * kCount; ++i)
      m = max_or_nan(m, x[i / kCount][i % kCount]);
    mine.d *= ratio_of(mine.m, m);
#pragma unroll
    for (int i = 0; i < kPacks * kCount; ++i)
      mine.d += exponential<T>(x[i / kCount][i % kCount] - origin_of(m));
    if (problem.options.label_smoothing > 0.0f) {
#pragma unroll
      for (int i = 0; i < kPacks; ++i)
        sum += sum_of<kCount, kIsWhole>(x[i], begin + i * stride, cols);
    }
    mine.m = m;
  }
  const Normalizer all = combine_warps(warp_combine(mine));
  if (problem.options.label_smoothing > 0.0f) sum = sum_warps(group_sum(sum, kWarpSize));

  const Gradients of_row = finish(problem, row, target, logit, all, sum);
  if (problem.gradients == nullptr) return;
  T* gradients = problem.gradients + problem.gradients_layout.begin_of(row);
  for (std::int64_t col = first; col < problem.cols; col += stride) {
    float x[kCount];
    load<kCount, kIsWhole>(logits, col, cols, problem.scale, x);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      x[i] = exponential<T>(x[i] - origin_of(all.m));
    make_gradients<kCount>(x, of_row, 1.0f, col, target);
    store_pack<kCount, kIsWhole>(x, gradients, col, problem.cols);
  }
}

// The sum of what the threads of one block know, for each of them.
template <typename EachRow>
__device__ float sum_of_rows(std::int64_t rows, const EachRow& each_row) {
  float sum = 0.0f;
  for (std::int64_t row = threadIdx.x; row < rows; row += blockDim.x)
    sum += each_row(row);
  return sum_warps(group_sum(sum, kWarpSize));
}

// 1 over the number of rows that count, by one block. A thread's share is less than 2^24 rows, and
// the sum of those is rounded as the number itself would be, or by few units in the last place.
template <typename T>
__global__ void __launch_bounds__(kMaxThreads) count_rows(const ScaleCrossEntropy<T> problem) {
  const float count = sum_of_rows(problem.rows, [&](std::int64_t row) {
    return label_of(problem.labels, row) != problem.options.ignore_index ? 1.0f : 0.0f;
  });
  if (threadIdx.x == 0) *problem.weight = 1.0f / count;
}

// The sum of all losses, or their mean, by one block: the same on every run.
template <typename T>
__global__ void __launch_bounds__(kMaxThreads) add_losses(const ScaleCrossEntropy<T> problem) {
  const float sum =
      sum_of_rows(problem.rows, [&](std::int64_t row) { return problem.losses[row]; });
  const bool is_mean = problem.options.reduction == Reduction::kMean;
  if (threadIdx.x == 0) *problem.loss = is_mean ? sum * *problem.weight : sum;
}

// ---- launches ----

template <typename T, int kCount, bool kIsWhole, int kPerThread, bool kIsShort = false>
void launch_in_registers(const ScaleCrossEntropy<T>& problem, cudaStream_t stream) {
  const std::int64_t columns = columns_of_packs<kCount, kIsWhole>(problem.cols);
  const auto [grid, block] = shape_for(problem.rows, threads_for(columns, kPerThread));
  scale_cross_entropy<T, kCount, kIsWhole, kPerThread / kCount, kIsShort>
      <<<grid, block, 0, stream>>>(problem);
  check_launch("scale_cross_entropy", grid, block);
}

template <typename T, int kCount, bool kIsWhole>
void launch_of_long_rows(const ScaleCrossEntropy<T>& problem, cudaStream_t stream) {
  const auto [grid, block] = shape_for(problem.rows, kMaxThreads);
  scale_cross_entropy_of_long_rows<T, kCount, kIsWhole><<<grid, block, 0, stream>>>(problem);
  check_launch("scale_cross_entropy_of_long_rows", grid, block);
}

template <typename T, int kCount, bool kIsWhole>
void launch(const ScaleCrossEntropy<T>& problem, cudaStream_t stream) {
  const std::int64_t columns = columns_of_packs<kCount, kIsWhole>(problem.cols);
  if (columns <= kFewPerThread * kMaxThreads) {
    launch_in_registers<T, kCount, kIsWhole, kFewPerThread>(problem, stream);
  } else if (columns <= kMostPerThread<kIsWhole> * kMaxThreads) {
    launch_in_registers<T, kCount, kIsWhole, kMostPerThread<kIsWhole>>(problem, stream);
  } else {
    launch_of_long_rows<T, kCount, kIsWhole>(problem, stream);
  }
}

// Whether whole packs lie where packs may lie, in every row.
template <typename T, int kCount>
bool takes_packs(const ScaleCrossEntropy<T>& problem) {
  const auto lies_well = [](const void* array, const RowLayout& layout) {
    return reinterpret_cast<std::uintptr_t>(array) % (kCount * sizeof(T)) == 0 &&
           layout.stride % kCount == 0 && layout.matrix_stride % kCount == 0;
  };
  return problem.cols % kCount == 0 && lies_well(problem.logits, problem.logits_layout) &&
         (problem.gradients == nullptr || lies_well(problem.gradients, problem.gradients_layout));
}

template <typename T>
void launch_rows(const ScaleCrossEntropy<T>& problem, cudaStream_t stream) {
  constexpr int kPerPack = sizeof(uint4) / sizeof(T);
  const bool is_whole = takes_packs<T, kPerPack>(problem);
  if (problem.cols > kShortestOfWarps) {
    if (is_whole) return launch<T, kPerPack, true>(problem, stream);
    return launch<T, kPerPack, false>(problem, stream);
  }
  if (is_whole) return launch_in_registers<T, kPerPack, true, kFewPerThread, true>(problem, stream);
  launch_in_registers<T, 1, true, kFewPerThread, true>(problem, stream);
}

}  // namespace

template <typename T>
void run(const ScaleCrossEntropy<T>& problem, cudaStream_t stream) {
  if (problem.options.reduction == Reduction::kMean) {
    count_rows<<<1, kMaxThreads, 0, stream>>>(problem);
    check_launch("count_rows", 1, kMaxThreads);
  }
  launch_rows(problem, stream);
  if (problem.options.reduction != Reduction::kNone) {
    add_losses<<<1, kMaxThreads, 0, stream>>>(problem);
    check_launch("add_losses", 1, kMaxThreads);
  }
}

template void run(const ScaleCrossEntropy<float>&, cudaStream_t);
template void run(const ScaleCrossEntropy<__half>&, cudaStream_t);
template void run(const ScaleCrossEntropy<__nv_bfloat16>&, cudaStream_t);

}  // namespace worklog::library
