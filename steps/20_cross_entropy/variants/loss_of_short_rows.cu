// Step 20, variant: the loss alone, of short rows
//
// What loss_alone makes of a row, by the lanes that short_rows gives it.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxThreads = 1024;
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
  kElements,         // the row has too few columns to cut
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

// d, and the exponentials of a vector's values.
template <typename T>
__device__ float add_exponentials(Vector vector, float origin, float d) {
  const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    d += exponential<T>(static_cast<float>(values[i]) - origin);
  }
  return d;
}

// Whether no lane has an i-th vector: all have a first one.
template <typename T, int kLanes>
__device__ bool is_past(int i, int cols) {
  return i > 0 && i * kLanes * kPerVector<T> >= cols;
}

// kLanes lanes own a row, of which each holds kHeld vectors, and perhaps an edge element.
template <typename T, Pieces kPieces, int kLanes, int kHeld>
__global__ void __launch_bounds__(kMaxThreads)
    negative_log_likelihood(const T* logits, const std::int64_t* labels, float* losses,
                            std::int64_t rows, int cols) {
  constexpr bool kHasEdges = kPieces == Pieces::kVectorsAndEdges;
  static_assert(kWarpSize % kLanes == 0, "a row's lanes are of one warp");
  static_assert(kHeld * kPerVector<T> <= kMaxPerLane, "a lane's part of the row fits in registers");
  static_assert(!kHasEdges || kLanes >= kLanesOfEdges<T>, "a lane has one edge element");
  const std::int64_t rows_a_block = blockDim.x / kLanes;
  const std::int64_t row_index = blockIdx.x * rows_a_block + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const T* x = logits + row_index * cols;
  const Cut cut = kHasEdges ? cut_row(x, cols) : Cut{.head = 0, .vectors = 0, .edges = 0};
  const int begin = cut.head + (kPieces == Pieces::kElements ? lane : lane * kPerVector<T>);
  const int end = kHasEdges ? cut.head + cut.vectors * kPerVector<T> : cols;
  const bool has_row = row_index < rows;  // a lane without one shuffles with the others
  const bool is_first = has_row && lane == 0;
  const int left = has_row ? end - begin : 0;
  const bool has_edge = has_row && lane < cut.edges;
  const int edge = lane < cut.head ? lane : lane + cut.vectors * kPerVector<T>;

  const std::int64_t label = is_first ? labels[row_index] : 0;
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
  const bool is_column = is_first && label >= 0 && label < cols;
  const float x_label = is_column ? static_cast<float>(x[label]) : kNan;
  const float origin = origin_of(m);
  float d = kHasEdges ? exponential<T>(x_edge - origin) : 0.0f;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    d = add_exponentials<T>(tile[i], origin, d);
  }
  d = sum_of_lanes<kLanes>(d) + (m - m);  // NaN for a row with a NaN or +inf, or of -inf only
  if (is_first) losses[row_index] = logf(d) - (x_label - m);
}

// The first kernel of a chain that holds the row: vectors double to 2, then lanes to a whole warp,
// then vectors to all that a lane can hold.
template <typename T, Pieces kPieces, int kLanes, int kHeld = 1>
void launch_narrowest(const worklog::NegativeLogLikelihood<T>& problem, cudaStream_t stream) {
  constexpr int kHeldFirst = 2;
  if constexpr (kLanes * kHeld * kPerVector<T> < kMaxCols) {
    if (problem.cols > kLanes * kHeld * kPerVector<T>) {
      constexpr bool kMoreLanes = kHeld >= kHeldFirst && kLanes < kWarpSize;
      constexpr int kNextLanes = kMoreLanes ? 2 * kLanes : kLanes;
      constexpr int kNextHeld = kMoreLanes ? kHeld : 2 * kHeld;
      launch_narrowest<T, kPieces, kNextLanes, kNextHeld>(problem, stream);
      return;
    }
  }
  const std::int64_t rows_a_block = problem.block_size / kLanes;
  const dim3 grid(static_cast<unsigned>((problem.rows + rows_a_block - 1) / rows_a_block));
  const dim3 block(problem.block_size);
  negative_log_likelihood<T, kPieces, kLanes, kHeld><<<grid, block, 0, stream>>>(
      problem.logits, problem.labels, problem.losses, problem.rows, static_cast<int>(problem.cols));
  worklog::check_launch("negative_log_likelihood", grid, block);
}

template <typename T>
void launch(const worklog::NegativeLogLikelihood<T>& problem, cudaStream_t stream) {
  const auto past = reinterpret_cast<std::uintptr_t>(problem.logits) % sizeof(Vector);
  if (past == 0 && problem.cols % kPerVector<T> == 0) {
    launch_narrowest<T, Pieces::kVectors, 1>(problem, stream);
  } else if (problem.cols > kLanesOfEdges<T>) {
    launch_narrowest<T, Pieces::kVectorsAndEdges, kLanesOfEdges<T>>(problem, stream);
  } else {
    launch_narrowest<T, Pieces::kElements, 1>(problem, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "20_cross_entropy/loss_alone",
                      .loads = {.per_column = 1, .per_row = 2},
                      .stores = {.per_row = 1},
                      .max_cols = [](std::size_t, int) { return kMaxCols; },
                      .longer_rows = "20_cross_entropy/loss_alone",
                      .several_rows_a_block = true});
