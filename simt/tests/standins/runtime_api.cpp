// The runtime API on the host: what works, and that misuse returns CUDA's error and is remembered.

#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "simt/executor/counters.h"

namespace {

/// The call failed with `expected`, and the last error is that one, once.
void check_error(cudaError_t actual, cudaError_t expected) {
  CHECK(cudaGetErrorName(actual) == std::string(cudaGetErrorName(expected)));
  CHECK(cudaPeekAtLastError() == expected);
  CHECK(cudaGetLastError() == expected);
  CHECK(cudaGetLastError() == cudaSuccess);
}

void kernel_without_code(int) {}

}  // namespace

TEST_SUITE_BEGIN("runtime_api");

TEST_CASE("memory goes to the device and back") {
  const std::vector<int> values = {1, 2, 3, 4};
  std::vector<int> back(4);
  int* device = nullptr;
  REQUIRE(cudaMalloc(&device, sizeof(int) * 4) == cudaSuccess);
  CHECK(cudaMemcpy(device, values.data(), 16, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyAsync(back.data(), device, 16, cudaMemcpyDefault) == cudaSuccess);
  CHECK(back == values);
  CHECK(cudaMemset(device + 1, 0xff, 4) == cudaSuccess);
  CHECK(cudaMemcpy(back.data(), device, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == std::vector<int>{1, -1, 3, 4});
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("rows are copied by their pitch") {
  const std::array<char, 6> from = {1, 2, 3, 4, 5, 6};
  std::array<char, 8> to = {};
  CHECK(cudaMemcpy2D(to.data(), 4, from.data(), 3, 2, 2, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(to == std::array<char, 8>{1, 2, 0, 0, 4, 5, 0, 0});
  check_error(cudaMemcpy2D(to.data(), 1, from.data(), 3, 2, 2, cudaMemcpyHostToHost),
              cudaErrorInvalidPitchValue);
}

TEST_CASE("misuse of memory") {
  int* device = nullptr;
  int host[4] = {};
  REQUIRE(cudaMalloc(&device, 16) == cudaSuccess);
  check_error(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  check_error(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  check_error(cudaMemcpy(host, device, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  check_error(cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(9)),
              cudaErrorInvalidMemcpyDirection);
  check_error(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  check_error(cudaFree(host), cudaErrorInvalidValue);
  check_error(cudaFreeHost(host), cudaErrorInvalidValue);
  void* huge = device;
  check_error(cudaMalloc(&huge, ~std::size_t{0} / 2), cudaErrorMemoryAllocation);
  CHECK(cudaFree(device) == cudaSuccess);
  check_error(cudaFree(device), cudaErrorInvalidValue);
}

TEST_CASE("allocations of zero bytes") {
  int* device = reinterpret_cast<int*>(1);
  CHECK(cudaMalloc(&device, 0) == cudaSuccess);
  CHECK(device == nullptr);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
}

TEST_CASE("attributes of streams are kept") {
  cudaStream_t stream, other;
  REQUIRE(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, -100) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  int priority = 1;
  CHECK(cudaStreamGetPriority(stream, &priority) == cudaSuccess);
  int device = -1;
  CHECK(cudaStreamGetDevice(stream, &device) == cudaSuccess);
  CHECK(device == 0);
  check_error(cudaStreamGetDevice(stream, nullptr), cudaErrorInvalidValue);
  CHECK(priority == -5);

  int most = 0;
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, 0) == cudaSuccess);
  REQUIRE(most > 0);
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow = {&priority, static_cast<std::size_t>(most), 0.5f,
                              cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
  const cudaStreamAttrValue asked = value;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value) ==
        cudaSuccess);
  CHECK(cudaStreamCopyAttributes(other, stream) == cudaSuccess);
  value = {};
  CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &value) ==
        cudaSuccess);
  CHECK(value.accessPolicyWindow.base_ptr == &priority);
  CHECK(value.accessPolicyWindow.hitRatio == 0.5f);
  CHECK(value.accessPolicyWindow.missProp == cudaAccessPropertyStreaming);
  CHECK(cudaStreamGetAttribute(other, cudaStreamAttributePriority, &value) == cudaSuccess);
  CHECK(value.priority == -5);
  CHECK(cudaStreamGetAttribute(nullptr, cudaStreamAttributeSynchronizationPolicy, &value) ==
        cudaSuccess);
  CHECK(value.syncPolicy == cudaSyncPolicyAuto);

  const auto refused = [&](auto change) {
    value = asked;
    change(value.accessPolicyWindow);
    check_error(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
                cudaErrorInvalidValue);
  };
  refused([](auto& window) { ++window.num_bytes; });
  refused([](auto& window) { window.hitRatio = 1.5f; });
  refused([](auto& window) { window.missProp = cudaAccessPropertyPersisting; });
  check_error(cudaStreamSetAttribute(stream, cudaLaunchAttributeCooperative, &asked),
              cudaErrorInvalidValue);
  value.priority = 1;
  check_error(cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &value),
              cudaErrorInvalidValue);
  CHECK(cudaStreamDestroy(other) == cudaSuccess);
  check_error(cudaStreamGetAttribute(other, cudaStreamAttributePriority, &value),
              cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("what L2 shall set aside is kept, up to what it can") {
  std::size_t bytes = 1;
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize) == cudaSuccess);
  CHECK(bytes == 0);
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, ~std::size_t{0}) == cudaSuccess);
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize) == cudaSuccess);
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(bytes == static_cast<std::size_t>(properties.persistingL2CacheMaxSize));
  CHECK(properties.persistingL2CacheMaxSize > 0);
  CHECK(properties.persistingL2CacheMaxSize < properties.l2CacheSize);
  CHECK(cudaCtxResetPersistingL2Cache() == cudaSuccess);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize) == cudaSuccess);
  CHECK(bytes == 0);
}

TEST_CASE("pinned and managed memory are the host's to use") {
  float* pinned = nullptr;
  float* managed = nullptr;
  float back = 0.0f;
  REQUIRE(cudaMallocHost(&pinned, 4) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 4) == cudaSuccess);
  *pinned = 1.5f;
  CHECK(cudaMemcpy(managed, pinned, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(&back, managed, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == 1.5f);
  CHECK(cudaMemset(managed, 0, 4) == cudaSuccess);
  CHECK(*managed == 0.0f);
  CHECK(cudaFree(managed) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  check_error(cudaFreeHost(pinned), cudaErrorInvalidValue);
}

TEST_CASE("variables of the device have bounds") {
  float variable[2] = {};
  const float values[3] = {1.0f, 2.0f, 3.0f};
  CHECK(cudaMemcpyToSymbol(variable, values, 4, 4) == cudaSuccess);
  CHECK(variable[1] == 1.0f);
  check_error(cudaMemcpyToSymbol(variable, values, 12), cudaErrorInvalidValue);
  check_error(cudaMemcpyToSymbol(variable, values, 8, 4), cudaErrorInvalidValue);
}

TEST_CASE("streams and events are handles") {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&end, cudaEventDisableTiming) == cudaSuccess);
  CHECK(cudaEventRecord(start, stream) == cudaSuccess);
  CHECK(cudaEventRecord(end) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(stream, start) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cudaStreamQuery(cudaStreamPerThread) == cudaSuccess);
  CHECK(cudaEventSynchronize(end) == cudaSuccess);
  float milliseconds = -1.0f;
  check_error(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  CHECK(milliseconds == -1.0f);
  CHECK(cudaEventElapsedTime(&milliseconds, start, start) == cudaSuccess);
  CHECK(std::isnan(milliseconds));  // nobody shall take it for a GPU's time
  CHECK(cudaEventDestroy(start) == cudaSuccess);
  CHECK(cudaEventDestroy(end) == cudaSuccess);
  check_error(cudaEventRecord(start), cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  check_error(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  check_error(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  check_error(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
}

TEST_CASE("host functions run in their stream") {
  int calls = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  CHECK(cudaLaunchHostFunc(nullptr, count, &calls) == cudaSuccess);
  CHECK(calls == 1);
}

TEST_CASE("what no graph of the executor can do says so") {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  simt::clear_findings();
  simt::set_findings_printed(false);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  check_error(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  int device = 0;
  check_error(cudaStreamGetDevice(stream, &device), cudaErrorStreamCaptureUnsupported);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  check_error(cudaGraphInstantiate(&executable, graph, 1ull), cudaErrorNotSupported);
  cudaKernelNodeParams parameters;
  parameters.func = static_cast<const void*>(&graph);
  cudaGraphNode_t node = nullptr;
  check_error(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), cudaErrorNotSupported);
  CHECK(simt::findings().size() == 2);
  simt::clear_findings();
  simt::set_findings_printed(true);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("graphs and captures that are wrong") {
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check_error(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
              cudaErrorStreamCaptureUnsupported);
  check_error(cudaStreamEndCapture(nullptr, &graph), cudaErrorIllegalState);
  check_error(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  check_error(cudaGraphLaunch(executable, nullptr), cudaErrorInvalidValue);
  // Work of another stream that does not come back.
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  int calls = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  check_error(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(other, event) == cudaSuccess);
  CHECK(cudaLaunchHostFunc(other, count, &calls) == cudaSuccess);
  check_error(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
  check_error(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
  CHECK(calls == 0);
  CHECK(cudaLaunchHostFunc(other, count, &calls) == cudaSuccess);
  CHECK(calls == 1);
  // Nodes that wait for each other.
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaGraphNode_t nodes[2];
  CHECK(cudaGraphAddEmptyNode(&nodes[0], graph, nullptr, 0) == cudaSuccess);
  CHECK(cudaGraphAddEmptyNode(&nodes[1], graph, nodes, 1) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&executable, graph) == cudaSuccess);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphAddDependencies(graph, &nodes[1], &nodes[0], 1) == cudaSuccess);
  check_error(cudaGraphInstantiate(&executable, graph), cudaErrorInvalidValue);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaStreamDestroy(other) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("copies between devices know but the one") {
  const std::array<int, 2> sent = {1, 2};
  std::array<int, 2> received = {};
  int* from = nullptr;
  int* to = nullptr;
  REQUIRE(cudaMalloc(&from, sizeof(sent)) == cudaSuccess);
  REQUIRE(cudaMalloc(&to, sizeof(sent)) == cudaSuccess);
  CHECK(cudaMemcpy(from, sent.data(), sizeof(sent), cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyPeer(to, 0, from, 0, sizeof(int)) == cudaSuccess);
  CHECK(cudaMemcpyPeerAsync(to + 1, 0, from + 1, 0, sizeof(int)) == cudaSuccess);
  check_error(cudaMemcpyPeer(to, 1, from, 0, sizeof(int)), cudaErrorInvalidDevice);
  check_error(cudaMemcpyPeerAsync(to, 0, from, 1, sizeof(int)), cudaErrorInvalidDevice);
  CHECK(cudaMemcpy(received.data(), to, sizeof(sent), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(received == sent);
  CHECK(cudaFree(from) == cudaSuccess);
  CHECK(cudaFree(to) == cudaSuccess);
}

TEST_CASE("managed memory may be attached to a stream, which changes nothing") {
  int* value = nullptr;
  REQUIRE(cudaMallocManaged(&value, sizeof(int)) == cudaSuccess);
  CHECK(cudaStreamAttachMemAsync(nullptr, value) == cudaSuccess);
  CHECK(cudaStreamAttachMemAsync(nullptr, value, 0, cudaMemAttachHost) == cudaSuccess);
  check_error(cudaStreamAttachMemAsync(nullptr, value, 0, 3), cudaErrorInvalidValue);
  check_error(cudaStreamAttachMemAsync(nullptr, nullptr), cudaErrorInvalidValue);
  CHECK(cudaFree(value) == cudaSuccess);
}

TEST_CASE("the device is an H200 with a name of its own") {
  int count = 0;
  int device = -1;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 1);
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 0);
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.name == std::string("simt CPU executor"));
  CHECK(properties.major == 9);
  CHECK(properties.multiProcessorCount == 132);
  CHECK(properties.sharedMemPerBlock == 49152);
  CHECK(properties.sharedMemPerBlockOptin == 232448);
  CHECK(properties.l2CacheSize == 62914560);
  CHECK(properties.warpSize == 32);
  CHECK(properties.deviceOverlap == 1);
  CHECK(properties.asyncEngineCount == 3);
  CHECK(properties.concurrentKernels == 1);
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrAsyncEngineCount, 0) == cudaSuccess);
  CHECK(value == properties.asyncEngineCount);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrGpuOverlap, 0) == cudaSuccess);
  CHECK(value == properties.deviceOverlap);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == properties.multiProcessorCount);
  check_error(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
              cudaErrorInvalidValue);
  check_error(cudaSetDevice(1), cudaErrorInvalidDevice);
  int chosen = -1;
  CHECK(cudaChooseDevice(&chosen, &properties) == cudaSuccess);
  CHECK(chosen == 0);
  check_error(cudaChooseDevice(nullptr, &properties), cudaErrorInvalidValue);
  check_error(cudaGetDeviceProperties(&properties, -1), cudaErrorInvalidDevice);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess);
  CHECK(free_bytes <= total_bytes);
  CHECK(total_bytes == properties.totalGlobalMem);
}

TEST_CASE("occupancy is bound by threads, shared memory and blocks") {
  int blocks = 0;
  const auto active = [&](int block_size, std::size_t bytes) {
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_without_code, block_size,
                                                        bytes) == cudaSuccess);
    return blocks;
  };
  CHECK(active(256, 0) == 8);
  CHECK(active(1024, 0) == 2);
  CHECK(active(32, 0) == 32);
  CHECK(active(33, 0) == 32);
  CHECK(active(96, 0) == 21);
  CHECK(active(128, 100 * 1024) == 2);
  CHECK(active(128, 227 * 1024) == 1);
  CHECK(active(128, 228 * 1024) == 0);
  CHECK(active(1025, 0) == 0);
  check_error(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_without_code, 0, 0),
              cudaErrorInvalidValue);
  int min_grid = 0;
  int block_size = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block_size, kernel_without_code) ==
        cudaSuccess);
  CHECK(block_size == 1024);
  CHECK(min_grid == 2 * 132);
}

TEST_CASE("attributes of kernels") {
  CHECK(cudaFuncSetAttribute(kernel_without_code, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             232448) == cudaSuccess);
  check_error(cudaFuncSetAttribute(kernel_without_code, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   232449),
              cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel_without_code) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 1024);
}

TEST_CASE("a launch through a configuration checks it") {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(2048);
  check_error(cudaLaunchKernelEx(&config, kernel_without_code, 1), cudaErrorInvalidConfiguration);
  config.blockDim = dim3(32);
  CHECK(cudaLaunchKernelEx(&config, kernel_without_code, 1) == cudaSuccess);
  config.numAttrs = 1;
  check_error(cudaLaunchKernelEx(&config, kernel_without_code, 1), cudaErrorInvalidValue);
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  CHECK(cudaLaunchKernelEx(&config, kernel_without_code, 1) == cudaSuccess);
  int argument = 1;
  void* arguments[] = {&argument};
  CHECK(cudaLaunchKernel(kernel_without_code, dim3(1), dim3(32), arguments) == cudaSuccess);
}

TEST_CASE("a cooperative grid must fit the device") {
  int argument = 1;
  void* arguments[] = {&argument};
  const auto launch = [&](unsigned blocks, unsigned threads, std::size_t shared_bytes = 0) {
    return cudaLaunchCooperativeKernel(kernel_without_code, dim3(blocks), dim3(threads), arguments,
                                       shared_bytes);
  };
  CHECK(launch(32 * 132, 32) == cudaSuccess);
  check_error(launch(32 * 132 + 1, 32), cudaErrorCooperativeLaunchTooLarge);
  CHECK(launch(2 * 132, 1024) == cudaSuccess);
  check_error(launch(2 * 132 + 1, 1024), cudaErrorCooperativeLaunchTooLarge);
  check_error(launch(4 * 132 + 1, 32, 48 * 1024), cudaErrorCooperativeLaunchTooLarge);
  check_error(launch(1, 1025), cudaErrorInvalidConfiguration);
}

TEST_CASE("rows of pitched memory are aligned") {
  char* rows = nullptr;
  std::size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&rows, &pitch, 513, 3) == cudaSuccess);
  CHECK(pitch == 1024);
  CHECK(cudaMemset2D(rows, pitch, 7, 513, 3) == cudaSuccess);
  check_error(cudaMemset2D(rows, 512, 7, 513, 3), cudaErrorInvalidPitchValue);
  char last = 0;
  CHECK(cudaMemcpy(&last, rows + 2 * pitch + 512, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(last == 7);
  CHECK(cudaFree(rows) == cudaSuccess);
}

TEST_CASE("a pointer knows what it points to") {
  int host = 0;
  int* device = nullptr;
  int* pinned = nullptr;
  int* managed = nullptr;
  REQUIRE(cudaMalloc(&device, 4) == cudaSuccess);
  REQUIRE(cudaMallocHost(&pinned, 4) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 4) == cudaSuccess);
  const auto type = [](const void* address) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, address) == cudaSuccess);
    return attributes.type;
  };
  CHECK(type(&host) == cudaMemoryTypeUnregistered);
  CHECK(type(device) == cudaMemoryTypeDevice);
  CHECK(type(pinned) == cudaMemoryTypeHost);
  CHECK(type(managed) == cudaMemoryTypeManaged);
  CHECK(cudaMemPrefetchAsync(managed, 4, 0) == cudaSuccess);
  check_error(cudaMemPrefetchAsync(&host, 4, 0), cudaErrorInvalidValue);
  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("every error has a name and a text") {
  for (const int code : {0,   1,   2,   9,   12,  13,  21,  98,  100, 101, 400, 600, 700,
                         701, 702, 714, 715, 716, 717, 718, 719, 720, 800, 801, 999}) {
    const auto error = static_cast<cudaError_t>(code);
    CHECK(std::string(cudaGetErrorName(error)).starts_with("cuda"));
    CHECK(std::strlen(cudaGetErrorString(error)) > 0);
  }
  CHECK(cudaGetErrorString(cudaErrorInvalidConfiguration) ==
        std::string("invalid configuration argument"));
  CHECK(cudaGetErrorName(static_cast<cudaError_t>(12345)) ==
        std::string("unrecognized error code"));
}

TEST_SUITE_END();
