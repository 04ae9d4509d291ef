// Global memory: allocation, copies, initialization, element sizes, atomics.

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "simt/tests/support/device_array.h"

namespace {

__global__ void copy_bytes(const unsigned char* x, unsigned char* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
__global__ void copy_shorts(const short* x, short* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
__global__ void add_to_one(int* sum) {
  atomicAdd(sum, 1);
}
__global__ void add_to_own(int* sums) {
  atomicAdd(&sums[threadIdx.x], 1);
}
// Two atomic functions of one kind: no lane executes both.
__global__ void one_or_the_other(int* sums) {
  if (threadIdx.x % 2 == 0) {
    atomicAdd(&sums[0], 1);
  } else {
    atomicAdd(&sums[1], 2);
  }
}
__global__ void add_past_the_end(int* sums) {
  atomicAdd(&sums[threadIdx.x], 1);
}
__global__ void count_managed(int* values) {
  values[threadIdx.x] += 1;
}

constexpr std::size_t kArena = std::size_t{8} << 30;

}  // namespace

TEST_SUITE_BEGIN("device_memory");

TEST_CASE("allocations are aligned, apart, and known") {
  std::vector<void*> all;
  for (std::size_t bytes = 1; bytes < 5000; bytes += 123) {
    void* address = nullptr;
    REQUIRE(simt::device_malloc(&address, bytes, 1) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(address) % 256 == 0);
    CHECK(simt::is_device_pointer(address));
    all.push_back(address);
  }
  int on_stack = 0;
  CHECK_FALSE(simt::is_device_pointer(&on_stack));
  CHECK_FALSE(simt::is_device_pointer(nullptr));
  for (void* address : all)
    CHECK(simt::device_free(address) == 0);
  CHECK(simt::device_free(all[0]) == cudaErrorInvalidValue);  // twice
  CHECK(simt::device_free(&on_stack) == cudaErrorInvalidValue);
  CHECK(simt::device_free(nullptr) == 0);
}

TEST_CASE("freed memory comes back") {
  std::size_t before = 0, after = 0, total = 0;
  simt::device_memory_info(&before, &total);
  CHECK(total == kArena);
  for (int round = 0; round < 300; ++round) {  // more than the arena in all
    void* address = nullptr;
    REQUIRE(simt::device_malloc(&address, std::size_t{32} << 20, 1) == 0);
    REQUIRE(simt::device_free(address) == 0);
  }
  simt::device_memory_info(&after, &total);
  CHECK(after == before);
}

TEST_CASE("too much memory is refused") {
  int unused = 0;
  void* address = &unused;
  CHECK(simt::device_malloc(&address, kArena, 1) == cudaErrorMemoryAllocation);
  CHECK(address == nullptr);
  CHECK(simt::device_malloc(&address, ~std::size_t{0}, 1) == cudaErrorMemoryAllocation);
  CHECK(simt::device_malloc(nullptr, 4, 1) == cudaErrorInvalidValue);
}

TEST_CASE("copies check both ranges") {
  const ExpectedFindings found;
  std::vector<float> host(64);
  const DeviceArray<float> device(32);
  CHECK(simt::copy(device.get(), host.data(), 33 * sizeof(float)) == cudaErrorInvalidValue);
  CHECK(found.kinds() == "copy-out-of-bounds ");
  CHECK(simt::copy(host.data(), device.get() + 1, 32 * sizeof(float)) == cudaErrorInvalidValue);
  CHECK(simt::fill(device.get(), 0, 129) == cudaErrorInvalidValue);
  CHECK(simt::copy(nullptr, device.get(), 4) == cudaErrorInvalidValue);
  CHECK(simt::copy(device.get(), host.data(), 0) == 0);
}

TEST_CASE("a copy of memory that nobody wrote is found") {
  const ExpectedFindings found;
  std::vector<float> host(32);
  const DeviceArray<float> device(32);
  CHECK(simt::fill(device.get(), 0, 64) == 0);
  CHECK(simt::copy(host.data(), device.get(), 64) == 0);
  CHECK(found.kinds().empty());
  CHECK(simt::copy(host.data(), device.get(), 128) == 0);
  CHECK(found.kinds() == "uninitialized-copy ");
  CHECK(found.message().find("byte 64 of an allocation of 128 bytes") != std::string::npos);
}

TEST_CASE("what a library reads and writes is checked piece by piece") {
  const ExpectedFindings found;
  const DeviceArray<float> device(32);
  // The first two of each four floats.
  const simt::MemoryPieces pieces = {device.get(), 8, 8, 16};
  CHECK(simt::check_library_write(pieces, "write") == 0);
  CHECK(simt::check_library_read(pieces, "read") == 0);
  CHECK(simt::check_library_read({device.get(), 0, 8, 16}, "nothing") == 0);
  CHECK(found.kinds().empty());
  CHECK(simt::check_library_read({device.get(), 12, 8, 16}, "read") == 0);
  CHECK(found.kinds() == "uninitialized-copy ");
  CHECK(simt::check_library_read({device.get(), 8, 9, 16}, "read") == cudaErrorInvalidValue);
  CHECK(simt::check_library_write({device.get() + 2, 12, 8, 16}, "write") == cudaErrorInvalidValue);
  constexpr std::size_t kMany = std::size_t{1} << 31;
  CHECK(simt::check_library_read({device.get(), 8, kMany, 16 * kMany}, "read") ==
        cudaErrorInvalidValue);
  float of_host = 0;
  CHECK(simt::check_library_write({&of_host, 8, 9, 16}, "write") == 0);
}

TEST_CASE("elements are counted by their size, whatever the width of the access") {
  const DeviceArray<unsigned char> bytes = zeros<unsigned char>(64);
  const DeviceArray<short> shorts = zeros<short>(64);
  copy_bytes<<<1, 32>>>(bytes.get(), reinterpret_cast<unsigned char*>(shorts.get()));
  CHECK(simt::last_launch().global_loads.elements == 32);
  CHECK(simt::last_launch().global_stores.elements == 16);
  simt::set_element_size(bytes.get() + 16, 16, 4);
  copy_shorts<<<1, 32>>>(reinterpret_cast<const short*>(bytes.get()), shorts.get());
  CHECK(simt::last_launch().global_loads.elements == 16 + 16 / 4 + 32);
  CHECK(simt::last_launch().global_loads.bytes == 64);
  CHECK(simt::last_launch().global_loads.sectors == 2);
}

TEST_CASE("atomic operations add up, and cost a sector for each lane on one word") {
  const DeviceArray<int> sum = zeros<int>(32);
  add_to_one<<<100, 32>>>(sum.get());
  CHECK(sum.host()[0] == 3200);
  CHECK(simt::last_launch().global_atomics.requests == 100);
  CHECK(simt::last_launch().global_atomics.sectors == 3200);
  CHECK(simt::last_launch().global_atomics.elements == 3200);
  CHECK(simt::last_launch().global_loads.requests == 0);
  add_to_own<<<1, 32>>>(sum.get());
  CHECK(simt::last_launch().global_atomics.sectors == 4);
}

TEST_CASE("atomic operations on different lines are different requests") {
  const DeviceArray<int> sums = zeros<int>(32);
  one_or_the_other<<<1, 32>>>(sums.get());
  CHECK(simt::last_launch().global_atomics.requests == 2);
  CHECK(sums.host()[1] == 32);
}

TEST_CASE("an atomic operation past the end is found at its line") {
  const ExpectedFindings found;
  const DeviceArray<int> sums = zeros<int>(31);
  add_past_the_end<<<1, 32>>>(sums.get());
  CHECK(found.kinds() == "global-out-of-bounds ");
  CHECK(found.message().find("device_memory.cu:") == 0);
}

TEST_CASE("managed memory belongs to the host, too") {
  void* address = nullptr;
  REQUIRE(simt::managed_malloc(&address, 128, 4) == 0);
  int* values = static_cast<int*>(address);
  for (int i = 0; i < 32; ++i)
    values[i] = i;
  count_managed<<<1, 32>>>(values);
  CHECK(values[31] == 32);
  CHECK(simt::last_launch().global_loads.elements == 32);
  CHECK(simt::findings().empty());
  CHECK(simt::device_free(address) == 0);
}

TEST_SUITE_END();
