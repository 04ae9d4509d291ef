// Attributes, occupancy and launch configurations of kernels.

#include <algorithm>
#include <cstdint>

#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/device_limits.h"
#include "simt/runtime/result.h"
#include "simt/runtime/stream_attributes.h"

namespace simt {
namespace {

using namespace device_limits;

constexpr int kBinaryVersion = 90;

/// Blocks of an SM, 0 if none fits.
int blocks_that_fit(int block_size, std::size_t dynamic_shared_bytes) {
  if (block_size > kThreadsPerBlock || dynamic_shared_bytes > kSharedBytesPerBlockOptIn) return 0;
  const int warps = (block_size + kWarpSize - 1) / kWarpSize;
  const int by_threads = kThreadsPerMultiprocessor / (warps * kWarpSize);
  const auto block_bytes = static_cast<int>(dynamic_shared_bytes) + kReservedSharedBytesPerBlock;
  const int by_shared_memory = kSharedBytesPerMultiprocessor / block_bytes;
  return std::min({by_threads, by_shared_memory, kBlocksPerMultiprocessor});
}

}  // namespace

cudaError_t set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0) return result(cudaErrorInvalidValue);
      return result(allow_dynamic_shared(kernel, static_cast<std::size_t>(value)));
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return result(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      return cudaSuccess;
  }
  return result(cudaErrorInvalidValue);
}

cudaError_t kernel_attributes(cudaFuncAttributes* attributes, const void* kernel) {
  if (attributes == nullptr) return result(cudaErrorInvalidValue);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->maxThreadsPerBlock = kThreadsPerBlock;
  attributes->ptxVersion = kBinaryVersion;
  attributes->binaryVersion = kBinaryVersion;
  attributes->maxDynamicSharedSizeBytes = kSharedBytesPerBlock;
  attributes->preferredShmemCarveout = -1;
  return cudaSuccess;
}

cudaError_t active_blocks(int* blocks, int block_size, std::size_t dynamic_shared_bytes) {
  if (blocks == nullptr || block_size <= 0) return result(cudaErrorInvalidValue);
  *blocks = blocks_that_fit(block_size, dynamic_shared_bytes);
  return cudaSuccess;
}

cudaError_t potential_block_size(int* min_grid_size, int* block_size,
                                 std::size_t dynamic_shared_bytes, int block_size_limit) {
  if (min_grid_size == nullptr || block_size == nullptr) return result(cudaErrorInvalidValue);
  const int limit =
      block_size_limit > 0 ? std::min(block_size_limit, kThreadsPerBlock) : kThreadsPerBlock;
  int best = 0;
  for (int candidate = limit / kWarpSize * kWarpSize; candidate > 0; candidate -= kWarpSize) {
    const int threads = candidate * blocks_that_fit(candidate, dynamic_shared_bytes);
    if (threads <= best) continue;
    best = threads;
    *block_size = candidate;
    *min_grid_size = threads / candidate * kMultiprocessors;
  }
  return result(best > 0 ? cudaSuccess : cudaErrorInvalidConfiguration);
}

cudaError_t check_cooperative(const LaunchConfig& config) {
  const auto volume = [](const Dim3& shape) { return std::uint64_t{shape.x} * shape.y * shape.z; };
  const std::uint64_t threads = volume(config.block);
  if (threads == 0 || threads > kThreadsPerBlock) return result(cudaErrorInvalidConfiguration);
  const auto blocks = static_cast<std::uint64_t>(
      blocks_that_fit(static_cast<int>(threads), config.dynamic_shared_bytes));
  const bool fits = volume(config.grid) <= blocks * kMultiprocessors;
  return result(fits ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge);
}

cudaError_t read_launch_config(LaunchConfig* to, const cudaLaunchConfig_t* from,
                               const void* kernel) {
  if (from == nullptr) return result(cudaErrorInvalidValue);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  if (from->numAttrs > 0 && from->attrs == nullptr) return result(cudaErrorInvalidValue);
  *to = {to_dim3(from->gridDim), to_dim3(from->blockDim), from->dynamicSmemBytes, {}, kernel};
  to->stream = from->stream;
  for (unsigned i = 0; i < from->numAttrs; ++i) {
    const cudaLaunchAttributeValue& value = from->attrs[i].val;
    switch (from->attrs[i].id) {
      case cudaLaunchAttributeClusterDimension:
        to->cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
        break;
      case cudaLaunchAttributeCooperative:
        to->cooperative = value.cooperative != 0;
        break;
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        to->starts_early = value.programmaticStreamSerializationAllowed != 0;
        break;
      case cudaLaunchAttributeAccessPolicyWindow:
        if (!is_valid(value.accessPolicyWindow)) return result(cudaErrorInvalidValue);
        break;
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeIgnore:
        break;
      case cudaLaunchAttributeSynchronizationPolicy:  // of streams alone
        return result(cudaErrorInvalidValue);
    }
  }
  return to->cooperative ? check_cooperative(*to) : cudaSuccess;
}

cudaError_t launch_result(int earlier_error) {
  const int error = peek_error();
  if (error == cudaSuccess && earlier_error != cudaSuccess) set_error(earlier_error);
  return static_cast<cudaError_t>(error);
}

}  // namespace simt
