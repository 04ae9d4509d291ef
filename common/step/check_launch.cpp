#include "common/step/check_launch.h"

#include <string>

#include "common/cuda/check.h"

namespace worklog {

namespace {

std::string to_string(dim3 shape) {
  return std::to_string(shape.x) + " x " + std::to_string(shape.y) + " x " +
         std::to_string(shape.z);
}

void allow(const void* kernel, cudaFuncAttribute attribute, int value, const std::string& what,
           std::source_location where) {
  const cudaError_t code = cudaFuncSetAttribute(kernel, attribute, value);
  if (code != cudaSuccess) cudaGetLastError();  // not sticky: leave nothing for the next check
  check(code, what, where);
}

}  // namespace

void check_launch(std::string_view kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                  std::source_location where) {
  const cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) return;
  check(code,
        "launch of " + std::string(kernel) + " with a grid of " + to_string(grid) + " blocks of " +
            to_string(block) + " threads and " + std::to_string(shared_bytes) +
            " bytes of dynamic shared memory",
        where);
}

void allow_shared_memory_of(const void* kernel, std::string_view name, int bytes,
                            std::source_location where) {
  allow(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes,
        "allowing " + std::string(name) + " " + std::to_string(bytes) +
            " bytes of dynamic shared memory",
        where);
}

void allow_large_clusters_of(const void* kernel, std::string_view name,
                             std::source_location where) {
  allow(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1,
        "allowing " + std::string(name) + " clusters of more than 8 blocks", where);
}

}  // namespace worklog
