// Step 20, variant: messages
//
// Few rows of logits wait for the exchange between blocks, as those of step 16 do, whose variant of
// this name this is built like: every warp tells the warps of all blocks of its row what it knows,
// and a thread keeps the exponentials of 32, 64 or 128 columns, taken with no branch between them.
// Of few rows each block counts those of a mean itself, which is a launch less.

#include <cooperative_groups.h>
#include <cuda/ptx>
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
namespace ptx = cuda::ptx;

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLog2E = 1.44269504f;  // 1 / ln 2

// Threads of a block that is small, as all are by themselves.
constexpr int kFewThreads = 256;

// The logits that a thread holds at most: in 64 registers, of which each thread has as many if a
// multiprocessor is full; in 128, where there are too few blocks for that; and in 255, the most
// that a thread may have, where a multiprocessor has one block.
constexpr int kFewPerThread = 32;
constexpr int kManyPerThread = 64;
constexpr int kMostPerThread = 128;

// The logits of a thread whose exponentials are taken with no branch between them.
constexpr int kTogether = 16;
static_assert(kFewPerThread % kTogether == 0, "a thread holds whole groups");

// Bytes of a row that wait in shared memory at most: a block of an H200 may have 227 KB, of which
// the messages of 1024 threads need eight.
constexpr int kMaxWaiting = 218 * 1024;

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

// The two halves of a barrier of the cluster.
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

// What a message says of a label that is none of the row's columns.
constexpr int kNoColumn = -1;
constexpr int kIgnored = -2;

// What a warp knows of its part of a row, and tells others: its maximum m, d, the sum of exp(x -
// m), the sum of its logits, and from the row's first warp the label. (Milakov and Gimelshein,
// "Online normalizer calculation for softmax", section 3.1)
struct Part {
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

// A float's bits as a number that is larger where the float is, and the other way round. NaN, as
// max_or_nan gives it, is the largest.
__device__ int ordered(int bits) {
  constexpr int kAllButSign = 0x7fffffff;
  return bits < 0 ? bits ^ kAllButSign : bits;
}

// The largest value of a warp, for each of its lanes.
__device__ float warp_max(float m) {
  return __int_as_float(ordered(__reduce_max_sync(kAllLanes, ordered(__float_as_int(m)))));
}

__device__ float warp_sum(float sum) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  }
  return sum;
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// The vectors of a cache line, 128 bytes.
constexpr int kPerLine = 128 / sizeof(Vector);
constexpr int kMaxBefore = kPerLine * sizeof(Vector);  // bytes that a share may have more for it

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

// Blocks of a cluster at most: more than 8 are not portable, but an H200 has 16.
constexpr int kMaxBlocks = 16;
static_assert(kMaxBlocks <= kWarpSize, "each lane of a warp tells a block");

// A part as it lies in shared memory, which nobody initializes.
struct alignas(16) Message {
  float m, d, sum;
  int label;
};
__device__ Message message_of(Part part) {
  return {part.m, part.d, part.sum, part.label};
}
__device__ Part part_of(Message message) {
  return {message.m, message.d, message.sum, message.label};
}

// What the warps of all blocks have told this one, in the order of blocks and of their warps, and a
// barrier that lets threads pass when all of it is there. kWarps: of a block at most.
template <int kWarps>
struct Inbox {
  static constexpr int kPerLane = kMaxBlocks * kWarps / kWarpSize;

  Message messages[kMaxBlocks * kWarps];
  std::uint64_t all_here;
};

// Once in a block, before it arrives at a barrier of the cluster behind which others send.
template <int kWarps>
__device__ void expect(Inbox<kWarps>& inbox, int messages) {
  ptx::mbarrier_init(&inbox.all_here, 1);
  ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                 &inbox.all_here, messages * sizeof(Message));
}

// Sends what this warp knows to a block, as message i there.
template <int kWarps>
__device__ void send(Part mine, Inbox<kWarps>& inbox, int i, int block) {
  const cg::cluster_group cluster = cg::this_cluster();
  float* message = &cluster.map_shared_rank(&inbox, block)->messages[i].m;
  std::uint64_t* all_here = &cluster.map_shared_rank(&inbox, block)->all_here;
  ptx::st_async(message, {mine.m, mine.d, mine.sum, __int_as_float(mine.label)}, all_here);
}

template <int kWarps>
__device__ void wait_for_all(Inbox<kWarps>& inbox) {
  constexpr std::uint32_t kFirstPhase = 0;
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &inbox.all_here,
                                        kFirstPhase)) {
  }
}

// The combination of so many messages, for every thread. Nobody asks for the sum of all logits but
// label smoothing.
template <int kWarps>
__device__ Part combine(const Inbox<kWarps>& inbox, int messages, bool sums_logits) {
  constexpr int kPerLane = Inbox<kWarps>::kPerLane;
  const int lane = threadIdx.x % kWarpSize;
  Part parts[kPerLane];
  float m = kNegativeInfinity;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int message = lane + i * kWarpSize;
    if (message < messages) parts[i] = part_of(inbox.messages[message]);
    m = max_or_nan(m, parts[i].m);
  }
  m = warp_max(m);
  float d = 0.0f;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    if (i * kWarpSize >= messages) break;
    d += parts[i].d * ratio_of(parts[i].m, m);
    sum += parts[i].sum;
  }
  return {m, warp_sum(d), sums_logits ? warp_sum(sum) : 0.0f, inbox.messages[0].label};
}

// The vectors of each block's share of a row: whole lines of the cache. The last blocks may have
// fewer, or none.
__host__ __device__ constexpr int share_of(int vectors, int blocks) {
  const int lines = (vectors + kPerLine - 1) / kPerLine;
  return (lines + blocks - 1) / blocks * kPerLine;
}

// Adds a vector's exponentials to d, and leaves them in `e`.
template <typename T>
__device__ float add_exponentials(Vector vector, float origin, float d, float (&e)[kPerVector<T>]) {
  const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    e[i] = exponential<T>(static_cast<float>(values[i]) - origin);
    d += e[i];
  }
  return d;
}

// What the row makes of an exponential: the gradient is exp(x - m) * factor + elsewhere, and less
// at the label.
struct Gradients {
  float factor;     // of exp(x - m)
  float elsewhere;  // what all columns share of the target
  float at_label;   // the same of the label's column
};

// The gradients of a vector by its exponentials, and by a factor for those of its part. Element
// `label` is the label's, if the vector has that: the others need not look for it at each of their
// elements.
template <typename T>
__device__ Vector gradients_of(const float (&e)[kPerVector<T>], float factor, Gradients row,
                               int label) {
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
  if (label >= 0 && label < kPerVector<T>) {
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) {
      values[i] = static_cast<T>(fmaf(e[i], factor, i == label ? row.at_label : row.elsewhere));
    }
  } else {
#pragma unroll
    for (int i = 0; i < kPerVector<T>; ++i) {
      values[i] = static_cast<T>(fmaf(e[i], factor, row.elsewhere));
    }
  }
  return vector;
}

// Two values of two bytes, which are compared at once.
template <typename T>
using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;

// The largest of m and a vector's values, or NaN. Takes the vector by value, so that one in shared
// memory is loaded as a whole.
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
  return {row.label == kNoColumn ? kNan : factor, elsewhere, elsewhere - scale * (1.0f - smooth)};
}

// The vectors of a row that a thread holds in registers; those from kHeld * blockDim.x on wait in
// shared memory.
template <typename T, int kPerThread>
constexpr int kHeld = kPerThread / kPerVector<T>;

// Whether vector i of each thread is the first of a group that the block's share no longer reaches.
template <typename T>
__device__ bool begins_past(int i, int vectors) {
  constexpr int kGroup = kTogether / kPerVector<T>;
  return i % kGroup == 0 && i * static_cast<int>(blockDim.x) >= vectors;
}

// Blocks of a multiprocessor whose threads fill it; half of it if they hold many logits, and a
// quarter if they hold most.
constexpr int blocks_of_multiprocessor(int threads, int per_thread) {
  constexpr int kRegisters = 65536;
  return kRegisters / (threads * 2 * per_thread);
}

// What a mean divides by: where rows are no more than a block's threads, every block counts those
// that are not ignored; else a kernel before this one has, which may still run while the row comes
// in.
struct Mean {
  int rows = 0;            // that blocks count
  float* scale = nullptr;  // 1 over the number of them; null where nobody asks for a mean
};

// 1, or 1 over the number of rows that a mean divides by, for all threads of a block. Where blocks
// count, one of all threads `keeps` it for the kernel behind this one.
__device__ float scale_of(Mean mean, bool is_counted, bool keeps) {
  if (mean.scale == nullptr) return 1.0f;
  if (mean.rows == 0) {
    cudaGridDependencySynchronize();
    return *mean.scale;
  }
  const float scale = 1.0f / static_cast<float>(__syncthreads_count(is_counted));
  if (keeps) *mean.scale = scale;
  return scale;
}

// In fp32 an exponential fits in the place of a logit that waits. Those of two bytes are taken
// again when they are needed.
template <typename T>
constexpr bool kExponentialsFit = std::is_same_v<T, float>;

// A cluster owns a row, and each of its blocks a share of it. The gradients may be in the logits'
// place: a thread stores where it alone has loaded, but for the label's logit. That one is counted
// in its warp's maximum, so that it has been loaded before anybody hears of it.
template <typename T, int kThreads, int kPerThread>
__global__ void __launch_bounds__(kThreads, blocks_of_multiprocessor(kThreads, kPerThread))
    cross_entropy(const T* logits, worklog::Labels labels, float* losses, float* log_sum_exps,
                  T* gradients, worklog::CrossEntropyOptions options, Mean mean, int cols) {
  extern __shared__ Vector waiting[];
  __shared__ Inbox<kThreads / kWarpSize> inbox;
  constexpr int kVectors = kHeld<T, kPerThread>;
  const int blocks = static_cast<int>(gridDim.y);
  const int block = static_cast<int>(blockIdx.y);
  const std::int64_t row_index = blockIdx.x;
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
  const int lane = thread % kWarpSize;
  const int warp = thread / kWarpSize;
  const int warps = threads / kWarpSize;
  const int held = begin + kVectors * threads;
  const bool is_first = block == 0 && thread == 0;
  const bool has_edge = block == 0 && thread < cut.edges;
  const int edge = thread < cut.head ? thread : thread + (cut.end - cut.first) * kPerVector<T>;
  const bool sums_logits = options.label_smoothing > 0.0f;

  if (options.reduction != worklog::Reduction::kNone) {
    cudaTriggerProgrammaticLaunchCompletion();  // the kernel that adds up the losses may wait here
  }
  const std::int64_t label = is_first ? label_of(labels, row_index) : options.ignore_index;
  Vector tile[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    const bool is_of_row = vector >= cut.first && vector < end;
    tile[i] = is_of_row ? x_vectors[vector] : nothing<T>();
  }
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;
  for (int i = held + thread; i < end; i += threads) {
    __pipeline_memcpy_async(&waiting[i - held], &x_vectors[i], sizeof(Vector));
  }
  __pipeline_commit();

  // While all that is on its way, the blocks of the cluster make sure that each has an inbox.
  if (blocks > 1) {
    if (thread == 0) expect(inbox, blocks * warps);
    __syncwarp();
    arrive_relaxed();
  }
  const bool is_counted = thread < mean.rows && label_of(labels, thread) != options.ignore_index;
  const bool is_column = label != options.ignore_index && label >= 0 && label < cols;
  const float x_label = is_column ? static_cast<float>(x[label]) : kNegativeInfinity;

  // While the rest is on its way, what the registers hold.
  float m = max_or_nan(x_edge, x_edge);  // which makes one NaN of all, for warp_max to order
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    m = max_of<T>(tile[i], m);
  }
  if (sums_logits) {
    if (has_edge) sum = x_edge;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int vector = begin + thread + i * threads;
      if (vector >= cut.first && vector < end) sum = sum_of<T>(tile[i], sum);
    }
  }
  const float m_of_tile = warp_max(max_or_nan(m, x_label));
  const float origin = origin_of(m_of_tile);
  const float e_edge = exponential<T>(x_edge - origin);
  float d = e_edge;
  float e[kVectors][kPerVector<T>];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    d = add_exponentials<T>(tile[i], origin, d, e[i]);
  }

  m = m_of_tile;
  float origin_of_waiting = origin;
  if (held < end) {
    __pipeline_wait_prior(0);
    for (int i = held + thread; i < end; i += threads) {
      m = max_of<T>(waiting[i - held], m);
    }
    m = warp_max(m);
    origin_of_waiting = origin_of(m);
    d *= ratio_of(m_of_tile, m);
    for (int i = held + thread; i < end; i += threads) {
      if (sums_logits) sum = sum_of<T>(waiting[i - held], sum);
      alignas(Vector) float e_waiting[kPerVector<T>];
      d = add_exponentials<T>(waiting[i - held], origin_of_waiting, d, e_waiting);
      if constexpr (kExponentialsFit<T>) waiting[i - held] = reinterpret_cast<Vector&>(e_waiting);
    }
  }

  const int told = is_column                       ? static_cast<int>(label)
                   : label == options.ignore_index ? kIgnored
                                                   : kNoColumn;
  const Part part = {m, warp_sum(d), sums_logits ? warp_sum(sum) : 0.0f,
                     __shfl_sync(kAllLanes, told, 0)};
  if (blocks > 1) {
    wait_for_cluster();
    if (lane < blocks) send(part, inbox, block * warps + warp, lane);
    wait_for_all(inbox);
  } else {  // such a message crosses from block to block
    if (lane == 0) inbox.messages[warp] = message_of(part);
    __syncthreads();
  }
  Part row = combine(inbox, blocks * warps, sums_logits);
  row.d += row.m - row.m;  // NaN for a row with a NaN or +inf, or of -inf only
  const float scale = scale_of(mean, is_counted, is_first && row_index == 0);
  const Gradients of_row = gradients_of_row(row, options, scale, cols);
  const bool is_ignored = row.label == kIgnored;

  if (is_first) {
    losses[row_index] = loss_of(row, x_label, options, cols);
    log_sum_exps[row_index] = is_ignored ? 0.0f : row.m + logf(row.d);
  }
  const float factor = of_row.factor * ratio_of(m_of_tile, row.m);
  if (has_edge) {
    const float target = edge == row.label ? of_row.at_label : of_row.elsewhere;
    dx[edge] = static_cast<T>(is_ignored ? 0.0f : fmaf(e_edge, factor, target));
  }
  const auto store_gradients = [&](const float(&exponentials)[kPerVector<T>], int i,
                                   float factor_of_part) {
    const int label_in_vector = row.label - (to_vectors + i * kPerVector<T>);
    const Vector vector = gradients_of<T>(exponentials, factor_of_part, of_row, label_in_vector);
    store(is_ignored ? Vector{} : vector, dx + to_vectors, i);
  };
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (begins_past<T>(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    if (vector >= cut.first && vector < end) store_gradients(e[i], vector, factor);
  }
  const float factor_of_waiting = of_row.factor * ratio_of(m, row.m);
  for (int i = held + thread; i < end; i += threads) {
    alignas(Vector) float e_waiting[kPerVector<T>];
    if constexpr (kExponentialsFit<T>) {
      reinterpret_cast<Vector&>(e_waiting) = waiting[i - held];
    } else {
      // The 16 bytes of a vector of halves have no room for eight exponentials.
      add_exponentials<T>(waiting[i - held], origin_of_waiting, 0.0f, e_waiting);
    }
    store_gradients(e_waiting, i, factor_of_waiting);
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
int waiting_bytes(std::int64_t cols, int blocks, int block_size, int per_thread) {
  const int share = share_of(static_cast<int>(cols / kPerVector<T>) + kPerLine - 1, blocks);
  return std::max(share - per_thread / kPerVector<T> * block_size, 0) *
         static_cast<int>(sizeof(Vector));
}

// The columns that a block holds at most.
constexpr std::int64_t cols_of_block(std::size_t element_bytes, int block_size) {
  return kFewPerThread * block_size + kMaxWaiting / static_cast<std::int64_t>(element_bytes);
}

// As many as an H200 has multiprocessors. With more blocks than that, some of them share one.
constexpr std::int64_t kFewBlocks = 132;

// Eight blocks, as long as a thread need not hold very much; so many clusters of sixteen as there
// are places for run at once, so that a few rows have them sooner. Fewer where there are enough
// blocks for two of 256 threads on each multiprocessor, and registers for all of the row, or for
// half of it if there are many more; and where a thread would have less than a vector. Short rows
// of many have one.
template <typename T>
int blocks_for(const worklog::CrossEntropy<T>& problem) {
  constexpr std::int64_t kFewestRows = 4;
  constexpr std::int64_t kMuch = 3 * kFewPerThread;
  constexpr std::int64_t kEnoughThreads = 65536;
  constexpr std::int64_t kPlentyOfThreads = 4 * kEnoughThreads;
  const std::int64_t threads = problem.block_size;
  const bool alone = problem.rows * kMaxBlocks / 2 <= kFewBlocks;
  const std::int64_t most_of_thread = problem.rows <= kFewestRows ? kFewPerThread
                                      : alone                     ? kMostPerThread
                                                                  : kMuch;
  const std::int64_t most_of_block =
      std::min(threads * most_of_thread, cols_of_block(sizeof(T), problem.block_size));
  int blocks = kMaxBlocks / 2;
  if (problem.cols > blocks * most_of_block) blocks = kMaxBlocks;
  const auto halves_hold_row = [&] {
    const std::int64_t all_threads = problem.rows * blocks * threads;
    const int per_thread = all_threads > kPlentyOfThreads ? 2 * kFewPerThread : kFewPerThread;
    return all_threads > kEnoughThreads && problem.cols <= blocks / 2 * threads * per_thread;
  };
  while (blocks > 1 && halves_hold_row())
    blocks /= 2;
  while (blocks > 1 && problem.cols < blocks * threads * kPerVector<T>)
    blocks /= 2;
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

template <typename T, int kThreads, int kPerThread>
void launch_kernel(const worklog::CrossEntropy<T>& problem, int blocks, Mean mean,
                   cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(problem.rows), static_cast<unsigned>(blocks));
  const dim3 block(problem.block_size);
  worklog::allow_shared_memory(cross_entropy<T, kThreads, kPerThread>, "cross_entropy",
                               kMaxWaiting + kMaxBefore);
  worklog::allow_large_clusters(cross_entropy<T, kThreads, kPerThread>, "cross_entropy");
  cudaLaunchAttribute attributes[] = {launched_early(), {}};
  cudaLaunchAttribute& cluster = attributes[1];
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 1;
  cluster.val.clusterDim.y = static_cast<unsigned>(blocks);
  cluster.val.clusterDim.z = 1;
  const bool waits = mean.scale != nullptr && mean.rows == 0;  // for the kernel that counts
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = static_cast<std::size_t>(
      waiting_bytes<T>(problem.cols, blocks, problem.block_size, kPerThread));
  config.stream = stream;
  config.attrs = waits ? attributes : &cluster;
  config.numAttrs = (waits ? 1 : 0) + (blocks > 1 ? 1 : 0);  // a block alone begins sooner
  cudaLaunchKernelEx(&config, cross_entropy<T, kThreads, kPerThread>, problem.logits,
                     problem.labels, problem.losses, problem.log_sum_exps, problem.gradients,
                     problem.options, mean, static_cast<int>(problem.cols));
  worklog::check_launch("cross_entropy", grid, block, config.dynamicSmemBytes);
}

template <typename T>
void launch_rows(const worklog::CrossEntropy<T>& problem, Mean mean, cudaStream_t stream) {
  const int blocks = blocks_for(problem);
  const std::int64_t all_threads = static_cast<std::int64_t>(blocks) * problem.block_size;
  const bool few_blocks = problem.rows * blocks <= kFewBlocks;
  if (problem.block_size > kFewThreads) {
    launch_kernel<T, kMaxThreads, kFewPerThread>(problem, blocks, mean, stream);
  } else if (few_blocks && problem.cols > all_threads * kManyPerThread) {
    launch_kernel<T, kFewThreads, kMostPerThread>(problem, blocks, mean, stream);
  } else if (few_blocks && problem.cols > all_threads * kFewPerThread) {
    launch_kernel<T, kFewThreads, kManyPerThread>(problem, blocks, mean, stream);
  } else {
    launch_kernel<T, kFewThreads, kFewPerThread>(problem, blocks, mean, stream);
  }
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

// As many rows as a block has threads are counted by every block.
template <typename T>
Mean mean_of(const worklog::CrossEntropy<T>& problem, cudaStream_t stream) {
  if (problem.options.reduction != worklog::Reduction::kMean) return {};
  float* scale = problem.scratch.template take<float>(1);
  if (problem.rows <= problem.block_size) return {static_cast<int>(problem.rows), scale};
  count_rows<<<1, kMaxThreads, 0, stream>>>(problem.labels, problem.rows,
                                            problem.options.ignore_index, scale);
  worklog::check_launch("count_rows", 1, kMaxThreads);
  return {0, scale};
}

template <typename T>
void launch(const worklog::CrossEntropy<T>& problem, cudaStream_t stream) {
  const Mean mean = mean_of(problem, stream);
  launch_rows(problem, mean, stream);
  if (problem.options.reduction != worklog::Reduction::kNone) {
    launch_add_losses(problem.losses, problem.rows, mean.scale, problem.loss, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "20_cross_entropy",
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
