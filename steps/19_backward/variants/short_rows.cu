// Step 19, variant: short rows
//
// What step 13 does for softmax: a row of both arrays is in the registers of up to 32 lanes of a
// warp, which add up by shuffles alone. A block has several rows, and none of them waits for a
// barrier, or for the blocks of a cluster.

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxThreads = 1024;
constexpr unsigned kAllLanes = 0xffffffff;

// A number that one float cannot hold: the float next to it, and what that one is off.
struct TwoFloats {
  float value = 0.0f;
  float rest = 0.0f;
};

// a + b, where only the sum of the two rests is rounded. (Knuth, "The Art of Computer Programming",
// volume 2, section 4.2.2, theorem B)
__device__ TwoFloats sum(TwoFloats a, TwoFloats b) {
  const float value = a.value + b.value;
  const float b_of_value = value - a.value;
  const float a_of_value = value - b_of_value;
  const float rest = (a.value - a_of_value) + (b.value - b_of_value);
  return {value, rest + (a.rest + b.rest)};
}

// Products of two-byte numbers are floats as they are, and their results have too few digits to
// show what a sum drops.
template <typename T>
constexpr bool kIsExact = std::is_same_v<T, float>;

// s + y dy. Of a product of floats, what rounding drops is a float. (Ogita, Rump and Oishi,
// "Accurate sum and dot product", section 5)
template <typename T>
__device__ TwoFloats add_product(TwoFloats s, T y, T dy) {
  if constexpr (kIsExact<T>) {
    const float product = __fmul_rn(y, dy);  // which no compiler fuses with the sum
    return sum(s, {product, fmaf(y, dy, -product)});
  } else {
    return {fmaf(static_cast<float>(y), static_cast<float>(dy), s.value)};
  }
}

// y (dy - s)
template <typename T>
__device__ T gradient_of(T y, T dy, TwoFloats s) {
  return static_cast<T>(static_cast<float>(y) * (static_cast<float>(dy) - s.value - s.rest));
}

// The sum of what the kLanes lanes that own a row know, for each of them. NaN for a row whose sum
// is no finite number.
template <typename T, int kLanes>
__device__ TwoFloats sum_of_lanes(TwoFloats s) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    const float value = __shfl_xor_sync(kAllLanes, s.value, distance);
    if constexpr (kIsExact<T>) {
      s = sum(s, {value, __shfl_xor_sync(kAllLanes, s.rest, distance)});
    } else {
      s.value += value;
    }
  }
  const float zero_or_nan = s.value - s.value;
  return {s.value, s.rest + zero_or_nan};
}

// 16 bytes, the most that a lane loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// The vectors of each array that a lane holds at most: both take 32 of the 64 registers that a
// thread of a block of 1024 may have.
constexpr int kMaxHeld = 4;
constexpr std::int64_t kMaxBytes = kWarpSize * kMaxHeld * sizeof(Vector);  // of a row

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

// A lane's i-th vector of a row. `x` is where the lane begins, from where the row has `left`
// columns until its vectors end. A vector may be made of single elements. A lane's vectors, or
// elements, lie kLanes apart, so that lanes side by side load what lies side by side.
template <Pieces kPieces, int kLanes, typename T>
__device__ Vector load(const T* x, int i, int left) {
  Vector vector{};
  if constexpr (kPieces != Pieces::kElements) {
    if (i * kLanes * kPerVector<T> < left) vector = reinterpret_cast<const Vector*>(x)[i * kLanes];
  } else {
    T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      const int place = (i * kPerVector<T> + j) * kLanes;
      if (place < left) values[j] = x[place];
    }
  }
  return vector;
}

// Stores it, where `y` is that place of the results.
template <Pieces kPieces, int kLanes, typename T>
__device__ void store(Vector vector, T* y, int i, int left) {
  if constexpr (kPieces != Pieces::kElements) {
    if (i * kLanes * kPerVector<T> < left) reinterpret_cast<Vector*>(y)[i * kLanes] = vector;
  } else {
    const T* values = reinterpret_cast<const T*>(&vector);
#pragma unroll
    for (int j = 0; j < kPerVector<T>; ++j) {
      const int place = (i * kPerVector<T> + j) * kLanes;
      if (place < left) y[place] = values[j];
    }
  }
}

// s and the products of two vectors.
template <typename T>
__device__ TwoFloats add_products(TwoFloats s, Vector y_vector, Vector dy_vector) {
  const T* y = reinterpret_cast<const T*>(&y_vector);
  const T* dy = reinterpret_cast<const T*>(&dy_vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    s = add_product(s, y[i], dy[i]);
  }
  return s;
}

// The gradients of two vectors.
template <typename T>
__device__ Vector gradients_of(Vector y_vector, Vector dy_vector, TwoFloats s) {
  const T* y = reinterpret_cast<const T*>(&y_vector);
  T* dy = reinterpret_cast<T*>(&dy_vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    dy[i] = gradient_of(y[i], dy[i], s);
  }
  return dy_vector;
}

// Whether no lane has an i-th vector: all have a first one.
template <typename T, int kLanes>
__device__ bool is_past(int i, int cols) {
  return i > 0 && i * kLanes * kPerVector<T> >= cols;
}

// kLanes lanes own a row, of which each holds kHeld vectors of both arrays, and perhaps an edge
// element. dx may be in the place of y or of dy: a lane stores where it alone has loaded.
template <typename T, Pieces kPieces, int kLanes, int kHeld>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_backward(const T* probabilities, const T* gradients, T* logit_gradients,
                     std::int64_t rows, int cols) {
  constexpr bool kHasEdges = kPieces == Pieces::kVectorsAndEdges;
  static_assert(kWarpSize % kLanes == 0, "a row's lanes are of one warp");
  static_assert(kHeld <= kMaxHeld, "a lane's part of the row fits in registers");
  static_assert(!kHasEdges || kLanes >= kLanesOfEdges<T>, "a lane has one edge element");
  const std::int64_t rows_a_block = blockDim.x / kLanes;
  const std::int64_t row = blockIdx.x * rows_a_block + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  const T* y = probabilities + row * cols;
  const T* dy = gradients + row * cols;
  T* dx = logit_gradients + row * cols;
  const Cut cut = kHasEdges ? cut_row(y, cols) : Cut{.head = 0, .vectors = 0, .edges = 0};
  const int begin = cut.head + (kPieces == Pieces::kElements ? lane : lane * kPerVector<T>);
  const int end = kHasEdges ? cut.head + cut.vectors * kPerVector<T> : cols;
  const bool has_row = row < rows;  // a lane without one shuffles with the others
  const int left = has_row ? end - begin : 0;
  const bool has_edge = has_row && lane < cut.edges;
  const int edge = lane < cut.head ? lane : lane + cut.vectors * kPerVector<T>;

  Vector y_tile[kHeld] = {};
  Vector dy_tile[kHeld] = {};
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    y_tile[i] = load<kPieces, kLanes>(y + begin, i, left);
    dy_tile[i] = load<kPieces, kLanes>(dy + begin, i, left);
  }
  const T y_edge = has_edge ? y[edge] : T{};
  const T dy_edge = has_edge ? dy[edge] : T{};
  TwoFloats s;
  if constexpr (kHasEdges) s = add_product(s, y_edge, dy_edge);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    s = add_products<T>(s, y_tile[i], dy_tile[i]);
  }
  s = sum_of_lanes<T, kLanes>(s);
  const T dx_edge = gradient_of(y_edge, dy_edge, s);
  if (has_edge) dx[edge] = dx_edge;
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past<T, kLanes>(i, cols)) break;
    store<kPieces, kLanes>(gradients_of<T>(y_tile[i], dy_tile[i], s), dx + begin, i, left);
  }
}

// The first kernel of a chain that holds the row: a lane has one vector, or two of single elements,
// for which it has more to do. Then lanes double to a whole warp, then vectors to all that a lane
// can hold.
template <typename T, Pieces kPieces, int kLanes, int kHeld = 1>
void launch_narrowest(const worklog::SoftmaxBackward<T>& problem, cudaStream_t stream) {
  constexpr int kHeldFirst = kPieces == Pieces::kElements ? 2 : 1;
  if constexpr (kLanes < kWarpSize || kHeld < kMaxHeld) {
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
  softmax_backward<T, kPieces, kLanes, kHeld><<<grid, block, 0, stream>>>(
      problem.probabilities, problem.gradients, problem.logit_gradients, problem.rows,
      static_cast<int>(problem.cols));
  worklog::check_launch("softmax_backward", grid, block);
}

// Bytes past a multiple of 16.
std::uintptr_t past_vector(const void* array) {
  return reinterpret_cast<std::uintptr_t>(array) % sizeof(Vector);
}

template <typename T>
void launch(const worklog::SoftmaxBackward<T>& problem, cudaStream_t stream) {
  const std::uintptr_t past = past_vector(problem.probabilities);
  const bool are_alike =
      past_vector(problem.gradients) == past && past_vector(problem.logit_gradients) == past;
  if (are_alike && past == 0 && problem.cols % kPerVector<T> == 0) {
    launch_narrowest<T, Pieces::kVectors, 1>(problem, stream);
  } else if (are_alike && problem.cols > kLanesOfEdges<T>) {
    launch_narrowest<T, Pieces::kVectorsAndEdges, kLanesOfEdges<T>>(problem, stream);
  } else {
    launch_narrowest<T, Pieces::kElements, 1>(problem, stream);
  }
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "19_backward",
                      .loads = {2},
                      .stores = {1},
                      .max_cols = [](std::size_t element_bytes, int) -> std::int64_t {
                        return kMaxBytes / static_cast<std::int64_t>(element_bytes);
                      },
                      .longer_rows = "19_backward",
                      .exact_sum = true,
                      .several_rows_a_block = true});
