#include <cuda_runtime.h>

#include "bench/tile.cuh"
#include "bench/transfer.h"
#include "common/step/check_launch.h"

namespace worklog::bench {

namespace {

__device__ std::byte either(std::byte a, std::byte b) {
  return static_cast<std::byte>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));
}

__device__ unsigned either(unsigned a, unsigned b) {
  return a ^ b;
}

__device__ uint4 either(uint4 a, uint4 b) {
  return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}

template <typename Vector, int in_flight>
__global__ void combine(const std::byte* a, const std::byte* b, std::byte* target,
                        std::int64_t bytes) {
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Vector));
  const auto* from_a = reinterpret_cast<const Vector*>(a);
  const auto* from_b = reinterpret_cast<const Vector*>(b);
  auto* to = reinterpret_cast<Vector*>(target);

  for (std::int64_t tile = blockIdx.x * kTile<in_flight>; tile < count;
       tile += gridDim.x * kTile<in_flight>) {
    Vector of_a[in_flight];
    Vector of_b[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const std::int64_t index = tile + i * kTransferThreads + threadIdx.x;
      if (index < count) {
        of_a[i] = from_a[index];
        of_b[i] = from_b[index];
      }
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const std::int64_t index = tile + i * kTransferThreads + threadIdx.x;
      if (index < count) to[index] = either(of_a[i], of_b[i]);
    }
  }

  const std::int64_t rest = count * static_cast<std::int64_t>(sizeof(Vector)) + threadIdx.x;
  if (blockIdx.x == 0 && rest < bytes) target[rest] = either(a[rest], b[rest]);
}

template <typename Vector, int in_flight>
Combine of_blocks(const std::string& name, unsigned most_blocks) {
  return {
      name, [name, most_blocks](const std::byte* a, const std::byte* b, std::byte* target,
                                std::int64_t bytes, cudaStream_t stream) {
        const unsigned blocks = std::min(most_blocks, blocks_to_cover<Vector, in_flight>(bytes));
        combine<Vector, in_flight><<<blocks, kTransferThreads, 0, stream>>>(a, b, target, bytes);
        check_launch("combine, " + name, blocks, kTransferThreads);
      }};
}

}  // namespace

std::vector<Combine> all_combines(int sm_count) {
  constexpr unsigned kAsManyAsCover = ~0u;
  const auto resident = static_cast<unsigned>(sm_count * kResidentBlocksPerSm);
  return {
      of_blocks<unsigned, 1>("4 bytes a thread", kAsManyAsCover),
      of_blocks<uint4, 1>("16 bytes a thread", kAsManyAsCover),
      of_blocks<uint4, 2>("2 x 16 bytes a thread", kAsManyAsCover),
      of_blocks<uint4, 4>("4 x 16 bytes a thread", kAsManyAsCover),
      of_blocks<uint4, 1>("16 bytes, persistent blocks", resident),
      of_blocks<uint4, 4>("4 x 16 bytes, persistent blocks", resident),
  };
}

}  // namespace worklog::bench
