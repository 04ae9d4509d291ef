// Stores that race with each other are a note where all of them store the same, and an error where
// one stores anything else, or where somebody reads in between.

#include <cooperative_groups.h>

#include <string>

#include "simt/tests/checkers/mistakes.h"

namespace cg = cooperative_groups;

namespace {

constexpr unsigned kThreads = 64;

// ---- shared memory ------------------------------------------------------------------------------

__global__ void all_raise_a_flag(unsigned* y) {
  __shared__ bool is_done;
  is_done = true;
  __syncthreads();
  y[blockIdx.x * kThreads + threadIdx.x] = is_done;
}
constexpr int kFlagLine = __LINE__ - 4;

// Of one thread, or of none.
__global__ void one_stores_something_else(unsigned* y, unsigned other) {
  __shared__ unsigned s;
  s = threadIdx.x == other ? 2 : 1;
  __syncthreads();
  y[threadIdx.x] = s;
}

// What the memory holds already is a value like others.
__global__ void some_store_what_was_there(unsigned* y, unsigned first_to_store_one) {
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  s = threadIdx.x >= first_to_store_one ? 1 : 0;
  __syncthreads();
  y[threadIdx.x] = s;
}

__global__ void stores_what_is_there_while_others_read(unsigned* y) {
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 1;
  __syncthreads();
  if (threadIdx.x == 0) s = 1;
  y[threadIdx.x] = s;
}

// `same` is 0, which the compiler does not know.
__global__ void reads_what_it_has_stored_itself(unsigned* y, unsigned same) {
  __shared__ unsigned s[2];
  s[0] = 1;
  y[threadIdx.x] = s[same];
}

// The first to store and the last one, too, are not alone.
__global__ void one_of_them_reads(unsigned* y, unsigned same, unsigned reader) {
  __shared__ unsigned s[2];
  s[0] = 1;
  if (threadIdx.x == reader) *y = s[same];
}

__global__ void one_of_them_updates(unsigned* y, unsigned updater) {
  __shared__ unsigned s;
  s = 1;
  if (threadIdx.x == updater) atomicExch(&s, 1);
  __syncthreads();
  y[threadIdx.x] = s;
}

__global__ void a_value_for_each_round(unsigned* y, unsigned differs_in) {
  __shared__ unsigned s;
  for (unsigned round = 0; round < 4; ++round) {
    s = round == differs_in && threadIdx.x == 7 ? 100 : round;
    __syncthreads();
    y[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x == 0) s = 50;
    __syncthreads();
  }
}

__global__ void stores_beside_atomic_operations(unsigned* y) {
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicExch(&s, 1);
  s = 1;
  __syncthreads();
  y[threadIdx.x] = s;
}

// The lowest byte, behind the others' barrier.
__global__ void a_word_and_a_byte_of_it(unsigned* y, unsigned char byte) {
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 0x01010101;
  if (threadIdx.x == 40) *reinterpret_cast<unsigned char*>(&s) = byte;
  __syncthreads();
  y[threadIdx.x] = s;
}

__global__ void all_store_a_vector(float* y, unsigned other) {
  __shared__ float4 s;
  s = make_float4(1, 2, 3, threadIdx.x == other ? 5 : 4);
  __syncthreads();
  y[threadIdx.x] = s.x + s.w;
}

struct Many {
  float values[24];
};

__global__ void all_store_an_object(const Many* x, float* y, unsigned other) {
  __shared__ Many s;
  s = x[threadIdx.x == other ? 1 : 0];
  __syncthreads();
  y[threadIdx.x] = s.values[threadIdx.x % 24];
}

// More than the 2048 events that a log keeps: threads take turns in the middle.
__global__ void all_store_often(unsigned* y, unsigned other) {
  __shared__ unsigned s[3];
  for (unsigned i = 0; i < 2100; ++i)
    s[i % 3] = i == 2098 && threadIdx.x == other ? 8 : 7;
  __syncthreads();
  y[threadIdx.x] = s[0];
}

__global__ void objects_often(const Many* x, float* y, unsigned other) {
  __shared__ Many s;
  for (unsigned i = 0; i < 300; ++i)
    s = x[i == 250 && threadIdx.x == other ? 1 : 0];
  __syncthreads();
  y[threadIdx.x] = s.values[threadIdx.x % 24];
}

__global__ void one_block_differs(unsigned* y, unsigned block) {
  __shared__ unsigned s;
  s = blockIdx.x == block ? threadIdx.x : 7;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
__global__ void __cluster_dims__(4, 1, 1)
    all_blocks_store_to_the_first(unsigned* y, unsigned other) {
  __shared__ unsigned s;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  if (threadIdx.x == 0) *cluster.map_shared_rank(&s, 0) = cluster.block_rank() == other ? 2 : 1;
  cluster.sync();
  if (threadIdx.x == 0) y[blockIdx.x] = *cluster.map_shared_rank(&s, 0);
  cluster.sync();
}

// ---- global memory ------------------------------------------------------------------------------

__global__ void blocks_raise_a_flag(unsigned char* y, unsigned other) {
  *y = blockIdx.x != other;
}

// The lanes of each warp, too, store different values, and the same one comes last in each.
__global__ void blocks_store_their_threads(unsigned* y) {
  *y = threadIdx.x;
}

// Each does the whole work.
__global__ void blocks_fill_the_same(unsigned* y, unsigned other) {
  const bool differs = blockIdx.x == other && threadIdx.x == 33;
  y[threadIdx.x] = differs ? 1000 : threadIdx.x;
}

__global__ void a_block_stores_twice(unsigned* y, unsigned twice) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == twice) *y = 5;
  __threadfence();
  *y = 1;
}

__global__ void raises_a_flag_that_others_read(unsigned* flag, unsigned* y) {
  if (*flag == 0) y[blockIdx.x * kThreads + threadIdx.x] = 1;
  __syncthreads();  // so that the block's own threads do not race
  if (threadIdx.x == 0) *flag = 0;
}

__device__ unsigned in_a_variable[2];

__global__ void blocks_store_to_a_variable(unsigned other) {
  in_a_variable[1] = blockIdx.x == other ? 3 : 4;
}

__global__ void blocks_store_a_vector(float4* y, unsigned other) {
  y[1] = make_float4(1, 2, 3, blockIdx.x == other ? 5 : 4);
}

__global__ void blocks_store_an_object(const Many* x, Many* y, unsigned other) {
  *y = x[blockIdx.x == other ? 1 : 0];
}

__global__ void a_block_stores_a_byte_of_it(unsigned* y, unsigned char byte) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 2) *y = 0x01010101;
  if (blockIdx.x == 2) reinterpret_cast<unsigned char*>(y)[3] = byte;
}

__global__ void adds_beside_stores(unsigned* y) {
  if (blockIdx.x == 0) {
    atomicExch(y, 1);
  } else {
    *y = 1;
  }
}

__global__ void a_value_for_each_phase(unsigned* y, unsigned other) {
  for (unsigned phase = 0; phase < 3; ++phase) {
    *y = phase == 1 && blockIdx.x == other ? 100 : phase;
    cg::this_grid().sync();
  }
}

struct EqualStores : Mistakes {
  DeviceArray<unsigned> counts = zeros<unsigned>(1024);

  /// The kinds of the notes since the last call, when there are no findings.
  std::string take_notes() {
    const std::string findings = found.kinds();
    std::string kinds;
    for (const simt::Finding& note : simt::notes())
      kinds += note.kind + " ";
    if (!findings.empty()) MESSAGE(found.message());
    simt::clear_findings();
    return findings.empty() ? kinds : "findings: " + findings;
  }
  /// The kinds of the findings, when there are no notes.
  std::string take_errors() {
    const std::size_t notes = simt::notes().size();
    const std::string kinds = take_kinds();
    return notes == 0 ? kinds : "beside notes: " + kinds;
  }
};

constexpr unsigned kNone = ~0u;
constexpr unsigned kBlocks = 8;
constexpr unsigned kBlocksThatDiffer[] = {0, 1, kBlocks - 1};

}  // namespace

TEST_SUITE_BEGIN("equal_stores");

TEST_CASE_FIXTURE(EqualStores, "all threads raise one flag") {
  all_raise_a_flag<<<2, kThreads>>>(counts.get());
  REQUIRE(simt::notes().size() == 1);
  const simt::Finding note = simt::notes().front();
  CAPTURE(note.message);
  const std::string line = "equal_stores.cu:" + std::to_string(kFlagLine) + ": note: ";
  CHECK(note.is_note);
  CHECK(note.message.starts_with(line +
                                 "store after store: threads 0 and 1 have no __syncwarp() or "));
  CHECK(note.message.find("the same value, so the result is right") != std::string::npos);
  CHECK(note.message.find("in kernel all_raise_a_flag, block (0,0,0), thread (1,0,0)") !=
        std::string::npos);
  CHECK(take_notes() == "shared-race ");
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(counts.host()[kThreads - 1] == 1);
}

TEST_CASE_FIXTURE(EqualStores, "one thread stores something else") {
  one_stores_something_else<<<1, kThreads>>>(counts.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  for (const unsigned other : {0u, 1u, 31u, 32u, kThreads - 1}) {
    CAPTURE(other);
    one_stores_something_else<<<1, kThreads>>>(counts.get(), other);
    CHECK(take_errors() == "shared-race ");
  }
}

TEST_CASE_FIXTURE(EqualStores, "some store what the memory holds already") {
  for (const unsigned first_to_store_one : {0u, kThreads}) {
    some_store_what_was_there<<<1, kThreads>>>(counts.get(), first_to_store_one);
    CHECK(take_notes() == "shared-race ");
  }
  for (const unsigned first_to_store_one : {1u, 32u, kThreads - 1}) {
    some_store_what_was_there<<<1, kThreads>>>(counts.get(), first_to_store_one);
    CHECK(take_errors() == "shared-race ");
  }
}

TEST_CASE_FIXTURE(EqualStores, "others read while a thread stores what is there") {
  stores_what_is_there_while_others_read<<<1, kThreads>>>(counts.get());
  CHECK(mentions("load after store"));
  CHECK(take_errors() == "shared-race ");
}

TEST_CASE_FIXTURE(EqualStores, "a thread reads while others store the same") {
  reads_what_it_has_stored_itself<<<1, kThreads>>>(counts.get(), 0);
  CHECK(take_kinds().find("shared-race ") == 0);
  one_of_them_reads<<<1, kThreads>>>(counts.get(), 0, kNone);
  CHECK(take_notes() == "shared-race ");
  for (const unsigned reader : {0u, 1u, 32u, kThreads - 1}) {
    CAPTURE(reader);
    one_of_them_reads<<<1, kThreads>>>(counts.get(), 0, reader);
    CHECK(take_kinds().find("shared-race ") == 0);
  }
  one_of_them_reads<<<1, kThreads>>>(counts.get(), 0, kThreads - 1);
  CHECK(mentions("load after store: thread 63 and others"));
}

TEST_CASE_FIXTURE(EqualStores, "each round between barriers has its own value") {
  a_value_for_each_round<<<1, kThreads>>>(counts.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  a_value_for_each_round<<<1, kThreads>>>(counts.get(), 2);
  CHECK(take_errors() == "shared-race ");
}

TEST_CASE_FIXTURE(EqualStores, "atomic operations beside plain stores of the same value") {
  stores_beside_atomic_operations<<<1, kThreads>>>(counts.get());
  CHECK(take_kinds().find("shared-race ") == 0);
  for (const unsigned updater : {0u, 1u, 32u, kThreads - 1}) {
    CAPTURE(updater);
    one_of_them_updates<<<1, kThreads>>>(counts.get(), updater);
    CHECK(take_kinds().find("shared-race ") == 0);
  }
}

TEST_CASE_FIXTURE(EqualStores, "a word and a byte of it") {
  a_word_and_a_byte_of_it<<<1, kThreads>>>(counts.get(), 1);
  CHECK(take_notes() == "shared-race ");
  a_word_and_a_byte_of_it<<<1, kThreads>>>(counts.get(), 2);
  CHECK(take_errors() == "shared-race ");
}

TEST_CASE_FIXTURE(EqualStores, "vectors and objects") {
  const DeviceArray<Many> objects(std::vector<Many>{{{1, 2, 3}}, {{1, 2, 4}}});
  all_store_a_vector<<<1, kThreads>>>(y.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  all_store_an_object<<<1, kThreads>>>(objects.get(), y.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  for (const unsigned other : {0u, 1u, kThreads - 1}) {
    all_store_a_vector<<<1, kThreads>>>(y.get(), other);
    CHECK(take_errors() == "shared-race ");
    all_store_an_object<<<1, kThreads>>>(objects.get(), y.get(), other);
    CHECK(take_kinds() == "shared-race ");
  }
}

// Nearly all of this file's time, under a sanitizer minutes: a suite of its own.
TEST_CASE_FIXTURE(EqualStores, "threads take turns in the middle of their stores" *
                                   doctest::test_suite("full_logs")) {
  const DeviceArray<Many> objects(std::vector<Many>{{{1, 2, 3}}, {{1, 2, 4}}});
  all_store_often<<<1, kThreads>>>(counts.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  objects_often<<<1, kThreads>>>(objects.get(), y.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  for (const unsigned other : {1u, kThreads - 1}) {
    all_store_often<<<1, kThreads>>>(counts.get(), other);
    CHECK(take_errors() == "shared-race ");
    objects_often<<<1, kThreads>>>(objects.get(), y.get(), other);
    CHECK(take_kinds() == "shared-race ");
  }
}

TEST_CASE_FIXTURE(EqualStores, "an error is kept, and not the note of a block before") {
  one_block_differs<<<4, kThreads>>>(counts.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  one_block_differs<<<4, kThreads>>>(counts.get(), 2);
  CHECK(mentions("block (2,0,0)"));
  CHECK(take_errors() == "shared-race ");
}

TEST_CASE_FIXTURE(EqualStores, "blocks of a cluster store to one of them") {
  all_blocks_store_to_the_first<<<4, 32>>>(counts.get(), kNone);
  CHECK(take_notes() == "shared-race ");
  for (const unsigned other : {0u, 1u, 3u}) {
    all_blocks_store_to_the_first<<<4, 32>>>(counts.get(), other);
    CHECK(take_errors() == "shared-race ");
  }
}

TEST_CASE_FIXTURE(EqualStores, "blocks raise one flag, whatever was there") {
  auto flag = zeros<unsigned char>(1);
  for (int run = 0; run < 40; ++run) {
    const Workers these(1 + run % 4);
    CAPTURE(run);
    blocks_raise_a_flag<<<kBlocks, kThreads>>>(flag.get(), kNone);
    if (run == 0) {
      REQUIRE(simt::notes().size() == 1);
      const std::string message = simt::notes().front().message;
      CAPTURE(message);
      CHECK(message.find(": note: a store races with a store by another block") !=
            std::string::npos);
      CHECK(message.find("the same value, so the result is right") != std::string::npos);
    }
    CHECK(take_notes() == "global-race ");
    for (const unsigned other : kBlocksThatDiffer) {
      CAPTURE(other);
      if (run % 2 == 0) flag.zero();
      blocks_raise_a_flag<<<kBlocks, kThreads>>>(flag.get(), other);
      CHECK(take_errors() == "global-race ");
    }
    if (run % 3 == 0) flag.zero();
  }
}

TEST_CASE_FIXTURE(EqualStores, "blocks store their threads' numbers") {
  for (int run = 0; run < 10; ++run) {
    const Workers these(1 + run % 2);
    blocks_store_their_threads<<<kBlocks, 32>>>(counts.get());
    CHECK(take_errors() == "global-race ");
  }
}

TEST_CASE_FIXTURE(EqualStores, "blocks fill an array with the same") {
  for (int run = 0; run < 10; ++run) {
    const Workers these(1 + run % 4);
    counts.zero();
    blocks_fill_the_same<<<kBlocks, kThreads>>>(counts.get(), kNone);
    CHECK(take_notes() == "global-race ");
    for (const unsigned other : kBlocksThatDiffer) {
      blocks_fill_the_same<<<kBlocks, kThreads>>>(counts.get(), other);
      CHECK(mentions("at byte 132 of"));
      CHECK(take_errors() == "global-race ");
    }
  }
}

TEST_CASE_FIXTURE(EqualStores, "a block stores something else first") {
  a_block_stores_twice<<<kBlocks, kThreads>>>(counts.get(), kNone);
  CHECK(take_notes() == "global-race ");
  for (const unsigned twice : kBlocksThatDiffer) {
    a_block_stores_twice<<<kBlocks, kThreads>>>(counts.get(), twice);
    CHECK(take_kinds().find("global-race ") == 0);
  }
}

TEST_CASE_FIXTURE(EqualStores, "blocks read a flag while others store what is there") {
  raises_a_flag_that_others_read<<<kBlocks, kThreads>>>(counts.get(), counts.get() + 1);
  CHECK(mentions("a store races with a load by another block"));
  CHECK(take_kinds().find("global-race ") == 0);
}

TEST_CASE_FIXTURE(EqualStores, "blocks store to a variable") {
  blocks_store_to_a_variable<<<kBlocks, kThreads>>>(kNone);
  CHECK(take_notes() == "global-race ");
  for (const unsigned other : kBlocksThatDiffer) {
    blocks_store_to_a_variable<<<kBlocks, kThreads>>>(other);
    CHECK(take_errors() == "global-race ");
  }
}

TEST_CASE_FIXTURE(EqualStores, "blocks store vectors, objects, and bytes of words") {
  const DeviceArray<Many> objects(std::vector<Many>{{{1, 2, 3}}, {{1, 2, 4}}});
  const auto object = zeros<Many>(1);
  const auto vectors = zeros<float4>(2);
  blocks_store_a_vector<<<kBlocks, kThreads>>>(vectors.get(), kNone);
  CHECK(take_notes() == "global-race ");
  blocks_store_an_object<<<kBlocks, kThreads>>>(objects.get(), object.get(), kNone);
  CHECK(take_notes() == "global-race ");
  a_block_stores_a_byte_of_it<<<4, kThreads>>>(counts.get(), 1);
  CHECK(take_notes() == "global-race ");
  for (const unsigned other : kBlocksThatDiffer) {
    blocks_store_a_vector<<<kBlocks, kThreads>>>(vectors.get(), other);
    CHECK(take_errors() == "global-race ");
    blocks_store_an_object<<<kBlocks, kThreads>>>(objects.get(), object.get(), other);
    CHECK(take_errors() == "global-race ");
  }
  a_block_stores_a_byte_of_it<<<4, kThreads>>>(counts.get(), 2);
  CHECK(take_errors() == "global-race ");
}

TEST_CASE_FIXTURE(EqualStores, "atomic operations beside stores of other blocks") {
  adds_beside_stores<<<kBlocks, kThreads>>>(counts.get());
  CHECK(take_kinds() == "global-race ");
}

TEST_CASE_FIXTURE(EqualStores, "each phase of a cooperative grid has its own value") {
  unsigned* pointer = counts.get();
  for (unsigned other : {kNone, 0u, 1u, kBlocks - 1}) {
    void* arguments[] = {&pointer, &other};
    CHECK(cudaLaunchCooperativeKernel(a_value_for_each_phase, dim3(kBlocks), dim3(kThreads),
                                      arguments) == cudaSuccess);
    CHECK((other == kNone ? take_notes() : take_errors()) == "global-race ");
  }
}

TEST_CASE_FIXTURE(EqualStores, "of large arrays no values are known") {
  const auto large = zeros<unsigned>(100000);
  blocks_fill_the_same<<<kBlocks, kThreads>>>(large.get(), kNone);
  CHECK(take_errors() == "global-race ");
}

TEST_SUITE_END();
