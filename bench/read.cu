#include <cuda_runtime.h>

#include "bench/tile.cuh"
#include "bench/transfer.h"
#include "common/step/check_launch.h"

namespace worklog::bench {

namespace {

constexpr int kWarpSize = 32;
constexpr int kWarps = kTransferThreads / kWarpSize;
constexpr unsigned kAllLanes = 0xffffffff;

__device__ unsigned fold(unsigned value) {
  return value;
}

__device__ unsigned fold(uint4 value) {
  return value.x ^ value.y ^ value.z ^ value.w;
}

// Thread 0 returns the exclusive or of all threads' values.
__device__ unsigned block_fold(unsigned mine) {
  __shared__ unsigned warp_sums[kWarps];
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine ^= __shfl_xor_sync(kAllLanes, mine, distance);
  }
  if (threadIdx.x % kWarpSize == 0) warp_sums[threadIdx.x / kWarpSize] = mine;
  __syncthreads();
  unsigned all = 0;
  for (const unsigned sum : warp_sums)
    all ^= sum;
  return all;
}

template <typename Vector, int in_flight>
__global__ void read(const std::byte* source, std::int64_t bytes, unsigned* sums) {
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Vector));
  const auto* from = reinterpret_cast<const Vector*>(source);

  unsigned mine = 0;
  for (std::int64_t tile = blockIdx.x * kTile<in_flight>; tile < count;
       tile += gridDim.x * kTile<in_flight>) {
    Vector values[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const std::int64_t index = tile + i * kTransferThreads + threadIdx.x;
      values[i] = index < count ? from[index] : Vector{};
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i)
      mine ^= fold(values[i]);
  }

  const std::int64_t rest = count * static_cast<std::int64_t>(sizeof(Vector)) + threadIdx.x;
  if (blockIdx.x == 0 && rest < bytes) {
    mine ^= static_cast<unsigned>(source[rest]) << (8 * (rest % 4));
  }
  const unsigned all = block_fold(mine);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

template <typename Vector, int in_flight>
Read covering(const std::string& name) {
  return {name,
          [name](const std::byte* source, std::int64_t bytes, unsigned* sums, cudaStream_t stream) {
            const unsigned blocks = blocks_to_cover<Vector, in_flight>(bytes);
            read<Vector, in_flight><<<blocks, kTransferThreads, 0, stream>>>(source, bytes, sums);
            check_launch("read, " + name, blocks, kTransferThreads);
          }};
}

template <typename Vector, int in_flight>
Read persistent(const std::string& name, int sm_count) {
  const auto resident = static_cast<unsigned>(sm_count * kResidentBlocksPerSm);
  return {name, [name, resident](const std::byte* source, std::int64_t bytes, unsigned* sums,
                                 cudaStream_t stream) {
            const unsigned blocks = std::min(resident, blocks_to_cover<Vector, in_flight>(bytes));
            read<Vector, in_flight><<<blocks, kTransferThreads, 0, stream>>>(source, bytes, sums);
            check_launch("read, " + name, blocks, kTransferThreads);
          }};
}

}  // namespace

std::vector<Read> all_reads(int sm_count) {
  return {
      covering<unsigned, 1>("4 bytes a thread"),
      covering<uint4, 1>("16 bytes a thread"),
      covering<uint4, 4>("4 x 16 bytes a thread"),
      covering<uint4, 8>("8 x 16 bytes a thread"),
      persistent<uint4, 4>("4 x 16 bytes, persistent blocks", sm_count),
      persistent<uint4, 8>("8 x 16 bytes, persistent blocks", sm_count),
  };
}

std::int64_t sums_for(std::int64_t bytes) {
  return blocks_to_cover<unsigned, 1>(bytes);
}

}  // namespace worklog::bench
