// Copies that a thread starts now and waits for later (cp.async): what arrives when, and what
// counts.

#include <cuda_pipeline.h>

#include <string>
#include <vector>

#include "simt/tests/checkers/mistakes.h"

namespace {

constexpr unsigned kThreads = 128;

// Each thread copies `Piece` by `Piece`, and reads what its neighbour copied.
template <typename Piece>
__global__ void copies(const Piece* x, Piece* y) {
  __shared__ Piece s[kThreads];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(Piece));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = s[(threadIdx.x + 1) % kThreads];
}

// Two groups, the second of which may still be under way when the first is read.
__global__ void copies_in_groups(const float* x, float* y) {
  __shared__ float s[2][kThreads];
  __pipeline_memcpy_async(&s[0][threadIdx.x], &x[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][threadIdx.x], &x[kThreads + threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(1);
  y[threadIdx.x] = s[0][threadIdx.x];
  __pipeline_wait_prior(0);
  y[kThreads + threadIdx.x] = s[1][threadIdx.x];
}

__global__ void fills_with_zeros(const float4* x, float4* y) {
  __shared__ float4 s[kThreads];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(float4), 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = s[threadIdx.x];
}

// The same by inline PTX: whole pieces in the first group, and halves in the second.
__global__ void copies_by_ptx(const float4* x, float4* y) {
  __shared__ float4 s[2][kThreads];
  const auto whole = static_cast<unsigned>(__cvta_generic_to_shared(&s[0][threadIdx.x]));
  const auto half = static_cast<unsigned>(__cvta_generic_to_shared(&s[1][threadIdx.x]));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(whole),
               "l"(&x[threadIdx.x]), "n"(16));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;\n" ::"r"(half), "l"(&x[threadIdx.x]),
               "r"(8));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(1));
  y[threadIdx.x] = s[0][threadIdx.x];
  asm volatile("cp.async.wait_all;\n" ::: "memory");
  y[kThreads + threadIdx.x] = s[1][threadIdx.x];
}

template <Version version>
__global__ void reads_before_it_waits(const float* x, float* y) {
  __shared__ float s[kThreads];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(float));
  __pipeline_commit();
  if (version == kCorrect) __pipeline_wait_prior(0);
  y[threadIdx.x] = s[threadIdx.x];
}

template <Version version>
__global__ void waits_for_what_it_has_not_committed(const float* x, float* y) {
  __shared__ float s[kThreads];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(float));
  if (version == kCorrect) __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = s[threadIdx.x];
}

template <Version version>
__global__ void reads_what_others_copied(const float* x, float* y) {
  __shared__ float s[kThreads];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (version == kCorrect) __syncthreads();
  y[threadIdx.x] = s[(threadIdx.x + 32) % kThreads];
}

template <Version version>
__global__ void copies_beyond_the_end(const float* x, float* y) {
  __shared__ float s[kThreads];
  const unsigned to = version == kCorrect ? threadIdx.x : threadIdx.x + 1;
  __pipeline_memcpy_async(&s[to], &x[threadIdx.x], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = 0.0f;
}

__global__ void copies_an_odd_size(const float* x) {
  __shared__ float s[kThreads];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 6);
}

__global__ void copies_to_global_memory(const float* x, float* y) {
  __pipeline_memcpy_async(&y[threadIdx.x], &x[threadIdx.x], sizeof(float));
}

std::vector<float> ascending(std::size_t count) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(i));
  return values;
}

// A launch of one block of `copies`, and what it counts.
template <typename Piece>
simt::Counters count_copies() {
  constexpr std::size_t kFloats = kThreads * sizeof(Piece) / sizeof(float);
  const DeviceArray<float> x(ascending(kFloats));
  DeviceArray<float> y = zeros<float>(kFloats);
  copies<<<1, kThreads>>>(reinterpret_cast<const Piece*>(x.get()),
                          reinterpret_cast<Piece*>(y.get()));
  const std::vector<float> result = y.host();
  constexpr std::size_t kNext = sizeof(Piece) / sizeof(float);
  for (std::size_t i = 0; i < kFloats; ++i) {
    CHECK(result[i] == static_cast<float>((i + kNext) % kFloats));
  }
  return simt::last_launch();
}

}  // namespace

TEST_SUITE("async_copies") {
  TEST_CASE("a copy is a load of global memory, and no store to shared memory") {
    const simt::Counters of_4 = count_copies<float>();
    CHECK(of_4.global_loads.requests == 4);
    CHECK(of_4.global_loads.sectors == 16);
    CHECK(of_4.shared_stores.requests == 0);
    CHECK(of_4.shared_loads.requests == 4);
    const simt::Counters of_8 = count_copies<float2>();
    CHECK(of_8.global_loads.requests == 4);
    CHECK(of_8.global_loads.sectors == 32);
    const simt::Counters of_16 = count_copies<float4>();
    CHECK(of_16.global_loads.requests == 4);
    CHECK(of_16.global_loads.sectors == 64);
    CHECK(of_16.global_loads.elements == of_16.global_stores.elements);
    CHECK(of_16.async_copy_requests == 4);
    CHECK(of_16.async_copy_bytes == 16 * kThreads);
    CHECK(of_16.global_loads.unique_bytes == 16 * kThreads);
  }

  TEST_CASE("groups arrive in their order") {
    const DeviceArray<float> x(ascending(2 * kThreads));
    DeviceArray<float> y = zeros<float>(2 * kThreads);
    copies_in_groups<<<1, kThreads>>>(x.get(), y.get());
    CHECK(y.host() == ascending(2 * kThreads));
  }

  TEST_CASE("zeros arrive for what is not read") {
    const DeviceArray<float> x(ascending(4 * kThreads));
    DeviceArray<float> y = zeros<float>(4 * kThreads);
    fills_with_zeros<<<1, kThreads>>>(reinterpret_cast<const float4*>(x.get()),
                                      reinterpret_cast<float4*>(y.get()));
    const std::vector<float> result = y.host();
    for (std::size_t i = 0; i < result.size(); ++i) {
      CHECK(result[i] == (i % 4 < 2 ? static_cast<float>(i) : 0.0f));
    }
  }

  TEST_CASE("copies by inline PTX") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(4 * kThreads));
    DeviceArray<float> y = zeros<float>(8 * kThreads);
    copies_by_ptx<<<1, kThreads>>>(reinterpret_cast<const float4*>(x.get()),
                                   reinterpret_cast<float4*>(y.get()));
    CHECK(mistakes.take_kinds().empty());
    CHECK(simt::last_launch().async_copy_requests == 8);
    CHECK(simt::last_launch().shared_stores.requests == 0);
    const std::vector<float> result = y.host();
    for (std::size_t i = 0; i < result.size() / 2; ++i) {
      CHECK(result[i] == static_cast<float>(i));
      CHECK(result[4 * kThreads + i] == (i % 4 < 2 ? static_cast<float>(i) : 0.0f));
    }
  }

  TEST_CASE("an array may end where the zeros begin") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(4 * kThreads - 2));
    DeviceArray<float> y = zeros<float>(4 * kThreads);
    fills_with_zeros<<<1, kThreads>>>(reinterpret_cast<const float4*>(x.get()),
                                      reinterpret_cast<float4*>(y.get()));
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host()[4 * kThreads - 3] == static_cast<float>(4 * kThreads - 3));
    CHECK(y.host()[4 * kThreads - 1] == 0.0f);
  }

  TEST_CASE("what is read before it was waited for, or by others before a barrier") {
    Mistakes mistakes;
    float* const x = mistakes.x.get();
    float* const y = mistakes.y.get();
    reads_before_it_waits<kCorrect><<<1, kThreads>>>(x, y);
    waits_for_what_it_has_not_committed<kCorrect><<<1, kThreads>>>(x, y);
    reads_what_others_copied<kCorrect><<<1, kThreads>>>(x, y);
    copies_beyond_the_end<kCorrect><<<1, kThreads>>>(x, y);
    CHECK(mistakes.take_kinds().empty());
    reads_before_it_waits<kMistaken><<<1, kThreads>>>(x, y);
    CHECK(mistakes.take_kinds() == "async-barrier ");
    waits_for_what_it_has_not_committed<kMistaken><<<1, kThreads>>>(x, y);
    CHECK(mistakes.take_kinds() == "async-barrier ");
    reads_what_others_copied<kMistaken><<<1, kThreads>>>(x, y);
    CHECK(mistakes.take_kinds() == "shared-race uninitialized-shared-read ");
    copies_beyond_the_end<kMistaken><<<1, kThreads>>>(x, y);
    CHECK(mistakes.take_kinds() == "shared-out-of-bounds ");
  }

  TEST_CASE("sizes other than 4, 8 and 16 bytes, and other places than shared memory") {
    Mistakes mistakes;
    copies_an_odd_size<<<1, kThreads>>>(mistakes.x.get());
    CHECK(mistakes.mentions("6 bytes"));
    CHECK(mistakes.take_kinds() == "async-copy ");
    copies_to_global_memory<<<1, kThreads>>>(mistakes.x.get(), mistakes.y.get());
    CHECK(mistakes.mentions("shared memory"));
    CHECK(mistakes.take_kinds() == "async-copy ");
  }
}
