// Races on shared memory, each beside its correct version: findings name both sides.

#include <cooperative_groups.h>

#include <string>

#include "simt/tests/checkers/mistakes.h"

namespace cg = cooperative_groups;

namespace {

constexpr unsigned kThreads = 128;

template <Version version>
__global__ void stores_then_loads(float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = 1.0f;  // one side
  if (version == kCorrect) __syncthreads();
  y[threadIdx.x] = s[(threadIdx.x + 32) % kThreads];  // the other
}
constexpr int kStoreLine = __LINE__ - 4;
constexpr int kLoadLine = __LINE__ - 3;

// The counter is set by the thread that adds to it first; the others may add before that.
template <Version version>
__global__ void counts_while_it_is_reset(unsigned* y) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  if (version == kCorrect) __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  y[threadIdx.x] = count;
}

template <Version version>
__global__ void reads_what_others_count(unsigned* y) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (version == kCorrect) __syncthreads();
  y[threadIdx.x] = count;
}

// A thread that counted itself reads: its own atomic operation is the last, but not the only one.
template <Version version>
__global__ void last_to_count_reads(unsigned* y) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x == kThreads - 1) *y = count;
}

template <Version version>
__global__ void resets_what_others_read(unsigned* y) {
  __shared__ unsigned count;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    y[threadIdx.x] = count;
    if (version == kCorrect) __syncthreads();
  }
}

// Others have loaded the word before and load it again, and the store comes in between.
template <Version version>
__global__ void stores_between_loads(float* y) {
  __shared__ float s;
  if (threadIdx.x == 0) s = 1.0f;
  __syncthreads();
  float sum = s;
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x == 64) s = 2.0f;
  if (version == kCorrect) __syncthreads();
  sum += s;
  y[threadIdx.x] = sum;
}

// The same in words of 16 bytes, of which one word is stored.
template <Version version>
__global__ void stores_a_word_of_vectors(float* y) {
  __shared__ float4 s[2];
  s[threadIdx.x % 2] = make_float4(1.0f, 1.0f, 1.0f, 1.0f);
  __syncthreads();
  const float4 before = s[1];
  if (version == kCorrect) __syncthreads();
  if (threadIdx.x == 64) reinterpret_cast<float*>(s)[6] = 2.0f;
  if (version == kCorrect) __syncthreads();
  y[threadIdx.x] = before.z + s[1].z;
}

// A word is noted as one, until a byte of it is accessed alone.
template <Version version>
__global__ void bytes_then_words(unsigned* y) {
  constexpr unsigned kWords = kThreads / sizeof(unsigned);
  __shared__ unsigned words[kWords];
  auto* bytes = reinterpret_cast<unsigned char*>(words);
  bytes[threadIdx.x] = 0;
  __syncthreads();
  bytes[threadIdx.x] = 1;
  if (version == kCorrect) __syncthreads();
  y[threadIdx.x] = words[(threadIdx.x + kWords / 2) % kWords];
}

// Another warp stores a byte of what is loaded, or the one behind it.
template <Version version, typename Loaded>
__global__ void byte_within(unsigned* y) {
  __shared__ alignas(16) unsigned char bytes[2 * sizeof(Loaded)];
  if (threadIdx.x < sizeof bytes) bytes[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) bytes[version == kMistaken ? sizeof(Loaded) - 1 : sizeof(Loaded)] = 7;
  if (threadIdx.x == 32) {
    const Loaded loaded = *reinterpret_cast<const Loaded*>(bytes);
    *y = *reinterpret_cast<const unsigned char*>(&loaded);
  }
}

// Four warps store a byte each of one word, which all of them load: their own bytes, or one byte.
template <Version version>
__global__ void word_of_four_warps(unsigned* y) {
  __shared__ unsigned word;
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<unsigned char*>(&word)[version == kMistaken ? 0 : warp] =
        static_cast<unsigned char>(warp);
  }
  __syncthreads();
  y[threadIdx.x] = word;
}

template <Version version>
__global__ void tile_is_reused(const float* x, float* y) {
  __shared__ float tile[kThreads];
  float sum = 0.0f;
  for (int part = 0; part < 2; ++part) {
    tile[threadIdx.x] = x[part * kThreads + threadIdx.x];
    __syncthreads();
    for (unsigned i = 0; i < 64; ++i)
      sum += tile[(threadIdx.x + i) % kThreads];
    if (version == kCorrect) __syncthreads();
  }
  y[threadIdx.x] = sum;
}

template <Version version>
__global__ void scans_in_place(float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    const float before = threadIdx.x >= distance ? s[threadIdx.x - distance] : 0.0f;
    if (version == kCorrect) __syncthreads();
    s[threadIdx.x] += before;
    __syncthreads();
  }
  y[threadIdx.x] = s[threadIdx.x];
}

// With two buffers one barrier a round is enough, with one it is not.
template <Version version>
__global__ void one_barrier_a_round(float* y) {
  __shared__ float s[2][kThreads];
  for (int round = 0; round < 4; ++round) {
    float* const buffer = s[version == kCorrect ? round % 2 : 0];
    buffer[threadIdx.x] = round;
    __syncthreads();
    y[threadIdx.x] = buffer[kThreads - 1 - threadIdx.x];
  }
}

template <Version version>
__global__ void last_steps_without_a_barrier(float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  for (unsigned distance = kThreads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) s[threadIdx.x] += s[threadIdx.x + distance];
    if (version == kCorrect || distance > 32) __syncthreads();
  }
  if (threadIdx.x == 0) *y = s[0];
}

template <Version version>
__global__ void one_warp_syncs_for_another(float* y) {
  __shared__ float s[kThreads];
  s[threadIdx.x] = 1.0f;
  __syncwarp();
  const unsigned from = version == kCorrect ? threadIdx.x ^ 1 : threadIdx.x ^ 32;
  y[threadIdx.x] = s[from];
}

template <Version version>
__global__ void neighbour_block_has_not_stored(float* y) {
  __shared__ float mine;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = cluster.block_rank();
  if (version == kCorrect) {
    cluster.sync();
  } else {
    __syncthreads();
  }
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) y[blockIdx.x] = *cluster.map_shared_rank(&mine, next);
  cluster.sync();
}

template <Version version>
__global__ void stores_into_another_block(float* y) {
  __shared__ float from_neighbour;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) from_neighbour = 0.0f;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) *cluster.map_shared_rank(&from_neighbour, next) = 1.0f;
  if (version == kCorrect) {
    cluster.sync();
  } else {
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = from_neighbour;
  cluster.sync();
}

template <Version version>
__global__ void leaves_before_others_have_read(float* y) {
  __shared__ float mine;
  const cg::cluster_group cluster = cg::this_cluster();
  mine = 1.0f;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  y[blockIdx.x] = *cluster.map_shared_rank(&mine, next);
  if (version == kCorrect) cluster.sync();
}

struct SharedRaces : Mistakes {
  DeviceArray<unsigned> counts = zeros<unsigned>(kThreads);

  template <typename... Parameters>
  void launch_cluster(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                      Parameters... parameters) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {blocks, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, parameters...) == cudaSuccess);
  }
  /// Whether there is a race, and nothing but races.
  bool races() {
    bool any = false;
    bool only = true;
    for (const simt::Finding& finding : simt::findings()) {
      any |= finding.kind == "shared-race";
      only &= finding.kind == "shared-race";
    }
    simt::clear_findings();
    return any && only;
  }
};

std::string line(int number) {
  return "shared_races.cu:" + std::to_string(number);
}

// A tree of one warp, as it was written before Volta.
template <Version version>
__global__ void adds_up_in_one_warp(float* y) {
  __shared__ float s[64];
  const unsigned lane = threadIdx.x;
  s[lane] = s[lane + 32] = 1.0f;
  __syncthreads();
  for (unsigned half = 16; half > 0; half /= 2) {
    const float more = s[lane + half];
    if (version == kCorrect) __syncwarp();
    s[lane] += more;
    if (version == kCorrect) __syncwarp();
  }
  if (lane == 0) y[0] = s[0];
}

}  // namespace

TEST_SUITE_BEGIN("shared_races");

TEST_CASE_FIXTURE(SharedRaces, "both sides are named with line, block and thread") {
  stores_then_loads<kMistaken><<<1, kThreads>>>(y.get());
  std::string races;
  for (const simt::Finding& finding : simt::findings()) {
    if (finding.kind == "shared-race") races += finding.message;
  }
  CAPTURE(races);
  // The warp that came last found the others' stores; the first one's loads came before theirs.
  CHECK(races.find(line(kLoadLine) + ": error: load after store") != std::string::npos);
  CHECK(races.find(line(kStoreLine) + ": note: ") != std::string::npos);
  CHECK(races.find("in kernel stores_then_loads<kMistaken>, block (0,0,0), thread (") !=
        std::string::npos);
  CHECK(races.find("at byte ") != std::string::npos);
  CHECK(races.find("of 's'") != std::string::npos);
  simt::clear_findings();
  stores_then_loads<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a counter is reset while others count") {
  counts_while_it_is_reset<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("atomic operation after store"));
  CHECK(mentions(": note: "));
  CHECK(races());
  counts_while_it_is_reset<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
  CHECK(counts.host()[0] == kThreads);
}

TEST_CASE_FIXTURE(SharedRaces, "a counter is read while others count") {
  reads_what_others_count<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(races());
  reads_what_others_count<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a counter is read by the thread that counted last") {
  last_to_count_reads<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("load after atomic operation"));
  CHECK(races());
  last_to_count_reads<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a counter is reset while others still read it") {
  resets_what_others_read<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(races());
  resets_what_others_read<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a word is stored between the times that others load it") {
  stores_between_loads<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(mentions("store after load: thread 64 and others have no barrier in between"));
  CHECK(races());
  stores_between_loads<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[0] == 3.0f);
}

TEST_CASE_FIXTURE(SharedRaces, "a word is stored of vectors that others load") {
  stores_a_word_of_vectors<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(races());
  stores_a_word_of_vectors<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[0] == 3.0f);
}

TEST_CASE_FIXTURE(SharedRaces, "bytes are stored of words that others load") {
  bytes_then_words<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(races());
  bytes_then_words<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a byte is stored of what another warp loads at once") {
  byte_within<kMistaken, unsigned short><<<1, kThreads>>>(counts.get());
  CHECK(races());
  byte_within<kCorrect, unsigned short><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
  byte_within<kMistaken, uint4><<<1, kThreads>>>(counts.get());
  CHECK(races());
  byte_within<kCorrect, uint4><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "warps store bytes of one word, each its own") {
  word_of_four_warps<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(races());
  word_of_four_warps<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a tile is overwritten while others still read it") {
  tile_is_reused<kMistaken><<<1, kThreads>>>(x.get(), y.get());
  CHECK(races());
  tile_is_reused<kCorrect><<<1, kThreads>>>(x.get(), y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a scan in place lacks the barrier between load and store") {
  scans_in_place<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(races());
  scans_in_place<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[kThreads - 1] == kThreads);
}

TEST_CASE_FIXTURE(SharedRaces, "one barrier a round, with one buffer") {
  one_barrier_a_round<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(races());
  one_barrier_a_round<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "a reduction trusts that a warp runs in lockstep") {
  last_steps_without_a_barrier<kMistaken><<<1, kThreads>>>(y.get());
  CHECK(races());
  last_steps_without_a_barrier<kCorrect><<<1, kThreads>>>(y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[0] == kThreads);
}

TEST_CASE_FIXTURE(SharedRaces, "a warp's barrier orders no other warp") {
  one_warp_syncs_for_another<kMistaken><<<1, 64>>>(y.get());
  CHECK(take_kinds().find("shared-race ") != std::string::npos);
  one_warp_syncs_for_another<kCorrect><<<1, 64>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "another block's shared memory is read before it is ready") {
  launch_cluster(neighbour_block_has_not_stored<kMistaken>, 4, 32, y.get());
  CHECK_FALSE(take_kinds().empty());  // a race, and where the block had not run yet, unwritten
  launch_cluster(neighbour_block_has_not_stored<kCorrect>, 4, 32, y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[3] == 0.0f);
}

TEST_CASE_FIXTURE(SharedRaces, "another block stores what is read behind a block barrier only") {
  launch_cluster(stores_into_another_block<kMistaken>, 4, 32, y.get());
  CHECK(mentions("cluster barrier"));
  CHECK(races());
  launch_cluster(stores_into_another_block<kCorrect>, 4, 32, y.get());
  CHECK(take_kinds().empty());
  CHECK(y.host()[0] == 1.0f);
}

TEST_CASE_FIXTURE(SharedRaces, "a block leaves while others read its shared memory") {
  launch_cluster(leaves_before_others_have_read<kMistaken>, 2, 1, y.get());
  CHECK(take_kinds() == "distributed-after-exit ");
  launch_cluster(leaves_before_others_have_read<kCorrect>, 2, 1, y.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(SharedRaces, "within a warp __syncwarp() would do, and is named") {
  adds_up_in_one_warp<kMistaken><<<1, 32>>>(y.get());
  CHECK(mentions(" and others of its warp have no __syncwarp() or barrier in between"));
  CHECK(mentions("the load by other threads; thread "));
  CHECK(mentions(" made the same one, after them"));
  CHECK(races());
  adds_up_in_one_warp<kCorrect><<<1, 32>>>(y.get());
  CHECK(take_kinds().empty());
}

TEST_SUITE_END();
