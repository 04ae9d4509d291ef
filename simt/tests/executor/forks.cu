// A process is copied, with fork(): the copy launches kernels of its own, with threads of its own,
// also where another thread was in the middle of a launch or of an allocation.

#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "simt/tests/support/device_array.h"

namespace {

constexpr int kBlocks = 64;
constexpr int kThreads = 64;
constexpr int kRounds = 2000;

__global__ void count_rounds(unsigned* rounds, int last) {
  for (int i = 0; i < last; ++i) {
    ++rounds[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
  }
}

// After the launch it waits until it may go on.
bool counts_right(int rounds, const std::atomic<bool>& may_go_on = true) {
  const DeviceArray<unsigned> counted = zeros<unsigned>(kBlocks * kThreads);
  count_rounds<<<kBlocks, kThreads>>>(counted.get(), rounds);
  while (!may_go_on)
    std::this_thread::yield();
  if (cudaDeviceSynchronize() != cudaSuccess) return false;
  for (const unsigned one : counted.host()) {
    if (one != static_cast<unsigned>(rounds)) return false;
  }
  return true;
}

// The child ends with 0 if all was well, and by a signal if it waits for ever.
bool child_counts_right() {
  constexpr unsigned kSeconds = 60;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    const bool is_right = counts_right(5) && counts_right(5);
    _exit(is_right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_SUITE("forks") {
  TEST_CASE("between launches") {
    for (int workers = 1; workers <= 3; ++workers) {
      const Workers these(workers);
      CHECK(counts_right(2));
      CHECK(child_counts_right());
      CHECK(counts_right(2));
    }
  }

  TEST_CASE("while another thread launches") {
    const Workers these(3);
    bool is_right = false;
    std::atomic<bool> is_copied = false;
    std::thread other([&] { is_right = counts_right(kRounds, is_copied); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(child_counts_right());
    is_copied = true;
    other.join();
    CHECK(is_right);
  }

// AddressSanitizer of GCC 12 leaves its own allocator locked in the copy.
#ifndef __SANITIZE_ADDRESS__
  TEST_CASE("while another thread allocates, copies and frees") {
    std::atomic<bool> is_copied = false;
    std::thread other([&] {
      while (!is_copied)
        static_cast<void>(zeros<unsigned>(100).host());
    });
    for (int i = 0; i < 20; ++i)
      CHECK(child_counts_right());
    is_copied = true;
    other.join();
  }
#endif
}
