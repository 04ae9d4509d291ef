// Step 20: cross-entropy
//
// A classifier's loss is log(sum(exp(x))) - x_label, and its gradient is the softmax, less 1 in the
// label's column. So the loss and the gradient of a row come from one pass over its logits, and no
// probability is ever stored.

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

namespace cg = cooperative_groups;

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLog2E = 1.44269504f;  // 1 / ln 2

// The columns of a row that a thread holds in registers. Those of two bytes take as much room again
// when they become floats: with 32 of them wide rows take longer.
constexpr int max_per_thread(std::size_t element_bytes) {
  return element_bytes == sizeof(float) ? 32 : 16;
}
// Bytes of shared memory, of the 227 KB that a block may have, for what the registers cannot hold.
constexpr int kMaxWaiting = 226 * 1024;

// What C++ has no name for.

// 2^x, to 2 ulp; 0 where that is too small for a normal float.
__device__ float exp2_approx(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

// The larger one, but NaN if one of them is: fmaxf would drop it.
__device__ float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

// The two halves of a barrier of the cluster. What a thread stored before it arrives, the others
// see behind the wait, if it releases its stores. That takes a fence, which waits for all of them:
// a thread that stored nothing for others does without.
__device__ void arrive_and_release() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ void arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// exp(t). Results of two bytes have too few digits to show what a fast exponential does.
template <typename T>
__device__ float exponential(float t) {
  if constexpr (std::is_same_v<T, float>) {
    return expf(t);
  } else {
    return exp2_approx(t * kLog2E);
  }
}

// Labels that are none of the row's columns.
constexpr int kNoColumn = -1;
constexpr int kIgnored = -2;

// What is known of a part of a row: its maximum m, d, the sum of exp(x - m), the sum of its logits,
// and in the row's first part the label. (Milakov and Gimelshein, "Online normalizer calculation
// for softmax", section 3.1)
struct alignas(16) Part {
  float m = kNegativeInfinity;
  float d = 0.0f;
  float sum = 0.0f;
  int label = kNoColumn;
};

// What a part's exponentials are taken against: nothing but -inf must not spoil the others.
__device__ float origin_of(float m) {
  return m == kNegativeInfinity ? 0.0f : m;
}

// What makes exponentials of a part with the maximum m_part into those of a row with the maximum m.
__device__ float ratio_of(float m_part, float m) {
  return m_part == kNegativeInfinity ? 0.0f : expf(m_part - m);
}

// The largest value of a warp, for each of its lanes.
__device__ float warp_max(float m) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    m = max_or_nan(m, __shfl_xor_sync(kAllLanes, m, distance));
  }
  return m;
}

__device__ float warp_sum(float sum) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  }
  return sum;
}

// The combination of what 32 lanes know, for each of them. The first has the row's first part.
__device__ Part warp_combine(Part part) {
  const float m = warp_max(part.m);
  return {m, warp_sum(part.d * ratio_of(part.m, m)), warp_sum(part.sum),
          __shfl_sync(kAllLanes, part.label, 0)};
}

// The combination of what the warps of a block know, for each of its threads: one barrier, after
// which every warp looks at the results of all.
__device__ Part block_combine(Part mine) {
  __shared__ Part of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  if (lane == 0) of_warps[warp] = mine;
  __syncthreads();
  return warp_combine(lane < warps ? of_warps[lane] : Part{});
}

// Blocks of a cluster at most: more than 8 are not portable, but an H200 has 16.
constexpr int kMaxBlocks = 16;
static_assert(kMaxBlocks <= kWarpSize, "a warp tells all blocks, and combines their results");

// The combination of what the blocks of a cluster know, for each of their threads: every block
// leaves its own with all.
__device__ Part cluster_combine(Part mine) {
  __shared__ Part of_blocks[kMaxBlocks];
  const cg::cluster_group cluster = cg::this_cluster();
  const int lane = threadIdx.x % kWarpSize;
  const int thread = static_cast<int>(threadIdx.x);
  const int blocks = static_cast<int>(cluster.num_blocks());

  mine = block_combine(mine);
  if (thread < blocks) cluster.map_shared_rank(of_blocks, thread)[cluster.block_rank()] = mine;
  if (thread < kWarpSize) {
    arrive_and_release();
  } else {
    arrive_relaxed();
  }
  wait_for_cluster();
  return warp_combine(lane < blocks ? of_blocks[lane] : Part{});
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// Bytes of a cache line, and its vectors.
constexpr int kLine = 128;
constexpr int kPerLine = kLine / sizeof(Vector);

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread. Vectors are
// numbered from the beginning of the line in which the first one lies, so that the vectors of a
// warp fill whole lines.
struct Cut {
  int head;   // elements
  int first;  // the number of the first vector
  int end;    // the number behind the last one
  int edges;  // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, int cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const int first = reinterpret_cast<std::uintptr_t>(x + head) / sizeof(Vector) % kPerLine;
  const int vectors = cols > head ? (cols - head) / kPerVector<T> : 0;
  return {head, first, first + vectors, cols - vectors * kPerVector<T>};
}

// The vectors of each block's share of a row: whole lines of the cache. The last blocks may have
// fewer, or none.
__host__ __device__ constexpr int share_of(int vectors, int blocks) {
  const int lines = (vectors + kPerLine - 1) / kPerLine;
  return (lines + blocks - 1) / blocks * kPerLine;
}

// Stores vector i of those at `y`; element by element where `y` is not aligned as the logits are.
template <typename T>
__device__ void store(Vector vector, T* y, int i) {
  const T* values = reinterpret_cast<const T*>(&vector);
  if (reinterpret_cast<std::uintptr_t>(y) % sizeof(Vector) == 0) {
    reinterpret_cast<Vector*>(y)[i] = vector;
  } else {
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      y[i * kPerVector<T> + j] = values[j];
    }
  }
}

template <typename T>
__device__ Vector nothing() {
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    values[i] = static_cast<T>(kNegativeInfinity);
  }
  return vector;
}

// Two values of two bytes, which are compared at once.
template <typename T>
using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;

// The largest of m and a vector's values, or NaN.
template <typename T>
__device__ float max_of(Vector vector, float m) {
  if constexpr (sizeof(T) == sizeof(float)) {
    const auto* values = reinterpret_cast<const float*>(&vector);
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) {
      m = max_or_nan(m, values[i]);
    }
    return m;
  } else {
    const auto* pairs = reinterpret_cast<const Pair<T>*>(&vector);
    Pair<T> largest = pairs[0];
#pragma unroll
    for (int i = 1; i < kPerVector<T> / 2; ++i) {
      largest = __hmax2_nan(largest, pairs[i]);
    }
    return max_or_nan(m, max_or_nan(__low2float(largest), __high2float(largest)));
  }
}

template <typename T>
__device__ float sum_of(Vector vector, float sum) {
  const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    sum += static_cast<float>(values[i]);
  }
  return sum;
}

// In fp32 an exponential fits in the place of its logit. Those of two bytes are taken again when
// they are needed, since the vector has no room for them.
template <typename T>
constexpr bool kExponentialsFit = std::is_same_v<T, float>;

// Replaces a vector's logits by their exponentials, if these fit, and returns d and their sum.
template <typename T>
__device__ float add_exponentials(Vector& vector, float origin, float d) {
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    const float e = exponential<T>(static_cast<float>(values[i]) - origin);
    d += e;
    if constexpr (kExponentialsFit<T>) values[i] = e;
  }
  return d;
}

// What the row makes of a logit: the gradient is exp(x - m) * factor + elsewhere, and less at the
// label.
struct Gradients {
  float m;          // of the row
  float factor;     // of exp(x - m)
  float elsewhere;  // what all columns share of the target
  float at_label;   // the same of the label's column
};

// exp(x - m) of what add_exponentials has left in a logit's place.
template <typename T>
__device__ float exponential_again(T left, float ratio, float m) {
  if constexpr (kExponentialsFit<T>) {
    return left * ratio;
  } else {
    return exponential<T>(static_cast<float>(left) - m);
  }
}

// The gradients of a vector that add_exponentials has seen. Element `label` is the label's, if the
// vector has that: the others need not look for it at each of their elements.
template <typename T>
__device__ Vector gradients_of(Vector vector, Gradients row, float ratio, int label) {
  T* values = reinterpret_cast<T*>(&vector);
  if (label >= 0 && label < kPerVector<T>) {
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) {
      const float e = exponential_again(values[i], ratio, row.m);
      values[i] = static_cast<T>(fmaf(e, row.factor, i == label ? row.at_label : row.elsewhere));
    }
  } else {
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) {
      const float e = exponential_again(values[i], ratio, row.m);
      values[i] = static_cast<T>(fmaf(e, row.factor, row.elsewhere));
    }
  }
  return vector;
}

__device__ std::int64_t label_of(worklog::Labels labels, std::int64_t row) {
  return labels.of_64_bits != nullptr ? labels.of_64_bits[row] : labels.of_32_bits[row];
}

// The loss of a row, given its label's logit. What has no share in it must not be infinite times 0.
__device__ float loss_of(Part row, float logit, worklog::CrossEntropyOptions options, int cols) {
  if (row.label == kIgnored) return 0.0f;
  const float log_d = logf(row.d);
  const float log_sum_exp = row.m + log_d;
  const float smooth = options.label_smoothing;
  float loss = options.z_loss * log_sum_exp * log_sum_exp;
  if (smooth < 1.0f) loss += (1.0f - smooth) * (log_d - (logit - row.m));
  if (smooth > 0.0f) loss += smooth * (log_sum_exp - row.sum / static_cast<float>(cols));
  return row.label == kNoColumn ? kNan : loss;
}

__device__ Gradients gradients_of_row(Part row, worklog::CrossEntropyOptions options, float scale,
                                      int cols) {
  const float log_sum_exp = row.m + logf(row.d);
  const float smooth = options.label_smoothing;
  const float factor = scale * (1.0f + 2.0f * options.z_loss * log_sum_exp) / row.d;
  const float elsewhere = -scale * smooth / static_cast<float>(cols);
  return {row.m, row.label == kNoColumn ? kNan : factor, elsewhere,
          elsewhere - scale * (1.0f - smooth)};
}

// The vectors of a row that a thread holds in registers; those from kHeld * blockDim.x on wait in
// shared memory.
template <typename T>
constexpr int kHeld = max_per_thread(sizeof(T)) / kPerVector<T>;

// Whether no thread of the block has an i-th vector. Those of two bytes do not ask, which would
// cost them more than it saves.
template <typename T>
__device__ bool is_past(int i, int vectors) {
  return std::is_same_v<T, float> && i * static_cast<int>(blockDim.x) >= vectors;
}

// A cluster owns a row, and each of its blocks a share of it. The gradients may be in the logits'
// place: a thread stores where it alone has loaded, but for the label's logit, which is loaded
// before the barrier. `scale` is what a mean has counted, or null. The kernel that counts may still
// run while the row comes in.
template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    cross_entropy(const T* logits, worklog::Labels labels, float* losses, float* log_sum_exps,
                  T* gradients, worklog::CrossEntropyOptions options, const float* scale,
                  int cols) {
  extern __shared__ Vector waiting[];
  const cg::cluster_group cluster = cg::this_cluster();
  const int blocks = static_cast<int>(cluster.num_blocks());
  const int block = static_cast<int>(cluster.block_rank());
  const std::int64_t row_index = blockIdx.x / blocks;
  const T* x = logits + row_index * cols;
  T* dx = gradients + row_index * cols;
  const Cut cut = cut_row(x, cols);
  const int to_vectors = cut.head - cut.first * kPerVector<T>;
  const auto* x_vectors = reinterpret_cast<const Vector*>(x + cut.head) - cut.first;
  const int share = share_of(cut.end, blocks);
  const int begin = block * share;
  const int end = min(begin + share, cut.end);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int held = begin + kHeld<T> * threads;
  const bool is_first = block == 0 && thread == 0;
  const bool has_edge = block == 0 && thread < cut.edges;
  const int edge = thread < cut.head ? thread : thread + (cut.end - cut.first) * kPerVector<T>;

  if (options.reduction != worklog::Reduction::kNone) {
    cudaTriggerProgrammaticLaunchCompletion();  // the kernel that adds up the losses may wait here
  }
  arrive_relaxed();  // this block runs, the others shall know
  const std::int64_t label = is_first ? label_of(labels, row_index) : options.ignore_index;
  Vector tile[kHeld<T>];
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    const bool is_of_row = vector >= cut.first && vector < end;
    tile[i] = is_of_row ? x_vectors[vector] : nothing<T>();
  }
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  for (int i = held + thread; i < end; i += threads) {
    __pipeline_memcpy_async(&waiting[i - held], &x_vectors[i], sizeof(Vector));
  }
  __pipeline_commit();

  // While those are on their way, what the registers hold.
  float m = x_edge;
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    m = max_of<T>(tile[i], m);
  }
  const float m_of_tile = warp_max(m);

  // The label is there when the row is, and its logit comes while exponentials are taken.
  const bool is_column = label != options.ignore_index && label >= 0 && label < cols;
  const T x_label = is_column ? x[label] : static_cast<T>(kNan);
  const int told = is_column                       ? static_cast<int>(label)
                   : label == options.ignore_index ? kIgnored
                                                   : kNoColumn;
  float sum = 0.0f;
  if (options.label_smoothing > 0.0f) {
    if (has_edge) sum = x_edge;
#pragma unroll
    for (int i = 0; i < kHeld<T>; ++i) {
      const int vector = begin + thread + i * threads;
      if (vector >= cut.first && vector < end) sum = sum_of<T>(tile[i], sum);
    }
  }
  const float origin = origin_of(m_of_tile);
  const float e_edge = exponential<T>(x_edge - origin);
  float d = e_edge;
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    d = add_exponentials<T>(tile[i], origin, d);
  }

  m = m_of_tile;
  if (held < end) {
    __pipeline_wait_prior(0);
    for (int i = held + thread; i < end; i += threads) {
      m = max_of<T>(waiting[i - held], m);
    }
    m = warp_max(m);
    const float origin_of_waiting = origin_of(m);
    d *= ratio_of(m_of_tile, m);
    for (int i = held + thread; i < end; i += threads) {
      Vector vector = waiting[i - held];
      if (options.label_smoothing > 0.0f) sum = sum_of<T>(vector, sum);
      d = add_exponentials<T>(vector, origin_of_waiting, d);
      if constexpr (kExponentialsFit<T>) waiting[i - held] = vector;
    }
  }
  wait_for_cluster();  // all of them run, so that their shared memory is there
  Part row = cluster_combine({m, warp_sum(d), warp_sum(sum), told});
  row.d += row.m - row.m;  // NaN for a row with a NaN or +inf, or of -inf only
  cudaGridDependencySynchronize();
  const Gradients of_row = gradients_of_row(row, options, scale != nullptr ? *scale : 1.0f, cols);
  const float ratio = ratio_of(m_of_tile, row.m);
  const bool is_ignored = row.label == kIgnored;

  if (is_first) {
    losses[row_index] = loss_of(row, static_cast<float>(x_label), options, cols);
    log_sum_exps[row_index] = is_ignored ? 0.0f : row.m + logf(row.d);
  }
  if (has_edge) {
    const float target_of_edge = edge == row.label ? of_row.at_label : of_row.elsewhere;
    const float gradient = fmaf(e_edge * ratio, of_row.factor, target_of_edge);
    dx[edge] = static_cast<T>(is_ignored ? 0.0f : gradient);
  }
  const auto store_gradients = [&](Vector vector, int i, float ratio_of_vector) {
    const int label_in_vector = row.label - (to_vectors + i * kPerVector<T>);
    vector = gradients_of<T>(vector, of_row, ratio_of_vector, label_in_vector);
    store(is_ignored ? Vector{} : vector, dx + to_vectors, i);
  };
#pragma unroll
  for (int i = 0; i < kHeld<T>; ++i) {
    if (is_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    if (vector >= cut.first && vector < end) store_gradients(tile[i], vector, ratio);
  }
  const float ratio_of_waiting = ratio_of(m, row.m);
  for (int i = held + thread; i < end; i += threads) {
    store_gradients(waiting[i - held], i, ratio_of_waiting);
  }
}

// The two small kernels of a mean run as one block. Each of its threads has so many loads on their
// way at once: a loop that waits for each would take longer than a kernel that reads many rows.
constexpr int kUnderWay = 8;

// 1 over the number of rows that count, by one block.
__global__ void __launch_bounds__(kMaxThreads)
    count_rows(worklog::Labels labels, std::int64_t rows, std::int64_t ignore_index, float* scale) {
  __shared__ int count;
  cudaTriggerProgrammaticLaunchCompletion();
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int mine = 0;
#pragma unroll kUnderWay
  for (std::int64_t row = threadIdx.x; row < rows; row += kMaxThreads) {
    const std::int64_t label =
        labels.of_64_bits != nullptr ? labels.of_64_bits[row] : labels.of_32_bits[row];
    mine += label != ignore_index ? 1 : 0;
  }
  atomicAdd(&count, mine);
  __syncthreads();
  if (threadIdx.x == 0) *scale = 1.0f / static_cast<float>(count);
}

// The sum of all losses, or their mean, by one block. The same on every run: no order is left open.
__global__ void __launch_bounds__(kMaxThreads)
    add_losses(const float* losses, std::int64_t rows, const float* scale, float* loss) {
  __shared__ float of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  cudaGridDependencySynchronize();
  float sum = 0.0f;
#pragma unroll kUnderWay
  for (std::int64_t row = threadIdx.x; row < rows; row += kMaxThreads) {
    sum += losses[row];
  }
  sum = warp_sum(sum);
  if (lane == 0) of_warps[warp] = sum;
  __syncthreads();
  sum = warp_sum(of_warps[lane]);
  if (threadIdx.x == 0) *loss = scale != nullptr ? sum * *scale : sum;
}

// Bytes of shared memory for what blocks of so many threads cannot hold of their share, wherever in
// a line the row begins.
template <typename T>
int waiting_bytes(std::int64_t cols, int blocks, int block_size) {
  const int share = share_of(static_cast<int>(cols / kPerVector<T>) + kPerLine - 1, blocks);
  return std::max(share - kHeld<T> * block_size, 0) * static_cast<int>(sizeof(Vector));
}

// The columns that a block holds at most, of which so many bytes wait.
constexpr std::int64_t cols_of_block(std::size_t element_bytes, int block_size,
                                     int waiting = kMaxWaiting) {
  return max_per_thread(element_bytes) * block_size +
         waiting / static_cast<std::int64_t>(element_bytes);
}

// As few blocks as hold the row, or as hold it with so few bytes of shared memory for each thread
// that several of up to 256 threads share a multiprocessor: one computes while others wait for
// memory. More where there are too few rows for all multiprocessors, as long as each keeps a
// thousand columns.
template <typename T>
int blocks_for(const worklog::CrossEntropy<T>& problem) {
  constexpr std::int64_t kMultiprocessors = 132;
  constexpr std::int64_t kFewestCols = 1024;
  constexpr int kWaitingOfThread = 288;
  const int roomy = std::min(kWaitingOfThread * problem.block_size, kMaxWaiting);
  const std::int64_t roomy_cols = cols_of_block(sizeof(T), problem.block_size, roomy);
  int blocks = 1;
  while (blocks < kMaxBlocks && problem.cols > blocks * roomy_cols)
    blocks *= 2;
  while (2 * blocks <= kMaxBlocks && 2 * blocks * problem.rows <= kMultiprocessors &&
         problem.cols >= 2 * blocks * kFewestCols)
    blocks *= 2;
  return blocks;
}

// Of a kernel that is launched before the one ahead of it in the stream has ended: as soon as all
// of its blocks have called cudaTriggerProgrammaticLaunchCompletion(), or ended.
cudaLaunchAttribute launched_early() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

template <typename T>
void launch_rows(const worklog::CrossEntropy<T>& problem, const float* scale, cudaStream_t stream) {
  const int blocks = blocks_for(problem);
  const dim3 grid(static_cast<unsigned>(problem.rows * blocks));
  const dim3 block(problem.block_size);
  worklog::allow_shared_memory(cross_entropy<T>, "cross_entropy", kMaxWaiting + kLine);
  worklog::allow_large_clusters(cross_entropy<T>, "cross_entropy");
  cudaLaunchAttribute attributes[] = {launched_early(), {}};
  cudaLaunchAttribute& cluster = attributes[1];
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(blocks);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  const bool waits = scale != nullptr;  // for the kernel that counts
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes =
      static_cast<std::size_t>(waiting_bytes<T>(problem.cols, blocks, problem.block_size));
  config.stream = stream;
  config.attrs = waits ? attributes : &cluster;
  config.numAttrs = (waits ? 1 : 0) + (blocks > 1 ? 1 : 0);  // a block alone begins sooner
  cudaLaunchKernelEx(&config, cross_entropy<T>, problem.logits, problem.labels, problem.losses,
                     problem.log_sum_exps, problem.gradients, problem.options, scale,
                     static_cast<int>(problem.cols));
  worklog::check_launch("cross_entropy", grid, block, config.dynamicSmemBytes);
}

void launch_add_losses(const float* losses, std::int64_t rows, const float* scale, float* loss,
                       cudaStream_t stream) {
  cudaLaunchAttribute early = launched_early();
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = kMaxThreads;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, add_losses, losses, rows, scale, loss);
  worklog::check_launch("add_losses", 1, kMaxThreads);
}

template <typename T>
void launch(const worklog::CrossEntropy<T>& problem, cudaStream_t stream) {
  const worklog::Reduction reduction = problem.options.reduction;
  float* scale = nullptr;
  if (reduction == worklog::Reduction::kMean) {
    scale = problem.scratch.template take<float>(1);
    count_rows<<<1, kMaxThreads, 0, stream>>>(problem.labels, problem.rows,
                                              problem.options.ignore_index, scale);
    worklog::check_launch("count_rows", 1, kMaxThreads);
  }
  launch_rows(problem, scale, stream);
  if (reduction != worklog::Reduction::kNone) {
    launch_add_losses(problem.losses, problem.rows, scale, problem.loss, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "19_backward",
                      .loads = {.per_column = 1, .per_row = 2},
                      .stores = {.per_column = 1, .per_row = 2},
                      .max_cols = [](std::size_t element_bytes, int block_size) -> std::int64_t {
                        return kMaxBlocks * cols_of_block(element_bytes, block_size);
                      },
                      .longer_rows = "no kernel here",
                      .several_blocks_a_row = true,
                      .scratch_bytes =
                          [](std::int64_t, std::int64_t, std::size_t) {
                            return worklog::Scratch::bytes_for(1, sizeof(float));
                          }});
