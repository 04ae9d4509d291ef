// Atomic operations aggregated over the threads that come together, by a function that both sides of
// a branch call: the sides must not be taken for one group, because their counters differ.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int add_inlined(int* counter) {
  const cg::coalesced_group group = cg::coalesced_threads();
  int before = 0;
  if (group.thread_rank() == 0) before = atomicAdd(counter, static_cast<int>(group.size()));
  return group.shfl(before, 0) + static_cast<int>(group.thread_rank());
}
__device__ __noinline__ int add_called(int* counter) {
  return add_inlined(counter);
}

__global__ void split(int* counters, int* places) {
  const int i = threadIdx.x;
  if (i % 3 == 0) {
    places[i] = add_inlined(&counters[0]);
  } else {
    places[i] = add_inlined(&counters[1]);
  }
  if (i % 2 == 0) {
    places[64 + i] = add_called(&counters[2]);
  } else {
    places[64 + i] = add_called(&counters[3]);
  }
}

int main() {
  int* memory;
  cudaMallocManaged(&memory, (4 + 128) * sizeof(int));
  for (int i = 0; i < 4; ++i)
    memory[i] = 0;
  split<<<1, 64>>>(memory, memory + 4);
  cudaDeviceSynchronize();
  const int expected[4] = {22, 42, 32, 32};
  bool passed = true;
  for (int i = 0; i < 4; ++i)
    passed = passed && memory[i] == expected[i];
  std::printf("%s\n", passed ? "passed" : "failed");
  cudaFree(memory);
}
