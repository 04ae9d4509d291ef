// Kernels that fault or give up: the launch ends as on a device, the finding names the thread and
// its line, and the next launch runs.

#undef NDEBUG
#include <cassert>
#include <cstdint>
#include <cstdlib>

#include "simt/tests/checkers/mistakes.h"

namespace {

constexpr int kTheThread = 37;

template <Version version>
__global__ void wild_pointer(float* y) {
  float* to = y + threadIdx.x;
  if (version == kMistaken && threadIdx.x == kTheThread) {
    to = reinterpret_cast<float*>(std::uintptr_t{1} << 45);
  }
  *to = 1.0f;
}

template <Version version>
__global__ void divides_by_zero(int* y, int zero) {
  const int divisor = threadIdx.x == kTheThread ? zero + (version == kCorrect) : 3;
  y[threadIdx.x] = 100 / divisor;
}

template <Version version>
__global__ void asserts(float* y) {
  assert(threadIdx.x != kTheThread || version == kCorrect);
  y[threadIdx.x] = 1.0f;
}

template <Version version>
__global__ void traps(float* y) {
  if (version == kMistaken && threadIdx.x == kTheThread) __trap();
  y[threadIdx.x] = 1.0f;
}

template <Version version>
__global__ void aborts([[maybe_unused]] float* y) {
  if (version == kMistaken && threadIdx.x == kTheThread) std::abort();
  y[threadIdx.x] = 1.0f;
}

__noinline__ __device__ float sum_to(int n) {
  volatile float mine = n;
  return n == 0 ? 0.0f : mine + sum_to(n - 1);
}

template <Version version>
__global__ void recurses(float* y) {
  y[threadIdx.x] = sum_to(version == kMistaken && threadIdx.x == kTheThread ? 1 << 20 : 100);
}

template <Version version>
__global__ void large_local_array(float* y, int at) {
  constexpr int kElements = version == kCorrect ? 4096 : 65536;
  volatile float values[kElements];
  values[at] = 1.0f;
  y[threadIdx.x] = values[at];
}

__global__ void all_crash(int* y) {
  assert(y == nullptr);
}

struct Crashes : Mistakes {
  DeviceArray<int> numbers = zeros<int>(1024);
};

}  // namespace

TEST_SUITE_BEGIN("crashes");

TEST_CASE_FIXTURE(Crashes, "stores through a wild pointer") {
  wild_pointer<kMistaken><<<1, 64>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(mentions("crashes.cu:"));
  CHECK(mentions("in kernel wild_pointer<kMistaken>, block (0,0,0), thread (37,0,0)"));
  CHECK(take_kinds() == "illegal-address ");
  wild_pointer<kCorrect><<<1, 64>>>(y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[63] == 1.0f);
}

#if defined(__x86_64__)  // other processors go on
TEST_CASE_FIXTURE(Crashes, "divides by zero") {
  divides_by_zero<kMistaken><<<1, 64>>>(numbers.get(), 0);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(mentions("crashes.cu:"));
  CHECK(mentions("thread (37,0,0)"));
  CHECK(take_kinds() == "division-by-zero ");
  divides_by_zero<kCorrect><<<1, 64>>>(numbers.get(), 0);
  CHECK(take_kinds().empty());
}
#endif

TEST_CASE_FIXTURE(Crashes, "fails an assertion") {
  asserts<kMistaken><<<1, 64>>>(y.get());
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
  CHECK(cudaGetLastError() == cudaErrorAssert);
  CHECK(mentions("crashes.cu:"));
  CHECK(mentions("assertion 'threadIdx.x != kTheThread || version == kCorrect' failed"));
  CHECK(mentions("thread (37,0,0)"));
  CHECK(take_kinds() == "assertion ");
  asserts<kCorrect><<<1, 64>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Crashes, "traps") {
  traps<kMistaken><<<1, 64>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(mentions("thread (37,0,0)"));
  CHECK(take_kinds() == "trap ");
  traps<kCorrect><<<1, 64>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Crashes, "aborts") {
  aborts<kMistaken><<<1, 64>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(mentions("crashes.cu:"));  // although abort() is a library's
  CHECK(mentions("thread (37,0,0)"));
  CHECK(take_kinds() == "abort ");
  aborts<kCorrect><<<1, 64>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Crashes, "recurses without end") {
  recurses<kMistaken><<<1, 64>>>(y.get());
  CHECK(cudaGetLastError() == cudaErrorHardwareStackError);
  CHECK(mentions("crashes.cu:"));
  CHECK(mentions("thread (37,0,0)"));
  CHECK(take_kinds() == "stack-overflow ");
  recurses<kCorrect><<<1, 64>>>(y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[0] == 5050.0f);
}

TEST_CASE_FIXTURE(Crashes, "has local variables that are larger than its stack") {
  large_local_array<kMistaken><<<1, 64>>>(y.get(), 5);
  CHECK(cudaGetLastError() == cudaErrorHardwareStackError);
  CHECK(mentions("65536 bytes"));
  CHECK(take_kinds() == "stack-overflow ");
  large_local_array<kCorrect><<<1, 64>>>(y.get(), 5);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Crashes, "leaves the executor fit for the next launch, whoever ran it") {
  for (int workers = 1; workers <= 3; ++workers) {
    const Workers these(workers);
    for (int i = 0; i < 5; ++i) {
      all_crash<<<16, 64>>>(numbers.get());
      CHECK(cudaGetLastError() == cudaErrorAssert);
      recurses<kMistaken><<<16, 64>>>(y.get());
      CHECK(cudaGetLastError() == cudaErrorHardwareStackError);
      simt::clear_findings();
      asserts<kCorrect><<<1, 64>>>(y.get());
      CHECK(take_kinds().empty());
      CHECK(simt::last_launch().global_stores.requests ==
            2);  // nothing is left of the crashed ones
      CHECK(cudaGetLastError() == cudaSuccess);
    }
  }
}

TEST_SUITE_END();
