// Step 20, variant: short rows
//
// What step 13 does for softmax: a row is in the registers of up to 32 lanes of a warp, which
// combine what they know by shuffles alone. A block has several rows, and none of them waits for a
// barrier, or for the blocks of a cluster. So many rows pass in a microsecond that what counts
// them, and what adds up their losses, needs several blocks, too.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLog2E = 1.44269504f;  // 1 / ln 2

// The columns of a row that a lane holds in registers at most.
constexpr int kMaxPerLane = 32;
constexpr std::int64_t kMaxCols = kMaxPerLane * kWarpSize;

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

// What is known of a row: its maximum m, d, the sum of exp(x - m), the sum of its logits, and its
// label.
struct Row {
  float m;
  float d;
  float sum;
  int label;
};

// What exponentials are taken against: nothing but -inf must not spoil the others.
__device__ float origin_of(float m) {
  return m == kNegativeInfinity ? 0.0f : m;
}

// The largest value of the kLanes lanes that own a row, for each of them.
template <int kLanes>
__device__ float max_of_lanes(float m) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    m = max_or_nan(m, __shfl_xor_sync(kAllLanes, m, distance));
  }
  return m;
}

template <int kLanes>
__device__ float sum_of_lanes(float sum) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  }
  return sum;
}

// 16 bytes, the most that a lane loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// How lanes take a row.
enum class Pieces {
  kVectors,          // it begins and ends at multiples of 16 bytes
  kVectorsAndEdges,  // the same, but for some single elements before and behind the vectors
  kElements,         // arrays begin differently, or the row has too few columns to cut
};

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a lane.
struct Cut {
  int head;     // elements
  int vectors;  // vectors
  int edges;    // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, int cols) {
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const int vectors = cols > head ? (cols - head) / kPerVector<T> : 0;
  return {head, vectors, cols - vectors * kPerVector<T>};
}

// So many lanes have an edge element each.
template <typename T>
constexpr int kLanesOfEdges = 2 * kPerVector<T>;

// From where a lane begins, the place of element j of its i-th vector. A vector may be made of
// single elements. A lane's vectors, or elements, lie kLanes apart, so that lanes side by side load
// what lies side by side.
template <typename T, Pieces kPieces, int kLanes>
__device__ constexpr int place_of(int i, int j) {
  return kPieces == Pieces::kElements ? (i * kPerVector<T> + j) * kLanes
                                      : i * kLanes * kPerVector<T> + j;
}

// A lane's i-th vector of a row. `x` is where the lane begins, from where the row has `left`
// columns until its vectors end.
template <Pieces kPieces, int kLanes, typename T>
__device__ Vector load(const T* x, int i, int left) {
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int j = 0; j < kPerVector<T>; ++j) {
    values[j] = static_cast<T>(kNegativeInfinity);
  }
  if constexpr (kPieces != Pieces::kElements) {
    const int place = place_of<T, kPieces, kLanes>(i, 0);
    if (place < left) vector = *reinterpret_cast<const Vector*>(x + place);
  } else {
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      const int place = place_of<T, kPieces, kLanes>(i, j);
      if (place < left) values[j] = x[place];
    }
  }
  return vector;
}

// Stores it, where `y` is that place of the results.
template <Pieces kPieces, int kLanes, typename T>
__device__ void store(Vector vector, T* y, int i, int left) {
  if constexpr (kPieces != Pieces::kElements) {
    const int place = place_of<T, kPieces, kLanes>(i, 0);
    if (place < left) *reinterpret_cast<Vector*>(y + place) = vector;
  } else {
    const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      const int place = place_of<T, kPieces, kLanes>(i, j);
      if (place < left) y[place] = values[j];
    }
  }
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

// `sum` and a vector's logits, of which those that the row lacks count nothing.
template <typename T, Pieces kPieces, int kLanes>
__device__ float sum_of(Vector vector, float sum, int i, int left) {
  const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
  for (int j = 0; j < kPerVector<T>; ++j) {
    if (place_of<T, kPieces, kLanes>(i, j) < left) sum += static_cast<float>(values[j]);
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
  float origin;     // of the row's exponentials
  float factor;     // of them
  float elsewhere;  // what all columns share of the target
  float at_label;   // the same of the label's column
};

// The gradients of a vector that add_exponentials has seen, where the label is `to_label` from
// where the lane begins.
template <typename T, Pieces kPieces, int kLanes>
__device__ Vector gradients_of(Vector vector, Gradients row, int i, int to_label) {
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int j = 0; j < kPerVector<T>; ++j) {
    float e = static_cast<float>(values[j]);
    if constexpr (!kExponentialsFit<T>) e = exponential<T>(e - row.origin);
    const bool is_label = place_of<T, kPieces, kLanes>(i, j) == to_label;
    values[j] = static_cast<T>(fmaf(e, row.factor, is_label ? row.at_label : row.elsewhere));
  }
  return vector;
}

__device__ std::int64_t label_of(worklog::Labels labels, std::int64_t row) {
  return labels.of_64_bits != nullptr ? labels.of_64_bits[row] : labels.of_32_bits[row];
}

// The loss of a row, given its label's logit. What has no share in it must not be infinite times 0.
__device__ float loss_of(Row row, float logit, worklog::CrossEntropyOptions options, int cols) {
  if (row.label == kIgnored) return 0.0f;
  const float log_d = logf(row.d);
  const float log_sum_exp = row.m + log_d;
  const float smooth = options.label_smoothing;
  float loss = options.z_loss * log_sum_exp * log_sum_exp;
  if (smooth < 1.0f) loss += (1.0f - smooth) * (log_d - (logit - row.m));
  if (smooth > 0.0f) loss += smooth * (log_sum_exp - row.sum / static_cast<float>(cols));
  return row.label == kNoColumn ? kNan : loss;
}

__device__ Gradients gradients_of_row(Row row, worklog::CrossEntropyOptions options, float scale,
                                      int cols) {
  const float log_sum_exp = row.m + logf(row.d);
  const float smooth = options.label_smoothing;
  const float factor = scale * (1.0f + 2.0f * options.z_loss * log_sum_exp) / row.d;
  const float elsewhere = -scale * smooth / static_cast<float>(cols);
  return {origin_of(row.m), row.label == kNoColumn ? kNan : factor, elsewhere,
          elsewhere - scale * (1.0f - smooth)};
}

// What the kernels of a sum or a mean tell each other: null where nobody asks for it.
struct Small {
  int parts = 0;          // of rows, 8,192 each
  int* counts = nullptr;  // of each part, the rows that are not ignored
  float* sums = nullptr;  // of each part's losses
  int* ended = nullptr;   // blocks of add_losses that have left their sum
};

// 1, or 1 over the number of rows that a mean divides by, for each lane of a warp.
__device__ float scale_of(Small small) {
  if (small.counts == nullptr) return 1.0f;
  int count = 0;
  for (int part = threadIdx.x % kWarpSize; part < small.parts; part += kWarpSize) {
    count += small.counts[part];
  }
  return 1.0f / static_cast<float>(__reduce_add_sync(kAllLanes, count));
}

// Whether no lane has an i-th vector: all have a first one.
template <typename T, int kLanes>
__device__ bool is_past(int i, int cols) {
  return i > 0 && i * kLanes * kPerVector<T> >= cols;
}

// kLanes lanes own a row, of which each holds kHeld vectors, and perhaps an edge element. The
// gradients may be in the logits' place: a lane stores where it alone has loaded, but for the
// label's logit, which is loaded before the warp goes on together. The kernel that counts the rows
// of a mean may still run while they come in.
template <typename T, Pieces kPieces, int kLanes, int kHeld>
__global__ void __launch_bounds__(kMaxThreads)
    cross_entropy(const T* logits, worklog::Labels labels, float* losses, float* log_sum_exps,
                  T* gradients, worklog::CrossEntropyOptions options, Small small,
                  std::int64_t rows, int cols) {
  constexpr bool kHasEdges = kPieces == Pieces::kVectorsAndEdges;
  static_assert(kWarpSize % kLanes == 0, "a row's lanes are of one warp");
  static_assert(kHeld * kPerVector<T> <= kMaxPerLane, "a lane's part of the row fits in registers");
  static_assert(!kHasEdges || kLanes >= kLanesOfEdges<T>, "a lane has one edge element");
  const std::int64_t rows_a_block = blockDim.x / kLanes;
  const std::int64_t row_index = blockIdx.x * rows_a_block + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const T* x = logits + row_index * cols;
  T* dx = gradients + row_index * cols;
  const Cut cut = kHasEdges ? cut_row(x, cols) : Cut{.head = 0, .vectors = 0, .edges = 0};
  const int begin = cut.head + (kPieces == Pieces::kElements ? lane : lane * kPerVector<T>);
  const int end = kHasEdges ? cut.head + cut.vectors * kPerVector<T> : cols;
  const bool has_row = row_index < rows;  // a lane without one shuffles with the others
  const bool is_first = has_row && lane == 0;
  const int left = has_row ? end - begin : 0;
  const bool has_edge = has_row && lane < cut.edges;
  const int edge = lane < cut.head ? lane : lane + cut.vectors * kPerVector<T>;

  if (options.reduction != worklog::Reduction::kNone) {
    cudaTriggerProgrammaticLaunchCompletion();  // the kernel that adds up the losses may wait here
  }
  const std::int64_t label = is_first ? label_of(labels, row_index) : options.ignore_index;
  Vector tile[kHeld];
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    tile[i] = load<kPieces, kLanes>(x + begin, i, left);
  }
  const float x_edge = has_edge ? static_cast<float>(x[edge]) : kNegativeInfinity;

  float m = x_edge;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    m = max_of<T>(tile[i], m);
  }
  m = max_of_lanes<kLanes>(m);

  // The label is there when the row is, and its logit comes while exponentials are taken.
  const bool is_column = label != options.ignore_index && label >= 0 && label < cols;
  const T x_label = is_column ? x[label] : static_cast<T>(kNan);
  __syncwarp();  // before others store there
  float sum = 0.0f;
  if (options.label_smoothing > 0.0f) {
    if (has_edge) sum = x_edge;
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      if (is_past<T, kLanes>(i, cols)) break;
      sum = sum_of<T, kPieces, kLanes>(tile[i], sum, i, left);
    }
    sum = sum_of_lanes<kLanes>(sum);
  }
  const float origin = origin_of(m);
  const float e_edge = kHasEdges ? exponential<T>(x_edge - origin) : 0.0f;
  float d = e_edge;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    d = add_exponentials<T>(tile[i], origin, d);
  }
  d = sum_of_lanes<kLanes>(d) + (m - m);  // NaN for a row with a NaN or +inf, or of -inf only
  const int told = is_column                       ? static_cast<int>(label)
                   : label == options.ignore_index ? kIgnored
                                                   : kNoColumn;
  const Row row = {m, d, sum, __shfl_sync(kAllLanes, told, 0, kLanes)};
  cudaGridDependencySynchronize();
  // For add_losses, which waits until this kernel has ended.
  if (small.ended != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *small.ended = 0;
  const Gradients of_row = gradients_of_row(row, options, scale_of(small), cols);
  const bool is_ignored = row.label == kIgnored;

  if (is_first) {
    losses[row_index] = loss_of(row, static_cast<float>(x_label), options, cols);
    log_sum_exps[row_index] = is_ignored ? 0.0f : row.m + logf(row.d);
  }
  if (has_edge) {
    const float target_of_edge = edge == row.label ? of_row.at_label : of_row.elsewhere;
    const float gradient = fmaf(e_edge, of_row.factor, target_of_edge);
    dx[edge] = static_cast<T>(is_ignored ? 0.0f : gradient);
  }
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    const Vector vector = gradients_of<T, kPieces, kLanes>(tile[i], of_row, i, row.label - begin);
    store<kPieces, kLanes>(is_ignored ? Vector{} : vector, dx + begin, i, left);
  }
}

// The two small kernels of a mean, of which each block has so many rows: so many loads of each
// thread are on their way at once.
constexpr int kUnderWay = 8;
constexpr std::int64_t kRowsOfPart = kUnderWay * kMaxThreads;

constexpr int parts_of(std::int64_t rows) {
  return static_cast<int>((rows + kRowsOfPart - 1) / kRowsOfPart);
}

// Counts, for each part, the rows that are not ignored.
__global__ void __launch_bounds__(kMaxThreads)
    count_rows(worklog::Labels labels, std::int64_t rows, std::int64_t ignore_index, int* counts) {
  __shared__ int count;
  cudaTriggerProgrammaticLaunchCompletion();
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const std::int64_t first = blockIdx.x * kRowsOfPart + threadIdx.x;
  int mine = 0;
#pragma unroll
  for (int i = 0; i < kUnderWay; ++i) {
    const std::int64_t row = first + i * kMaxThreads;
    if (row < rows) mine += label_of(labels, row) != ignore_index ? 1 : 0;
  }
  atomicAdd(&count, mine);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// The sum of what the threads of a block have, for each of them.
__device__ float block_sum(float sum) {
  __shared__ float of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  sum = sum_of_lanes<kWarpSize>(sum);
  if (lane == 0) of_warps[warp] = sum;
  __syncthreads();
  return sum_of_lanes<kWarpSize>(of_warps[lane]);
}

// The sum of all losses, or their mean. The last block to end adds up what all have left, in their
// order: the same on every run.
__global__ void __launch_bounds__(kMaxThreads)
    add_losses(const float* losses, std::int64_t rows, Small small, float* loss) {
  __shared__ bool is_last;
  cudaGridDependencySynchronize();
  const std::int64_t first = blockIdx.x * kRowsOfPart + threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kUnderWay; ++i) {
    const std::int64_t row = first + i * kMaxThreads;
    if (row < rows) sum += losses[row];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    small.sums[blockIdx.x] = sum;
    __threadfence();  // the sum is there before anybody counts this block
    is_last = atomicAdd(small.ended, 1) == small.parts - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  sum = 0.0f;
  for (int part = threadIdx.x; part < small.parts; part += kMaxThreads) {
    sum += __ldcg(&small.sums[part]);
  }
  sum = block_sum(sum);
  const float scale = scale_of(small);
  if (threadIdx.x == 0) *loss = sum * scale;
}

// Of a kernel that is launched before the one ahead of it in the stream has ended: as soon as all
// of its blocks have called cudaTriggerProgrammaticLaunchCompletion(), or ended.
cudaLaunchAttribute launched_early() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

template <typename T, Pieces kPieces, int kLanes, int kHeld>
void launch_kernel(const worklog::CrossEntropy<T>& problem, Small small, cudaStream_t stream) {
  const std::int64_t rows_a_block = problem.block_size / kLanes;
  const dim3 grid(static_cast<unsigned>((problem.rows + rows_a_block - 1) / rows_a_block));
  const dim3 block(problem.block_size);
  cudaLaunchAttribute early = launched_early();
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = small.counts != nullptr ? 1 : 0;  // it waits for the kernel that counts
  cudaLaunchKernelEx(&config, cross_entropy<T, kPieces, kLanes, kHeld>, problem.logits,
                     problem.labels, problem.losses, problem.log_sum_exps, problem.gradients,
                     problem.options, small, problem.rows, static_cast<int>(problem.cols));
  worklog::check_launch("cross_entropy", grid, block);
}

// The first kernel of a chain that holds the row: vectors double to 2, then lanes to a whole warp,
// then vectors to all that a lane can hold.
template <typename T, Pieces kPieces, int kLanes, int kHeld = 1>
void launch_narrowest(const worklog::CrossEntropy<T>& problem, Small small, cudaStream_t stream) {
  constexpr int kHeldFirst = 2;
  if constexpr (kLanes * kHeld * kPerVector<T> < kMaxCols) {
    if (problem.cols > kLanes * kHeld * kPerVector<T>) {
      constexpr bool kMoreLanes = kHeld >= kHeldFirst && kLanes < kWarpSize;
      constexpr int kNextLanes = kMoreLanes ? 2 * kLanes : kLanes;
      constexpr int kNextHeld = kMoreLanes ? kHeld : 2 * kHeld;
      launch_narrowest<T, kPieces, kNextLanes, kNextHeld>(problem, small, stream);
      return;
    }
  }
  launch_kernel<T, kPieces, kLanes, kHeld>(problem, small, stream);
}

// Bytes past a multiple of 16.
std::uintptr_t past_vector(const void* array) {
  return reinterpret_cast<std::uintptr_t>(array) % sizeof(Vector);
}

template <typename T>
void launch_rows(const worklog::CrossEntropy<T>& problem, Small small, cudaStream_t stream) {
  const std::uintptr_t past = past_vector(problem.logits);
  const bool are_alike = past_vector(problem.gradients) == past;
  if (are_alike && past == 0 && problem.cols % kPerVector<T> == 0) {
    launch_narrowest<T, Pieces::kVectors, 1>(problem, small, stream);
  } else if (are_alike && problem.cols > kLanesOfEdges<T>) {
    launch_narrowest<T, Pieces::kVectorsAndEdges, kLanesOfEdges<T>>(problem, small, stream);
  } else {
    launch_narrowest<T, Pieces::kElements, 1>(problem, small, stream);
  }
}

template <typename T>
void launch_count_rows(const worklog::CrossEntropy<T>& problem, Small small, cudaStream_t stream) {
  count_rows<<<small.parts, kMaxThreads, 0, stream>>>(problem.labels, problem.rows,
                                                      problem.options.ignore_index, small.counts);
  worklog::check_launch("count_rows", small.parts, kMaxThreads);
}

template <typename T>
void launch_add_losses(const worklog::CrossEntropy<T>& problem, Small small, cudaStream_t stream) {
  cudaLaunchAttribute early = launched_early();
  cudaLaunchConfig_t config = {};
  config.gridDim = small.parts;
  config.blockDim = kMaxThreads;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, add_losses, problem.losses, problem.rows, small, problem.loss);
  worklog::check_launch("add_losses", small.parts, kMaxThreads);
}

template <typename T>
void launch(const worklog::CrossEntropy<T>& problem, cudaStream_t stream) {
  Small small;
  if (problem.options.reduction != worklog::Reduction::kNone) {
    small.parts = parts_of(problem.rows);
    small.sums = problem.scratch.template take<float>(small.parts);
    small.ended = problem.scratch.template take<int>(1);
  }
  if (problem.options.reduction == worklog::Reduction::kMean) {
    small.counts = problem.scratch.template take<int>(small.parts);
    launch_count_rows(problem, small, stream);
  }
  launch_rows(problem, small, stream);
  if (small.sums != nullptr) launch_add_losses(problem, small, stream);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "20_cross_entropy",
                      .loads = {.per_column = 1, .per_row = 2},
                      .stores = {.per_column = 1, .per_row = 2},
                      .max_cols = [](std::size_t, int) { return kMaxCols; },
                      .longer_rows = "20_cross_entropy",
                      .several_rows_a_block = true,
                      .scratch_bytes =
                          [](std::int64_t rows, std::int64_t, std::size_t) {
                            return 2 * worklog::Scratch::bytes_for(parts_of(rows), sizeof(float)) +
                                   worklog::Scratch::bytes_for(1, sizeof(int));
                          }});
