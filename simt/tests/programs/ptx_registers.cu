// Inline PTX: special registers, differences of four bytes at once, and a flag of one byte.
#include <cstdio>

__global__ void ask(unsigned* lanes, unsigned* below, unsigned* threads) {
  unsigned lane, mask, x, blocks;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  asm("mov.u32 %0, %%tid.x;" : "=r"(x));
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
  lanes[threadIdx.x] = lane;
  below[threadIdx.x] = mask;
  threads[threadIdx.x] = x + 1000 * blocks;
}

// Ends after as much on every run.
__global__ void wait_for(unsigned long long ticks) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < ticks);
}

__device__ unsigned sum_of_differences(unsigned a, unsigned b, unsigned c) {
  unsigned sum;
  asm("vabsdiff4.u32.u32.u32.add"
      " %0, %1, %2, %3;"
      : "=r"(sum)
      : "r"(a), "r"(b), "r"(c));
  return sum;
}

__global__ void compare(unsigned* sums) {
  sums[0] = sum_of_differences(0x00ff0180u, 0xff000203u, 7);
}

__global__ void hand_over(unsigned char* flags, int* out) {
  const unsigned one = 0x1ff;  // of which the lowest byte is stored
  asm volatile("st.release.sys.global.u8 [%1], %0;" ::"r"(one), "l"(flags + 1) : "memory");
  unsigned positive;
  int negative;
  asm volatile("ld.acquire.sys.global.u8 %0, [%1];" : "=r"(positive) : "l"(flags + 1) : "memory");
  asm volatile("ld.acquire.sys.global.s8 %0, [%1];" : "=r"(negative) : "l"(flags + 1) : "memory");
  out[0] = static_cast<int>(positive);
  out[1] = negative;
}

int main() {
  constexpr int kThreads = 40;
  unsigned *lanes, *below, *threads;
  unsigned char* flags;
  cudaMallocManaged(&lanes, kThreads * sizeof(unsigned));
  cudaMallocManaged(&below, kThreads * sizeof(unsigned));
  cudaMallocManaged(&threads, kThreads * sizeof(unsigned));
  cudaMallocManaged(&flags, 4);
  ask<<<1, kThreads>>>(lanes, below, threads);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  int wrong = 0;
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned lane = i % 32;
    wrong += lanes[i] != lane || below[i] != (1u << lane) - 1 || threads[i] != i + 1000;
  }
  wait_for<<<1, 1>>>(10000);
  compare<<<1, 1>>>(lanes);
  hand_over<<<1, 1>>>(flags, reinterpret_cast<int*>(below));
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  wrong += lanes[0] != 7 + 255 + 255 + 1 + 125;
  wrong += below[0] != 255 || static_cast<int>(below[1]) != -1;
  printf("ptx_registers: %s\n", wrong == 0 ? "passed" : "FAILED");
  return wrong;
}
