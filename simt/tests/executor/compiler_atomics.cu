// nvcc's built-in atomic operations: what they compute, count and order.

#include <cuda_runtime.h>

#include <climits>
#include <cstdint>
#include <vector>

#include "simt/tests/checkers/mistakes.h"

namespace {

constexpr int kRelaxed = __NV_ATOMIC_RELAXED;
constexpr unsigned kThreads = 64;

struct Pair {
  int first;
  int second;
};

// ---- arithmetic ----

__global__ void computes(int* i, unsigned* u, unsigned long* ul, float* f, double* d) {
  __nv_atomic_fetch_add(i, 2, kRelaxed);
  __nv_atomic_add(u, 3, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_sub(ul, 1, kRelaxed, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_fetch_add(f, 0.5f, kRelaxed);
  __nv_atomic_fetch_sub(d, 1, kRelaxed);
}

__global__ void sets_bits(unsigned* u, long* l, unsigned long long* ull) {
  __nv_atomic_or(u, 1u << threadIdx.x % 32, kRelaxed);
  __nv_atomic_fetch_and(l, ~(1L << threadIdx.x), kRelaxed);
  __nv_atomic_fetch_xor(ull, 1ull << threadIdx.x, kRelaxed);
}

__global__ void compares(int* low, unsigned* high, long long* lowest) {
  __nv_atomic_fetch_min(low, static_cast<int>(threadIdx.x) - 40, kRelaxed);
  __nv_atomic_max(high, threadIdx.x + 0x80000000u, kRelaxed);
  __nv_atomic_min(lowest, -static_cast<long long>(threadIdx.x) << 33, kRelaxed);
}

// Each thread alone: what they return is the value before.
__global__ void returns_what_was_there(int* values, int* before) {
  int* const mine = &values[4 * threadIdx.x];
  int* const out = &before[4 * threadIdx.x];
  out[0] = __nv_atomic_fetch_sub(&mine[0], 1, kRelaxed);
  out[1] = __nv_atomic_exchange_n(&mine[1], 7, kRelaxed);
  int expected = mine[2];
  out[2] = __nv_atomic_compare_exchange_n(&mine[2], &expected, 9, false, kRelaxed, kRelaxed);
  expected = -1;
  const bool exchanged = __nv_atomic_compare_exchange_n(&mine[3], &expected, 9, true,
                                                        __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_ACQUIRE);
  out[3] = exchanged ? -1 : expected;
}

__global__ void wraps(int* i) {
  __nv_atomic_add(i, INT_MAX, kRelaxed);
}

// ---- loads, stores and exchanges of several types ----

__global__ void moves(unsigned char* bytes, short* halves, float* reals, Pair* pairs) {
  const unsigned i = threadIdx.x;
  __nv_atomic_store_n(&bytes[i + 1], __nv_atomic_load_n(&bytes[0], kRelaxed), kRelaxed);
  __nv_atomic_store_n(&halves[i + 1], __nv_atomic_load_n(&halves[0], kRelaxed), kRelaxed);
  float real;
  __nv_atomic_load(&reals[0], &real, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_store(&reals[i + 1], &real, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  Pair pair{3, 4};
  Pair before;
  __nv_atomic_exchange(&pairs[i], &pair, &before, kRelaxed);
  Pair wanted{3, 4};
  Pair last{before.first + 1, before.second + 1};
  const bool exchanged =
      __nv_atomic_compare_exchange(&pairs[i], &wanted, &last, false, kRelaxed, kRelaxed);
  if (!exchanged) pairs[i] = {};
}

__global__ void compares_halves(short* halves, int* results) {
  short expected = 5;
  results[0] = __nv_atomic_compare_exchange_n(&halves[0], &expected, static_cast<short>(6), false,
                                              kRelaxed, kRelaxed);
  expected = 1;
  results[1] = __nv_atomic_compare_exchange_n(&halves[0], &expected, static_cast<short>(7), false,
                                              kRelaxed, kRelaxed);
  results[2] = expected;
}

// ---- what they count ----

__global__ void loads_and_stores(int* x) {
  __nv_atomic_store_n(&x[threadIdx.x], __nv_atomic_load_n(&x[threadIdx.x], kRelaxed) + 1, kRelaxed);
}
__global__ void adds(int* x) {
  __nv_atomic_add(&x[threadIdx.x], 1, kRelaxed);
}
__global__ void adds_in_shared(int* x) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  __nv_atomic_add(&sum, 1, kRelaxed, __NV_THREAD_SCOPE_BLOCK);
  __syncthreads();
  if (threadIdx.x == 0) *x = sum;
}

// ---- what they order ----

// The first thread fills, then sets a flag in shared memory that the other warp waits for.
template <int release>
__global__ void passes_a_flag(const float* x, float* y) {
  __shared__ float value;
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = x[0];
    __nv_atomic_store_n(&flag, 1, release, __NV_THREAD_SCOPE_BLOCK);
  }
  if (threadIdx.x == 32) {
    while (__nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK) == 0) {
    }
    y[0] = value;
  }
}

// The block that comes last sums what the others have left.
template <int order, int scope>
__global__ void sums_last(int* count, float* parts, float* sum) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = 1;
  const int before = __nv_atomic_fetch_add(count, 1, order, scope);
  if (before != static_cast<int>(gridDim.x) - 1) return;
  float all = 0;
  for (unsigned i = 0; i < gridDim.x; ++i)
    all += parts[i];
  *sum = all;
}

// The same by a fence.
template <int order>
__global__ void sums_last_with_a_fence(int* count, float* parts, float* sum) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = 1;
  __nv_atomic_thread_fence(order, __NV_THREAD_SCOPE_DEVICE);
  const int before = __nv_atomic_fetch_add(count, 1, kRelaxed, __NV_THREAD_SCOPE_DEVICE);
  if (before != static_cast<int>(gridDim.x) - 1) return;
  __nv_atomic_thread_fence(order, __NV_THREAD_SCOPE_DEVICE);
  float all = 0;
  for (unsigned i = 0; i < gridDim.x; ++i)
    all += parts[i];
  *sum = all;
}

constexpr int kAddedPastTheEnd = __LINE__ + 2;
__global__ void adds_past_the_end(int* x) {
  __nv_atomic_add(&x[4], 1, kRelaxed);
}

}  // namespace

TEST_SUITE("compiler_atomics") {
  TEST_CASE("sums and differences of every type") {
    const DeviceArray<int> i = zeros<int>(1);
    const DeviceArray<unsigned> u = zeros<unsigned>(1);
    const DeviceArray<unsigned long> ul = zeros<unsigned long>(1);
    const DeviceArray<float> f = zeros<float>(1);
    const DeviceArray<double> d = zeros<double>(1);
    computes<<<2, kThreads>>>(i.get(), u.get(), ul.get(), f.get(), d.get());
    CHECK(i.host()[0] == 2 * 128);
    CHECK(u.host()[0] == 3 * 128u);
    CHECK(ul.host()[0] == 0ul - 128);
    CHECK(f.host()[0] == 64.0f);
    CHECK(d.host()[0] == -128.0);
    const DeviceArray<int> top(std::vector<int>{INT_MAX});
    wraps<<<1, 1>>>(top.get());
    CHECK(top.host()[0] == -2);
  }

  TEST_CASE("bits, minima and maxima") {
    const DeviceArray<unsigned> u = zeros<unsigned>(1);
    const DeviceArray<long> l(std::vector<long>{-1});
    const DeviceArray<unsigned long long> ull(std::vector<unsigned long long>{~0ull});
    sets_bits<<<1, 48>>>(u.get(), l.get(), ull.get());
    CHECK(u.host()[0] == ~0u);
    CHECK(l.host()[0] == -1L << 48);
    CHECK(ull.host()[0] == ~0ull << 48);
    const DeviceArray<int> low = zeros<int>(1);
    const DeviceArray<unsigned> high = zeros<unsigned>(1);
    const DeviceArray<long long> lowest = zeros<long long>(1);
    compares<<<1, kThreads>>>(low.get(), high.get(), lowest.get());
    CHECK(low.host()[0] == -40);
    CHECK(high.host()[0] == 0x80000000u + 63);
    CHECK(lowest.host()[0] == -(63ll << 33));
  }

  TEST_CASE("they return what was there before") {
    const DeviceArray<int> values(std::vector<int>{10, 11, 12, 13});
    const DeviceArray<int> before = zeros<int>(4);
    returns_what_was_there<<<1, 1>>>(values.get(), before.get());
    CHECK(values.host() == std::vector<int>{9, 7, 9, 13});
    CHECK(before.host() == std::vector<int>{10, 11, 1, 13});
  }

  TEST_CASE("loads, stores and exchanges of values of 1 to 8 bytes") {
    const DeviceArray<unsigned char> bytes(std::vector<unsigned char>{200, 0, 0});
    const DeviceArray<short> halves(std::vector<short>{-5, 0, 0});
    const DeviceArray<float> reals(std::vector<float>{1.5f, 0, 0});
    const DeviceArray<Pair> pairs(std::vector<Pair>{{1, 2}, {5, 6}});
    moves<<<1, 2>>>(bytes.get(), halves.get(), reals.get(), pairs.get());
    CHECK(bytes.host() == std::vector<unsigned char>{200, 200, 200});
    CHECK(halves.host() == std::vector<short>{-5, -5, -5});
    CHECK(reals.host() == std::vector<float>{1.5f, 1.5f, 1.5f});
    const std::vector<Pair> last = pairs.host();
    CHECK(last[0].first == 2);
    CHECK(last[0].second == 3);
    CHECK(last[1].first == 6);
    CHECK(last[1].second == 7);
    const DeviceArray<short> few(std::vector<short>{5, 0});
    const DeviceArray<int> results = zeros<int>(3);
    compares_halves<<<1, 1>>>(few.get(), results.get());
    CHECK(results.host() == std::vector<int>{1, 0, 6});
    CHECK(few.host() == std::vector<short>{6, 0});
  }

  TEST_CASE("loads count as loads, stores as stores, all else as atomic operations") {
    const DeviceArray<int> x = zeros<int>(kThreads);
    loads_and_stores<<<1, kThreads>>>(x.get());
    CHECK(simt::last_launch().global_loads.requests == 2);
    CHECK(simt::last_launch().global_stores.requests == 2);
    CHECK(simt::last_launch().global_stores.sectors == 8);
    CHECK(simt::last_launch().global_atomics.requests == 0);
    adds<<<1, kThreads>>>(x.get());
    CHECK(simt::last_launch().global_atomics.requests == 2);
    CHECK(simt::last_launch().global_atomics.elements == kThreads);
    CHECK(simt::last_launch().global_loads.requests == 0);
    CHECK(x.host() == std::vector<int>(kThreads, 2));
    adds_in_shared<<<1, kThreads>>>(x.get());
    CHECK(simt::last_launch().shared_atomics.requests == 2);
    CHECK(x.host()[0] == kThreads);
  }

  TEST_CASE("what releases and acquires orders the threads of a block") {
    Mistakes mistakes;
    const DeviceArray<float> x(std::vector<float>{4});
    passes_a_flag<__NV_ATOMIC_RELEASE><<<1, kThreads>>>(x.get(), mistakes.y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(mistakes.y.host()[0] == 4);
    passes_a_flag<__NV_ATOMIC_RELAXED><<<1, kThreads>>>(x.get(), mistakes.y.get());
    CHECK(mistakes.take_kinds().find("shared-race") != std::string::npos);
  }

  TEST_CASE("between blocks, an order and a scope that reach them, or a fence") {
    Mistakes mistakes;
    const auto finds = [&](auto kernel) {
      const DeviceArray<int> count = zeros<int>(1);
      kernel<<<4, 32>>>(count.get(), mistakes.x.get(), mistakes.y.get());
      return mistakes.take_kinds();
    };
    constexpr int kBoth = __NV_ATOMIC_ACQ_REL;
    CHECK(finds(sums_last<kBoth, __NV_THREAD_SCOPE_DEVICE>).empty());
    CHECK(mistakes.y.host()[0] == 4);
    CHECK(finds(sums_last<__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM>).empty());
    CHECK(finds(sums_last<kRelaxed, __NV_THREAD_SCOPE_DEVICE>) != "");
    CHECK(finds(sums_last<kBoth, __NV_THREAD_SCOPE_BLOCK>) != "");
    CHECK(finds(sums_last_with_a_fence<kBoth>).empty());
    CHECK(finds(sums_last_with_a_fence<kRelaxed>) != "");
  }

  TEST_CASE("an operation past the end is found at its line") {
    Mistakes mistakes;
    const DeviceArray<int> x = zeros<int>(4);
    adds_past_the_end<<<1, 1>>>(x.get());
    const std::string line = "compiler_atomics.cu:" + std::to_string(kAddedPastTheEnd);
    CHECK(mistakes.mentions(line.c_str()));
    CHECK(mistakes.take_kinds() == "global-out-of-bounds ");
  }
}
