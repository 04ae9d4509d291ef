#include "common/step/check_launch.h"

#include <string>

#include "common/cuda/check.h"

namespace worklog {

namespace {

std::string to_string(dim3 shape) {
  return std::to_string(shape.x) + " x " + std::to_string(shape.y) + " x " +
         std::to_string(shape.z);
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

}  // namespace worklog
