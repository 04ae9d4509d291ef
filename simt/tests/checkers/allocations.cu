// Mistakes with device memory as a whole: freed twice, freed in the middle, never freed, too large.

#include <algorithm>
#include <string>
#include <vector>

#include "simt/tests/checkers/mistakes.h"

namespace {

__global__ void fill(float* y) {
  y[threadIdx.x] = 1.0f;
}

float* allocate(std::size_t count) {
  float* memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(float)) == cudaSuccess);
  return memory;
}

// What is not freed, of this file.
simt::UnfreedMemory unfreed_here() {
  simt::UnfreedMemory sum;
  for (const simt::UnfreedMemory& memory : simt::unfreed_memory()) {
    if (memory.allocated_at.find("allocations.cu:") != 0) continue;
    sum.allocations += memory.allocations;
    sum.bytes += memory.bytes;
    sum.allocated_at = memory.allocated_at;
  }
  return sum;
}

}  // namespace

TEST_SUITE_BEGIN("allocations");

TEST_CASE_FIXTURE(Mistakes, "memory is freed twice") {
  float* memory = allocate(32);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
  CHECK(mentions("allocations.cu:"));
  CHECK(mentions("cudaFree of memory that was freed before"));
  CHECK(mentions("in host code"));
  CHECK(mentions(": note: allocated here"));
  CHECK(mentions(": note: freed here"));
  CHECK(take_kinds() == "double-free ");

  memory = allocate(32);
  CHECK(cudaFree(memory) == cudaSuccess);
  memory = nullptr;
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "an address within an allocation is freed") {
  float* memory = allocate(32);
  CHECK(cudaFree(memory + 1) == cudaErrorInvalidValue);
  CHECK(mentions("byte 4 of an allocation of 128 bytes"));
  CHECK(take_kinds() == "invalid-free ");
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "host memory is freed as if it were the device's") {
  float host = 0.0f;
  CHECK(cudaFree(&host) == cudaErrorInvalidValue);
  CHECK(take_kinds() == "invalid-free ");
  float* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, 128) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "memory that a kernel uses was freed: both places are named") {
  float* memory = allocate(32);
  fill<<<1, 32>>>(memory);
  CHECK(take_kinds().empty());
  cudaFree(memory);
  fill<<<1, 32>>>(memory);
  CHECK(mentions(": note: freed here"));
  CHECK(take_kinds() == "use-after-free ");
}

TEST_CASE_FIXTURE(Mistakes, "an access past the end names the allocation's line") {
  float* memory = allocate(31);
  fill<<<1, 32>>>(memory);
  CHECK(mentions("allocations.cu:"));
  CHECK(mentions(": note: allocated here"));
  CHECK(take_kinds() == "global-out-of-bounds ");
  cudaFree(memory);
}

TEST_CASE_FIXTURE(Mistakes, "copies name the line of the call") {
  std::vector<float> host(64);
  float* memory = allocate(32);
  CHECK(cudaMemcpy(memory, host.data(), 33 * sizeof(float), cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(mentions("allocations.cu:"));
  CHECK(take_kinds() == "copy-out-of-bounds ");
  CHECK(cudaMemcpy(memory, host.data(), 32 * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemset(memory, 0, 129) == cudaErrorInvalidValue);
  CHECK(take_kinds() == "copy-out-of-bounds ");
  CHECK(cudaMemset(memory, 0, 128) == cudaSuccess);
  CHECK(take_kinds().empty());
  cudaFree(memory);
}

TEST_CASE_FIXTURE(Mistakes, "memory that was never freed is known by its line") {
  CHECK(unfreed_here().allocations == 0);
  float* first = allocate(32);
  float* second = allocate(64);
  CHECK(unfreed_here().allocations == 2);
  CHECK(unfreed_here().bytes == 384);
  cudaFree(first);
  cudaFree(second);
  CHECK(unfreed_here().allocations == 0);
  CHECK(take_kinds().empty());  // a note at the end of the program, not a finding
}

TEST_CASE_FIXTURE(Mistakes, "calls on one line are one place that did not free") {
  float* first = nullptr;
  char* second = nullptr;
  // clang-format off
  cudaMalloc(&first, 128); cudaMalloc(&second, 1);
  // clang-format on
  std::uint64_t places = 0;
  for (const simt::UnfreedMemory& memory : simt::unfreed_memory())
    places += memory.allocated_at.find("allocations.cu:") == 0 ? 1 : 0;
  CHECK(places == 1);
  CHECK(unfreed_here().allocations == 2);
  CHECK(unfreed_here().bytes == 129);
  cudaFree(first);
  cudaFree(second);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Mistakes, "more memory than there is gets an error, and no finding") {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, std::size_t{1} << 40) == cudaErrorMemoryAllocation);
  CHECK(memory == nullptr);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(take_kinds().empty());
}

TEST_SUITE_END();
