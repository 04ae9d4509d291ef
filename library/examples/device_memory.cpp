#include "device_memory.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(1);
}

}  // namespace

void* device_memory(size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  return memory;
}

void free_device_memory(void* memory) {
  check(cudaFree(memory));
}

void copy_to_device(void* device, const void* host, size_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}

void copy_to_host(void* host, const void* device, size_t bytes) {
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}
