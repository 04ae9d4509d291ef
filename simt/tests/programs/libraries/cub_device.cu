// CUB's functions for all of a device, each asked first how much memory it needs.
#include <cstdio>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <vector>

constexpr int kCount = 3000;

struct IsMultipleOfThree {
  __host__ __device__ bool operator()(int x) const { return x % 3 == 0; }
};

template <typename Call>
void run(Call call) {
  std::size_t bytes = 0;
  call(nullptr, bytes);
  void* memory = nullptr;
  cudaMalloc(&memory, bytes);
  if (call(memory, bytes) != cudaSuccess) std::printf("a call failed\n");
  cudaFree(memory);
}

std::vector<int> on_host(const int* values) {
  std::vector<int> copied(kCount);
  cudaMemcpy(copied.data(), values, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  return copied;
}

int main() {
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i)
    values[i] = i * 719 % kCount;
  int* x = nullptr;
  int* y = nullptr;
  int* found = nullptr;
  cudaMalloc(&x, kCount * sizeof(int));
  cudaMalloc(&y, kCount * sizeof(int));
  cudaMallocManaged(&found, sizeof(int));
  cudaMemcpy(x, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);

  run([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, x, found, kCount);
  });
  std::printf("sum: %d\n", *found);
  run([&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, x, y, kCount);
  });
  std::printf("scan: %d %d\n", on_host(y)[0], on_host(y)[kCount - 1]);
  run([&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::If(memory, bytes, x, y, found, kCount, IsMultipleOfThree());
  });
  std::printf("selected: %d\n", *found);
  run([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(memory, bytes, x, y, kCount, 0, 12);
  });
  const std::vector<int> sorted = on_host(y);
  int failures = 0;
  for (int i = 0; i < kCount; ++i)
    failures += sorted[i] != i;
  std::printf("sorted: %d failures\n", failures);
  cudaFree(x);
  cudaFree(y);
  cudaFree(found);
}
