// A block for each row, and as many passes over it as the formula has. The sort is a bitonic one in
// global memory: its comparisons do not depend on the keys, and any number of them will do.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/step/check_launch.h"
#include "python/untuned.h"

namespace worklog::python {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 1 << 20;
constexpr std::int64_t kMostScratch = std::int64_t{256} << 20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Sum {
  __device__ double operator()(double a, double b) const { return a + b; }
};
struct Maximum {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }  // drops a NaN
};

// Every thread returns the combination of all threads of the block.
template <typename Combine>
__device__ double block_reduce(double mine, Combine combine) {
  __shared__ double of_thread[kThreads];
  of_thread[threadIdx.x] = mine;
  for (unsigned distance = kThreads / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) {
      of_thread[threadIdx.x] = combine(of_thread[threadIdx.x], of_thread[threadIdx.x + distance]);
    }
  }
  __syncthreads();
  const double all = of_thread[0];
  __syncthreads();  // before the next reduction writes
  return all;
}

struct Normalizer {
  double m;
  double d;
};

// Of scale * x, whose maximum is scale * m. A NaN or +inf makes d NaN, and so does a row of -inf
// alone.
__device__ Normalizer normalizer_of(const double* x, std::int64_t cols, double scale = 1.0) {
  double m = -kInfinity;
  for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
    m = fmax(m, x[col]);
  m = block_reduce(m, Maximum{});
  double d = 0.0;
  for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
    d += exp(scale * (x[col] - m));
  return {m, block_reduce(d, Sum{})};
}

__global__ void softmax(const double* logits, double* probabilities, std::int64_t rows,
                        std::int64_t cols) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const double* x = logits + row * cols;
    const Normalizer normalizer = normalizer_of(x, cols);
    for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
      probabilities[row * cols + col] = exp(x[col] - normalizer.m) / normalizer.d;
  }
}

__global__ void log_softmax(const double* logits, double* logarithms, std::int64_t rows,
                            std::int64_t cols) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const double* x = logits + row * cols;
    const Normalizer normalizer = normalizer_of(x, cols);
    const double log_d = log(normalizer.d);
    for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
      logarithms[row * cols + col] = x[col] - normalizer.m - log_d;
  }
}

__global__ void softmax_backward(const double* results, const double* gradients,
                                 double* logit_gradients, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const double* y = results + row * cols;
    const double* dy = gradients + row * cols;
    double sum = 0.0;
    for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
      sum += y[col] * dy[col];
    sum = block_reduce(sum, Sum{});
    for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
      logit_gradients[row * cols + col] = y[col] * (dy[col] - sum);
  }
}

__global__ void log_softmax_backward(const double* results, const double* gradients,
                                     double* logit_gradients, std::int64_t rows,
                                     std::int64_t cols) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const double* y = results + row * cols;
    const double* dy = gradients + row * cols;
    double sum = 0.0;
    for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
      sum += dy[col];
    sum = block_reduce(sum, Sum{});
    for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
      logit_gradients[row * cols + col] = dy[col] - exp(y[col]) * sum;
  }
}

// The share s of the target that all columns have counts where there is one: 0 times -inf is NaN.
__device__ double loss_of(const double* x, std::int64_t label, double lse, double s,
                          std::int64_t cols) {
  double loss = s < 1.0 ? (1.0 - s) * (lse - x[label]) : 0.0;
  if (s > 0.0) {
    double sum = 0.0;
    for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
      sum += lse - x[col];
    loss += s / static_cast<double>(cols) * block_reduce(sum, Sum{});
  }
  return loss;
}

__device__ void write_gradients(double* dx, const double* x, std::int64_t label,
                                Normalizer normalizer, double s, std::int64_t cols) {
  for (std::int64_t col = threadIdx.x; col < cols; col += kThreads) {
    const double target = s / static_cast<double>(cols) + (col == label ? 1.0 - s : 0.0);
    dx[col] = exp(x[col] - normalizer.m) / normalizer.d - target;
  }
}

__device__ void fill(double* row, double value, std::int64_t cols) {
  for (std::int64_t col = threadIdx.x; col < cols; col += kThreads)
    row[col] = value;
}

__global__ void cross_entropy(CrossEntropyOfDoubles problem, std::int64_t rows, std::int64_t cols) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const double* x = problem.logits + row * cols;
    double* dx = problem.gradients == nullptr ? nullptr : problem.gradients + row * cols;
    const std::int64_t label = problem.labels[row];
    const bool is_ignored = label == problem.ignore_index;
    if (is_ignored || label < 0 || label >= cols) {
      const double value = is_ignored ? 0.0 : nan("");
      if (dx != nullptr) fill(dx, value, cols);
      if (threadIdx.x == 0) problem.losses[row] = value;
      continue;
    }
    const Normalizer normalizer = normalizer_of(x, cols);
    const double s = problem.label_smoothing;
    const double loss = loss_of(x, label, normalizer.m + log(normalizer.d), s, cols);
    __syncthreads();  // all have read the label's logit: gradients may take the logits' place
    if (threadIdx.x == 0) problem.losses[row] = loss;
    if (dx != nullptr) write_gradients(dx, x, label, normalizer, s, cols);
  }
}

// ---- sorting ----

// What is compared: a key and its column. A column behind the last stands for nothing, and comes
// last.
template <typename Key>
struct Entry {
  Key key;
  std::int64_t col;
};

__device__ bool is_nan(double key) {
  return isnan(key);
}
__device__ bool is_nan(std::int64_t) {
  return false;
}

template <typename Key>
__device__ bool is_before(Entry<Key> a, Entry<Key> b, std::int64_t cols, bool largest) {
  if (a.col >= cols || b.col >= cols) return a.col < b.col;
  if (a.key == b.key || (is_nan(a.key) && is_nan(b.key))) return a.col < b.col;
  const bool a_is_larger = is_nan(a.key) || a.key > b.key;
  return a_is_larger == largest;
}

// Sorts `padded` entries, a power of two.
template <typename Key>
__device__ void sort(Entry<Key>* entries, std::int64_t padded, std::int64_t cols, bool largest) {
  for (std::int64_t size = 2; size <= padded; size *= 2) {
    for (std::int64_t distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (std::int64_t pair = threadIdx.x; pair < padded / 2; pair += kThreads) {
        const std::int64_t low = 2 * pair - pair % distance;
        const Entry<Key> a = entries[low];
        const Entry<Key> b = entries[low + distance];
        const bool forwards = (low & size) == 0;
        if (is_before(b, a, cols, largest) != forwards) continue;
        entries[low] = b;
        entries[low + distance] = a;
      }
    }
  }
  __syncthreads();
}

__device__ double value_of(double key, const Sorted<double>& problem, Normalizer normalizer) {
  if (!problem.probabilities) return key;
  return exp(problem.scale * (key - normalizer.m)) / normalizer.d;
}
__device__ std::int64_t value_of(std::int64_t key, const Sorted<std::int64_t>&, Normalizer) {
  return key;
}

__device__ Normalizer normalizer_if_wanted(const Sorted<double>& problem, const double* x,
                                           std::int64_t cols) {
  return problem.probabilities ? normalizer_of(x, cols, problem.scale) : Normalizer{};
}
__device__ Normalizer normalizer_if_wanted(const Sorted<std::int64_t>&, const std::int64_t*,
                                           std::int64_t) {
  return {};
}

template <typename Key>
__global__ void first_of_sorted(Sorted<Key> problem, Entry<Key>* entries, std::int64_t padded,
                                std::int64_t cols) {
  const std::int64_t row = blockIdx.x;
  const Key* x = problem.keys + row * cols;
  Entry<Key>* mine = entries + row * padded;
  for (std::int64_t col = threadIdx.x; col < padded; col += kThreads)
    mine[col] = {col < cols ? x[col] : Key{}, col};
  sort(mine, padded, cols, problem.largest);
  const Normalizer normalizer = normalizer_if_wanted(problem, x, cols);
  for (std::int64_t place = threadIdx.x; place < problem.k; place += kThreads) {
    problem.values[row * problem.k + place] = value_of(mine[place].key, problem, normalizer);
    problem.indices[row * problem.k + place] = mine[place].col;
  }
}

// ---- launches ----

dim3 grid_of(Extent extent) {
  return {static_cast<unsigned>(std::min(extent.rows, kMostBlocks))};
}

std::int64_t padded_cols(std::int64_t cols) {
  std::int64_t padded = 1;
  while (padded < cols)
    padded *= 2;
  return padded;
}

// As many as share the scratch at a time.
std::int64_t rows_at_once(Extent extent) {
  const std::int64_t row_bytes =
      padded_cols(extent.cols) * static_cast<std::int64_t>(sizeof(Entry<double>));
  return std::clamp<std::int64_t>(kMostScratch / row_bytes, 1, std::min(extent.rows, kMostBlocks));
}

}  // namespace

void softmax_of_doubles(const double* x, double* y, Extent extent, cudaStream_t stream) {
  softmax<<<grid_of(extent), kThreads, 0, stream>>>(x, y, extent.rows, extent.cols);
  check_launch("softmax of fp64", grid_of(extent), kThreads);
}

void log_softmax_of_doubles(const double* x, double* y, Extent extent, cudaStream_t stream) {
  log_softmax<<<grid_of(extent), kThreads, 0, stream>>>(x, y, extent.rows, extent.cols);
  check_launch("log_softmax of fp64", grid_of(extent), kThreads);
}

void softmax_backward_of_doubles(const double* y, const double* dy, double* dx, Extent extent,
                                 cudaStream_t stream) {
  softmax_backward<<<grid_of(extent), kThreads, 0, stream>>>(y, dy, dx, extent.rows, extent.cols);
  check_launch("softmax_backward of fp64", grid_of(extent), kThreads);
}

void log_softmax_backward_of_doubles(const double* y, const double* dy, double* dx, Extent extent,
                                     cudaStream_t stream) {
  log_softmax_backward<<<grid_of(extent), kThreads, 0, stream>>>(y, dy, dx, extent.rows,
                                                                 extent.cols);
  check_launch("log_softmax_backward of fp64", grid_of(extent), kThreads);
}

void cross_entropy_of_doubles(const CrossEntropyOfDoubles& problem, Extent extent,
                              cudaStream_t stream) {
  cross_entropy<<<grid_of(extent), kThreads, 0, stream>>>(problem, extent.rows, extent.cols);
  check_launch("cross_entropy of fp64", grid_of(extent), kThreads);
}

std::int64_t sort_scratch_bytes(Extent extent) {
  return Scratch::bytes_for(rows_at_once(extent) * padded_cols(extent.cols), sizeof(Entry<double>));
}

template <typename Key>
void sort_rows(const Sorted<Key>& problem, Extent extent, Scratch scratch, cudaStream_t stream) {
  const std::int64_t padded = padded_cols(extent.cols);
  const std::int64_t at_once = rows_at_once(extent);
  auto* entries = scratch.take<Entry<Key>>(at_once * padded);
  for (std::int64_t first = 0; first < extent.rows; first += at_once) {
    Sorted<Key> part = problem;
    part.keys += first * extent.cols;
    part.values += first * problem.k;
    part.indices += first * problem.k;
    const dim3 grid(static_cast<unsigned>(std::min(at_once, extent.rows - first)));
    first_of_sorted<<<grid, kThreads, 0, stream>>>(part, entries, padded, extent.cols);
    check_launch("first_of_sorted", grid, kThreads);
  }
}

template void sort_rows(const Sorted<double>&, Extent, Scratch, cudaStream_t);
template void sort_rows(const Sorted<std::int64_t>&, Extent, Scratch, cudaStream_t);

}  // namespace worklog::python
