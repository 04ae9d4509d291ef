#include "simt/executor/checkers/launch_limits.h"

#include <cstdint>
#include <cstdio>

#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/grid_index.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/memory/shared_memory.h"

namespace simt {
namespace {

// Limits of compute capability 9.0 (CUDA C++ programming guide, "technical specifications per
// compute capability").
constexpr Dim3 kMaxGrid = {2147483647, 65535, 65535};
constexpr Dim3 kMaxBlock = {1024, 1024, 64};

std::string text(const Dim3& shape) {
  char text[40];
  std::snprintf(text, sizeof text, "(%u,%u,%u)", shape.x, shape.y, shape.z);
  return text;
}

bool is_within(const Dim3& shape, const Dim3& limit) {
  return volume(shape) > 0 && shape.x <= limit.x && shape.y <= limit.y && shape.z <= limit.z;
}

Refusal refusal_of_shape(const LaunchConfig& config) {
  if (!is_within(config.grid, kMaxGrid)) {
    return {kErrorInvalidConfiguration,
            "a grid of " + text(config.grid) + " blocks: it has from (1,1,1) to " + text(kMaxGrid)};
  }
  if (!is_within(config.block, kMaxBlock)) {
    return {kErrorInvalidConfiguration, "blocks of " + text(config.block) +
                                            " threads: they have from (1,1,1) to " +
                                            text(kMaxBlock)};
  }
  if (volume(config.block) > kMaxThreads) {
    return {kErrorInvalidConfiguration, "blocks of " + std::to_string(volume(config.block)) +
                                            " threads: they have at most " +
                                            std::to_string(kMaxThreads)};
  }
  return {};
}

Refusal refusal_of_cluster(const LaunchConfig& config) {
  const Dim3& cluster = config.cluster;
  const std::uint64_t blocks = volume(cluster);
  if (config.cooperative && blocks != 1) {
    return {kErrorNotSupported, "a cooperative launch in clusters cannot run here"};
  }
  if (blocks == 0 || blocks > SharedMemory::kMaxSlots) {
    return {kErrorInvalidClusterSize, "clusters of " + text(cluster) + " blocks: they have 1 to " +
                                          std::to_string(SharedMemory::kMaxSlots)};
  }
  if (config.grid.x % cluster.x != 0 || config.grid.y % cluster.y != 0 ||
      config.grid.z % cluster.z != 0) {
    return {kErrorInvalidClusterSize, "a grid of " + text(config.grid) +
                                          " blocks is no multiple of the clusters' " +
                                          text(cluster)};
  }
  return {};
}

Refusal refusal_of_shared_memory(const LaunchConfig& config, std::size_t allowed) {
  const std::size_t bytes = config.dynamic_shared_bytes;
  const std::string asked = std::to_string(bytes) + " bytes of dynamic shared memory: ";
  if (bytes > kMaxShared) {
    return {kErrorInvalidValue, asked + "a block has at most " + std::to_string(kMaxShared)};
  }
  if (bytes <= kMaxSharedWithoutOptIn || bytes <= allowed) return {};
  return {kErrorInvalidValue, asked + "more than " + std::to_string(kMaxSharedWithoutOptIn) +
                                  " need cudaFuncSetAttribute(kernel, "
                                  "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before"};
}

}  // namespace

Refusal refusal_of(const LaunchConfig& config, std::size_t allowed_dynamic_shared) {
  if (Refusal refusal = refusal_of_shape(config); refusal.error != 0) return refusal;
  if (Refusal refusal = refusal_of_cluster(config); refusal.error != 0) return refusal;
  return refusal_of_shared_memory(config, allowed_dynamic_shared);
}

}  // namespace simt
