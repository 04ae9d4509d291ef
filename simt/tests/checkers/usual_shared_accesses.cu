// Races on shared memory that are made by usual accesses (usual_shared_access.h). The lane of a
// warp that comes first to a piece of code leads the others: it takes the long way. So no branch
// parts the lanes here. Which word a thread accesses tells who races, and the first lane of each
// warp accesses another one.

#include <cuda_pipeline.h>

#include <utility>

#include "simt/tests/checkers/mistakes.h"

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kThreads = 2 * kLanes;
constexpr unsigned kWords = 2 * kThreads;

// The word that `thread` accesses: number 0 if it takes part, else one that is its own.
__device__ unsigned word_of(bool takes_part, unsigned thread) {
  return takes_part ? 0 : kThreads + thread;
}

__device__ bool is_first_of_warp(unsigned thread) {
  return thread % kLanes == 0;
}

// Each thread writes its own words, and thread 0 the one that all share.
__device__ void fill(unsigned* words) {
  words[threadIdx.x] = 1;
  words[kThreads + threadIdx.x] = 1;
  __syncthreads();
}

// All but the first of each warp load a word, and one of them stores it: the last to have loaded.
template <Version version>
__global__ void last_to_load_stores(unsigned* y) {
  __shared__ unsigned words[kWords];
  const unsigned t = threadIdx.x;
  fill(words);
  y[t] = words[word_of(t > 0 && t < kLanes, t)];
  if (version == kCorrect) __syncthreads();
  words[word_of(t == kLanes - 1, t)] = 2;
}

// Two warps load the word. What one of them does behind its own barrier is not ordered behind the
// other's loads.
template <Version version>
__global__ void both_warps_load(unsigned* y) {
  __shared__ unsigned words[kWords];
  const unsigned t = threadIdx.x;
  fill(words);
  y[t] = words[word_of(!is_first_of_warp(t), t)];
  if (version == kCorrect) __syncthreads();
  if (t >= kLanes) __syncwarp();
  words[word_of(t == kThreads - 24, t)] = 2;
}

// The loads behind the barrier are new ones, though all loaded the same before.
template <Version version>
__global__ void loads_again_behind_a_barrier(unsigned* y) {
  __shared__ unsigned words[kWords];
  const unsigned t = threadIdx.x;
  fill(words);
  unsigned sum = words[word_of(!is_first_of_warp(t), t)];
  __syncthreads();
  sum += words[word_of(!is_first_of_warp(t), t)];
  if (version == kCorrect) __syncthreads();
  words[word_of(t == kThreads - 1, t)] = 2;
  y[t] = sum;
}

// The second word of a pair is stored as a word, and loaded with the first.
template <Version version>
__global__ void loads_pairs(unsigned* y) {
  __shared__ uint2 pairs[kThreads];
  auto* const words = reinterpret_cast<unsigned*>(pairs);
  const unsigned t = threadIdx.x;
  fill(words);
  constexpr unsigned kSecondOfAll = 1;
  words[t == 1 ? kSecondOfAll : kThreads + t] = 2;
  if (version == kCorrect) __syncthreads();
  const uint2 pair = pairs[is_first_of_warp(t) ? 1 : 0];
  y[t] = pair.x + pair.y;
}

// Another warp has added to the word, and this one loads it.
template <Version version>
__global__ void loads_what_another_warp_adds_to(unsigned* y) {
  __shared__ unsigned words[kWords];
  const unsigned t = threadIdx.x;
  fill(words);
  if (t < kLanes) atomicAdd(&words[0], 1u);
  if (version == kCorrect) __syncthreads();
  y[t] = words[word_of(t > kLanes, t)];
}

// The same within a warp.
template <Version version>
__global__ void loads_what_its_warp_adds_to(unsigned* y) {
  __shared__ unsigned words[kWords];
  const unsigned t = threadIdx.x;
  fill(words);
  atomicAdd(&words[0], 1u);
  if (version == kCorrect) __syncthreads();
  y[t] = words[word_of(!is_first_of_warp(t), t)];
}

// A barrier of the block makes no asynchronous copy arrive.
template <Version version>
__global__ void loads_what_is_on_its_way(unsigned* y, const unsigned* x) {
  __shared__ unsigned words[kWords];
  const unsigned t = threadIdx.x;
  fill(words);
  __pipeline_memcpy_async(&words[t], &x[t], sizeof(unsigned));
  __pipeline_commit();
  if (version == kCorrect) __pipeline_wait_prior(0);
  __syncthreads();
  y[t] = words[is_first_of_warp(t) ? kThreads + t : t];
  __pipeline_wait_prior(0);
}

// Bytes of the word are stored by one thread each, and all load the word.
template <Version version>
__global__ void loads_a_word_of_bytes(unsigned* y) {
  __shared__ unsigned words[kWords];
  auto* const bytes = reinterpret_cast<unsigned char*>(words);
  const unsigned t = threadIdx.x;
  fill(words);
  unsigned sum = words[word_of(!is_first_of_warp(t), t)];
  __syncthreads();
  bytes[t > 0 && t < 5 ? t - 1 : 4 * (kThreads + t)] = 2;
  if (version == kCorrect) __syncthreads();
  sum += words[word_of(!is_first_of_warp(t), t)];
  y[t] = sum;
}

struct UsualSharedAccesses : Mistakes {
  DeviceArray<unsigned> counts = zeros<unsigned>(kThreads);
  DeviceArray<unsigned> values = zeros<unsigned>(kThreads);
};

}  // namespace

TEST_SUITE_BEGIN("usual_shared_accesses");

TEST_CASE_FIXTURE(UsualSharedAccesses, "the thread that loaded last stores, others loaded before") {
  last_to_load_stores<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("store after load: thread 31 and others"));
  CHECK(take_kinds() == "shared-race ");
  last_to_load_stores<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(UsualSharedAccesses, "two warps have loaded what one of them stores") {
  both_warps_load<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("store after load"));
  CHECK(take_kinds() == "shared-race ");
  both_warps_load<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(UsualSharedAccesses, "what is loaded again behind a barrier is stored") {
  loads_again_behind_a_barrier<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("store after load: thread 63 and others"));
  CHECK(take_kinds() == "shared-race ");
  loads_again_behind_a_barrier<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(UsualSharedAccesses, "the second word of a pair is stored") {
  loads_pairs<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("load after store: threads 1 and 2"));
  CHECK(take_kinds() == "shared-race ");
  loads_pairs<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(UsualSharedAccesses, "what others add to is loaded") {
  for (const auto& [mistaken, correct] : {std::pair(&loads_what_another_warp_adds_to<kMistaken>,
                                                    &loads_what_another_warp_adds_to<kCorrect>),
                                          std::pair(&loads_what_its_warp_adds_to<kMistaken>,
                                                    &loads_what_its_warp_adds_to<kCorrect>)}) {
    mistaken<<<1, kThreads>>>(counts.get());
    CHECK(mentions("load after atomic operation"));
    CHECK(take_kinds() == "shared-race ");
    correct<<<1, kThreads>>>(counts.get());
    CHECK(take_kinds().empty());
  }
}

TEST_CASE_FIXTURE(UsualSharedAccesses, "a copy is loaded that is on its way") {
  loads_what_is_on_its_way<kMistaken><<<1, kThreads>>>(counts.get(), values.get());
  CHECK(mentions("has started an asynchronous copy that it has not waited for"));
  CHECK(take_kinds() == "async-barrier ");
  loads_what_is_on_its_way<kCorrect><<<1, kThreads>>>(counts.get(), values.get());
  CHECK(take_kinds().empty());
}

TEST_CASE_FIXTURE(UsualSharedAccesses, "bytes are stored of a word that others load") {
  loads_a_word_of_bytes<kMistaken><<<1, kThreads>>>(counts.get());
  CHECK(mentions("store after load: threads 1 and 2"));
  CHECK(mentions("load after store", 1));
  CHECK(take_kinds() == "shared-race shared-race ");
  loads_a_word_of_bytes<kCorrect><<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().empty());
}
