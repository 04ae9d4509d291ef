// Code that is one thing on the host and another on the device, as __CUDA_ARCH__ says.
#include <cstdio>
#include <cuda_runtime.h>

#define BOTH __host__ __device__

// Before compute capability 6.0 a device had no such function.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) {
  asm("not reached");
  return *address + value;
}
#endif

BOTH inline int side() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 0;
#endif
}

template <typename T>
struct Square {
  __host__ __device__ static constexpr T of(T x) {
#if __CUDA_ARCH__ >= 700
    return x * x;
#elif defined(__CUDA_ARCH__)
    return -1;
#else
    return x * x;
#endif
  }
};
static_assert(Square<int>::of(3) == 9, "known to the compiler");

__device__ int per_thread() {
#if __CUDA_ARCH__ >= 700
  return threadIdx.x;
#endif
}

__global__ void ask(int* results, int architecture) {
#if __CUDA_ARCH__ >= 700
  results[0] = side();
  results[1] = Square<int>::of(5);
  results[2] = per_thread() + 1;
  results[3] = __CUDA_ARCH__ >= architecture;
#endif
#ifndef __CUDA_ARCH__
  results[0] = 17;
#endif
  results[4] = __LINE__;
}

template <typename Function>
__global__ void fill(int* results, Function function) {
  results[threadIdx.x] = function(threadIdx.x);
}

int main() {
  int* results;
  cudaMallocManaged(&results, 32 * sizeof(int));
  ask<<<1, 1>>>(results, 700);
  cudaDeviceSynchronize();
  printf("host %d device %d\n", side(), results[0]);
  const bool asked = Square<int>::of(5) == 25 && results[1] == 25 && results[2] == 1 &&
                     results[3] == 1 && results[4] == 53;
#ifdef __CUDA_ARCH__
  const bool host = false;
#else
  const bool host = true;
#endif
  fill<<<1, 32>>>(results, [] __device__(int i) {
#ifdef __CUDA_ARCH__
    return 2 * i;
#else
    return -1;
#endif
  });
  cudaDeviceSynchronize();
  printf("%s\n", asked && host && results[31] == 62 ? "passed" : "failed");
  cudaFree(results);
  return 0;
}
