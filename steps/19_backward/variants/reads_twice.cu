// Step 19, variant: both arrays read twice
//
// A block owns a row and keeps nothing of it: the first pass adds up, the second one reads y and dy
// again. It takes rows of any length.

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "common/step/step.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
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

// The sum of what 32 lanes know, for each of them.
template <typename T>
__device__ TwoFloats warp_sum(TwoFloats s) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    const float value = __shfl_xor_sync(kAllLanes, s.value, distance);
    if constexpr (kIsExact<T>) {
      s = sum(s, {value, __shfl_xor_sync(kAllLanes, s.rest, distance)});
    } else {
      s.value += value;
    }
  }
  return s;
}

// The sum of what the threads of a block know, for each of them: one barrier, after which every
// warp looks at the results of all. NaN for a row whose sum is no finite number.
template <typename T>
__device__ TwoFloats block_sum(TwoFloats mine) {
  __shared__ TwoFloats of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_sum<T>(mine);
  if (lane == 0) of_warps[warp] = mine;
  __syncthreads();
  const TwoFloats s = warp_sum<T>(lane < warps ? of_warps[lane] : TwoFloats{});
  const float zero_or_nan = s.value - s.value;
  return {s.value, s.rest + zero_or_nan};
}

// 16 bytes, the most that a thread loads or stores at once.
using Vector = uint4;
template <typename T>
constexpr int kPerVector = sizeof(Vector) / sizeof(T);

// A row cut where its addresses are multiples of 16 bytes: the head before the first such place,
// whole vectors, and the tail. Head and tail are the edges, an element a thread.
struct Cut {
  std::int64_t head;     // elements
  std::int64_t vectors;  // vectors
  std::int64_t edges;    // elements of head and tail together
};

template <typename T>
__device__ Cut cut_row(const T* x, std::int64_t cols) {
  static_assert(2 * kPerVector<T> <= kWarpSize, "any block has a thread for every edge element");
  const int past = reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) / sizeof(T);
  const int head = (kPerVector<T> - past) % kPerVector<T>;
  const std::int64_t vectors = (cols - head) / kPerVector<T>;  // 0 also for cols < head
  return {head, vectors, cols - vectors * kPerVector<T>};
}

// Loads vector i of those at `x`; element by element unless `x` is aligned as the probabilities
// are.
template <typename T>
__device__ Vector load(const T* x, std::int64_t i) {
  if (reinterpret_cast<std::uintptr_t>(x) % sizeof(Vector) == 0) {
    return reinterpret_cast<const Vector*>(x)[i];
  }
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int j = 0; j < kPerVector<T>; ++j) {
    values[j] = x[i * kPerVector<T> + j];
  }
  return vector;
}

// Stores vector i of those at `y`, likewise.
template <typename T>
__device__ void store(Vector vector, T* y, std::int64_t i) {
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

template <typename T>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_backward(const T* probabilities, const T* gradients, T* logit_gradients,
                     std::int64_t cols) {
  const T* y = probabilities + blockIdx.x * cols;
  const T* dy = gradients + blockIdx.x * cols;
  T* dx = logit_gradients + blockIdx.x * cols;
  const Cut cut = cut_row(y, cols);
  const bool has_edge = threadIdx.x < cut.edges;
  const std::int64_t edge =
      threadIdx.x < cut.head ? threadIdx.x : threadIdx.x + cut.vectors * kPerVector<T>;

  TwoFloats s;
  if (has_edge) s = add_product(s, y[edge], dy[edge]);
  for (std::int64_t i = threadIdx.x; i < cut.vectors; i += blockDim.x) {
    s = add_products<T>(s, load(y + cut.head, i), load(dy + cut.head, i));
  }
  s = block_sum<T>(s);

  if (has_edge) dx[edge] = gradient_of(y[edge], dy[edge], s);
  for (std::int64_t i = threadIdx.x; i < cut.vectors; i += blockDim.x) {
    store(gradients_of<T>(load(y + cut.head, i), load(dy + cut.head, i), s), dx + cut.head, i);
  }
}

template <typename T>
void launch(const worklog::SoftmaxBackward<T>& problem, cudaStream_t stream) {
  const dim3 grid(problem.rows);
  const dim3 block(problem.block_size);
  softmax_backward<<<grid, block, 0, stream>>>(problem.probabilities, problem.gradients,
                                               problem.logit_gradients, problem.cols);
  worklog::check_launch("softmax_backward", grid, block);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "19_backward", .loads = {4}, .stores = {1}, .exact_sum = true});
