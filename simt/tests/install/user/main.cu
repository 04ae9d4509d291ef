// A program as somebody has it who knows nothing of simt but how to ask for the counts.
#include <cstdio>
#include <vector>

#include "scale.cuh"
#include "simt/executor/counters.h"

int main() {
  constexpr int kCount = 64;
  constexpr int kBlock = 48;  // the second block is not full
  std::vector<float> values(kCount, 1.5f);
  float* x = nullptr;
  cudaMalloc(&x, kCount * sizeof(float));
  cudaMemcpy(x, values.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<(kCount + kBlock - 1) / kBlock, kBlock>>>(x, kCount, 2.0f);
  cudaMemcpy(values.data(), x, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  for (const float value : values) {
    if (value != 3.0f) return 1;
  }
  const auto& loads = simt::counters().global_loads;
  const auto& stores = simt::counters().global_stores;
  std::printf("%d floats doubled: %llu sectors\n", kCount,
              static_cast<unsigned long long>(loads.sectors + stores.sectors));
}
