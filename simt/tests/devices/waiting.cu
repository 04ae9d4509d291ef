// Threads that wait in a loop until others have done something: of another device, of another
// block, of another warp. They must give way, and those that wait in vain must be told.

#include <cuda/atomic>
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <thread>
#include <vector>

#include "simt/tests/support/device_array.h"

namespace {

using SystemFlag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

/// What a device has of an exchange with its neighbours.
struct Mailbox {
  float* value;    ///< one for each block
  unsigned* flag;  ///< one for each block
};

// Each block gives its neighbour on the next device a value, and waits for that of the one before.
__global__ void pass_on(Mailbox mine, Mailbox next, float* received) {
  if (threadIdx.x == 0) {
    next.value[blockIdx.x] = received[blockIdx.x];
    SystemFlag(next.flag[blockIdx.x]).store(1, cuda::memory_order_release);
    while (SystemFlag(mine.flag[blockIdx.x]).load(cuda::memory_order_acquire) == 0)
      __nanosleep(20);
  }
  __syncthreads();
  if (threadIdx.x == 32) received[blockIdx.x] = mine.value[blockIdx.x];
}

__global__ void wait_for_flags(const volatile unsigned* flags, unsigned count) {
  for (unsigned ready = 0; ready < count;) {
    ready = 0;
    for (unsigned i = 0; i < count; ++i)
      ready += flags[i] != 0 ? 1 : 0;
  }
}

// The same of two devices, as programs write it that are older than cuda::atomic_ref.
__global__ void meet_in_ptx(unsigned long long* mine, unsigned* theirs, const unsigned* from) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(theirs), "r"(*from) : "memory");
  unsigned long long seen;
  do {
    asm volatile("ld.acquire.sys.global.u64 %0,[%1];" : "=l"(seen) : "l"(mine) : "memory");
  } while (seen == 0);
}

// A barrier of the grid by hand, in a launch that is not cooperative.
template <bool kByAtomic>
__global__ void meet(unsigned* arrived, unsigned* met) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while ((kByAtomic ? atomicAdd(arrived, 0u) : *static_cast<volatile unsigned*>(arrived)) <
           gridDim.x) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) met[blockIdx.x] = 1;
}

// The second warp waits for the third, which waits for the first.
__global__ void warps_in_turn(unsigned* order) {
  __shared__ unsigned turn;
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    const unsigned my_turn = warp == 0 ? 0 : 3 - warp;
    while (atomicAdd(&turn, 0u) != my_turn) {
    }
    order[my_turn] = warp;
    atomicAdd(&turn, 1u);
  }
}

struct Devices {
  static constexpr int kCount = 4;
  Devices() {
    int devices = 0;
    cudaGetDeviceCount(&devices);
    REQUIRE(devices == kCount);
    for (int device = 0; device < kCount; ++device) {
      cudaSetDevice(device);
      cudaDeviceEnablePeerAccess((device + 1) % kCount, 0);
      cudaGetLastError();
    }
    cudaSetDevice(0);
  }
};

void pass_round(unsigned blocks) {
  std::vector<Mailbox> boxes(Devices::kCount);
  std::vector<float*> received(Devices::kCount);
  for (int device = 0; device < Devices::kCount; ++device) {
    cudaSetDevice(device);
    const auto i = static_cast<std::size_t>(device);
    cudaMalloc(&boxes[i].value, blocks * sizeof(float));
    cudaMalloc(&boxes[i].flag, blocks * sizeof(unsigned));
    cudaMemset(boxes[i].flag, 0, blocks * sizeof(unsigned));
    cudaMalloc(&received[i], blocks * sizeof(float));
    const std::vector<float> own(blocks, static_cast<float>(device));
    cudaMemcpy(received[i], own.data(), blocks * sizeof(float), cudaMemcpyHostToDevice);
  }
  std::vector<std::thread> threads;
  for (int device = 0; device < Devices::kCount; ++device) {
    threads.emplace_back([&, device] {
      cudaSetDevice(device);
      const auto i = static_cast<std::size_t>(device);
      pass_on<<<blocks, 64>>>(boxes[i], boxes[(i + 1) % boxes.size()], received[i]);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (int device = 0; device < Devices::kCount; ++device) {
    const auto i = static_cast<std::size_t>(device);
    std::vector<float> values(blocks);
    cudaMemcpy(values.data(), received[i], blocks * sizeof(float), cudaMemcpyDeviceToHost);
    const auto before = static_cast<float>((device + Devices::kCount - 1) % Devices::kCount);
    CHECK(values == std::vector<float>(blocks, before));
    for (void* memory : {static_cast<void*>(boxes[i].value), static_cast<void*>(boxes[i].flag),
                         static_cast<void*>(received[i])}) {
      cudaFree(memory);
    }
  }
  cudaSetDevice(0);
}

}  // namespace

TEST_SUITE_BEGIN("waiting");

TEST_CASE_FIXTURE(Devices, "kernels of four devices wait for each other") {
  for (const bool is_counted : {true, false}) {
    simt::set_counting(is_counted);
    pass_round(3);
  }
  simt::set_counting(true);
  CHECK(simt::findings().empty());
}

TEST_CASE_FIXTURE(Devices, "kernels of two devices wait for each other by PTX's loads and stores") {
  std::vector<unsigned long long*> flags(2);
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    cudaDeviceEnablePeerAccess(1 - device, 0);
    cudaGetLastError();
    cudaMalloc(&flags[std::size_t(device)], 16);
    const unsigned long long words[] = {0, 7u + unsigned(device)};
    cudaMemcpy(flags[std::size_t(device)], words, 16, cudaMemcpyHostToDevice);
  }
  std::vector<std::thread> threads;
  for (std::size_t device = 0; device < 2; ++device) {
    threads.emplace_back([&, device] {
      cudaSetDevice(static_cast<int>(device));
      meet_in_ptx<<<1, 1>>>(flags[device], reinterpret_cast<unsigned*>(flags[1 - device]),
                            reinterpret_cast<const unsigned*>(flags[device] + 1));
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (std::size_t device = 0; device < 2; ++device) {
    unsigned long long got = 0;
    cudaMemcpy(&got, flags[device], 8, cudaMemcpyDeviceToHost);
    CHECK(got == 8 - device);
    cudaFree(flags[device]);
  }
  CHECK(simt::findings().empty());
}

TEST_CASE_FIXTURE(Devices, "a kernel waits for several flags, which the host's copies set") {
  const DeviceArray<unsigned> flags = zeros<unsigned>(5);
  std::thread other([&] {
    cudaSetDevice(1);
    const std::vector<unsigned> ones(5, 1);
    cudaMemcpy(flags.get(), ones.data(), 20, cudaMemcpyHostToDevice);
  });
  wait_for_flags<<<1, 32>>>(flags.get(), 5);
  other.join();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("blocks of a launch wait for each other, more than there are workers") {
  constexpr unsigned kBlocks = 9;
#ifdef __clang__  // which does not tell volatile loads from others
  constexpr bool kByAtomic[] = {true};
#else
  constexpr bool kByAtomic[] = {true, false};
#endif
  for (const bool is_counted : {true, false}) {
    for (const bool by_atomic : kByAtomic) {
      simt::set_counting(is_counted);
      const DeviceArray<unsigned> arrived = zeros<unsigned>(1);
      const DeviceArray<unsigned> met = zeros<unsigned>(kBlocks);
      if (by_atomic) {
        meet<true><<<kBlocks, 64>>>(arrived.get(), met.get());
      } else {
        meet<false><<<kBlocks, 64>>>(arrived.get(), met.get());
      }
      CHECK(met.host() == std::vector<unsigned>(kBlocks, 1));
      CHECK(simt::last_launch().block_barriers == (is_counted ? 2 * kBlocks : 0));
    }
  }
  simt::set_counting(true);
}

TEST_CASE("warps of a block wait for each other") {
  for (const bool is_counted : {true, false}) {
    simt::set_counting(is_counted);
    const DeviceArray<unsigned> order = zeros<unsigned>(3);
    warps_in_turn<<<1, 96>>>(order.get());
    CHECK(order.host() == std::vector<unsigned>{0, 2, 1});
  }
  simt::set_counting(true);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("endless");

TEST_CASE_FIXTURE(Devices, "kernels of two devices that wait in vain are ended, both") {
  const ExpectedFindings found;
  simt::set_time_limit(0.3);
  std::vector<cudaError_t> errors(2);
  std::vector<std::thread> threads;
  for (int device = 0; device < 2; ++device) {
    threads.emplace_back([&errors, device] {
      cudaSetDevice(device);
      const DeviceArray<unsigned> flag = zeros<unsigned>(1);
      wait_for_flags<<<1, 32>>>(flag.get(), 1);
      errors[static_cast<std::size_t>(device)] = cudaDeviceSynchronize();
      cudaGetLastError();
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  simt::set_time_limit(600);
  CHECK(errors == std::vector<cudaError_t>(2, cudaErrorLaunchTimeout));
  CHECK(found.kinds() == "time-limit time-limit ");
  CHECK(found.message(0).find("waiting.cu:") == 0);
  const std::string both = found.message(0) + found.message(1);
  CHECK(both.find("on device 0") != std::string::npos);
  CHECK(both.find("on device 1") != std::string::npos);
}

TEST_SUITE_END();
