// Kernels that write what they may only read, beside those that write variables of the device.

#include "simt/tests/checkers/mistakes.h"

namespace {

__constant__ float mask[5];
__constant__ unsigned count;
__device__ float sums[5];
__device__ unsigned counter;

template <Version version>
__global__ void stores_a_sum() {
  float* to = version == kCorrect ? sums : mask;
  to[threadIdx.x] = mask[threadIdx.x] + 1.0f;
}

template <Version version>
__global__ void counts() {
  atomicAdd(version == kCorrect ? &counter : &count, 1);
}

#if defined(__GNUC__) && !defined(__clang__)  // clang does not tell how a type is aligned
__global__ void reads_at(unsigned byte, float* y) {
  y[threadIdx.x] = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(mask) + byte);
}
#endif

}  // namespace

TEST_SUITE_BEGIN("constant_stores");

TEST_CASE_FIXTURE(Mistakes, "a kernel stores to a constant") {
  stores_a_sum<kMistaken><<<1, 5>>>();
  CHECK(
      mentions("constant_stores.cu:15: error: store of 4 bytes at byte 0 of the __constant__ "
               "variable 'mask', which has 20 bytes: only the host may write it"));
  CHECK(mentions("block (0,0,0), thread (0,0,0)"));
  CHECK(take_kinds() == "constant-store ");
  stores_a_sum<kCorrect><<<1, 5>>>();
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "a kernel counts in a constant") {
  counts<kMistaken><<<2, 64>>>();
  CHECK(
      mentions("constant_stores.cu:20: error: atomic operation on 4 bytes at byte 0 of the "
               "__constant__ variable 'count'"));
  CHECK(take_kinds() == "constant-store ");
  counts<kCorrect><<<2, 64>>>();
  CHECK(take_kinds().empty());
}

#if defined(__GNUC__) && !defined(__clang__)
TEST_CASE_FIXTURE(Mistakes, "a variable is read at an address that is not aligned") {
  reads_at<<<1, 1>>>(2, y.get());
  CHECK(take_kinds() == "misaligned-access ");
  reads_at<<<1, 1>>>(4, y.get());
  CHECK(take_kinds().empty());
}
#endif

TEST_CASE_FIXTURE(Mistakes, "the host writes a constant") {
  const float values[5] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
  CHECK(cudaMemcpyToSymbol(mask, values, sizeof values) == cudaSuccess);
  stores_a_sum<kCorrect><<<1, 5>>>();
  float result[5] = {};
  CHECK(cudaMemcpyFromSymbol(result, sums, sizeof result) == cudaSuccess);
  CHECK(result[4] == 6.0f);
  CHECK(take_kinds().empty());
}

TEST_SUITE_END();
