// Kernels whose blocks exchange by asynchronous stores (st.async) and barriers in shared memory.
#pragma once

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include <cstdint>
#include <utility>

namespace exchange {

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr unsigned kThreads = 64;
constexpr unsigned kMostBlocks = 8;

// Made by one thread; the other blocks know of them behind the cluster's barrier.
__device__ inline void make_barriers(std::uint64_t* barriers, unsigned count, unsigned arrivals) {
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < count; ++i)
      ptx::mbarrier_init(&barriers[i], arrivals);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  cg::this_cluster().sync();
}

__device__ inline void expect(std::uint64_t* barrier, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, barrier,
                                 bytes);
}

__device__ inline void wait(std::uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
  }
}

template <typename T, unsigned kValues>
__device__ void send(T* to, const T* values, std::uint64_t* barrier) {
  if constexpr (kValues == 1) {
    ptx::st_async(to, values[0], barrier);
  } else if constexpr (kValues == 2) {
    const T two[2] = {values[0], values[1]};
    ptx::st_async(to, two, barrier);
  } else {
    const T four[4] = {values[0], values[1], values[2], values[3]};
    ptx::st_async(to, four, barrier);
  }
}

// Each block sends its values to all of the cluster, itself included.
template <typename T, unsigned kValues>
__global__ void gathers(const T* x, T* y) {
  __shared__ alignas(16) T inbox[kMostBlocks * kValues];
  __shared__ std::uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned blocks = cluster.num_blocks();
  make_barriers(&barrier, 1, 1);
  if (threadIdx.x == 0) expect(&barrier, blocks * kValues * sizeof(T));
  if (threadIdx.x < blocks) {
    send<T, kValues>(cluster.map_shared_rank(inbox, threadIdx.x) + cluster.block_rank() * kValues,
                     x + blockIdx.x * kValues, cluster.map_shared_rank(&barrier, threadIdx.x));
  }
  wait(&barrier, 0);
  if (threadIdx.x < blocks * kValues)
    y[blockIdx.x * blocks * kValues + threadIdx.x] = inbox[threadIdx.x];
  cluster.sync();
}

enum class Rounds {
  kTwoBuffers,      // the data of the next round tells that those of this one were read
  kNoMeeting,       // the same, but a thread sends while others of its block still read
  kOneBuffer,       // overwrites what other blocks may be reading
  kOneBufferAsked,  // waits for all blocks to have read it
};

// Each round sends the sum of the one before.
template <Rounds rounds>
__global__ void sums_in_rounds(float* y, int count) {
  constexpr bool kOne = rounds == Rounds::kOneBuffer || rounds == Rounds::kOneBufferAsked;
  __shared__ float inbox[2][kMostBlocks];
  __shared__ std::uint64_t full[2];
  __shared__ std::uint64_t empty;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned blocks = cluster.num_blocks();
  const unsigned rank = cluster.block_rank();
  make_barriers(&empty, 1, blocks);
  make_barriers(full, 2, 1);
  float mine = 1.0f + rank;
  for (int round = 0; round < count; ++round) {
    const int buffer = kOne ? 0 : round % 2;
    const unsigned parity = kOne ? round % 2 : round / 2 % 2;
    if (threadIdx.x == 0) expect(&full[buffer], blocks * sizeof(float));
    if (threadIdx.x < blocks) {
      if (rounds == Rounds::kOneBufferAsked && round > 0) wait(&empty, (round - 1) % 2);
      ptx::st_async(cluster.map_shared_rank(&inbox[buffer][rank], threadIdx.x), mine,
                    cluster.map_shared_rank(&full[buffer], threadIdx.x));
    }
    wait(&full[buffer], parity);
    mine = 0;
    for (unsigned block = 0; block < blocks; ++block)
      mine += inbox[buffer][block];
    if (rounds != Rounds::kNoMeeting) __syncthreads();
    if (rounds == Rounds::kOneBufferAsked && threadIdx.x < blocks) {
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                           cluster.map_shared_rank(&empty, threadIdx.x));
    }
  }
  y[blockIdx.x * kThreads + threadIdx.x] = mine;
  cluster.sync();
}

enum class Waiting { kAll, kOneThenAll, kPolls, kToken, kNone, kOtherBarrier };

// The next block's number arrives in two pieces, of which a second barrier waits for the other.
template <Waiting waiting>
__global__ void passes_on(unsigned* y) {
  __shared__ unsigned inbox[2];
  __shared__ std::uint64_t barriers[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  make_barriers(barriers, 2, kThreads);
  std::uint64_t token = 0;
  for (unsigned i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barriers[i],
                              sizeof(unsigned));
    }
    token = ptx::mbarrier_arrive(&barriers[i]);
  }
  if (threadIdx.x < 2) {
    ptx::st_async(cluster.map_shared_rank(&inbox[threadIdx.x], next), 10 * blockIdx.x + threadIdx.x,
                  cluster.map_shared_rank(&barriers[threadIdx.x], next));
  }
  if (waiting == Waiting::kAll) wait(&barriers[1], 0);
  if (waiting == Waiting::kOtherBarrier) wait(&barriers[0], 0);
  if (waiting == Waiting::kToken) {
    while (!ptx::mbarrier_try_wait(&barriers[1], token)) {
    }
  }
  if (waiting == Waiting::kPolls) {
    while (!ptx::mbarrier_test_wait_parity(&barriers[1], 0)) {
    }
  }
  if (waiting == Waiting::kOneThenAll) {
    if (threadIdx.x == 0) wait(&barriers[1], 0);
    __syncwarp();
    __syncthreads();
  }
  if (threadIdx.x == 40) y[blockIdx.x] = inbox[1];
  wait(&barriers[0], 0);
  wait(&barriers[1], 0);
  cluster.sync();
}

// As libcu++'s own object, which also counts bytes.
template <int>
__global__ void uses_an_object(float* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ float inbox;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) init(&barrier, kThreads);
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  cuda::barrier<cuda::thread_scope_block>::arrival_token token;
  if (threadIdx.x == 0) {
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(float));
    ptx::st_async(cluster.map_shared_rank(&inbox, next), 1.0f + blockIdx.x,
                  cluster.map_shared_rank(cuda::device::barrier_native_handle(barrier), next));
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  if (threadIdx.x == 33) y[blockIdx.x] = inbox;
  cluster.sync();
}

// A thread of each but the first block tries in vain to pass its own barrier, then arrives at the
// first block's, which all threads there wait for.
template <int>
__global__ void tries_and_tells(unsigned* y) {
  __shared__ std::uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  make_barriers(&barrier, 1, cluster.num_blocks() - 1);
  if (cluster.block_rank() == 0) {
    wait(&barrier, 0);
  } else if (threadIdx.x == 0) {
    y[blockIdx.x] = ptx::mbarrier_try_wait_parity(&barrier, 0) ? 1 : 2;
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                         cluster.map_shared_rank(&barrier, 0));
  }
  cluster.sync();
}

enum class Leaving { kWaits, kWaitsForOne, kDoesNotWait, kExpectsMore };

// The other block sends to one that may end without having waited.
template <Leaving leaving>
__global__ void leaves(unsigned receiver) {
  __shared__ float inbox[2];
  __shared__ std::uint64_t barriers[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const bool receives = cluster.block_rank() == receiver;
  make_barriers(barriers, 2, 1);
  if (threadIdx.x == 0 && receives) {
    for (std::uint64_t& barrier : barriers)
      expect(&barrier, leaving == Leaving::kExpectsMore ? 8 : 4);
  }
  cluster.sync();
  if (threadIdx.x < 2 && !receives) {
    ptx::st_async(cluster.map_shared_rank(&inbox[threadIdx.x], receiver), 1.0f,
                  cluster.map_shared_rank(&barriers[threadIdx.x], receiver));
  }
  if (threadIdx.x != 5 || !receives) return;
  if (leaving == Leaving::kWaits || leaving == Leaving::kWaitsForOne) wait(&barriers[0], 0);
  if (leaving == Leaving::kWaits) wait(&barriers[1], 0);
}

enum class Mistake {
  kNobodyMadeIt,
  kNotYetMade,
  kExpectsTooMuch,
  kMisaligned,
  kBlockHasEnded,
  kBarrierElsewhere,
  kTooFewBytes,
  kTooManyBytes,
  kWaitsElsewhere,
  kNotShared,
};

// Of two blocks, the second sends to the first.
template <Mistake mistake>
__global__ void sends_badly(float* y) {
  __shared__ alignas(16) float inbox[8];
  __shared__ std::uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const bool receives = cluster.block_rank() == 0;
  if (threadIdx.x == 0 && mistake != Mistake::kNobodyMadeIt) ptx::mbarrier_init(&barrier, 1);
  if (mistake != Mistake::kNotYetMade) cluster.sync();
  if (receives && mistake == Mistake::kBlockHasEnded) return;
  std::uint64_t* const there = cluster.map_shared_rank(&barrier, 0);
  if (threadIdx.x == 0 && receives) {
    expect(&barrier, mistake == Mistake::kExpectsTooMuch ? 1 << 20
                     : mistake == Mistake::kTooFewBytes  ? 32
                     : mistake == Mistake::kTooManyBytes ? 4
                                                         : 8);
  }
  if (threadIdx.x == 0 && !receives) {
    const float two[2] = {1.0f, 2.0f};
    if (mistake == Mistake::kWaitsElsewhere) wait(there, 0);
    ptx::st_async(mistake == Mistake::kNotShared
                      ? y
                      : cluster.map_shared_rank(inbox, mistake == Mistake::kBarrierElsewhere) +
                            (mistake == Mistake::kMisaligned),
                  two, there);
  }
  if (receives) {
    wait(&barrier, 0);
    y[threadIdx.x] = inbox[0];
  }
  if (mistake != Mistake::kBlockHasEnded) cluster.sync();
}

}  // namespace exchange
