// Accesses to variables that lie in the device's memory: what they count as.

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <vector>

#include "simt/executor/trace.h"
#include "simt/tests/support/device_array.h"

namespace {

constexpr int kThreads = 64;
constexpr int kWarps = kThreads / 32;

struct Pair {
  float a;
  float b;
};

__constant__ float table[kThreads], scale = 2.0f;
__constant__ double wide[2];
static __constant__ Pair pair = {3.0f, 4.0f};
__constant__ std::array<short, 2 * kThreads> shorts;
__device__ int values[32 * kThreads];
__device__ std::array<float, kThreads> in_library_array;
__device__ int sum;
__device__ volatile int flag;
__managed__ int managed[kThreads];
__device__ float add_one(float x) {
  return x + 1.0f;
}
__device__ float (*operation)(float) = add_one;

// ---- constants ----

__global__ void scales(float* y) {
  y[threadIdx.x] = scale * 3.0f;
}
__global__ void looks_up(float* y, unsigned lanes_a_word) {
  y[threadIdx.x] = table[threadIdx.x / lanes_a_word];
}
__global__ void looks_up_wide(double* y) {
  y[threadIdx.x] = wide[threadIdx.x % 2];
}
__global__ void looks_up_shorts(float* y) {
  y[threadIdx.x] = shorts[threadIdx.x];
}
__global__ void adds_both(float* y) {
  y[threadIdx.x] = pair.a + pair.b;
}
__global__ void some_look_up(float* y) {
  if (threadIdx.x % 32 < 5) y[threadIdx.x] = table[threadIdx.x % 32];
}

simt::ConstantTraffic run_looks_up(unsigned lanes_a_word) {
  const DeviceArray<float> y(kThreads);
  looks_up<<<1, kThreads>>>(y.get(), lanes_a_word);
  return simt::last_launch().constant_loads;
}

void check(const simt::ConstantTraffic& counted, unsigned requests, unsigned words,
           unsigned lanes) {
  CHECK(counted.requests == requests);
  CHECK(counted.words == words);
  CHECK(counted.lanes == lanes);
}

// ---- other variables ----

__global__ void increments(int stride) {
  values[threadIdx.x * stride] += 1;
}
__global__ void adds_up() {
  atomicAdd(&sum, 1);
}
__global__ void adds_to_each_block() {
  atomicAdd(&values[blockIdx.x], 1);
}
__global__ void doubles() {
  managed[threadIdx.x] *= 2;
  in_library_array[threadIdx.x] = 1.0f;
}
__global__ void raises_a_flag() {
  if (threadIdx.x == 0) flag = flag + 1;
}
__global__ void calls(float* y) {
  y[threadIdx.x] = operation(1.0f);
}
__global__ void loads_either(const int* x, int* y) {
  const int* from = threadIdx.x % 2 == 0 ? x : values;
  y[blockIdx.x * kThreads + threadIdx.x] = from[threadIdx.x];
}

void check(const simt::Traffic& counted, const simt::Traffic& expected) {
  CHECK(counted.elements == expected.elements);
  CHECK(counted.bytes == expected.bytes);
  CHECK(counted.requests == expected.requests);
  CHECK(counted.sectors == expected.sectors);
  CHECK(counted.lanes == expected.lanes);
  CHECK(counted.partial_requests == expected.partial_requests);
  CHECK(counted.unique_bytes == expected.unique_bytes);
}

simt::Traffic one_warp_each(std::uint64_t sectors) {
  return {.elements = kThreads,
          .bytes = 4 * kThreads,
          .requests = kWarps,
          .sectors = sectors * kWarps,
          .lanes = kThreads,
          .partial_requests = 0,
          .unique_bytes = 4 * kThreads};
}

}  // namespace

TEST_SUITE_BEGIN("device_variables");

TEST_CASE("a constant that all lanes load is one word a request") {
  const DeviceArray<float> y(kThreads);
  scales<<<1, kThreads>>>(y.get());
  const simt::Counters counted = simt::last_launch();
  check(counted.constant_loads, kWarps, kWarps, kThreads);
  CHECK(counted.constant_loads.bytes == 4 * kThreads);
  CHECK(counted.global_loads.requests == 0);
  CHECK(counted.global_stores.requests == kWarps);
  CHECK(y.host()[1] == 6.0f);
}

TEST_CASE("constants count the different words of each request") {
  check(run_looks_up(1), kWarps, 32 * kWarps, kThreads);
  check(run_looks_up(2), kWarps, 16 * kWarps, kThreads);
  check(run_looks_up(kThreads), kWarps, kWarps, kThreads);
}

TEST_CASE("wide constants are several words, narrow ones share one") {
  const DeviceArray<double> doubles(kThreads);
  looks_up_wide<<<1, kThreads>>>(doubles.get());
  check(simt::last_launch().constant_loads, kWarps, 4 * kWarps, kThreads);
  const DeviceArray<float> y(kThreads);
  looks_up_shorts<<<1, kThreads>>>(y.get());
  check(simt::last_launch().constant_loads, kWarps, 16 * kWarps, kThreads);
  CHECK(simt::last_launch().constant_loads.bytes == 2 * kThreads);
}

TEST_CASE("each member of a constant structure is a load") {
  const DeviceArray<float> y(kThreads);
  adds_both<<<1, kThreads>>>(y.get());
  check(simt::last_launch().constant_loads, 2 * kWarps, 2 * kWarps, 2 * kThreads);
  CHECK(y.host()[1] == 7.0f);
}

TEST_CASE("lanes that load no constant are not counted") {
  const DeviceArray<float> y = zeros<float>(kThreads);
  some_look_up<<<1, kThreads>>>(y.get());
  check(simt::last_launch().constant_loads, kWarps, 5 * kWarps, 5 * kWarps);
}

TEST_CASE("constants are counted at their line") {
  const DeviceArray<float> y(kThreads);
  scales<<<1, kThreads>>>(y.get());
  const std::vector<simt::LineCounters> lines = simt::last_launch_by_line();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].file == "device_variables.cu");
  CHECK(lines[0].counters.constant_loads.requests == kWarps);
}

TEST_CASE("a variable of the device counts as global memory") {
  increments<<<1, kThreads>>>(1);
  check(simt::last_launch().global_loads, one_warp_each(4));
  check(simt::last_launch().global_stores, one_warp_each(4));
  increments<<<1, kThreads>>>(8);
  check(simt::last_launch().global_loads, one_warp_each(32));
  CHECK(simt::last_launch().constant_loads.requests == 0);
}

TEST_CASE("atomic operations on a variable of the device") {
  adds_up<<<2, kThreads>>>();
  check(simt::last_launch().global_atomics, {.elements = 2 * kThreads,
                                             .bytes = 4 * 2 * kThreads,
                                             .requests = 2 * kWarps,
                                             .sectors = 2 * kThreads,
                                             .lanes = 2 * kThreads,
                                             .partial_requests = 0,
                                             .unique_bytes = 4});
  int result = 0;
  cudaMemcpyFromSymbol(&result, sum, sizeof sum);
  CHECK(result == 2 * kThreads);
  adds_to_each_block<<<3, 32>>>();
  CHECK(simt::last_launch().global_atomics.unique_bytes == 3 * 4);
  CHECK(simt::last_launch().global_loads.requests == 0);
}

TEST_CASE("a managed variable and one of a library's array type count as global memory") {
  doubles<<<1, kThreads>>>();
  check(simt::last_launch().global_loads, one_warp_each(4));
  simt::Traffic both = one_warp_each(4);
  both.elements *= 2;
  both.bytes *= 2;
  both.requests *= 2;
  both.sectors *= 2;
  both.lanes *= 2;
  both.unique_bytes *= 2;
  check(simt::last_launch().global_stores, both);
}

TEST_CASE("a volatile variable and a pointer to a function") {
  raises_a_flag<<<1, kThreads>>>();
  CHECK(simt::last_launch().global_loads.requests == 1);
  CHECK(simt::last_launch().global_stores.requests == 1);
  CHECK(simt::last_launch().global_loads.unique_bytes == 4);
  const DeviceArray<float> y(kThreads);
  calls<<<1, kThreads>>>(y.get());
  CHECK(simt::last_launch().global_loads.bytes == 8 * kThreads);
  CHECK(y.host()[3] == 2.0f);
}

TEST_CASE("a request to an array and a variable at once") {
  const DeviceArray<int> x = zeros<int>(kThreads), y(2 * kThreads);
  loads_either<<<2, kThreads>>>(x.get(), y.get());
  CHECK(simt::findings().empty());
  CHECK(simt::last_launch().global_loads.requests == 2 * kWarps);
  CHECK(simt::last_launch().global_loads.elements == 2 * kThreads);
  CHECK(simt::last_launch().global_loads.unique_bytes == 4 * kThreads);
}

TEST_CASE("requests to variables are traced with their offsets in them") {
  const DeviceArray<float> y(kThreads);
  simt::start_trace();
  looks_up<<<1, kThreads>>>(y.get(), 1);
  const simt::Trace trace = simt::stop_trace();
  const auto load = std::find_if(
      trace.requests.begin(), trace.requests.end(),
      [](const auto& request) { return request.kind == simt::AccessKind::kConstantLoad; });
  REQUIRE(load != trace.requests.end());
  CHECK(simt::name_of(load->kind) == "constant load");
  CHECK(load->lanes[3].offset == 12);
  CHECK(trace.arrays[static_cast<std::size_t>(load->lanes[3].array)].bytes == sizeof table);
}

TEST_SUITE_END();
