#include "common/step/check_launch.h"
#include "tests/launch/refused.h"

namespace {

__global__ void write_one(int* result) {
  *result = 1;
}

}  // namespace

void launch_checked(int* result, dim3 grid, dim3 block, std::size_t shared_bytes) {
  write_one<<<grid, block, shared_bytes>>>(result);
  worklog::check_launch("write_one", grid, block, shared_bytes);
}

void allow_bytes(int bytes) {
  worklog::allow_shared_memory(write_one, "write_one", bytes);
}
