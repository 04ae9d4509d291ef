// Barriers, pipelines and atomic objects of libcu++ in shared memory: what they order, what arrives
// when, and which mistakes are found.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "simt/tests/checkers/mistakes.h"

namespace {

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr unsigned kThreads = 128;

// ---- barriers ----

enum class Exchange { kBarrier, kNone, kTooEarly };

// Each thread reads what its neighbour stored: three rounds, so that phases follow each other.
template <Exchange exchange>
__global__ void rotates(const float* x, float* y) {
  __shared__ Barrier barrier;
  __shared__ float s[kThreads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  float mine = x[threadIdx.x];
  for (int round = 0; round < 3; ++round) {
    if (exchange == Exchange::kTooEarly) {
      auto token = barrier.arrive();
      s[threadIdx.x] = mine;
      barrier.wait(std::move(token));
    } else {
      s[threadIdx.x] = mine;
      if (exchange == Exchange::kBarrier) barrier.arrive_and_wait();
    }
    mine = s[(threadIdx.x + 33) % kThreads];
    barrier.arrive_and_wait();
  }
  y[threadIdx.x] = mine;
}

// The first warp fills, the others sum: neither ever meets all threads.
template <Version version>
__global__ void hands_over(const float* x, float* y) {
  __shared__ Barrier full;
  __shared__ Barrier empty;
  __shared__ float s[32];
  if (threadIdx.x == 0) {
    init(&full, kThreads);
    init(&empty, kThreads);
  }
  __syncthreads();
  float sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    if (threadIdx.x < 32) {
      if (round > 0 && version == kCorrect) empty.arrive_and_wait();
      s[threadIdx.x] = x[32 * round + threadIdx.x];
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      for (float value : s)
        sum += value;
      if (round < 3) (void)empty.arrive();
    }
  }
  if (threadIdx.x >= 32) y[threadIdx.x] = sum;
}

// One lane of a warp waits for all of it.
__global__ void one_lane_waits(const float* x, float* y) {
  __shared__ Barrier barrier;
  __shared__ float s[kThreads];
  if (threadIdx.x == 0) init(&barrier, kThreads / 32);
  __syncthreads();
  s[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  if (threadIdx.x % 32 == 0) barrier.arrive_and_wait();
  __syncwarp();
  y[threadIdx.x] = s[(threadIdx.x + 33) % kThreads];
}

__global__ void drops_out(float* y) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  if (threadIdx.x >= 32) {
    barrier.arrive_and_drop();
    return;
  }
  barrier.arrive_and_wait();
  barrier.arrive_and_wait();
  y[32 * blockIdx.x + threadIdx.x] = 1.0f;
}

struct AddOne {
  int* count;
  __device__ void operator()() { ++*count; }
};

__global__ void completes(float* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block, AddOne> barrier;
  __shared__ int count;
  if (threadIdx.x == 0) {
    count = 0;
    init(&barrier, kThreads, AddOne{&count});
  }
  __syncthreads();
  for (int phase = 1; phase <= 3; ++phase) {
    barrier.arrive_and_wait();
    if (threadIdx.x == 40) y[phase] = static_cast<float>(count);
    barrier.arrive_and_wait();
  }
}

// ---- copies and pipelines ----

template <Version version>
__global__ void copies_for_a_barrier(const float* x, float* y) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) float s[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, kThreads);
  block.sync();
  cuda::memcpy_async(block, s, x, cuda::aligned_size_t<16>(sizeof s), barrier);
  auto token = barrier.arrive();
  if (version == kCorrect) barrier.wait(std::move(token));
  y[threadIdx.x] = s[threadIdx.x];
}

// Two stages ahead; each thread reads what another copied.
template <Version version>
__global__ void runs_a_pipeline(const float* x, float* y) {
  constexpr unsigned kStages = 2;
  constexpr unsigned kRounds = 6;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ alignas(16) float s[kStages][kThreads];
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (unsigned filled = 0, round = 0; round < kRounds; ++round) {
    for (; filled < kRounds && filled < round + kStages; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[filled % kStages], x + 16 * filled, sizeof s[0], pipe);
      pipe.producer_commit();
    }
    if (version == kCorrect) pipe.consumer_wait();
    sum += s[round % kStages][kThreads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
  y[threadIdx.x] = sum;
}

// The first warp copies what the others read.
template <Version version>
__global__ void runs_a_pipeline_of_roles(const float* x, float* y) {
  constexpr unsigned kRounds = 5;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) float s[2][32];
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state, std::size_t{32});
  float sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    if (threadIdx.x < 32) {
      if (version == kCorrect || round < 2) pipe.producer_acquire();
      cuda::memcpy_async(&s[round % 2][threadIdx.x], &x[16 * round + threadIdx.x], sizeof(float),
                         pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (unsigned i = 0; i < 32; ++i)
        sum += s[round % 2][i];
      pipe.consumer_release();
    }
  }
  if (threadIdx.x >= 32) y[threadIdx.x] = sum;
}

template <Version version>
__global__ void runs_its_own_pipeline(const float* x, float* y) {
  __shared__ float s[2][kThreads];
  auto pipe = cuda::make_pipeline();
  for (unsigned stage = 0; stage < 2; ++stage) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[stage][threadIdx.x], &x[kThreads * stage + threadIdx.x], sizeof(float),
                       pipe);
    pipe.producer_commit();
  }
  float sum = 0;
  for (unsigned stage = 0; stage < 2; ++stage) {
    if (version == kCorrect || stage == 0) pipe.consumer_wait();
    sum += s[stage][threadIdx.x];
    pipe.consumer_release();
  }
  y[threadIdx.x] = sum;
}

__global__ void copies_with_a_group(const float* x, float* y) {
  __shared__ alignas(16) float s[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, x, sizeof s);
  cg::wait(block);
  y[threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}

// Nobody can copy 3 bytes in pieces of 4: they come at once.
__global__ void copies_bytes(const char* x, char* y) {
  __shared__ char s[3];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, x, sizeof s);
  cg::wait(block);
  if (threadIdx.x < 3) y[threadIdx.x] = s[2 - threadIdx.x];
}

// ---- mistakes with the objects ----

__global__ void uses_what_nobody_made() {
  __shared__ Barrier barrier;
  barrier.arrive_and_wait();
}
__global__ void uses_it_before_all_know() {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  barrier.arrive_and_wait();
}
__global__ void makes_one_of(std::ptrdiff_t arrivals) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, arrivals);
}
__global__ void arrives_too_often() {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, 2);
  __syncthreads();
  if (threadIdx.x == 0) (void)barrier.arrive(3);
}
__global__ void makes_it_twice() {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, 2);
    (void)barrier.arrive();
    init(&barrier, 2);
  }
}
__global__ void expects_too_many() {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x + 1);
  __syncthreads();
  barrier.arrive_and_wait();
}
__global__ void has_it_in_global_memory(Barrier* barrier) {
  init(barrier, 1);
}

// ---- atomic objects ----

template <cuda::std::memory_order order>
__global__ void passes_a_flag(const float* x, float* y) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
  __shared__ float s[32];
  if (threadIdx.x == 0) flag.store(0, cuda::std::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x < 32) {
    s[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) flag.store(1, order);
  } else {
    while (flag.load(cuda::std::memory_order_acquire) == 0) {
    }
    y[threadIdx.x] = s[threadIdx.x % 32];
  }
}

__global__ void operates(int* integer, float* real, unsigned* word, short* narrow) {
  cuda::atomic_ref<int, cuda::thread_scope_device> i(*integer);
  i += 2;
  --i;
  i.fetch_max(static_cast<int>(threadIdx.x));
  cuda::atomic_ref<float> f(*real);
  f.fetch_add(0.5f);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> w(*word);
  w.fetch_or(1u << threadIdx.x % 32, cuda::memory_order_relaxed);
  cuda::atomic_ref<short> n(*narrow);
  short expected = n.load();
  while (!n.compare_exchange_weak(expected, static_cast<short>(expected + 1))) {
  }
}

// ---- tries ----

// In each phase the first thread arrives once it has tried so often; the others wait.
template <int>
__global__ void gives_up(int* y, int tries, unsigned phases) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();
  for (unsigned phase = 0; phase < phases; ++phase) {
    for (int i = 0; i < tries && threadIdx.x == 0; ++i)
      y[0] += ptx::mbarrier_try_wait_parity(&barrier, phase % 2, 1000u) ? 1000000 : 1;
    if (threadIdx.x == 0) ptx::mbarrier_arrive(&barrier);
    while (!ptx::mbarrier_try_wait_parity(&barrier, phase % 2)) {
    }
  }
}

// The same of libcu++'s object, which expects a second arrival.
template <int>
__global__ void arrives_again(int* y) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, 2);
  __syncthreads();
  if (threadIdx.x != 0) return;
  Barrier::arrival_token token = barrier.arrive();
  if (!barrier.try_wait_parity(false) && !barrier.try_wait(std::move(token))) {
    token = barrier.arrive();
    y[0] = 1;
  }
  if (barrier.try_wait(std::move(token))) y[0] += 2;
}

// Nobody ever arrives.
template <bool votes>
__global__ void tries_for_ever() {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 3);
  __syncthreads();
  if (threadIdx.x == 0) ptx::mbarrier_arrive(&barrier);
  bool passed = false;
  while (!passed) {
    passed = ptx::mbarrier_try_wait_parity(&barrier, 0);
    if (votes) passed = __syncthreads_or(passed) != 0;
  }
}

std::vector<float> ascending(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace

TEST_SUITE("async_barriers") {
  TEST_CASE("phases of a barrier order stores and loads") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(kThreads));
    DeviceArray<float> y = zeros<float>(kThreads);
    rotates<Exchange::kBarrier><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().empty());
    const std::vector<float> rotated = y.host();
    for (unsigned i = 0; i < kThreads; ++i)
      CHECK(rotated[i] == static_cast<float>((i + 3 * 33) % kThreads));
    rotates<Exchange::kNone><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().find("shared-race") != std::string::npos);
    rotates<Exchange::kTooEarly><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().find("shared-race") != std::string::npos);
  }

  TEST_CASE("some threads hand over to others") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(kThreads));
    DeviceArray<float> y = zeros<float>(kThreads);
    hands_over<kCorrect><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host()[32] == 127.0f * 128 / 2);
    CHECK(y.host()[127] == 127.0f * 128 / 2);
  }

  TEST_CASE("a lane's wait orders its warp") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(kThreads));
    DeviceArray<float> y = zeros<float>(kThreads);
    one_lane_waits<<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host()[0] == 33.0f);
  }

  TEST_CASE("threads drop out, and a function ends each phase") {
    Mistakes mistakes;
    DeviceArray<float> y = zeros<float>(kThreads);
    drops_out<<<2, kThreads>>>(y.get());
    CHECK(y.host()[63] == 1.0f);
    CHECK(mistakes.take_kinds().empty());
    completes<<<1, kThreads>>>(y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host()[1] == 1.0f);
    CHECK(y.host()[2] == 3.0f);
    CHECK(y.host()[3] == 5.0f);
  }

  TEST_CASE("copies arrive with the phase that they belong to") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(2 * kThreads));
    DeviceArray<float> y = zeros<float>(kThreads);
    copies_for_a_barrier<kCorrect><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host() == ascending(kThreads));
    CHECK(simt::last_launch().async_copy_bytes == 4 * kThreads);
    copies_for_a_barrier<kMistaken><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.mentions("has not waited for"));
    CHECK(mistakes.take_kinds().find("async-barrier") != std::string::npos);
  }

  TEST_CASE("a pipeline of all threads, of roles, and of one thread") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(2 * kThreads));
    DeviceArray<float> y = zeros<float>(kThreads);
    runs_a_pipeline<kCorrect><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host()[0] == 6 * 127.0f + 16 * (0 + 1 + 2 + 3 + 4 + 5));
    runs_a_pipeline_of_roles<kCorrect><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host()[32] == 5 * 31.0f * 32 / 2 + 32 * 16 * (0 + 1 + 2 + 3 + 4));
    runs_its_own_pipeline<kCorrect><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds().empty());
    CHECK(y.host()[5] == 5.0f + 133.0f);
    runs_a_pipeline<kMistaken><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds() ==
          "async-barrier shared-race shared-race uninitialized-shared-read ");
    runs_a_pipeline_of_roles<kMistaken><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.mentions("another has followed"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    runs_its_own_pipeline<kMistaken><<<1, kThreads>>>(x.get(), y.get());
    CHECK(mistakes.take_kinds() == "async-barrier ");
  }

  TEST_CASE("copies of a group") {
    Mistakes mistakes;
    const DeviceArray<float> x(ascending(kThreads));
    DeviceArray<float> y = zeros<float>(kThreads);
    copies_with_a_group<<<1, kThreads>>>(x.get(), y.get());
    CHECK(y.host()[0] == 127.0f);
    const DeviceArray<char> from(std::vector<char>{'a', 'b', 'c'});
    DeviceArray<char> to = zeros<char>(3);
    copies_bytes<<<1, 32>>>(from.get(), to.get());
    CHECK(to.host() == std::vector<char>{'c', 'b', 'a'});
    CHECK(mistakes.take_kinds().empty());
  }

  TEST_CASE("objects that are not made, made badly, or used in vain") {
    Mistakes mistakes;
    uses_what_nobody_made<<<1, kThreads>>>();
    CHECK(mistakes.mentions("no thread has initialized"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    uses_it_before_all_know<<<1, kThreads>>>();
    CHECK(mistakes.take_kinds().find("shared-race") != std::string::npos);
    makes_one_of<<<1, 1>>>(0);
    CHECK(mistakes.mentions("0 arrivals: it takes 1 to 1048575"));
    mistakes.take_kinds();
    makes_one_of<<<1, 1>>>(1 << 20);
    CHECK(mistakes.mentions("1048576 arrivals"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    arrives_too_often<<<1, kThreads>>>();
    CHECK(mistakes.mentions("3 arrivals at a barrier that expects 2 more in this phase, of 2"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    makes_it_twice<<<1, 1>>>();
    CHECK(mistakes.mentions("initialized again while 1 of 2"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    expects_too_many<<<1, kThreads>>>();
    CHECK(mistakes.mentions("128 of 129 have arrived"));
    CHECK(mistakes.take_kinds() == "deadlock ");
    has_it_in_global_memory<<<1, 1>>>(reinterpret_cast<Barrier*>(mistakes.x.get()));
    CHECK(mistakes.mentions("does not lie in the block's shared memory"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    cudaGetLastError();
  }

  TEST_CASE("a try fails if nobody can go on otherwise") {
    Mistakes mistakes;
    const DeviceArray<int> y = zeros<int>(1);
    gives_up<0><<<1, kThreads>>>(y.get(), 1, 1);
    CHECK(y.host()[0] == 1);
    gives_up<0><<<1, kThreads>>>(y.get(), 600, 3);
    CHECK(y.host()[0] == 1 + 3 * 600);
    const DeviceArray<int> z = zeros<int>(1);
    arrives_again<0><<<1, kThreads>>>(z.get());
    CHECK(z.host()[0] == 3);
    CHECK(mistakes.take_kinds().empty());
  }

  TEST_CASE("tries that all fail for ever are a deadlock") {
    Mistakes mistakes;
    for (const auto kernel : {tries_for_ever<false>, tries_for_ever<true>}) {
      kernel<<<1, kThreads>>>();
      CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
      CHECK(mistakes.mentions("the block cannot go on"));
      CHECK(mistakes.mentions("at a barrier in shared memory where 1 of 3 have arrived"));
      CHECK(mistakes.mentions(": 128 threads, 0 to 127"));
      CHECK(mistakes.take_kinds() == "deadlock ");
    }
  }

  TEST_CASE("a flag orders what is released with it, and nothing else") {
    Mistakes mistakes;
    float* const x = mistakes.x.get();
    float* const y = mistakes.y.get();
    passes_a_flag<cuda::std::memory_order_release><<<1, kThreads>>>(x, y);
    CHECK(mistakes.take_kinds().empty());
    passes_a_flag<cuda::std::memory_order_relaxed><<<1, kThreads>>>(x, y);
    CHECK(mistakes.take_kinds().find("shared-race") != std::string::npos);
  }

  TEST_CASE("atomic operations on values of several types, on the device and by the host") {
    DeviceArray<int> integer = zeros<int>(1);
    DeviceArray<float> real = zeros<float>(1);
    DeviceArray<unsigned> word = zeros<unsigned>(1);
    DeviceArray<short> narrow = zeros<short>(2);
    operates<<<4, 64>>>(integer.get(), real.get(), word.get(), narrow.get());
    CHECK(real.host()[0] == 128.0f);
    CHECK(word.host()[0] == 0xffffffffu);
    CHECK(narrow.host()[0] == 256);
    CHECK(integer.host()[0] >= 256);
    // Two of the int, one of each other; a compare-and-swap is one, and its load is a load.
    CHECK(simt::last_launch().global_atomics.requests >= 8 * 6);
    CHECK(simt::last_launch().global_loads.requests == 8);
    cuda::atomic<int> host(5);
    CHECK(host.fetch_add(2) == 5);
    CHECK(host == 7);
    CHECK(host.fetch_min(3) == 7);
    CHECK(++host == 4);
  }
}
