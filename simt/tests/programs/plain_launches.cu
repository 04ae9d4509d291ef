// Kernels of many kinds, each launched three times with the same numbers: what the later launches
// compute, which may run plain, is what the first did. And memory that they alone write is known as
// written to a kernel that reads it.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kBlocks = 6, kThreads = 96, kNumbers = kBlocks * kThreads;

static __device__ unsigned launches;
static __device__ float table[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__constant__ float scale = 3.0f;
namespace {
__device__ int turn;
__managed__ unsigned managed;
}  // namespace

__global__ void element(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = expf(x[i] - 1.0f) / scale + table[i % 4];
}

// A block's sums: shuffles, shared memory and barriers.
__global__ void sums(const float* x, float* y) {
  __shared__ float parts[kThreads / 32];
  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int i = 0; i < kThreads / 32; ++i) sum += parts[i];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum + threadIdx.x;
}

// Some threads wait and others return before them; which are together is asked among the former.
__global__ void some_wait(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
  if (threadIdx.x % 3 == 0) return;
  if (threadIdx.x % 32 < 20) y[i] += __popc(__activemask());
  if (threadIdx.x >= 64) y[i] += __popc(__ballot_sync(__activemask(), threadIdx.x % 2));
}

__global__ void atomics(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&launches, 1);
  atomicAdd(&managed, 1);
  y[i] = -5.0f;
  atomicMax(reinterpret_cast<int*>(&y[i]), __float_as_int(fabsf(x[i])));
}

// Each block waits for its turn, of which another tells.
__global__ void in_turn(const float* x, float* y) {
  if (threadIdx.x != 0) return;
  volatile int* const now = &turn;
  while (*now != static_cast<int>(gridDim.x - 1 - blockIdx.x)) {
  }
  y[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  *now = (*now + 1) % static_cast<int>(gridDim.x);
}

struct Shape {
  __device__ virtual float size(float x) const { return x; }
};
struct Square : Shape {
  __device__ float size(float x) const override { return x * x; }
};
template <typename T>
__device__ T chosen(T x, int which) {
  switch (which) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x / 7;
    case 3: return x - 5;
    case 4: return -x;
    default: return x * x * x;
  }
}
__device__ __noinline__ float deep(float x, int levels) {
  return levels == 0 ? x : deep(x, levels - 1) + 1.0f / levels;
}

__global__ void calls(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float local[5];
  for (int k = 0; k < 5; ++k) local[(k + i) % 5] = chosen(x[i], (i + k) % 6);
  Shape shape;
  Square square;
  const Shape* const either = i % 2 == 0 ? &shape : &square;
  float* const heap = static_cast<float*>(malloc(sizeof(float)));
  *heap = deep(local[i % 5], i % 9);
  y[i] = either->size(local[0]) + *heap;
  free(heap);
}

__global__ void child(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] * 2.0f;
}
__global__ void parent(const float* x, float* y) {
  if (threadIdx.x == 0) child<<<1, kThreads>>>(x + blockIdx.x * kThreads, y + blockIdx.x * kThreads);
}

__global__ void copy(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];
}

using Kernel = void (*)(const float*, float*);

int main() {
  std::vector<float> numbers(kNumbers);
  for (int i = 0; i < kNumbers; ++i) numbers[i] = 0.01f * i - 2.0f;
  constexpr size_t kBytes = kNumbers * sizeof(float);
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, kBytes);
  cudaMalloc(&y, kBytes);
  cudaMemcpy(x, numbers.data(), kBytes, cudaMemcpyHostToDevice);
  bool passed = true;
  std::vector<float> results[3] = {numbers, numbers, numbers};
  const auto compare = [&](const char* name) {
    for (const auto& result : results) {
      if (std::memcmp(result.data(), results[0].data(), kBytes) == 0) continue;
      std::printf("%s: a later launch differs\n", name);
      passed = false;
    }
  };
#define THREE_TIMES(kernel)                                                   \
  for (auto& result : results) {                                              \
    cudaMemset(y, 0, kBytes);                                                 \
    kernel<<<kBlocks, kThreads>>>(x, y);                                      \
    cudaMemcpy(result.data(), y, kBytes, cudaMemcpyDeviceToHost);             \
  }                                                                           \
  compare(#kernel)
  THREE_TIMES(element);
  if (std::fabs(results[2][5] - (std::exp(-2.95f) / 3 + 1.5f)) > 1e-6f) passed = false;
  THREE_TIMES(sums);
  THREE_TIMES(some_wait);
  THREE_TIMES(atomics);
  THREE_TIMES(in_turn);
  THREE_TIMES(calls);
  THREE_TIMES(parent);
  Kernel by_pointer = element;
  THREE_TIMES(by_pointer);
  for (auto& result : results) {
    cudaMemset(y, 0, kBytes);
    void* arguments[] = {&x, &y};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(+sums), dim3(kBlocks), dim3(kThreads), arguments, 0, nullptr);
    cudaMemcpy(result.data(), y, kBytes, cudaMemcpyDeviceToHost);
  }
  compare("sums, all at once");
  unsigned count = 0;
  cudaMemcpyFromSymbol(&count, launches, sizeof count);
  if (count != 3 || managed != 3 * kNumbers) passed = false;

  // Nobody but launches that may run plain writes these.
  float* written[3];
  for (float*& each : written) {
    cudaMalloc(&each, kThreads * sizeof(float));
    copy<<<1, kThreads>>>(x, each);
  }
  copy<<<1, kThreads / 2>>>(written[2], y);
  cudaMemcpy(results[0].data(), written[1], kThreads * sizeof(float), cudaMemcpyDeviceToHost);
  if (std::memcmp(results[0].data(), numbers.data(), kThreads * sizeof(float)) != 0) passed = false;
  for (float* each : {x, y, written[0], written[1], written[2]}) cudaFree(each);
  std::printf("plain_launches: %s\n", passed && cudaGetLastError() == cudaSuccess ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
