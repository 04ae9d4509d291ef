// Host memory that kernels reach where it lies: what it counts as.

#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <new>
#include <vector>

#include "simt/executor/executor.h"
#include "simt/tests/support/device_array.h"

namespace {

constexpr int kThreads = 128;
constexpr std::align_val_t kSector{32};

__global__ void doubles(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2.0f * x[i];
}
__global__ void copies_vectors(const float4* x, float4* y) {
  const float4 vector = x[threadIdx.x];
  y[threadIdx.x] = vector;
}
__global__ void adds(float* sum, float x) {
  atomicAdd(sum, x);
}
__global__ void all_store(float* y) {
  y[threadIdx.x] = static_cast<float>(blockIdx.x);
}

// Host memory that begins `past` bytes behind a sector, mapped while this lives.
class HostArray {
 public:
  HostArray(std::size_t count, std::size_t past, bool mapped = true)
      : memory_(static_cast<std::byte*>(::operator new(kPadding + count * sizeof(float), kSector))),
        data_(reinterpret_cast<float*>(memory_ + past)),
        mapped_(mapped) {
    for (std::size_t i = 0; i < count; ++i)
      data_[i] = static_cast<float>(i);
    if (mapped) CHECK(simt::map_host_memory(data_, count * sizeof(float), sizeof(float)) == 0);
  }
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  ~HostArray() {
    if (mapped_) CHECK(simt::unmap_host_memory(data_) == 0);
    ::operator delete(memory_, kSector);
  }
  float* get() const { return data_; }

 private:
  static constexpr std::size_t kPadding = 64;
  std::byte* memory_;
  float* data_;
  bool mapped_;
};

simt::Counters run_doubles(const float* x, float* y) {
  doubles<<<1, kThreads>>>(x, y);
  return simt::last_launch();
}

bool same(const simt::Traffic& a, const simt::Traffic& b) {
  return a.elements == b.elements && a.bytes == b.bytes && a.requests == b.requests &&
         a.sectors == b.sectors && a.lanes == b.lanes && a.unique_bytes == b.unique_bytes;
}

}  // namespace

TEST_SUITE("mapped_memory") {
  TEST_CASE("counts as memory from cudaMalloc, wherever the host has put it") {
    const DeviceArray<float> device_x = zeros<float>(kThreads);
    const DeviceArray<float> device_y = zeros<float>(kThreads);
    const simt::Counters expected = run_doubles(device_x.get(), device_y.get());
    CHECK(expected.global_loads.sectors == kThreads * sizeof(float) / 32);
    for (const std::size_t past : {0, 16}) {
      const HostArray x(kThreads, past);
      const HostArray y(kThreads, past);
      const simt::Counters counted = run_doubles(x.get(), y.get());
      CHECK(same(counted.global_loads, expected.global_loads));
      CHECK(same(counted.global_stores, expected.global_stores));
      CHECK(y.get()[kThreads - 1] == 2.0f * (kThreads - 1));
    }
  }

  TEST_CASE("keeps what its address is past a multiple of 16") {
    const HostArray x(kThreads, 4);
    const HostArray y(kThreads, 0);
    const simt::Counters counted = run_doubles(x.get(), y.get());
    CHECK(counted.global_loads.elements == kThreads);
    CHECK(counted.global_loads.sectors == kThreads * sizeof(float) / 32 + kThreads / 32);
  }

  TEST_CASE("vectors are one access, and misaligned ones refused") {
    const HostArray x(kThreads, 16);
    const HostArray y(kThreads, 0);
    copies_vectors<<<1, kThreads / 4>>>(reinterpret_cast<const float4*>(x.get()),
                                        reinterpret_cast<float4*>(y.get()));
    CHECK(simt::last_launch().global_loads.requests == 1);
    CHECK(simt::last_launch().global_loads.elements == kThreads);

    const HostArray between(kThreads, 4);
    const ExpectedFindings findings;
    copies_vectors<<<1, kThreads / 4>>>(reinterpret_cast<const float4*>(between.get()),
                                        reinterpret_cast<float4*>(y.get()));
    CHECK(findings.kinds() == "misaligned-access ");
  }

  TEST_CASE("atomic operations count as such") {
    const HostArray sum(1, 0);
    adds<<<2, 32>>>(sum.get(), 1.0f);
    CHECK(sum.get()[0] == 64.0f);
    CHECK(simt::last_launch().global_atomics.requests == 2);
    CHECK(simt::last_launch().global_loads.requests == 0);
  }

  TEST_CASE("races of blocks are found, and say where") {
    const HostArray y(kThreads, 0);
    const ExpectedFindings findings;
    all_store<<<2, kThreads>>>(y.get());
    CHECK(findings.kinds() == "global-race ");
    CHECK(findings.message().find("byte 0 of 512 bytes of mapped host memory") !=
          std::string::npos);
  }

  TEST_CASE("memory that nobody mapped is reached, and not counted") {
    const HostArray x(kThreads, 0, /*mapped=*/false);
    const HostArray y(kThreads, 0);
    const simt::Counters counted = run_doubles(x.get(), y.get());
    CHECK(counted.global_loads.elements == 0);
    CHECK(counted.global_stores.elements == kThreads);
    CHECK(y.get()[1] == 2.0f);
  }

  TEST_CASE("it is the host's, and the device reaches it") {
    const HostArray x(kThreads, 0);
    const HostArray not_mapped(kThreads, 0, /*mapped=*/false);
    cudaPointerAttributes attributes = {};
    CHECK(cudaPointerGetAttributes(&attributes, x.get() + 1) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeHost);
    CHECK(attributes.devicePointer == x.get() + 1);
    CHECK(cudaPointerGetAttributes(&attributes, not_mapped.get()) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
  }

  TEST_CASE("what cannot be mapped is refused") {
    const HostArray x(kThreads, 0);
    const DeviceArray<float> on_device = zeros<float>(1);
    CHECK(simt::map_host_memory(nullptr, 4, 4) == cudaErrorInvalidValue);
    CHECK(simt::map_host_memory(x.get(), 0, 4) == cudaErrorInvalidValue);
    CHECK(simt::map_host_memory(on_device.get(), 4, 4) == cudaErrorInvalidValue);
    CHECK(simt::map_host_memory(x.get() + 1, 4, 4) == 712);
    CHECK(simt::unmap_host_memory(x.get() + 1) == 713);
  }

  TEST_CASE("more than there are places for is refused") {
    std::vector<float> memory(1);
    CHECK(simt::map_host_memory(memory.data(), std::size_t{1} << 60, 4) ==
          cudaErrorMemoryAllocation);
  }

  TEST_CASE("its place is given back") {
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&before, &total);
    std::vector<float> memory(1);
    // More in all than there are places.
    for (int i = 0; i < 20; ++i) {
      CHECK(simt::map_host_memory(memory.data(), std::size_t{1} << 30, sizeof(float)) == 0);
      CHECK(simt::unmap_host_memory(memory.data()) == 0);
    }
    cudaMemGetInfo(&after, &total);
    CHECK(before == after);
  }
}
