// Shared memory: where variables lie, what a block finds in them, how much there is.

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>

#include "simt/executor/worker/worker.h"
#include "simt/tests/support/device_array.h"

namespace {

__global__ void addresses(std::uint64_t* results) {
  __shared__ char one;
  __shared__ double eight[3];
  __shared__ alignas(16) float sixteen[4];
  extern __shared__ float dynamic[];
  one = 0;
  eight[0] = sixteen[0] = dynamic[0] = 0;
  results[0] = reinterpret_cast<std::uint64_t>(&one);
  results[1] = reinterpret_cast<std::uint64_t>(eight);
  results[2] = reinterpret_cast<std::uint64_t>(sixteen);
  results[3] = reinterpret_cast<std::uint64_t>(dynamic);
}

template <int kValue>
__device__ int* of_instance() {
  __shared__ int value;
  if (threadIdx.x == 0) value = kValue;
  return &value;
}
__global__ void two_instances(int* results) {
  int* const one = of_instance<1>();
  int* const two = of_instance<2>();
  int* const same = of_instance<1>();
  __syncthreads();
  results[0] = *one + 10 * *two + 100 * (one == same);
}

// An object of the class around it, whose member templates need no `template` before their names.
template <int kThreads>
class Reversal {
 public:
  __device__ static void run(int* results) {
    __shared__ Reversal<kThreads> reversal;
    reversal.put<false>();
    __syncthreads();
    results[threadIdx.x] = reversal.values_[kThreads - 1 - threadIdx.x];
  }

 private:
  template <bool kNegated>
  __device__ void put() {
    values_[threadIdx.x] = kNegated ? -static_cast<int>(threadIdx.x) : threadIdx.x;
  }
  int values_[kThreads];
};
__global__ void reverse(int* results) {
  Reversal<64>::run(results);
}

// Reads what the block before left there, unless it was poisoned. (It is looked at without checks.)
__global__ void leftover(float* results) {
  __shared__ float value;
  results[blockIdx.x] = value;
  value = 1.0f;
}

template <int kBytes>
__global__ void large(int* results) {
  __shared__ char buffer[kBytes];
  buffer[kBytes - 1] = 1;
  results[0] = buffer[kBytes - 1];
}

__global__ void double_reads(const double* x, double* y) {
  __shared__ double values[64];
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x] + values[0];
}

__global__ void histogram(int* counts) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 4], 1);
  __syncthreads();
  if (threadIdx.x < 4) counts[threadIdx.x] = bins[threadIdx.x];
}

__global__ void store_and_load(int* results, int first, bool reversed) {
  extern __shared__ int values[];
  const int lane = static_cast<int>(threadIdx.x);
  values[first + (reversed ? 31 - lane : lane)] = lane;
  __syncthreads();
  results[lane] = values[first + (reversed ? lane : 31 - lane)];
}
__global__ void two_store_each_word(int* results) {
  __shared__ int values[16];
  values[threadIdx.x / 2] = threadIdx.x;
  __syncthreads();
  results[threadIdx.x] = values[threadIdx.x / 2];
}
__global__ void nothing() {}

// The clock starts again after this many ticks, while this lives.
class ClockLimit {
 public:
  explicit ClockLimit(std::uint32_t ticks) : usual_(simt::clock_limit) {
    simt::clock_limit = ticks;
  }
  ClockLimit(const ClockLimit&) = delete;
  ClockLimit& operator=(const ClockLimit&) = delete;
  ~ClockLimit() { simt::clock_limit = usual_; }

 private:
  std::uint32_t usual_;
};

}  // namespace

TEST_SUITE_BEGIN("shared_memory");

TEST_CASE("variables are aligned and apart") {
  const DeviceArray<std::uint64_t> results(4);
  addresses<<<1, 1, 16>>>(results.get());
  const auto at = results.host();
  for (int i = 0; i < 4; ++i) {
    CHECK(at[i] % 128 == 0);
    for (int j = 0; j < i; ++j)
      CHECK(std::abs(static_cast<double>(at[i]) - static_cast<double>(at[j])) >= 128);
  }
}

TEST_CASE("each instance of a template has variables of its own") {
  const DeviceArray<int> results(1);
  two_instances<<<1, 32>>>(results.get());
  CHECK(results.host()[0] == 121);
}

TEST_CASE("a variable of the class around it has that class's member templates") {
  const DeviceArray<int> results(64);
  reverse<<<1, 64>>>(results.get());
  const auto reversed = results.host();
  for (int i = 0; i < 64; ++i)
    CHECK(reversed[i] == 63 - i);
}

TEST_CASE("a block finds NaN, not what the block before left") {
  const Workers one(1);
  simt::set_checking(false);
  const DeviceArray<float> results(4);
  leftover<<<4, 1>>>(results.get());
  simt::set_checking(true);
  for (const float value : results.host())
    CHECK(std::isnan(value));
}

TEST_CASE("48 KiB of static memory, and 227 KiB in all, are the limit") {
  const ExpectedFindings found;
  const DeviceArray<int> results(1);
  large<48 * 1024><<<1, 1>>>(results.get());
  CHECK(found.kinds().empty());
  CHECK(results.host()[0] == 1);
  CHECK(cudaFuncSetAttribute(large<48 * 1024>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             180 * 1024) == cudaSuccess);
  large<48 * 1024><<<1, 1, 179 * 1024>>>(results.get());
  CHECK(found.kinds().empty());
  large<48 * 1024 + 1><<<1, 1>>>(results.get());
  CHECK(found.kinds() == "shared-memory-limit ");
  CHECK(simt::take_error() == cudaErrorInvalidConfiguration);
  simt::clear_findings();
  large<48 * 1024><<<1, 1, 180 * 1024>>>(results.get());
  CHECK(found.kinds() == "shared-memory-limit ");
  CHECK(found.message().find("'buffer' (49152 bytes) does not fit") != std::string::npos);
}

TEST_CASE("static and dynamic memory of more than 48 KiB together must be asked for") {
  const ExpectedFindings found;
  const DeviceArray<int> results(1);
  large<40 * 1024><<<1, 1, 8 * 1024>>>(results.get());
  CHECK(found.kinds().empty());
  large<40 * 1024><<<1, 1, 8 * 1024 + 4>>>(results.get());
  CHECK(found.kinds() == "refused-launch ");
  CHECK(found.message().find("its 40960 bytes of shared variables, as far as this one, and 8196 of "
                             "dynamic shared memory are more than 49152 together") !=
        std::string::npos);
  CHECK(simt::take_error() == cudaErrorInvalidValue);
  simt::clear_findings();
  CHECK(cudaFuncSetAttribute(large<40 * 1024>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             8 * 1024 + 4) == cudaSuccess);
  large<40 * 1024><<<1, 1, 8 * 1024 + 4>>>(results.get());
  CHECK(found.kinds().empty());
}

TEST_CASE("8-byte accesses take a wavefront for each half warp, uniform ones a single one") {
  const auto x = zeros<double>(64);
  const DeviceArray<double> y(64);
  double_reads<<<1, 64>>>(x.get(), y.get());
  const simt::Counters counted = simt::last_launch();
  CHECK(counted.shared_stores.requests == 2);
  CHECK(counted.shared_stores.wavefronts == 4);
  CHECK(counted.shared_loads.requests == 4);
  CHECK(counted.shared_loads.wavefronts == 4 + 2);
  CHECK(counted.shared_loads.bank_conflicts == 0);
}

TEST_CASE("atomic operations on shared memory are no races") {
  const DeviceArray<int> counts(4);
  histogram<<<1, 256>>>(counts.get());
  for (const int count : counts.host())
    CHECK(count == 64);
  CHECK(simt::last_launch().shared_atomics.requests == 8);
  CHECK(simt::findings().empty());
}

// The clock ticks when a block begins, too.
TEST_CASE("accesses before the clock started again are no races") {
  constexpr int kFirst = 8000;
  constexpr std::size_t kBytes = (kFirst + 32) * sizeof(int);
  const Workers one(1);
  const ClockLimit limit(1000);
  const ExpectedFindings found;
  const DeviceArray<int> results(32);
  for (unsigned blocks = 100; blocks <= 2000; blocks += 100) {
    CAPTURE(blocks);
    nothing<<<500, 1>>>();
    store_and_load<<<1, 32, kBytes>>>(results.get(), kFirst, true);
    nothing<<<blocks, 1>>>();  // uses less shared memory than the launches around it
    store_and_load<<<1, 32, kBytes>>>(results.get(), kFirst, false);
    REQUIRE(found.kinds() == "");
    two_store_each_word<<<1, 32>>>(results.get());
    REQUIRE(found.kinds() == "shared-race ");
    simt::clear_findings();
  }
}

TEST_SUITE_END();
