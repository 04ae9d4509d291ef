// Allocations in the order of a stream, from a pool that says how much of it is used.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

std::uint64_t used(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool, attribute, &bytes));
  return bytes;
}

__global__ void fill(int* values) {
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
  constexpr std::size_t kBytes = 32 * sizeof(int);
  int supported = 0;
  check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t threshold = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));

  int* first = nullptr;
  int* second = nullptr;
  check(cudaMallocFromPoolAsync(&first, kBytes, pool, stream));
  check(cudaMallocFromPoolAsync(&second, 2 * kBytes, pool, stream));
  fill<<<1, 32, 0, stream>>>(first);
  const bool grew = used(pool, cudaMemPoolAttrUsedMemCurrent) == 3 * kBytes;
  check(cudaFreeAsync(second, stream));
  const bool shrank = used(pool, cudaMemPoolAttrUsedMemCurrent) == kBytes &&
                      used(pool, cudaMemPoolAttrUsedMemHigh) == 3 * kBytes;
  std::uint64_t zero = 0;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  const bool begins_anew = used(pool, cudaMemPoolAttrUsedMemHigh) == kBytes;

  cudaMemPool_t default_pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&default_pool, 0));
  int* third = nullptr;
  check(cudaMallocAsync(&third, kBytes, stream));
  const bool from_default = used(default_pool, cudaMemPoolAttrUsedMemCurrent) == kBytes;
  int host[32] = {};
  check(cudaMemcpyAsync(host, first, kBytes, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaFreeAsync(first, stream));
  check(cudaFreeAsync(third, stream));
  check(cudaMemPoolTrimTo(pool, 0));
  check(cudaMemPoolDestroy(pool));
  check(cudaStreamDestroy(stream));
  const bool refused = cudaMemPoolDestroy(default_pool) == cudaErrorInvalidValue;
  check(cudaMallocAsync(&third, kBytes, stream));
  check(cudaDeviceReset());
  const bool forgotten = used(default_pool, cudaMemPoolAttrUsedMemCurrent) == 0;
  const bool passed = supported == 1 && grew && shrank && begins_anew && from_default && refused && forgotten &&
                      host[31] == 31;
  std::printf("memory_pool: %s\n", passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
