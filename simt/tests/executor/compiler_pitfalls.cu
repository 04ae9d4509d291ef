// Accesses that compilers like to merge, split, hoist or drop: the counts are those of the source.

#include <doctest/doctest.h>
#include <new>

#include "simt/tests/support/device_array.h"

namespace {

struct Pair {  // two 4-byte accesses, as in nvcc's code
  float m;
  float d;
};
struct Candidate {  // copied whole, at any multiple of 4
  float value;
  int index;
  float weight;
};

struct Function {
  __device__ virtual int operator()(int x) const = 0;
};
struct Twice : Function {
  __device__ int operator()(int x) const override { return 2 * x; }
};

__global__ void make_object(Twice* object) {
  new (object) Twice;
}
__global__ void call_object(const Function* object, int* result) {
  *result = (*object)(21);
}
__global__ void update(float* y, float s, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] *= s;
}
__global__ void copy_own_range(const float* __restrict__ x, float* __restrict__ y, int n) {
  for (int i = 0; i < n; ++i)
    y[threadIdx.x * n + i] = x[threadIdx.x * n + i];
}
__global__ void clear_own_range(float* y, int n) {
  for (int i = 0; i < n; ++i)
    y[threadIdx.x * n + i] = 0.0f;
}
__global__ void store_then_load(const float* x, float* y, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    y[i] = expf(x[i]);
    sum += y[i];  // the compiler knows the value
  }
  y[n + threadIdx.x] = sum;
}
__global__ void invariant_load(const float* maxima, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = maxima[blockIdx.x] + i;
}
__global__ void invariant_restrict_load(const float* __restrict__ maxima, float* __restrict__ y,
                                        int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = maxima[blockIdx.x] + i;
}
__global__ void pairs(const Pair* __restrict__ x, Pair* __restrict__ y) {
  Pair v = x[threadIdx.x];
  v.m += 1;
  v.d *= 2;
  y[threadIdx.x] = v;
}
__global__ void whole_structures(const Candidate* x, Candidate* y) {
  y[threadIdx.x] = x[31 - threadIdx.x];
}
__global__ void float2s(const float2* __restrict__ x, float2* __restrict__ y) {
  float2 v = x[threadIdx.x];
  v.x += 1;
  v.y *= 2;
  y[threadIdx.x] = v;
}
__global__ void one_of_four(const float4* __restrict__ x, float* __restrict__ y) {
  const float4 v = x[threadIdx.x];
  y[threadIdx.x] = v.x;
}
__global__ void float4_copy(const float4* __restrict__ x, float4* __restrict__ y) {
  y[threadIdx.x] = x[threadIdx.x];
}
__global__ void four_adjacent(const float* __restrict__ x, float* __restrict__ y) {
  const int i = 4 * threadIdx.x;
  y[threadIdx.x] = x[i] + x[i + 1] + x[i + 2] + x[i + 3];
}
__global__ void guarded_load(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = threadIdx.x;
  y[i] = i < n ? x[i] : -INFINITY;
}
__global__ void local_array(const float* __restrict__ x, float* __restrict__ y) {
  float kept[4];
  for (int k = 0; k < 4; ++k)
    kept[k] = x[threadIdx.x + 32 * k];
  for (int k = 0; k < 4; ++k)
    y[threadIdx.x + 32 * k] = kept[3 - k];
}

struct Requests {
  unsigned loads, load_sectors, stores, store_sectors;
};

void check_requests(const Requests& expected) {
  const simt::Counters counted = simt::last_launch();
  CHECK(counted.global_loads.requests == expected.loads);
  CHECK(counted.global_loads.sectors == expected.load_sectors);
  CHECK(counted.global_stores.requests == expected.stores);
  CHECK(counted.global_stores.sectors == expected.store_sectors);
}

struct Arrays {
  DeviceArray<float> x = zeros<float>(16384);
  DeviceArray<float> y = zeros<float>(16384);
};

}  // namespace

TEST_SUITE_BEGIN("compiler_pitfalls");

TEST_CASE_FIXTURE(Arrays, "an update loads and stores") {
  update<<<1, 32>>>(y.get(), 2.0f, 64);
  check_requests({2, 8, 2, 8});
}

TEST_CASE_FIXTURE(Arrays, "a copying loop stays a loop") {
  copy_own_range<<<1, 32>>>(x.get(), y.get(), 8);
  check_requests({8, 8 * 32, 8, 8 * 32});
}

TEST_CASE_FIXTURE(Arrays, "a clearing loop stays a loop") {
  clear_own_range<<<1, 32>>>(y.get(), 8);
  check_requests({0, 0, 8, 8 * 32});
}

TEST_CASE_FIXTURE(Arrays, "a value that was just stored is not loaded") {
  store_then_load<<<1, 32>>>(x.get(), y.get(), 64);
  check_requests({2, 8, 3, 12});
}

TEST_CASE_FIXTURE(Arrays, "an invariant load stays in a loop whose stores may alias it") {
  invariant_load<<<1, 32>>>(x.get(), y.get(), 128);
  check_requests({4, 4, 4, 16});
}

TEST_CASE_FIXTURE(Arrays, "with __restrict__, compilers may load an invariant once") {
  invariant_restrict_load<<<1, 32>>>(x.get(), y.get(), 128);
  const std::uint64_t loads = simt::last_launch().global_loads.requests;
  CHECK((loads == 1 || loads == 4));
  CHECK(simt::last_launch().global_stores.requests == 4);
}

TEST_CASE_FIXTURE(Arrays, "a plain structure is accessed member by member") {
  pairs<<<1, 32>>>(reinterpret_cast<const Pair*>(x.get()), reinterpret_cast<Pair*>(y.get()));
  check_requests({2, 16, 2, 16});
}

TEST_CASE_FIXTURE(Arrays, "a structure that is copied whole need not be aligned to its size") {
  whole_structures<<<1, 32>>>(reinterpret_cast<const Candidate*>(x.get()),
                              reinterpret_cast<Candidate*>(y.get()));
  const simt::Counters counted = simt::last_launch();
  CHECK(counted.global_loads.elements == 3 * 32);
  CHECK(counted.global_stores.elements == 3 * 32);
  CHECK(counted.global_loads.requests == 3);
  CHECK(counted.global_stores.requests == 3);
  CHECK(simt::findings().empty());
  CHECK(simt::take_error() == 0);
}

TEST_CASE_FIXTURE(Arrays, "a float2 is one access of 8 bytes") {
  float2s<<<1, 32>>>(reinterpret_cast<const float2*>(x.get()), reinterpret_cast<float2*>(y.get()));
  check_requests({1, 8, 1, 8});
}

TEST_CASE_FIXTURE(Arrays, "a float4 is one access of 16 bytes, even if only one member is used") {
  one_of_four<<<1, 32>>>(reinterpret_cast<const float4*>(x.get()), y.get());
  check_requests({1, 16, 1, 4});
}

TEST_CASE_FIXTURE(Arrays, "a float4 is copied in one load and one store") {
  float4_copy<<<1, 32>>>(reinterpret_cast<const float4*>(x.get()),
                         reinterpret_cast<float4*>(y.get()));
  check_requests({1, 16, 1, 16});
}

TEST_CASE("an object of a class with virtual functions is written whole") {
  const ExpectedFindings found;
  const DeviceArray<Twice> object(1);
  const DeviceArray<int> result(1);
  make_object<<<1, 1>>>(object.get());
  call_object<<<1, 1>>>(object.get(), result.get());
  CHECK(found.kinds() == "");
  CHECK(result.host()[0] == 42);
}

TEST_CASE_FIXTURE(Arrays, "adjacent loads are not merged") {
  four_adjacent<<<1, 32>>>(x.get(), y.get());
  check_requests({4, 64, 1, 4});
}

TEST_CASE_FIXTURE(Arrays, "a guarded load is executed by the lanes that pass the guard") {
  guarded_load<<<1, 32>>>(x.get(), y.get(), 20);
  check_requests({1, 3, 1, 4});
  CHECK(simt::last_launch().global_loads.elements == 20);
}

TEST_CASE_FIXTURE(Arrays, "a local array is no global memory") {
  local_array<<<1, 32>>>(x.get(), y.get());
  check_requests({4, 16, 4, 16});
}

TEST_SUITE_END();
