// Correct kernels that share memory within a block in ways that look like mistakes, or nearly are:
// none may give a finding.

#include <numeric>
#include <vector>

#include "simt/tests/checkers/mistakes.h"

namespace {

constexpr unsigned kThreads = 128;

__device__ float reduce(float mine, float* s) {
  s[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned distance = kThreads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) s[threadIdx.x] += s[threadIdx.x + distance];
    __syncthreads();
  }
  const float sum = s[0];
  __syncthreads();
  return sum;
}

// One array for two reductions, one after the other.
__global__ void two_reductions(float* y) {
  __shared__ float s[kThreads];
  const float sum = reduce(1.0f, s);
  y[threadIdx.x] = reduce(sum, s);
}

__global__ void ping_pong_scan(float* y) {
  __shared__ float s[2][kThreads];
  int from = 0;
  s[0][threadIdx.x] = 1.0f;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    const float before = threadIdx.x >= distance ? s[from][threadIdx.x - distance] : 0.0f;
    s[1 - from][threadIdx.x] = s[from][threadIdx.x] + before;
    from = 1 - from;
    __syncthreads();
  }
  y[threadIdx.x] = s[from][threadIdx.x];
}

// Nobody wrote what all threads exchange first.
__global__ void set_by_exchange(int* unwritten, int* y) {
  __shared__ int count;
  atomicExch(&count, 0);
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicExch(unwritten, 2);
  y[blockIdx.x] = atomicAdd(unwritten, 0) + count;
}

__global__ void exclusive_tree_scan(float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = 1.0f;
  for (unsigned stride = 1; stride < kThreads; stride *= 2) {
    __syncthreads();
    const unsigned right = 2 * stride * (threadIdx.x + 1) - 1;
    if (right < kThreads) s[right] += s[right - stride];
  }
  __syncthreads();
  if (threadIdx.x == 0) s[kThreads - 1] = 0.0f;
  for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    const unsigned right = 2 * stride * (threadIdx.x + 1) - 1;
    if (right < kThreads) {
      const float left = s[right - stride];
      s[right - stride] = s[right];
      s[right] += left;
    }
  }
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}

// While one buffer is read the next one is filled: one barrier a round.
__global__ void double_buffer(const float* x, float* y) {
  __shared__ float s[2][kThreads];
  s[0][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (unsigned round = 0; round < 8; ++round) {
    if (round < 7) s[(round + 1) % 2][threadIdx.x] = x[threadIdx.x] + round + 1;
    sum += s[round % 2][kThreads - 1 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

__global__ void transposed_tiles(const float* x, float* y) {
  __shared__ float tile[16][17];
  for (unsigned part = 0; part < 4; ++part) {
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x] + part;
    __syncthreads();
    y[part * 256 + threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}

__global__ void shared_histogram(const int* keys, unsigned* bins, unsigned n) {
  __shared__ unsigned mine[16];
  for (unsigned i = threadIdx.x; i < 16; i += blockDim.x)
    mine[i] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[keys[i] % 16], 1);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 16; i += blockDim.x)
    atomicAdd(&bins[i], mine[i]);
}

// All threads leave the loop in the same round, as the barrier's vote tells them.
__global__ void until_all_are_done(int* y) {
  int mine = threadIdx.x % 10;
  int rounds = 0;
  while (__syncthreads_or(mine > 0) != 0) {
    --mine;
    ++rounds;
  }
  y[threadIdx.x] = rounds;
}

__global__ void whole_block_returns(float* y, unsigned blocks) {
  __shared__ float s[kThreads];
  if (blockIdx.x >= blocks) return;
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}

// No barrier: no thread looks at another one's slots.
__global__ void own_slots_only(float* y) {
  __shared__ float s[4][kThreads];
  for (unsigned i = 0; i < 4; ++i)
    s[i][threadIdx.x] = i;
  float sum = 0.0f;
  for (unsigned i = 0; i < 4; ++i)
    sum += s[i][threadIdx.x];
  y[threadIdx.x] = sum;
}

// Arrays of several types in one piece of dynamic memory.
__global__ void carved_up(double* y) {
  extern __shared__ unsigned char memory[];
  auto* const doubles = reinterpret_cast<double*>(memory);
  auto* const floats = reinterpret_cast<float*>(doubles + kThreads);
  auto* const bytes = reinterpret_cast<unsigned char*>(floats + kThreads);
  doubles[threadIdx.x] = 1.0;
  floats[threadIdx.x] = 2.0f;
  bytes[threadIdx.x] = 3;
  __syncthreads();
  const unsigned other = kThreads - 1 - threadIdx.x;
  y[threadIdx.x] = doubles[other] + floats[other] + bytes[other];
}

// The same memory as floats, then as integers.
__global__ void another_type(int* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  const float other = s[kThreads - 1 - threadIdx.x];
  __syncthreads();
  auto* const integers = reinterpret_cast<int*>(s);
  integers[threadIdx.x] = static_cast<int>(other) + 1;
  __syncthreads();
  y[threadIdx.x] = integers[(threadIdx.x + 1) % kThreads];
}

__global__ void reversed_in_place(float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const float other = s[kThreads - 1 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = other;
  y[threadIdx.x] = s[threadIdx.x];
}

__global__ void bitonic_sort(float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = (threadIdx.x * 37) % kThreads;
  __syncthreads();
  for (unsigned length = 2; length <= kThreads; length *= 2) {
    for (unsigned distance = length / 2; distance > 0; distance /= 2) {
      const unsigned other = threadIdx.x ^ distance;
      if (other > threadIdx.x) {
        const bool ascending = (threadIdx.x & length) == 0;
        const float a = s[threadIdx.x];
        const float b = s[other];
        if ((a > b) == ascending) {
          s[threadIdx.x] = b;
          s[other] = a;
        }
      }
      __syncthreads();
    }
  }
  y[threadIdx.x] = s[threadIdx.x];
}

// Some threads load the border as well.
__global__ void stencil(const float* x, float* y) {
  __shared__ float s[kThreads + 2];
  s[threadIdx.x + 1] = x[threadIdx.x];
  if (threadIdx.x == 0) s[0] = 0.0f;
  if (threadIdx.x == 1) s[kThreads + 1] = 0.0f;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
}

// One thread speaks, all listen, then another one speaks.
__global__ void speakers(int* y) {
  __shared__ int word;
  int heard = 0;
  for (unsigned speaker = 0; speaker < 5; ++speaker) {
    if (threadIdx.x == speaker) word = static_cast<int>(speaker);
    __syncthreads();
    heard += word;
    __syncthreads();
  }
  y[threadIdx.x] = heard;
}

__global__ void maximum_by_atomics(const float* x, int* y) {
  __shared__ int maximum;
  if (threadIdx.x == 0) maximum = 0;
  __syncthreads();
  atomicMax(&maximum, static_cast<int>(x[threadIdx.x]) + static_cast<int>(threadIdx.x));
  __syncthreads();
  if (threadIdx.x == kThreads - 1) *y = maximum;
}

// Bytes of one word, each of its own thread.
__global__ void bytes_of_a_word(unsigned char* y) {
  __shared__ unsigned char s[kThreads];
  s[threadIdx.x] = threadIdx.x;
  s[threadIdx.x] += 1;
  __syncthreads();
  y[threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}

// A barrier on both sides of a branch that all threads of the block take alike.
__global__ void uniform_branch(float* y, int flag) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = 1.0f;
  if (flag > 0) {
    __syncthreads();
    y[threadIdx.x] = s[kThreads - 1 - threadIdx.x];
  } else {
    __syncthreads();
    y[threadIdx.x] = 2.0f * s[kThreads - 1 - threadIdx.x];
  }
}

struct CorrectBlocks : Mistakes {
  DeviceArray<int> numbers = zeros<int>(1024);
  DeviceArray<unsigned> counts = zeros<unsigned>(64);
  DeviceArray<unsigned char> bytes = zeros<unsigned char>(kThreads);
  DeviceArray<double> doubles = zeros<double>(kThreads);
  ~CorrectBlocks() { CHECK(take_kinds().empty()); }
};

}  // namespace

TEST_SUITE_BEGIN("correct_blocks");

TEST_CASE_FIXTURE(CorrectBlocks, "an array is reused behind a barrier") {
  two_reductions<<<1, kThreads>>>(y.get());
  CHECK(y.host()[0] == kThreads * kThreads);
  reversed_in_place<<<1, kThreads>>>(y.get());
  CHECK(y.host()[0] == kThreads - 1);
  another_type<<<1, kThreads>>>(numbers.get());
  CHECK(numbers.host()[5] == 2);
  transposed_tiles<<<1, dim3(16, 16)>>>(x.get(), y.get());
  CHECK(y.host()[3 * 256] == 3.0f);
}

TEST_CASE_FIXTURE(CorrectBlocks, "scans and sorts move through shared memory") {
  ping_pong_scan<<<1, kThreads>>>(y.get());
  CHECK(y.host()[kThreads - 1] == kThreads);
  exclusive_tree_scan<<<1, kThreads>>>(y.get());
  CHECK(y.host()[kThreads - 1] == kThreads - 1);
  bitonic_sort<<<1, kThreads>>>(y.get());
  CHECK(y.host()[17] == 17.0f);
}

TEST_CASE_FIXTURE(CorrectBlocks, "two buffers need one barrier a round") {
  double_buffer<<<1, kThreads>>>(x.get(), y.get());
  CHECK(y.host()[0] == 28.0f);
}

TEST_CASE_FIXTURE(CorrectBlocks, "an exchange is the first to write") {
  int* unwritten = nullptr;
  REQUIRE(cudaMalloc(&unwritten, sizeof(int)) == cudaSuccess);
  set_by_exchange<<<2, kThreads>>>(unwritten, numbers.get());
  CHECK(numbers.host()[0] == 2 + static_cast<int>(kThreads));
  CHECK(cudaFree(unwritten) == cudaSuccess);
}

TEST_CASE_FIXTURE(CorrectBlocks, "atomic operations between barriers") {
  const DeviceArray<int> keys = zeros<int>(1000);
  shared_histogram<<<3, kThreads>>>(keys.get(), counts.get(), 1000);
  CHECK(counts.host()[0] == 1000);
  maximum_by_atomics<<<1, kThreads>>>(x.get(), numbers.get());
  CHECK(numbers.host()[0] == kThreads - 1);
}

TEST_CASE_FIXTURE(CorrectBlocks, "all threads take the same way to a barrier") {
  until_all_are_done<<<1, kThreads>>>(numbers.get());
  CHECK(numbers.host()[0] == 9);
  whole_block_returns<<<4, kThreads>>>(y.get(), 2u);
  uniform_branch<<<1, kThreads>>>(y.get(), 0);
  CHECK(y.host()[0] == 2.0f);
  speakers<<<1, kThreads>>>(numbers.get());
  CHECK(numbers.host()[0] == 10);
}

TEST_CASE_FIXTURE(CorrectBlocks, "each thread, or each byte, for itself") {
  own_slots_only<<<1, kThreads>>>(y.get());
  CHECK(y.host()[0] == 6.0f);
  bytes_of_a_word<<<1, kThreads>>>(bytes.get());
  CHECK(bytes.host()[0] == kThreads);
  carved_up<<<1, kThreads, kThreads*(sizeof(double) + sizeof(float) + 1)>>>(doubles.get());
  CHECK(doubles.host()[0] == 6.0);
  stencil<<<1, kThreads>>>(x.get(), y.get());
}

TEST_SUITE_END();
