#include "common/step/check_launch.h"

#include <string>

#include "common/cuda/check.h"
#include "common/cuda/context.h"
#include "common/step/allowances.h"

namespace worklog {

namespace {

std::string to_string(dim3 shape) {
  return std::to_string(shape.x) + " x " + std::to_string(shape.y) + " x " +
         std::to_string(shape.z);
}

// Never destroyed: a launch may come while the program ends.
Allowances& allowances() {
  static Allowances& all = *new Allowances;
  return all;
}

cudaError_t allow(const void* kernel, cudaFuncAttribute attribute, int value) {
  const cudaError_t code = allowances().allow(kernel, attribute, value, current_context, [&] {
    return cudaFuncSetAttribute(kernel, attribute, value);
  });
  if (code != cudaSuccess) cudaGetLastError();  // not sticky: leave nothing for the next check
  return code;
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
  const cudaError_t code = allow(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (code == cudaSuccess) return;
  check(code,
        "allowing " + std::string(name) + " " + std::to_string(bytes) +
            " bytes of dynamic shared memory",
        where);
}

void allow_large_clusters_of(const void* kernel, std::string_view name,
                             std::source_location where) {
  const cudaError_t code = allow(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (code == cudaSuccess) return;
  check(code, "allowing " + std::string(name) + " clusters of more than 8 blocks", where);
}

}  // namespace worklog
