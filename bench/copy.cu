#include <cuda_runtime.h>

#include "bench/tile.cuh"
#include "bench/transfer.h"
#include "common/cuda/check.h"
#include "common/step/check_launch.h"

namespace worklog::bench {

namespace {

template <typename Vector, int in_flight>
__global__ void copy(const std::byte* source, std::byte* target, std::int64_t bytes) {
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Vector));
  const auto* from = reinterpret_cast<const Vector*>(source);
  auto* to = reinterpret_cast<Vector*>(target);

  for (std::int64_t tile = blockIdx.x * kTile<in_flight>; tile < count;
       tile += gridDim.x * kTile<in_flight>) {
    Vector values[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const std::int64_t index = tile + i * kTransferThreads + threadIdx.x;
      if (index < count) values[i] = from[index];
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const std::int64_t index = tile + i * kTransferThreads + threadIdx.x;
      if (index < count) to[index] = values[i];
    }
  }

  const std::int64_t rest = count * static_cast<std::int64_t>(sizeof(Vector)) + threadIdx.x;
  if (blockIdx.x == 0 && rest < bytes) target[rest] = source[rest];
}

template <typename Vector, int in_flight>
Copy covering(const std::string& name) {
  return {name, [name](const std::byte* source, std::byte* target, std::int64_t bytes,
                       cudaStream_t stream) {
            const unsigned blocks = blocks_to_cover<Vector, in_flight>(bytes);
            copy<Vector, in_flight><<<blocks, kTransferThreads, 0, stream>>>(source, target, bytes);
            check_launch("copy, " + name, blocks, kTransferThreads);
          }};
}

template <typename Vector, int in_flight>
Copy persistent(const std::string& name, int sm_count) {
  const auto resident = static_cast<unsigned>(sm_count * kResidentBlocksPerSm);
  return {name, [name, resident](const std::byte* source, std::byte* target, std::int64_t bytes,
                                 cudaStream_t stream) {
            const unsigned blocks = std::min(resident, blocks_to_cover<Vector, in_flight>(bytes));
            copy<Vector, in_flight><<<blocks, kTransferThreads, 0, stream>>>(source, target, bytes);
            check_launch("copy, " + name, blocks, kTransferThreads);
          }};
}

}  // namespace

std::vector<Copy> all_copies(int sm_count) {
  return {
      covering<unsigned, 1>("4 bytes a thread"),
      covering<uint4, 1>("16 bytes a thread"),
      covering<uint4, 2>("2 x 16 bytes a thread"),
      covering<uint4, 4>("4 x 16 bytes a thread"),
      covering<uint4, 8>("8 x 16 bytes a thread"),
      persistent<uint4, 1>("16 bytes, persistent blocks", sm_count),
      persistent<uint4, 4>("4 x 16 bytes, persistent blocks", sm_count),
      {"cudaMemcpyAsync",
       [](const std::byte* source, std::byte* target, std::int64_t bytes, cudaStream_t stream) {
         check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes),
                               cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync of " + std::to_string(bytes) + " bytes");
       }},
  };
}

}  // namespace worklog::bench
