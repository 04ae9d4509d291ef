// Races of different blocks on global memory, each beside its correct version; and kernels in which
// blocks share memory as they may.

#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "simt/tests/checkers/mistakes.h"

namespace {

constexpr unsigned kBlocks = 8;
constexpr unsigned kThreads = 64;

// ---- mistakes -----------------------------------------------------------------------------------

template <Version version>
__global__ void one_result_for_all_blocks(float* y) {
  if (threadIdx.x == 0) y[version == kCorrect ? blockIdx.x : 0] = blockIdx.x;
}

template <Version version>
__global__ void tiles_overlap(float* y) {
  const int tile = version == kCorrect ? blockDim.x : blockDim.x - 1;
  y[blockIdx.x * tile + threadIdx.x] = threadIdx.x;
}

template <Version version>
__global__ void shifts_in_place(const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* from = version == kCorrect ? x : y;
  y[i] = from[(i + 1) % (gridDim.x * blockDim.x)];
}

template <Version version>
__global__ void counts_in_a_histogram(const unsigned* keys, unsigned* bins) {
  const unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  if (version == kCorrect) {
    atomicAdd(&bins[key], 1);
  } else if (threadIdx.x == 0) {
    ++bins[key];
  }
}

// The block that comes last adds up what all have stored.
template <Version version>
__global__ void last_block_adds_up(float* partials, unsigned* arrived, float* sum) {
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = blockIdx.x;
  if (version == kCorrect) __threadfence();
  if (atomicAdd(arrived, 1) != gridDim.x - 1) return;
  float total = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i)
    total += partials[i];
  *sum = total;
}

// The last block is the one with the highest number, as if blocks ran in order.
template <Version version>
__global__ void highest_block_adds_up(float* partials, unsigned* arrived, float* sum) {
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = blockIdx.x;
  __threadfence();
  const unsigned before = version == kCorrect ? atomicAdd(arrived, 1) : blockIdx.x;
  if (before != gridDim.x - 1) return;
  float total = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i)
    total += partials[i];
  *sum = total;
}

__device__ unsigned blocks_done;
__device__ bool is_done[4];

template <Version version>
__global__ void counts_in_a_variable() {
  if (threadIdx.x != 0) return;
  if (version == kCorrect) {
    atomicAdd(&blocks_done, 1);
  } else {
    ++blocks_done;
  }
}

template <Version version>
__global__ void raises_its_flag() {
  if (threadIdx.x == 0) is_done[version == kCorrect ? blockIdx.x : blockIdx.x / 2] = blockIdx.x % 2;
}

template <Version version>
__global__ void resets_what_others_add_to(unsigned* sum) {
  if (version == kMistaken && blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;
  __syncthreads();
  atomicAdd(sum, 1);
}

template <Version version>
__global__ void looks_at_what_others_add_to(unsigned* sum, unsigned* seen) {
  if (threadIdx.x != 0) return;
  seen[blockIdx.x] = version == kCorrect ? atomicAdd(sum, 0) : *sum;
  atomicAdd(sum, 1);
}

template <Version version>
__global__ void counts_under_a_lock(unsigned* lock, unsigned* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  ++*count;
  if (version == kCorrect) __threadfence();
  atomicExch(lock, 0);
}

template <Version version>
__global__ void stores_after_the_release(unsigned* lock, unsigned* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  if (version == kCorrect) ++*count;
  __threadfence();
  atomicExch(lock, 0);
  if (version == kMistaken) ++*count;
}

// Elements of 2 bytes: two blocks share words, and must not share elements.
template <Version version>
__global__ void odd_rows_of_halves(__half* y) {
  const unsigned cols = version == kCorrect ? 33 : 32;
  if (threadIdx.x < 33) y[blockIdx.x * cols + threadIdx.x] = __float2half(threadIdx.x);
}

template <Version version>
__global__ void rows_of_bytes(unsigned char* y) {
  const unsigned cols = version == kCorrect ? 33 : 32;
  if (threadIdx.x < 33) y[blockIdx.x * cols + threadIdx.x] = threadIdx.x;
}

// One block stores words, the others single bytes of them.
template <Version version>
__global__ void words_and_bytes(std::uint32_t* words, unsigned char* bytes) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    words[0] = 1;
  } else {
    bytes[blockIdx.x + (version == kCorrect ? 3 : 2)] = 1;
  }
}

template <Version version>
__global__ void vectors_overlap(float* y) {
  const unsigned first = blockIdx.x * (version == kCorrect ? 4 * blockDim.x : 4 * blockDim.x - 4);
  reinterpret_cast<float4*>(y + first)[threadIdx.x] = make_float4(threadIdx.x, 2, 3, 4);
}

// A line of 128 bytes, which all lanes of a warp access in turn.
template <Version version>
__global__ void whole_lines_of_others(float* y) {
  const unsigned line = version == kCorrect ? blockIdx.x : blockIdx.x / 2;
  y[line * 32 + threadIdx.x] = blockIdx.x;
}

// One block loads all of a line, another stores one word of it.
template <Version version>
__global__ void one_word_of_a_whole_line(float* y, float* copy, unsigned loading_block) {
  if (blockIdx.x == loading_block) {
    copy[threadIdx.x] = y[threadIdx.x];
  } else if (threadIdx.x == 5) {
    y[version == kCorrect ? 32 + 5 : 5] = 1.0f;
  }
}

// All blocks load a line, first all of it and then a part. The second of them stores a word of it.
template <Version version>
__global__ void a_part_of_a_whole_line(float* y, float* copy) {
  copy[blockIdx.x * 32 + threadIdx.x] = y[threadIdx.x];
  if (threadIdx.x < 8) copy[blockIdx.x * 32 + threadIdx.x] += y[threadIdx.x];
  if (blockIdx.x == 1 && threadIdx.x == 20) y[version == kCorrect ? 32 + 20 : 20] = 1.0f;
}

// ---- correct ------------------------------------------------------------------------------------

// All threads store, one of them speaks for all behind a barrier.
__global__ void last_block_after_a_barrier(float* partials, unsigned* arrived, float* sum) {
  __shared__ bool is_last;
  partials[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  float mine = 0.0f;
  for (unsigned block = 0; block < gridDim.x; ++block)
    mine += partials[block * blockDim.x + threadIdx.x];
  atomicAdd(sum, mine);
}

__global__ void last_block_resets_the_counter(unsigned* arrived, float* partials) {
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = 1.0f;
  __threadfence();
  if (atomicAdd(arrived, 1) == gridDim.x - 1) *arrived = 0;
}

__device__ unsigned arrived_blocks;

// The counter lies among the program's own variables.
__global__ void last_block_by_a_variable(float* partials, float* sum) {
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = 1.0f;
  __threadfence();
  if (atomicInc(&arrived_blocks, gridDim.x - 1) != gridDim.x - 1) return;
  float total = 0.0f;
  for (unsigned i = 0; i < gridDim.x; ++i)
    total += partials[i];
  *sum = total;
}

__global__ void grid_stride(const float* x, float* y, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = 2.0f * x[i];
}

__global__ void in_place(float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += 1.0f;
  y[i] *= 2.0f;
}

// Blocks take their work from a counter.
__global__ void takes_work(unsigned* next, float* y, unsigned n) {
  __shared__ unsigned mine;
  for (;;) {
    if (threadIdx.x == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    const unsigned work = mine;
    __syncthreads();
    if (work >= n) return;
    y[work * blockDim.x + threadIdx.x] = work;
  }
}

__global__ void compacts(const float* x, float* y, unsigned* count, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0.0f) y[atomicAdd(count, 1)] = x[i];
}

// Each block waits for the one before it, whose sum it continues.
__global__ void chained_scan(float* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  while (atomicAdd(done, 0) != blockIdx.x) {
  }
  __threadfence();
  sums[blockIdx.x] = (blockIdx.x == 0 ? 0.0f : sums[blockIdx.x - 1]) + 1.0f;
  __threadfence();
  atomicAdd(done, 1);
}

#if defined(__GNUC__) && !defined(__clang__)
// A block waits for the flag of another, which is volatile.
template <Version version>
__global__ void waits_for_a_flag(volatile unsigned* flag, float* value, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *value = 3.0f;
    if (version == kCorrect) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    y[blockIdx.x] = *value;
  }
}
#endif

__global__ void maximum_of_all(const float* x, int* maximum) {
  atomicMax(maximum, __float_as_int(x[blockIdx.x * blockDim.x + threadIdx.x]));
}

__global__ void all_read_the_same(const float* x, float* y) {
  float sum = 0.0f;
  for (unsigned i = 0; i < 64; ++i)
    sum += x[i];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Blocks of a cooperative grid hand their values on; the barrier orders them.
template <Version version>
__global__ void passes_to_the_next_block(float* y) {
  if (threadIdx.x == 0) y[blockIdx.x] = blockIdx.x;
  if (version == kCorrect) cooperative_groups::this_grid().sync();
  const float before = y[(blockIdx.x + gridDim.x - 1) % gridDim.x];
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) y[blockIdx.x] = before;
}

cudaError_t launch_cooperative(void (*kernel)(float*), float* y) {
  void* arguments[] = {&y};
  return cudaLaunchCooperativeKernel(kernel, dim3(kBlocks), dim3(kThreads), arguments);
}

template <Version version>
__global__ void counts_by_the_last_digit(unsigned* counts) {
  const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) % 16;
  if (version == kCorrect) {
    atomicAdd(&counts[i], 1u);
  } else {
    counts[i]++;
  }
}

struct GlobalRaces : Mistakes {
  DeviceArray<unsigned> counts = zeros<unsigned>(1024);
};

}  // namespace

TEST_SUITE_BEGIN("global_races");

TEST_CASE_FIXTURE(GlobalRaces, "blocks store to one place") {
  one_result_for_all_blocks<kMistaken><<<kBlocks, kThreads>>>(y.get());
  CHECK(mentions("a store races with a store by another block, at byte 0 of an allocation"));
  CHECK(mentions("in kernel one_result_for_all_blocks<kMistaken>, block (0,0,0), thread (0,0,0)"));
  CHECK(mentions("note: a store by block (1,0,0), thread (0,0,0)"));
  CHECK(take_kinds() == "global-race ");
  one_result_for_all_blocks<kCorrect><<<kBlocks, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "what one line updates has to be updated atomically") {
  constexpr char kAdvice[] = "; if the line updates a value there, as += does, that has to be one";
  for (const unsigned blocks : {kBlocks, 1u}) {
    CAPTURE(blocks);
    counts_by_the_last_digit<kMistaken><<<blocks, kThreads>>>(counts.get());
    CHECK(mentions(kAdvice));
    CHECK(take_kinds().find("global-race ") == 0);
    counts_by_the_last_digit<kCorrect><<<blocks, kThreads>>>(counts.get());
    CHECK(take_kinds().empty());
  }
  one_result_for_all_blocks<kMistaken><<<kBlocks, kThreads>>>(y.get());  // which loads nothing
  CHECK_FALSE(mentions(kAdvice));
  take_kinds();
}

TEST_CASE_FIXTURE(GlobalRaces, "the tiles of blocks overlap") {
  tiles_overlap<kMistaken><<<kBlocks, kThreads>>>(y.get());
  CHECK(mentions("at byte 252 of"));
  CHECK(mentions("block (0,0,0), thread (63,0,0)\n"));
  CHECK(mentions("by block (1,0,0), thread (0,0,0)"));
  CHECK(take_kinds() == "global-race ");
  tiles_overlap<kCorrect><<<kBlocks, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a block loads what another overwrites") {
  shifts_in_place<kMistaken><<<4, kThreads>>>(x.get(), y.get());
  CHECK(mentions("a store races with a load by another block"));
  CHECK(take_kinds() == "global-race ");
  shifts_in_place<kCorrect><<<4, kThreads>>>(x.get(), y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a histogram counts without atomic operations") {
  const auto keys = zeros<unsigned>(kBlocks * kThreads);
  counts_in_a_histogram<kMistaken><<<kBlocks, kThreads>>>(keys.get(), counts.get());
  CHECK(take_kinds() == "global-race ");
  counts_in_a_histogram<kCorrect><<<kBlocks, kThreads>>>(keys.get(), counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a variable of the device counts without atomic operations") {
  counts_in_a_variable<kMistaken><<<kBlocks, kThreads>>>();
  CHECK(mentions("at byte 0 of the __device__ variable 'blocks_done', which has 4 bytes: no __th"));
  CHECK(mentions("block (0,0,0), thread (0,0,0)"));
  CHECK(take_kinds() == "global-race ");
  counts_in_a_variable<kCorrect><<<kBlocks, kThreads>>>();
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "blocks store to one byte of a variable of the device") {
  raises_its_flag<kMistaken><<<4, kThreads>>>();
  CHECK(mentions("at byte 0 of the __device__ variable 'is_done'"));
  CHECK(take_kinds() == "global-race ");
  raises_its_flag<kCorrect><<<4, kThreads>>>();
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "the last block reads what was stored without a fence") {
  last_block_adds_up<kMistaken><<<kBlocks, kThreads>>>(x.get(), counts.get(), y.get());
  CHECK(mentions("a store races with a load by another block"));
  CHECK(take_kinds() == "global-race ");
  counts.zero();
  last_block_adds_up<kCorrect><<<kBlocks, kThreads>>>(x.get(), counts.get(), y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[0] == 28.0f);
}

TEST_CASE_FIXTURE(GlobalRaces, "blocks are taken to run in order") {
  highest_block_adds_up<kMistaken><<<kBlocks, kThreads>>>(x.get(), counts.get(), y.get());
  CHECK(take_kinds() == "global-race ");
  highest_block_adds_up<kCorrect><<<kBlocks, kThreads>>>(x.get(), counts.get(), y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a reset races with atomic operations") {
  resets_what_others_add_to<kMistaken><<<kBlocks, kThreads>>>(counts.get());
  CHECK(mentions("a store races with an atomic operation by another block"));
  CHECK(mentions("\nglobal_races.cu:"));
  CHECK(take_kinds() == "global-race ");
  resets_what_others_add_to<kCorrect><<<kBlocks, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a plain load races with atomic operations") {
  unsigned* seen = counts.get() + 1;
  looks_at_what_others_add_to<kMistaken><<<kBlocks, kThreads>>>(counts.get(), seen);
  CHECK(mentions("a load races with an atomic operation by another block"));
  CHECK(take_kinds() == "global-race ");
  looks_at_what_others_add_to<kCorrect><<<kBlocks, kThreads>>>(counts.get(), seen);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a lock is released without a fence") {
  counts_under_a_lock<kMistaken><<<kBlocks, kThreads>>>(counts.get(), counts.get() + 1);
  CHECK(take_kinds().find("global-race ") == 0);
  counts_under_a_lock<kCorrect><<<kBlocks, kThreads>>>(counts.get(), counts.get() + 1);
  CHECK(take_kinds().empty());
  CHECK(counts.host()[1] == 2 * kBlocks);
}

TEST_CASE_FIXTURE(GlobalRaces, "a store comes after the release of its lock") {
  stores_after_the_release<kMistaken><<<kBlocks, kThreads>>>(counts.get(), counts.get() + 1);
  CHECK(take_kinds().find("global-race ") == 0);
  stores_after_the_release<kCorrect><<<kBlocks, kThreads>>>(counts.get(), counts.get() + 1);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "elements of 2 bytes share a word, and one of them is shared") {
  const auto halves = zeros<__half>(1024);
  odd_rows_of_halves<kMistaken><<<kBlocks, kThreads>>>(halves.get());
  CHECK(mentions("at byte 64 of"));
  CHECK(mentions("thread (32,0,0)\n"));
  CHECK(take_kinds() == "global-race ");
  odd_rows_of_halves<kCorrect><<<kBlocks, kThreads>>>(halves.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "elements of 1 byte share a word, and one of them is shared") {
  const auto bytes = zeros<unsigned char>(1024);
  rows_of_bytes<kMistaken><<<kBlocks, kThreads>>>(bytes.get());
  CHECK(mentions("at byte 32 of"));
  CHECK(take_kinds() == "global-race ");
  rows_of_bytes<kCorrect><<<kBlocks, kThreads>>>(bytes.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a word and a byte of it are stored by different blocks") {
  auto* bytes = reinterpret_cast<unsigned char*>(counts.get());
  words_and_bytes<kMistaken><<<4, 32>>>(counts.get(), bytes);
  CHECK(take_kinds() == "global-race ");
  words_and_bytes<kCorrect><<<4, 32>>>(counts.get(), bytes);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "two blocks store the same whole lines") {
  whole_lines_of_others<kMistaken><<<kBlocks, 32>>>(y.get());
  CHECK(mentions("a store races with a store by another block, at byte 0 of"));
  CHECK(mentions("block (0,0,0), thread (0,0,0)\n"));
  CHECK(mentions("by block (1,0,0), thread (0,0,0)"));
  CHECK(take_kinds() == "global-race ");
  whole_lines_of_others<kCorrect><<<kBlocks, 32>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a block stores a word of a line that another loads as a whole") {
  for (const unsigned loading_block : {0u, 1u}) {
    const std::string other = loading_block == 0 ? "0" : "1";
    one_word_of_a_whole_line<kMistaken><<<2, 32>>>(y.get(), x.get(), loading_block);
    CHECK(mentions("a store races with a load by another block, at byte 20 of"));
    CHECK(mentions(("a load by block (" + other + ",0,0), thread (5,0,0)").c_str()));
    CHECK(take_kinds() == "global-race ");
    one_word_of_a_whole_line<kCorrect><<<2, 32>>>(y.get(), x.get(), loading_block);
    CHECK(take_kinds().empty());
  }
}

TEST_CASE_FIXTURE(GlobalRaces, "blocks load a line as a whole, then a part, and one stores to it") {
  a_part_of_a_whole_line<kMistaken><<<kBlocks, 32>>>(y.get(), x.get());
  CHECK(mentions("a store races with a load by another block, at byte 80 of"));
  CHECK(mentions("block (1,0,0), thread (20,0,0)\n"));
  CHECK(mentions("a load by block (0,0,0), thread (20,0,0)"));
  CHECK(take_kinds() == "global-race ");
  a_part_of_a_whole_line<kCorrect><<<kBlocks, 32>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "vectors of blocks overlap") {
  vectors_overlap<kMistaken><<<4, kThreads>>>(y.get());
  CHECK(mentions("at byte 1008 of"));
  CHECK(take_kinds() == "global-race ");
  vectors_overlap<kCorrect><<<4, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
}

#if defined(__GNUC__) && !defined(__clang__)
TEST_CASE_FIXTURE(GlobalRaces, "a volatile flag is set without a fence") {
  waits_for_a_flag<kMistaken><<<4, 32>>>(counts.get(), x.get(), y.get());
  CHECK(take_kinds() == "global-race ");
  counts.zero();
  waits_for_a_flag<kCorrect><<<4, 32>>>(counts.get(), x.get(), y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[3] == 3.0f);
}
#endif

TEST_CASE_FIXTURE(GlobalRaces, "a cooperative grid lacks a barrier") {
  CHECK(launch_cooperative(passes_to_the_next_block<kMistaken>, y.get()) == cudaSuccess);
  CHECK(take_kinds() == "global-race ");
  CHECK(launch_cooperative(passes_to_the_next_block<kCorrect>, y.get()) == cudaSuccess);
  CHECK(take_kinds().empty());
  CHECK(y.host()[0] == kBlocks - 1);
}

TEST_CASE_FIXTURE(GlobalRaces, "what blocks may share gives no finding") {
  last_block_after_a_barrier<<<4, kThreads>>>(x.get(), counts.get(), y.get());
  CHECK(y.host()[0] == 4 * kThreads);
  last_block_resets_the_counter<<<kBlocks, kThreads>>>(counts.get(), y.get());
  CHECK(counts.host()[0] == 0);
  last_block_by_a_variable<<<kBlocks, kThreads>>>(x.get(), y.get());
  CHECK(y.host()[0] == kBlocks);
  grid_stride<<<3, kThreads>>>(x.get(), y.get(), 256);
  in_place<<<4, kThreads>>>(y.get());
  takes_work<<<3, 32>>>(counts.get() + 1, y.get(), 16);
  CHECK(y.host()[15 * 32] == 15.0f);
  compacts<<<4, kThreads>>>(x.get(), y.get(), counts.get() + 2, 256);
  chained_scan<<<kBlocks, kThreads>>>(y.get(), counts.get() + 3);
  CHECK(y.host()[kBlocks - 1] == kBlocks);
  maximum_of_all<<<4, kThreads>>>(x.get(), reinterpret_cast<int*>(counts.get() + 4));
  all_read_the_same<<<4, kThreads>>>(x.get(), y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "a launch does not race with the one before, however many come") {
  for (unsigned launch = 0; launch < 70; ++launch) {
    one_result_for_all_blocks<kCorrect><<<2 + launch % 3, kThreads>>>(y.get() + launch % 5);
    shifts_in_place<kCorrect><<<4, kThreads>>>(x.get(), y.get());
  }
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(GlobalRaces, "findings are the same on every run, for any number of workers") {
  std::string expected;
  for (int run = 0; run < 40; ++run) {
    const Workers these(1 + run % 4);
    tiles_overlap<kMistaken><<<kBlocks, kThreads>>>(y.get());
    one_result_for_all_blocks<kMistaken><<<200, kThreads>>>(y.get());
    shifts_in_place<kMistaken><<<4, kThreads>>>(x.get(), y.get());
    resets_what_others_add_to<kMistaken><<<kBlocks, kThreads>>>(counts.get());
    std::string all;
    for (const simt::Finding& finding : simt::findings())
      all += finding.message + "\n";
    simt::clear_findings();
    if (run == 0) expected = all;
    CHECK(all == expected);
  }
  CHECK(expected.find("global-race") != std::string::npos);
}

TEST_SUITE_END();
