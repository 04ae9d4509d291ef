/// \file
/// How tests launch kernels in clusters whose size only the launch tells.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

/// Launches `blocks` blocks in clusters of `cluster`. The arguments become the kernel's parameters.
template <typename... Parameters, typename... Arguments>
cudaError_t launch_clusters(void (*kernel)(Parameters...), dim3 blocks, unsigned threads,
                            dim3 cluster, std::size_t dynamic_bytes, Arguments... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = dynamic_bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}
