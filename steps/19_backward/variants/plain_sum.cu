// Step 19, variant: a sum in one float
//
// What rounding drops of the row's sum is lost, as in most kernels: what does it cost to keep it?

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>

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

// s + y dy
template <typename T>
__device__ float add_product(float s, T y, T dy) {
  return fmaf(static_cast<float>(y), static_cast<float>(dy), s);
}

// y (dy - s)
template <typename T>
__device__ T gradient_of(T y, T dy, float s) {
  return static_cast<T>(static_cast<float>(y) * (static_cast<float>(dy) - s));
}

// The sum of what 32 lanes know, for each of them.
__device__ float warp_sum(float s) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    s += __shfl_xor_sync(kAllLanes, s, distance);
  }
  return s;
}

// The sum of what the threads of a block know, for each of them: one barrier, after which every
// warp looks at the results of all.
__device__ float block_sum(float mine) {
  __shared__ float of_warps[kMaxWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;

  mine = warp_sum(mine);
  if (lane == 0) of_warps[warp] = mine;
  __syncthreads();
  return warp_sum(lane < warps ? of_warps[lane] : 0.0f);
}

// Blocks of a cluster at most: more than 8 are not portable, but an H200 has 16.
constexpr int kMaxBlocks = 16;
static_assert(kMaxBlocks <= kWarpSize, "a warp tells all blocks, and adds up their results");

// The sum of what the threads of a cluster know, for each of them: every block leaves its own with
// all, and one by itself waits for nobody. NaN for a row whose sum is no finite number.
__device__ float cluster_sum(float mine) {
  __shared__ float of_blocks[kMaxBlocks];
  const cg::cluster_group cluster = cg::this_cluster();
  const int lane = threadIdx.x % kWarpSize;
  const int thread = static_cast<int>(threadIdx.x);
  const int blocks = static_cast<int>(cluster.num_blocks());

  float s = block_sum(mine);
  if (blocks > 1) {
    if (thread < blocks) cluster.map_shared_rank(of_blocks, thread)[cluster.block_rank()] = s;
    if (thread < kWarpSize) {
      arrive_and_release();
    } else {
      arrive_relaxed();
    }
    wait_for_cluster();
    s = warp_sum(lane < blocks ? of_blocks[lane] : 0.0f);
  }
  const float zero_or_nan = s - s;
  return s + zero_or_nan;
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
__device__ float add_products(float s, Vector y_vector, Vector dy_vector) {
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
__device__ Vector gradients_of(Vector y_vector, Vector dy_vector, float s) {
  const T* y = reinterpret_cast<const T*>(&y_vector);
  T* dy = reinterpret_cast<T*>(&dy_vector);
#pragma unroll
  for (int i = 0; i < kPerVector<T>; ++i) {
    dy[i] = gradient_of(y[i], dy[i], s);
  }
  return dy_vector;
}

// The vectors of each array that a thread holds at most: both take 32 of the 64 registers that a
// thread of a block of 1024 may have.
constexpr int kHeld = 4;

// Whether no thread of the block has an i-th vector.
__device__ bool is_past(int i, int vectors) {
  return i * static_cast<int>(blockDim.x) >= vectors;
}

// A cluster owns a row, and each of its blocks a share of it. dx may be in the place of y or of dy:
// a thread stores where it alone has loaded. kAlike: all three arrays are aligned alike.
template <typename T, bool kAlike>
__global__ void __launch_bounds__(kMaxThreads)
    softmax_backward(const T* probabilities, const T* gradients, T* logit_gradients, int cols) {
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
  Vector y_tile[kHeld];
  Vector dy_tile[kHeld];
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    const bool is_of_row = vector >= cut.first && vector < end;
    y_tile[i] = is_of_row ? load<true>(y + to_vectors, vector) : Vector{};
    dy_tile[i] = is_of_row ? load<kAlike>(dy + to_vectors, vector) : Vector{};
  }
  const T y_edge = has_edge ? y[edge] : static_cast<T>(0.0f);
  const T dy_edge = has_edge ? dy[edge] : static_cast<T>(0.0f);

  float s = add_product(0.0f, y_edge, dy_edge);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past(i, end - begin)) break;
    s = add_products<T>(s, y_tile[i], dy_tile[i]);
  }
  if (blocks > 1) wait_for_cluster();  // all of them run, so that their shared memory is there
  s = cluster_sum(s);

  if (has_edge) dx[edge] = gradient_of(y_edge, dy_edge, s);
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    if (is_past(i, end - begin)) break;
    const int vector = begin + thread + i * threads;
    if (vector >= cut.first && vector < end) {
      store<kAlike>(gradients_of<T>(y_tile[i], dy_tile[i], s), dx + to_vectors, vector);
    }
  }
}

// How far an array begins behind a multiple of so many bytes.
template <typename T>
std::size_t past(const T* array, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(array) % bytes;
}

// As few blocks as hold every row, wherever in a line one begins: 1, 2, 4, 8 or 16.
template <typename T>
int blocks_for(const worklog::SoftmaxBackward<T>& problem) {
  const bool begin_with_lines =
      past(problem.probabilities, kLine) == 0 && problem.cols * sizeof(T) % kLine == 0;
  const int vectors = static_cast<int>(problem.cols / kPerVector<T>);
  const int before = begin_with_lines ? 0 : kPerLine - 1;
  int blocks = 1;
  while (share_of(before + vectors, blocks) > kHeld * problem.block_size)
    blocks *= 2;
  return blocks;
}

template <typename T, bool kAlike>
void launch_kernel(const worklog::SoftmaxBackward<T>& problem, cudaStream_t stream) {
  const int blocks = blocks_for(problem);
  const dim3 grid(static_cast<unsigned>(problem.rows * blocks));
  const dim3 block(problem.block_size);
  worklog::allow_large_clusters(softmax_backward<T, kAlike>, "softmax_backward");
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(blocks);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = blocks > 1 ? 1 : 0;  // a cluster of one block would begin later than a block
  cudaLaunchKernelEx(&config, softmax_backward<T, kAlike>, problem.probabilities, problem.gradients,
                     problem.logit_gradients, static_cast<int>(problem.cols));
  worklog::check_launch("softmax_backward", grid, block);
}

template <typename T>
void launch(const worklog::SoftmaxBackward<T>& problem, cudaStream_t stream) {
  const std::size_t head = past(problem.probabilities, sizeof(Vector));
  if (past(problem.gradients, sizeof(Vector)) == head &&
      past(problem.logit_gradients, sizeof(Vector)) == head) {
    launch_kernel<T, true>(problem, stream);
  } else {
    launch_kernel<T, false>(problem, stream);
  }
}

// What 16 blocks hold, less a line for where in one the row begins.
std::int64_t max_cols(std::size_t element_bytes, int block_size) {
  const std::int64_t vectors =
      kMaxBlocks * kHeld * static_cast<std::int64_t>(block_size) - kPerLine;
  return vectors * static_cast<std::int64_t>(sizeof(Vector) / element_bytes);
}

}  // namespace

WORKLOG_STEP(launch, {.builds_on = "19_backward",
                      .loads = {2},
                      .stores = {1},
                      .max_cols = max_cols,
                      .longer_rows = "19_backward/reads_twice",
                      .several_blocks_a_row = true});
