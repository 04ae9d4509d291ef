// Step 19, variant: both arrays wait in shared memory
//
// Asynchronous copies take y and dy to shared memory, which holds longer rows than registers do, in
// blocks small enough for a multiprocessor to have several: while one waits, another adds up. Of
// rows so long that there it would have room for one, registers take a part of dy.

#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "common/step/step.h"

namespace {

namespace cg = cooperative_groups;

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr unsigned kAllLanes = 0xffffffff;

// What C++ has no name for.

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
// warp looks at the results of all.
template <typename T>
__device__ TwoFloats block_sum(TwoFloats mine) {
  __shared__ TwoFloats of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_sum<T>(mine);
  if (lane == 0) of_warps[warp] = mine;
  __syncthreads();
  return warp_sum<T>(lane < warps ? of_warps[lane] : TwoFloats{});
}

// Blocks of a cluster at most: more than 8 are not portable, but an H200 has 16.
constexpr int kMaxBlocks = 16;
static_assert(kMaxBlocks <= kWarpSize, "a warp tells all blocks, and adds up their results");

// The sum of what the threads of a cluster know, for each of them: every block leaves its own with
// all, and one by itself waits for nobody. NaN for a row whose sum is no finite number.
template <typename T>
__device__ TwoFloats cluster_sum(TwoFloats mine) {
  __shared__ TwoFloats of_blocks[kMaxBlocks];
  const cg::cluster_group cluster = cg::this_cluster();
  const int lane = threadIdx.x % kWarpSize;
  const int thread = static_cast<int>(threadIdx.x);
  const int blocks = static_cast<int>(cluster.num_blocks());

  TwoFloats s = block_sum<T>(mine);
  if (blocks > 1) {
    if (thread < blocks) cluster.map_shared_rank(of_blocks, thread)[cluster.block_rank()] = s;
    if (thread < kWarpSize) {
      arrive_and_release();
    } else {
      arrive_relaxed();
    }
    wait_for_cluster();
    s = warp_sum<T>(lane < blocks ? of_blocks[lane] : TwoFloats{});
  }
  const float zero_or_nan = s.value - s.value;
  return {s.value, s.rest + zero_or_nan};
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

// Loads vector i of those at `x`; element by element unless `x` is aligned as the probabilities
// are.
template <bool kAlike, typename T>
__device__ Vector load(const T* x, int i) {
  if constexpr (kAlike) return reinterpret_cast<const Vector*>(x)[i];
  Vector vector;
  T* values = reinterpret_cast<T*>(&vector);
#pragma unroll
  for (int j = 0; j < kPerVector<T>; ++j) {
    values[j] = x[i * kPerVector<T> + j];
  }
  return vector;
}

// Stores vector i of those at `y`, likewise.
template <bool kAlike, typename T>
__device__ void store(Vector vector, T* y, int i) {
  const T* values = reinterpret_cast<const T*>(&vector);
  if constexpr (kAlike) {
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

// Starts the copy of vector i of those at `x` to shared memory. Only what is aligned as the
// probabilities are goes there by itself.
template <bool kAlike, typename T>
__device__ void copy(Vector* to, const T* x, int i) {
  if constexpr (kAlike) {
    __pipeline_memcpy_async(to, reinterpret_cast<const Vector*>(x) + i, sizeof(Vector));
  } else {
    *to = load<false>(x, i);
  }
}

// The vectors of dy that a thread holds in registers, if it holds any, and the threads of a block
// that does: two of them have their registers on a multiprocessor.
constexpr int kVectorsHeld = 16;
constexpr int kHoldingThreads = 256;
constexpr int most_threads(int held) {
  return held > 0 ? kHoldingThreads : kMaxThreads;
}
constexpr int fewest_blocks(int held) {
  return held > 0 ? 2 : 1;
}

// A cluster owns a row, and each of its blocks a share of it: first y's in shared memory, then
// dy's. A thread works on what it has copied, so that no barrier is needed. dx may be in the place
// of y or of dy: a thread stores where it alone has loaded. kAlike: all three arrays are aligned
// alike. kHeld: the first vectors of dy, so many of each thread, are in its registers instead.
template <typename T, bool kAlike, int kHeld>
__global__ void __launch_bounds__(most_threads(kHeld), fewest_blocks(kHeld))
    softmax_backward(const T* probabilities, const T* gradients, T* logit_gradients, int cols) {
  extern __shared__ Vector waiting[];
  const cg::cluster_group cluster = cg::this_cluster();
  const int blocks = static_cast<int>(cluster.num_blocks());
  const int block = static_cast<int>(cluster.block_rank());
  const std::int64_t first_of_row = static_cast<std::int64_t>(blockIdx.x / blocks) * cols;
  const T* y = probabilities + first_of_row;
  const T* dy = gradients + first_of_row;
  T* dx = logit_gradients + first_of_row;
  const Cut cut = cut_row(y, cols);
  const int to_vectors = cut.head - cut.first * kPerVector<T>;
  const int share = share_of(cut.end, blocks);
  const int begin = block * share;
  const int end = min(begin + share, cut.end);
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const bool has_edge = block == 0 && thread < cut.edges;
  const int edge = thread < cut.head ? thread : thread + (cut.end - cut.first) * kPerVector<T>;

  if (blocks > 1) arrive_relaxed();  // this block runs, the others shall know
  Vector* y_waiting = waiting;
  const int first = max(begin, cut.first) + thread;
  const int first_waiting = first + kHeld * threads;
  const int begin_waiting = begin + kHeld * threads;
  Vector* dy_waiting = waiting + share;
  for (int i = first; i < end; i += threads) {
    copy<true>(&y_waiting[i - begin], y + to_vectors, i);
    if (i >= first_waiting) copy<kAlike>(&dy_waiting[i - begin_waiting], dy + to_vectors, i);
  }
  __pipeline_commit();
  Vector dy_held[kHeld + 1];  // an array has an element or more
#pragma unroll
  for (int j = 0; j < kHeld; ++j) {
    const int i = first + j * threads;
    dy_held[j] = i < end ? load<kAlike>(dy + to_vectors, i) : Vector{};
  }
  const T y_edge = has_edge ? y[edge] : static_cast<T>(0.0f);
  const T dy_edge = has_edge ? dy[edge] : static_cast<T>(0.0f);

  TwoFloats s = add_product(TwoFloats{}, y_edge, dy_edge);
  __pipeline_wait_prior(0);
#pragma unroll
  for (int j = 0; j < kHeld; ++j) {
    const int i = first + j * threads;
    if (i < end) s = add_products<T>(s, y_waiting[i - begin], dy_held[j]);
  }
#pragma unroll 4
  for (int i = first_waiting; i < end; i += threads) {
    s = add_products<T>(s, y_waiting[i - begin], dy_waiting[i - begin_waiting]);
  }
  if (blocks > 1) wait_for_cluster();  // all of them run, so that their shared memory is there
  s = cluster_sum<T>(s);

  if (has_edge) dx[edge] = gradient_of(y_edge, dy_edge, s);
#pragma unroll
  for (int j = 0; j < kHeld; ++j) {
    const int i = first + j * threads;
    if (i >= end) break;
    store<kAlike>(gradients_of<T>(y_waiting[i - begin], dy_held[j], s), dx + to_vectors, i);
  }
#pragma unroll 4
  for (int i = first_waiting; i < end; i += threads) {
    const Vector dx_vector =
        gradients_of<T>(y_waiting[i - begin], dy_waiting[i - begin_waiting], s);
    store<kAlike>(dx_vector, dx + to_vectors, i);
  }
}

// How far an array begins behind a multiple of so many bytes.
template <typename T>
std::size_t past(const T* array, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(array) % bytes;
}

// Bytes of shared memory that a block may have: an H200 gives it 227 KB, and the exchanges between
// warps and blocks need some.
constexpr int kMaxWaiting = 226 * 1024;

// What waits of both arrays in each of so many blocks, in bytes, wherever in a line a row begins,
// but for so many vectors of dy that the block's threads hold.
template <typename T>
std::int64_t waiting_bytes(std::int64_t cols, int blocks, int held = 0) {
  const int vectors = static_cast<int>(cols / kPerVector<T>) + kPerLine - 1;
  const std::int64_t share = share_of(vectors, blocks);
  return static_cast<std::int64_t>(sizeof(Vector)) *
         (share + std::max<std::int64_t>(share - held, 0));
}

// As few blocks as leave room for three on a multiprocessor, or 16. Of few rows up to eight, as
// long as each thread has a vector and all of them fill no more than half of an H200.
template <typename T>
int blocks_for(const worklog::SoftmaxBackward<T>& problem) {
  constexpr int kRoomy = 72 * 1024;
  constexpr std::int64_t kMultiprocessors = 132;
  constexpr std::int64_t kHalfOfThreads = kMultiprocessors * 1024;
  const std::int64_t threads = problem.block_size;
  int blocks = 1;
  while (blocks < kMaxBlocks && waiting_bytes<T>(problem.cols, blocks) > kRoomy)
    blocks *= 2;
  while (2 * blocks <= kMaxBlocks / 2 && problem.rows <= kMultiprocessors &&
         2 * blocks * threads * problem.rows <= kHalfOfThreads &&
         2 * blocks * threads * kPerVector<T> <= problem.cols)
    blocks *= 2;
  return blocks;
}

template <typename T, bool kAlike, int kHeld>
void launch_kernel(const worklog::SoftmaxBackward<T>& problem, int blocks, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(problem.rows * blocks));
  const dim3 block(problem.block_size);
  worklog::allow_shared_memory(softmax_backward<T, kAlike, kHeld>, "softmax_backward", kMaxWaiting);
  worklog::allow_large_clusters(softmax_backward<T, kAlike, kHeld>, "softmax_backward");
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(blocks);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes =
      static_cast<std::size_t>(waiting_bytes<T>(problem.cols, blocks, kHeld * problem.block_size));
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = blocks > 1 ? 1 : 0;  // a cluster of one block would begin later than a block
  cudaLaunchKernelEx(&config, softmax_backward<T, kAlike, kHeld>, problem.probabilities,
                     problem.gradients, problem.logit_gradients, static_cast<int>(problem.cols));
  worklog::check_launch("softmax_backward", grid, block, config.dynamicSmemBytes);
}

// Registers help where shared memory has room for one block on a multiprocessor, and not for two.
template <typename T, bool kAlike>
void launch_alike(const worklog::SoftmaxBackward<T>& problem, cudaStream_t stream) {
  const int blocks = blocks_for(problem);
  const bool has_room_for_two = 2 * waiting_bytes<T>(problem.cols, blocks) <= kMaxWaiting;
  if (has_room_for_two || problem.block_size > kHoldingThreads) {
    launch_kernel<T, kAlike, 0>(problem, blocks, stream);
  } else {
    launch_kernel<T, kAlike, kVectorsHeld>(problem, blocks, stream);
  }
}

template <typename T>
void launch(const worklog::SoftmaxBackward<T>& problem, cudaStream_t stream) {
  const std::size_t head = past(problem.probabilities, sizeof(Vector));
  if (past(problem.gradients, sizeof(Vector)) == head &&
      past(problem.logit_gradients, sizeof(Vector)) == head) {
    launch_alike<T, true>(problem, stream);
  } else {
    launch_alike<T, false>(problem, stream);
  }
}

// What waits in 16 blocks, less a line for where in one the row begins, and one that each may lack.
std::int64_t max_cols(std::size_t element_bytes, int /*block_size*/) {
  const std::int64_t lines = kMaxBlocks * (kMaxWaiting / (2 * kLine)) - 1;
  return lines * kLine / static_cast<std::int64_t>(element_bytes);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "19_backward",
                      .loads = {2},
                      .stores = {1},
                      .max_cols = max_cols,
                      .longer_rows = "19_backward/reads_twice",
                      .exact_sum = true,
                      .several_blocks_a_row = true});
