// Races of threads of one block on global memory, each beside its correct version; and what the
// threads of a block may do there.

#include <cooperative_groups.h>

#include <cstdint>

#include "simt/tests/checkers/mistakes.h"

namespace {

namespace cg = cooperative_groups;

constexpr unsigned kThreads = 64;
constexpr unsigned kAll = 0xffffffff;

// ---- two warps ----------------------------------------------------------------------------------

template <Version version>
__global__ void loads_what_the_other_warp_stores(float* y, float* z) {
  y[threadIdx.x] = threadIdx.x;
  if (version == kCorrect) __syncthreads();
  z[threadIdx.x] = y[(threadIdx.x + 32) % 64];
}

template <Version version>
__global__ void stores_what_the_other_warp_loads(float* y) {
  const float x = y[(threadIdx.x + 32) % 64];
  if (version == kCorrect) __syncthreads();
  y[threadIdx.x] = x;
}

template <Version version>
__global__ void both_warps_store(float* y) {
  y[threadIdx.x % 32] = threadIdx.x;
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x < 32) y[threadIdx.x] = 1.0f;
}

template <Version version>
__global__ void both_warps_store_alike(float* y) {
  y[version == kCorrect ? threadIdx.x : 0] = 3.0f;
}

template <Version version>
__global__ void begins_what_others_add_to(unsigned* sum) {
  if (threadIdx.x == 0) *sum = 0;
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x >= 32) atomicAdd(sum, 1);
}

template <Version version>
__global__ void looks_at_what_others_add_to(unsigned* sum, unsigned* seen) {
  if (threadIdx.x == 32) atomicAdd(sum, 1);
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x == 0) *seen = *sum;
}

// Slow threads still read one turn's value when thread 0 stores the next one's.
template <Version version>
__global__ void overwrites_in_the_second_turn(float* shown, float* y, unsigned turns) {
  for (unsigned turn = 0; turn < turns; ++turn) {
    if (threadIdx.x == 0) *shown = turn;
    __syncthreads();
    y[threadIdx.x] += *shown;
    if (version == kCorrect) __syncthreads();
  }
}

__device__ float maximum_of_warp(float x) {
  for (unsigned distance = 16; distance > 0; distance /= 2)
    x = fmaxf(x, __shfl_xor_sync(kAll, x, distance));
  return x;
}

// Of each row the maximum, by way of one place for each warp: the next row's may come before all
// have read it.
template <Version version>
__global__ void maxima_of_rows(const float* x, float* of_warps, float* y, unsigned rows) {
  const unsigned warp = threadIdx.x / 32;
  for (unsigned row = 0; row < rows; ++row) {
    const float mine = maximum_of_warp(x[row * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) of_warps[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) of_warps[0] = fmaxf(of_warps[0], of_warps[1]);
    __syncthreads();
    y[row * blockDim.x + threadIdx.x] = of_warps[0];
    if (version == kCorrect) __syncthreads();
  }
}

template <Version version>
__global__ void bytes_of_a_word(unsigned char* y) {
  y[version == kCorrect ? threadIdx.x : threadIdx.x % 33] = threadIdx.x;
}

template <Version version>
__global__ void a_byte_of_a_vector(float4* y) {
  auto* const bytes = reinterpret_cast<unsigned char*>(y);
  if (threadIdx.x < 32) y[threadIdx.x] = make_float4(1, 2, 3, 4);
  if (threadIdx.x == 40) bytes[version == kCorrect ? 512 : 511] = 1;
}

// Rows that begin in the middle of a line of 128 bytes: two warps share it, and no word of it.
template <Version version>
__global__ void warps_share_a_line(float* y) {
  const unsigned i = 5 + threadIdx.x;
  y[i] = 1.0f;
  y[i] = y[i + (version == kMistaken && threadIdx.x == 31)] + 1.0f;
}

template <Version version>
__global__ void all_load_what_one_replaces(float* y, float* z) {
  z[threadIdx.x] = y[7];
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x == 63) y[7] = 2.0f;
}

// Of a warp, the last to load is the one that stores; the others were of another warp.
template <Version version>
__global__ void replaces_what_it_loaded_last(float* y, float* z) {
  z[threadIdx.x] = y[threadIdx.x % 32];
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x >= 32) y[threadIdx.x - 32] = 2.0f;
}

// Blocks of 16 by 16 threads: a warp has two rows, whose words lie side by side.
constexpr unsigned kTile = 16;
template <Version version>
__global__ void loads_a_row_of_another_warp(float* tile, float* z) {
  constexpr unsigned kPitch = 64;
  tile[threadIdx.y * kPitch + threadIdx.x] = threadIdx.y;
  if (version == kCorrect) __syncthreads();
  z[threadIdx.y * kTile + threadIdx.x] = tile[(threadIdx.y ^ 2) * kPitch + threadIdx.x];
}

// ---- lanes of one warp --------------------------------------------------------------------------

template <Version version>
__global__ void loads_what_its_neighbour_stores(float* y, float* z) {
  y[threadIdx.x] = threadIdx.x;
  if (version == kCorrect) __syncwarp();
  z[threadIdx.x] = y[threadIdx.x ^ 1];
}

__global__ void neighbours_in_each_block(float* y, float* z) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = threadIdx.x;
  z[i] = y[i ^ 1];
}

template <Version version>
__global__ void sides_of_a_branch(float* y, float* z) {
  if (threadIdx.x < 16) {
    y[threadIdx.x + 16] = 1.0f;
    if (version == kCorrect) __syncwarp();
  } else {
    if (version == kCorrect) __syncwarp();
    z[threadIdx.x] = y[threadIdx.x];
  }
}

template <Version version>
__global__ void adds_to_what_a_lane_stored(unsigned* sum) {
  if (threadIdx.x == 0) *sum = 0;
  if (version == kCorrect) __syncwarp();
  atomicAdd(sum, 1);
}

// A shuffle is no barrier for memory.
template <Version version>
__global__ void shuffles_instead(float* y, float* z) {
  y[threadIdx.x] = threadIdx.x;
  const float x = __shfl_xor_sync(kAll, 1.0f, 1);
  if (version == kCorrect) __syncwarp();
  z[threadIdx.x] = x + y[threadIdx.x ^ 1];
}

// ---- correct ------------------------------------------------------------------------------------

__global__ void own_elements(float* y, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = 1.0f;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    y[i] += 1.0f;
  for (unsigned i = 0; i < 4; ++i)
    y[4 * threadIdx.x + 512 + i] = i;
  float sum = 0.0f;
  for (unsigned i = 0; i < 4; ++i)
    sum += y[4 * threadIdx.x + 512 + i];
  y[4 * threadIdx.x + 512] = sum;
}

__global__ void tiles_of_a_warp(float* y, float* z) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  y[threadIdx.x] = threadIdx.x;
  tile.sync();
  z[threadIdx.x] = y[threadIdx.x / 8 * 8 + 7 - threadIdx.x % 8];
}

__global__ void half_a_warp(float* y, float* z) {
  if (threadIdx.x % 32 >= 16) return;
  y[threadIdx.x] = threadIdx.x;
  __syncwarp(0xffff);
  z[threadIdx.x] = y[threadIdx.x ^ 15];
}

__global__ void hands_on_by_a_flag(unsigned* flag, float* y, float* z) {
  if (threadIdx.x == 0) {
    *y = 3.0f;
    __threadfence();
    atomicExch(flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    *z = *y;
  }
}

__global__ void counts_under_a_lock(unsigned* lock, unsigned* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      ++*count;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void only_atomics(unsigned* bins, unsigned* seen) {
  atomicAdd(&bins[threadIdx.x % 4], 1);
  atomicMax(&bins[threadIdx.x % 4], 1);
  __syncthreads();
  if (threadIdx.x < 4) seen[threadIdx.x] = bins[threadIdx.x];
}

__global__ void stores_its_row(float* y) {
  y[threadIdx.x] = threadIdx.x;
}
__global__ void loads_in_turn_about(const float* y, float* z) {
  z[threadIdx.x] = y[blockDim.x - 1 - threadIdx.x];
}

struct BlockRaces : Mistakes {
  DeviceArray<unsigned> counts = zeros<unsigned>(1024);

  float* counts_as_floats() const { return reinterpret_cast<float*>(counts.get()); }
  std::string take_notes() {
    std::string kinds;
    for (const simt::Finding& note : simt::notes())
      kinds += note.kind + " ";
    simt::clear_findings();
    return kinds;
  }
};

}  // namespace

TEST_SUITE_BEGIN("block_races");

// Each warp stores half of what is loaded, so that either access may come first.
TEST_CASE_FIXTURE(BlockRaces, "a warp loads what another stores") {
  loads_what_the_other_warp_stores<kMistaken><<<1, kThreads>>>(y.get(), x.get());
  CHECK(
      mentions("block_races.cu:21: error: store after load: threads 0 and 32 of the block have no"
               " barrier in between, at byte 128 of an allocation of 4096 bytes; so are 31 more"));
  CHECK(mentions("block (0,0,0), thread (32,0,0)\n"));
  CHECK(mentions("block_races.cu:23: note: the load by block (0,0,0), thread (0,0,0)"));
  CHECK(mentions("block_races.cu:23: error: load after store: threads 0 and 32 of the block", 1));
  CHECK(take_kinds() == "global-race global-race ");
  loads_what_the_other_warp_stores<kCorrect><<<1, kThreads>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a warp loads the rows of a tile that another stores") {
  loads_a_row_of_another_warp<kMistaken><<<1, dim3(kTile, kTile)>>>(y.get(), x.get());
  CHECK(mentions("store after load: threads 0 and 32 of the block have no barrier in between"));
  CHECK(mentions("so are 127 more such pairs"));
  CHECK(mentions("load after store: threads 0 and 32 of the block", 1));
  CHECK(take_kinds() == "global-race global-race ");
  loads_a_row_of_another_warp<kCorrect><<<1, dim3(kTile, kTile)>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a warp stores what another loads") {
  stores_what_the_other_warp_loads<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(mentions("load after store: threads 0 and 32 of the block have no barrier in between"));
  // The warp that ran first has loaded what the other one stores, and the other way round.
  CHECK(mentions("store after load: threads 0 and 32 of the block have no barrier", 1));
  CHECK(take_kinds() == "global-race global-race ");
  stores_what_the_other_warp_loads<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "two warps store to one place") {
  both_warps_store<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(mentions("store after store: threads 0 and 32 of the block have no barrier in between"));
  CHECK(take_kinds().find("global-race ") == 0);
  both_warps_store<kCorrect><<<1, 32>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "two warps store the same") {
  both_warps_store_alike<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
  both_warps_store_alike<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(take_notes() == "global-race ");
  both_warps_store_alike<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_notes().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a warp adds to what another begins") {
  begins_what_others_add_to<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("atomic operation after store: threads 0 and 32 of the block have no barrier"));
  CHECK(take_kinds() == "global-race ");
  begins_what_others_add_to<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
  looks_at_what_others_add_to<kMistaken><<<1, kThreads>>>(counts.get(), counts.get() + 1);
  CHECK(mentions("atomic operation after load: threads 0 and 32 of the block have no barrier"));
  CHECK(take_kinds() == "global-race ");
  looks_at_what_others_add_to<kCorrect><<<1, kThreads>>>(counts.get(), counts.get() + 1);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a loop overwrites what slow threads still read") {
  overwrites_in_the_second_turn<kMistaken><<<1, kThreads>>>(x.get(), y.get(), 2);
  CHECK(
      mentions("store after load: threads 31 and 0 of the block have no __syncwarp() or barrier "
               "in between, at byte 0 of an allocation of 1024 bytes"));
  CHECK(mentions("load after store: threads 0 and 32 of the block have no barrier", 1));
  CHECK(take_kinds().find("global-race ") == 0);
  overwrites_in_the_second_turn<kMistaken><<<1, kThreads>>>(x.get(), y.get(), 1);
  CHECK(take_kinds().empty());
  overwrites_in_the_second_turn<kCorrect><<<1, kThreads>>>(x.get(), y.get(), 5);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a row's maximum is replaced before all have read it") {
  maxima_of_rows<kMistaken><<<1, kThreads>>>(x.get(), counts_as_floats(), y.get(), 2);
  CHECK(take_kinds().find("global-race ") == 0);
  maxima_of_rows<kCorrect><<<1, kThreads>>>(x.get(), counts_as_floats(), y.get(), 2);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "two warps share a word, and a byte of it") {
  auto* const bytes = reinterpret_cast<unsigned char*>(counts.get());
  bytes_of_a_word<kMistaken><<<1, 34>>>(bytes);
  CHECK(mentions("store after store: threads 0 and 33 of the block have no barrier"));
  CHECK(mentions("at byte 0 of"));
  CHECK(take_kinds() == "global-race ");
  bytes_of_a_word<kCorrect><<<1, kThreads>>>(bytes);
  CHECK(take_kinds().empty());
  auto* const vectors = reinterpret_cast<float4*>(y.get());
  a_byte_of_a_vector<kMistaken><<<1, kThreads>>>(vectors);
  CHECK(mentions("threads 31 and 40 of the block have no barrier in between, at byte 511 of"));
  CHECK(take_kinds() == "global-race ");
  a_byte_of_a_vector<kCorrect><<<1, kThreads>>>(vectors);
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "two warps share a line, and one of them a word of it") {
  warps_share_a_line<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(mentions("store after load: threads 31 and 32 of the block have no barrier in between"));
  CHECK(take_kinds() == "global-race global-race ");  // both of its stores
  warps_share_a_line<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a thread replaces what all load") {
  all_load_what_one_replaces<kMistaken><<<1, kThreads>>>(y.get(), x.get());
  CHECK(
      mentions("store after load: threads 31 and 63 of the block have no barrier in between, at "
               "byte 28 of"));
  CHECK(take_kinds() == "global-race ");
  all_load_what_one_replaces<kCorrect><<<1, kThreads>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
  replaces_what_it_loaded_last<kMistaken><<<1, kThreads>>>(y.get(), x.get());
  CHECK(mentions("store after load: threads 0 and 32 of the block have no barrier in between"));
  CHECK(take_kinds() == "global-race ");
  replaces_what_it_loaded_last<kCorrect><<<1, kThreads>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a lane loads what its neighbour stores") {
  loads_what_its_neighbour_stores<kMistaken><<<1, 32>>>(y.get(), x.get());
  CHECK(
      mentions("load after store: threads 1 and 0 of the block have no __syncwarp() or barrier in"
               " between, at byte 4 of an allocation of 4096 bytes; so are 31 more such pairs"));
  CHECK(take_kinds() == "global-race ");
  loads_what_its_neighbour_stores<kCorrect><<<1, 32>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
  shuffles_instead<kMistaken><<<1, 32>>>(y.get(), x.get());
  CHECK(take_kinds() == "global-race ");
  shuffles_instead<kCorrect><<<1, 32>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "the sides of a branch meet in memory") {
  sides_of_a_branch<kMistaken><<<1, 32>>>(y.get(), x.get());
  CHECK(
      mentions("load after store: threads 0 and 16 of the block have no __syncwarp() or barrier"));
  CHECK(take_kinds() == "global-race ");
  sides_of_a_branch<kCorrect><<<1, 32>>>(y.get(), x.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "lanes add to what one of them stored") {
  adds_to_what_a_lane_stored<kMistaken><<<1, 32>>>(counts.get());
  CHECK(mentions("atomic operation after store: threads 0 and 1 of the block have no __syncwarp"));
  CHECK(take_kinds() == "global-race ");
  adds_to_what_a_lane_stored<kCorrect><<<1, 32>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "each of several blocks may have the mistake, and it is told once") {
  neighbours_in_each_block<<<4, kThreads>>>(y.get(), x.get());
  CHECK(mentions("block (0,0,0), thread (0,0,0)\n"));
  CHECK(mentions("so are 255 more such pairs"));
  CHECK(take_kinds() == "global-race ");
}

TEST_CASE_FIXTURE(BlockRaces, "what the threads of a block may do gives no finding") {
  own_elements<<<1, kThreads>>>(y.get(), 500);
  tiles_of_a_warp<<<1, kThreads>>>(y.get(), x.get());
  half_a_warp<<<1, kThreads>>>(y.get(), x.get());
  hands_on_by_a_flag<<<1, kThreads>>>(counts.get(), y.get(), x.get());
  CHECK(x.host()[0] == 3.0f);
  counts_under_a_lock<<<1, kThreads>>>(counts.get() + 1, counts.get() + 2);
  CHECK(counts.host()[2] == kThreads);
  only_atomics<<<1, kThreads>>>(counts.get() + 8, counts.get() + 16);
  CHECK(take_kinds().empty());
  CHECK(take_notes().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "a launch or a block does not race with the one before") {
  for (unsigned launch = 0; launch < 70; ++launch) {
    stores_its_row<<<1, kThreads>>>(y.get());
    loads_in_turn_about<<<1, kThreads>>>(y.get(), x.get());
  }
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(BlockRaces, "findings are the same on every run, for any number of workers") {
  std::string expected;
  for (int run = 0; run < 20; ++run) {
    const Workers these(1 + run % 4);
    loads_what_the_other_warp_stores<kMistaken><<<1, kThreads>>>(y.get(), x.get());
    sides_of_a_branch<kMistaken><<<1, 32>>>(y.get(), x.get());
    all_load_what_one_replaces<kMistaken><<<1, kThreads>>>(y.get(), x.get());
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
