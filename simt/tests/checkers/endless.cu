// Kernels that never end: the time limit ends them, and tells where their threads are, or whoever
// started them does. And kernels whose threads wait for each other, and do end.

#include <chrono>
#include <limits>
#include <thread>

#include "simt/executor/interrupt.h"
#include "simt/tests/checkers/mistakes.h"

namespace {

template <Version version>
__global__ void one_thread_loops(const volatile int* stop, float* y) {
  if (threadIdx.x == 5) {
    while (version == kMistaken && *stop == 0) {
    }
  }
  __syncthreads();
  y[threadIdx.x] = 1.0f;
}

// All lanes go on together, so that most of them repeat what the first one did.
template <Version version>
__global__ void all_threads_loop(const volatile int* stop, const float* x, float* y) {
  float sum = 0.0f;
  while (version == kMistaken && *stop == 0) {
    for (int i = 0; i < 16; ++i)
      sum += x[(threadIdx.x + i) % 64];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

template <Version version>
__global__ void never_unlocks(unsigned* lock, float* y) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *y += 1.0f;
    __threadfence();
    if (version == kCorrect) atomicExch(lock, 0);
  }
}

// Each of two lanes waits for what the other does only afterwards.
template <Version version>
__global__ void lanes_wait_for_each_other(unsigned* flags) {
  const unsigned mine = threadIdx.x;
  if (mine > 1) return;
  if (version == kCorrect) atomicExch(&flags[mine], 1);
  while (atomicAdd(&flags[1 - mine], 0) == 0) {
  }
  atomicExch(&flags[mine], 1);
}

constexpr double kShortLimit = 0.3;
constexpr double kUsualLimit = 600;

struct Endless : Mistakes {
  DeviceArray<unsigned> words = zeros<unsigned>(64);
  DeviceArray<int> stop = zeros<int>(1);
  Endless() { simt::set_time_limit(kShortLimit); }
  // However slow the machine is, what ends by itself has the time to do so.
  template <typename Work>
  static void unhurried(const Work& work) {
    simt::set_time_limit(kUsualLimit);
    work();
    simt::set_time_limit(kShortLimit);
  }
  ~Endless() {
    simt::set_time_limit(kUsualLimit);
    simt::set_counting(true);
  }
};

}  // namespace

TEST_SUITE_BEGIN("endless");

TEST_CASE_FIXTURE(Endless, "one thread loops, the others wait for it") {
  for (const bool counting : {true, false}) {
    simt::set_counting(counting);
    one_thread_loops<kMistaken><<<4, 64>>>(stop.get(), y.get());
    CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
    CHECK(mentions("endless.cu:"));
    CHECK(mentions("the launch takes longer than 0.3 s, the time limit"));
    CHECK(mentions("running: thread 5"));
    CHECK(mentions("at the block's barrier, endless.cu:"));
    CHECK(mentions("in kernel one_thread_loops<kMistaken>, block ("));
    CHECK(take_kinds() == "time-limit ");
  }
  simt::set_counting(true);
  unhurried([&] { one_thread_loops<kCorrect><<<1, 64>>>(stop.get(), y.get()); });
  CHECK(take_kinds().empty());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE_FIXTURE(Endless, "a launch that runs plain ends as well") {
  simt::set_counted_time(0);
  for (int i = 0; i < 2; ++i) {
    one_thread_loops<kMistaken><<<4, 64>>>(stop.get(), y.get());
    CHECK(simt::last_launch().launches == (i == 0 ? 1 : 0));
    CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
    CHECK(take_kinds() == "time-limit ");
  }
  simt::set_counted_time(std::numeric_limits<double>::infinity());
}

// Many times, because it depends on which lane the signal meets.
TEST_CASE_FIXTURE(Endless, "all threads loop, with a barrier in each round") {
  const DeviceArray<float> x = zeros<float>(64);
  simt::set_time_limit(0.06);
  for (int i = 0; i < 20; ++i) {
    all_threads_loop<kMistaken><<<1, i % 2 == 0 ? 32 : 64>>>(stop.get(), x.get(), y.get());
    CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
    CHECK(mentions("endless.cu:"));
    CHECK(take_kinds() == "time-limit ");
  }
  unhurried([&] { all_threads_loop<kCorrect><<<1, 64>>>(stop.get(), x.get(), y.get()); });
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Endless, "whoever started a kernel ends it") {
  using Clock = std::chrono::steady_clock;
  const DeviceArray<float> x = zeros<float>(64);
  for (const double limit : {kUsualLimit, 0.0}) {
    simt::set_time_limit(limit);
    Clock::time_point asked;
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      asked = Clock::now();
      simt::interrupt_launches(true);
    });
    all_threads_loop<kMistaken><<<1, 64>>>(stop.get(), x.get(), y.get());
    CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
    user.join();
    CHECK(Clock::now() - asked < std::chrono::seconds(10));
    all_threads_loop<kMistaken><<<1, 64>>>(stop.get(), x.get(), y.get());
    CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);  // those that begin, too
    CHECK(take_kinds().empty());
    simt::interrupt_launches(false);
    all_threads_loop<kCorrect><<<1, 64>>>(stop.get(), x.get(), y.get());
    CHECK(cudaGetLastError() == cudaSuccess);
  }
}

TEST_CASE_FIXTURE(Endless, "blocks wait for a lock that none of them gives back") {
  for (int workers = 1; workers <= 3; ++workers) {
    const Workers these(workers);
    words.zero();
    never_unlocks<kMistaken><<<4, 32>>>(words.get(), y.get());
    CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
    CHECK(mentions("endless.cu:"));
    CHECK(mentions("running: thread 0"));
    CHECK(take_kinds() == "time-limit ");
  }
  words.zero();
  unhurried([&] { never_unlocks<kCorrect><<<4, 32>>>(words.get(), y.get()); });
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Endless, "lanes of one warp wait for each other") {
  lanes_wait_for_each_other<kMistaken><<<1, 32>>>(words.get());
  CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
  CHECK(mentions("thread"));
  CHECK(take_kinds() == "time-limit ");
  words.zero();
  unhurried([&] { lanes_wait_for_each_other<kCorrect><<<1, 32>>>(words.get()); });
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(Endless, "the next launch has its own time") {
  for (int i = 0; i < 3; ++i) {
    one_thread_loops<kMistaken><<<4, 64>>>(stop.get(), y.get());
    CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
    simt::clear_findings();
    unhurried([&] { one_thread_loops<kCorrect><<<1, 64>>>(stop.get(), y.get()); });
    CHECK(take_kinds().empty());
    CHECK(simt::last_launch().global_stores.requests == 2);
  }
}

TEST_SUITE_END();
