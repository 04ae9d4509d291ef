// Four devices (the environment says so): what belongs to each, which reaches the memory of which,
// and what crosses the link between them.

#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

#include "simt/executor/launch_observer.h"
#include "simt/tests/support/device_array.h"

namespace {

constexpr int kDevices = 4;

__global__ void fill(float* to, float value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void copy_and_count(const float* from, float* to, unsigned* count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
  atomicAdd(count, 1u);
}

// Only the odd lanes reach far.
__global__ void add_of_both(const float* near, const float* far, float* sums) {
  const unsigned lane = threadIdx.x;
  const float* from = lane % 2 == 0 ? near : far;
  sums[lane] = from[lane];
}

// Back to device 0, and without peers, whatever a test has done.
struct Devices {
  Devices() { REQUIRE(count() == kDevices); }
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;
  ~Devices() {
    for (int device = 0; device < kDevices; ++device) {
      cudaSetDevice(device);
      for (int peer = 0; peer < kDevices; ++peer)
        cudaDeviceDisablePeerAccess(peer);
      cudaGetLastError();
    }
    cudaSetDevice(0);
  }
  static int count() {
    int devices = 0;
    cudaGetDeviceCount(&devices);
    return devices;
  }
  /// An array of a device, which is current from then on.
  static DeviceArray<float> array(int device, std::size_t count = 64) {
    cudaSetDevice(device);
    return zeros<float>(count);
  }
};

int device_of(const void* address) {
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, address);
  return attributes.device;
}

}  // namespace

TEST_SUITE_BEGIN("devices");

TEST_CASE_FIXTURE(Devices, "each host thread has a current device of its own, device 0 at first") {
  CHECK(cudaSetDevice(2) == cudaSuccess);
  int elsewhere = -1;
  std::thread([&] { cudaGetDevice(&elsewhere); }).join();
  int here = -1;
  cudaGetDevice(&here);
  CHECK(elsewhere == 0);
  CHECK(here == 2);
  for (const int wrong : {-1, kDevices}) {
    CHECK(cudaSetDevice(wrong) == cudaErrorInvalidDevice);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, wrong) == cudaErrorInvalidDevice);
  }
  cudaGetLastError();
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, kDevices - 1) == cudaSuccess);
  CHECK(properties.pciBusID == kDevices - 1);
  int bus = -1;
  CHECK(cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, 2) == cudaSuccess);
  CHECK(bus == 2);
}

TEST_CASE_FIXTURE(Devices, "memory belongs to the device that was current") {
  std::size_t before = 0;
  std::size_t total = 0;
  cudaMemGetInfo(&before, &total);
  const DeviceArray<float> of_3 = array(3);
  cudaSetDevice(1);
  float* managed = nullptr;
  cudaMallocManaged(&managed, 4);
  float* from_pool = nullptr;
  cudaMallocAsync(&from_pool, 4, nullptr);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaSetDevice(0);
  float* by_stream = nullptr;
  cudaMallocAsync(&by_stream, 4, stream);
  CHECK(device_of(by_stream) == 1);
  cudaFreeAsync(by_stream, stream);
  cudaStreamDestroy(stream);
  CHECK(device_of(of_3.get()) == 3);
  CHECK(device_of(managed) == 1);
  CHECK(device_of(from_pool) == 1);
  std::size_t after = 0;
  cudaMemGetInfo(&after, &total);
  CHECK(after == before);
  cudaSetDevice(3);
  cudaMemGetInfo(&after, &total);
  CHECK(after < before);
  CHECK(cudaFree(managed) == cudaSuccess);
  CHECK(cudaFree(from_pool) == cudaSuccess);
}

TEST_CASE_FIXTURE(Devices, "a device is reset alone") {
  cudaSetDevice(2);
  float* lost = nullptr;
  cudaMalloc(&lost, 4);
  const DeviceArray<float> kept = array(1);
  cudaSetDevice(2);
  cudaDeviceReset();
  const ExpectedFindings found;
  CHECK(cudaMemset(kept.get(), 0, 4) == cudaSuccess);
  CHECK(cudaFree(lost) == cudaErrorInvalidValue);
}

TEST_CASE_FIXTURE(Devices, "a stream takes kernels of its device alone, and so do events") {
  const DeviceArray<float> x = array(1);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  cudaSetDevice(0);
  fill<<<1, 64, 0, stream>>>(x.get(), 1.0f);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(event, nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(nullptr, event, 0) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(x.host()[0] == 0.0f);
  cudaSetDevice(1);
  fill<<<1, 64, 0, stream>>>(x.get(), 1.0f);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(x.host()[63] == 1.0f);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

TEST_CASE_FIXTURE(Devices, "a graph's kernels run on the device whose stream was captured") {
  const DeviceArray<float> x = array(2);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<1, 64, 0, stream>>>(x.get(), 5.0f);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaSetDevice(0);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(x.host()[0] == 5.0f);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_CASE_FIXTURE(Devices, "peer access is enabled once, disabled once, and not to oneself") {
  int can = -1;
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 3) == cudaSuccess);
  CHECK(can == 1);
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 1) == cudaSuccess);
  CHECK(can == 0);
  CHECK(cudaDeviceCanAccessPeer(&can, 1, kDevices) == cudaErrorInvalidDevice);
  cudaSetDevice(1);
  CHECK(cudaDeviceDisablePeerAccess(3) == cudaErrorPeerAccessNotEnabled);
  CHECK(cudaDeviceEnablePeerAccess(3, 0) == cudaSuccess);
  CHECK(cudaDeviceEnablePeerAccess(3, 0) == cudaErrorPeerAccessAlreadyEnabled);
  CHECK(cudaDeviceEnablePeerAccess(2, 1) == cudaErrorInvalidValue);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceEnablePeerAccess(kDevices, 0) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaDeviceDisablePeerAccess(3) == cudaSuccess);
  cudaSetDevice(3);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
}

TEST_CASE_FIXTURE(Devices, "a kernel that never waits for the one ahead is found on any device") {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 64;
  config.attrs = &early;
  config.numAttrs = 1;
  const ExpectedFindings found;
  for (const int device : {0, 3}) {
    const DeviceArray<float> y = array(device);
    CHECK(cudaLaunchKernelEx(&config, fill, y.get(), 1.0f) == cudaSuccess);
    CHECK(found.kinds() == "early-launch ");
    CHECK(y.host()[63] == 1.0f);
    simt::clear_findings();
  }
}

TEST_CASE_FIXTURE(Devices, "a kernel that reaches another device's memory unasked is ended") {
  const DeviceArray<float> far = array(3);
  const DeviceArray<float> near = array(1);
  const ExpectedFindings found;
  for (const bool is_counted : {true, false}) {
    simt::set_counting(is_counted);
    cudaSetDevice(1);
    fill<<<1, 64>>>(far.get(), 1.0f);
    simt::set_counting(true);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(found.kinds() == "peer-access ");
    const std::string message = found.message();
    CHECK(message.find("by device 1 at byte 0 of an allocation of 256 bytes of device 3") !=
          std::string::npos);
    CHECK(message.find("in kernel fill on device 1") != std::string::npos);
    CHECK(far.host()[0] == 0.0f);
    // The error is the device's that had it.
    cudaSetDevice(0);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    cudaSetDevice(1);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    simt::clear_findings();
  }
  // That device 3 may reach device 1 says nothing of the other way.
  cudaSetDevice(3);
  cudaDeviceEnablePeerAccess(1, 0);
  cudaSetDevice(1);
  fill<<<1, 64>>>(far.get(), 1.0f);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  cudaDeviceEnablePeerAccess(3, 0);
  simt::clear_findings();
  fill<<<1, 64>>>(far.get(), 2.0f);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(found.kinds().empty());
  CHECK(far.host()[63] == 2.0f);
}

TEST_CASE_FIXTURE(Devices, "managed memory is everyone's") {
  cudaSetDevice(2);
  float* managed = nullptr;
  cudaMallocManaged(&managed, 256);
  cudaSetDevice(1);
  fill<<<1, 64>>>(managed, 3.0f);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(managed[63] == 3.0f);
  CHECK(simt::last_launch().link_stores.bytes == 0);
  cudaFree(managed);
}

TEST_CASE_FIXTURE(Devices, "what crosses the link is counted by itself") {
  const DeviceArray<float> far = array(3);
  const DeviceArray<unsigned> count = zeros<unsigned>(1);
  const DeviceArray<float> near = array(1);
  cudaDeviceEnablePeerAccess(3, 0);

  copy_and_count<<<2, 32>>>(far.get(), near.get(), count.get());
  simt::Counters counted = simt::last_launch();
  CHECK(counted.link_loads.bytes == 256);
  CHECK(counted.link_loads.requests == 2);
  CHECK(counted.link_loads.sectors == 8);
  CHECK(counted.link_stores.bytes == 0);
  CHECK(counted.link_atomics.bytes == 256);
  CHECK(counted.link_atomics.requests == 2);
  CHECK(counted.link_atomics.sectors == 64);
  // As any other global memory, too.
  CHECK(counted.global_loads.sectors == 8);

  copy_and_count<<<2, 32>>>(near.get(), far.get() + 0, count.get());
  counted = simt::last_launch();
  CHECK(counted.link_loads.requests == 0);
  CHECK(counted.link_stores.bytes == 256);
  CHECK(counted.link_stores.sectors == 8);

  add_of_both<<<1, 32>>>(near.get(), far.get(), near.get() + 32);
  counted = simt::last_launch();
  CHECK(counted.global_loads.requests == 1);
  CHECK(counted.link_loads.requests == 1);
  CHECK(counted.link_loads.bytes == 64);
  CHECK(counted.link_loads.sectors == 4);

  add_of_both<<<1, 32>>>(near.get(), near.get(), near.get() + 32);
  CHECK(simt::last_launch().link_loads.requests == 0);
}

TEST_CASE_FIXTURE(Devices, "copies from device to device need no access") {
  cudaSetDevice(1);
  const DeviceArray<float> from(std::vector<float>(64, 7.0f));
  const DeviceArray<float> to = array(2);
  CHECK(cudaMemcpyPeer(to.get(), 2, from.get(), 1, 256) == cudaSuccess);
  CHECK(to.host()[63] == 7.0f);
  to.host();
  CHECK(cudaMemcpyPeerAsync(to.get(), 2, from.get(), kDevices, 256, nullptr) ==
        cudaErrorInvalidDevice);
  CHECK(cudaMemcpyPeer(to.get(), -1, from.get(), 1, 256) == cudaErrorInvalidDevice);
}

TEST_SUITE_END();
