// Blocks of a cluster that exchange by asynchronous stores: what arrives when, what orders what,
// and which mistakes are found.

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "async_stores.cuh"
#include "simt/executor/launch_observer.h"
#include "simt/tests/checkers/mistakes.h"
#include "simt/tests/support/launch_clusters.h"

namespace {

using namespace exchange;

constexpr unsigned kBlocks = 4;

template <typename... Parameters, typename... Arguments>
void run(void (*kernel)(Parameters...), unsigned blocks, Arguments... arguments) {
  REQUIRE(launch_clusters(kernel, blocks, kThreads, kBlocks, 0, arguments...) == cudaSuccess);
}

template <typename T, unsigned kValues>
void check_gathering() {
  constexpr unsigned kCluster = kBlocks * kValues;
  std::vector<T> values(2 * kCluster);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(i + 1);
  const DeviceArray<T> x(values);
  const DeviceArray<T> y = zeros<T>(2 * kBlocks * kCluster);
  const T* const from = x.get();
  run(gathers<T, kValues>, 2 * kBlocks, from, y.get());
  const simt::Counters counted = simt::last_launch();
  const std::vector<T> gathered = y.host();
  unsigned wrong = 0;
  for (unsigned i = 0; i < gathered.size(); ++i)
    wrong += gathered[i] != values[i / (kBlocks * kCluster) * kCluster + i % kCluster];
  CHECK(wrong == 0);
  // What a block sends to itself, too.
  CHECK(counted.distributed_bytes == 2 * kBlocks * kBlocks * kValues * sizeof(T));
  CHECK(counted.shared_stores.requests == 0);
}

template <Rounds rounds>
void run_rounds(float* y) {
  run(sums_in_rounds<rounds>, kBlocks, y, 5);
}

template <Mistake mistake>
void run_badly(float* y) {
  launch_clusters(sends_badly<mistake>, 2, 32, 2, 0, y);
  cudaGetLastError();
}

}  // namespace

TEST_SUITE("async_stores") {
  TEST_CASE("each block gets what all of its cluster send, whatever the width") {
    Mistakes mistakes;
    check_gathering<float, 1>();
    check_gathering<float, 2>();
    check_gathering<int, 4>();
    check_gathering<double, 1>();
    check_gathering<double, 2>();
    CHECK(mistakes.take_kinds() == "");
  }

  TEST_CASE("phases follow each other, and order what is read before it is overwritten") {
    Mistakes mistakes;
    const DeviceArray<float> y = zeros<float>(kBlocks * kThreads);
    run_rounds<Rounds::kTwoBuffers>(y.get());
    CHECK(mistakes.take_kinds() == "");
    CHECK(y.host() == std::vector<float>(kBlocks * kThreads, 10.0f * 256));
    run_rounds<Rounds::kOneBufferAsked>(y.get());
    CHECK(mistakes.take_kinds() == "");
    CHECK(y.host() == std::vector<float>(kBlocks * kThreads, 10.0f * 256));
    run_rounds<Rounds::kOneBuffer>(y.get());
    CHECK(mistakes.take_kinds().find("shared-race") != std::string::npos);
    run_rounds<Rounds::kNoMeeting>(y.get());
    CHECK(mistakes.take_kinds().find("shared-race") != std::string::npos);
  }

  TEST_CASE("who has waited, or met one who has, finds what was sent") {
    Mistakes mistakes;
    const DeviceArray<unsigned> y = zeros<unsigned>(kBlocks);
    for (const auto kernel : {passes_on<Waiting::kAll>, passes_on<Waiting::kOneThenAll>,
                              passes_on<Waiting::kPolls>, passes_on<Waiting::kToken>}) {
      run(kernel, kBlocks, y.get());
      CHECK(mistakes.take_kinds() == "");
      CHECK(y.host() == std::vector<unsigned>{31, 1, 11, 21});
    }
    for (const auto kernel : {passes_on<Waiting::kNone>, passes_on<Waiting::kOtherBarrier>}) {
      run(kernel, kBlocks, y.get());
      CHECK(mistakes.found.kinds().find("shared-race") != std::string::npos);
      mistakes.take_kinds();
    }
  }

  TEST_CASE("bytes count for libcu++'s barriers, too") {
    Mistakes mistakes;
    const DeviceArray<float> y = zeros<float>(kBlocks);
    run(uses_an_object<1>, kBlocks, y.get());
    CHECK(mistakes.take_kinds() == "");
    CHECK(y.host() == std::vector<float>{4, 1, 2, 3});
  }

  TEST_CASE("launches that run plain exchange as well") {
    simt::clear_findings();
    simt::set_counted_time(0);
    std::vector<bool> are_plain;
    simt::observe_launches(
        [&](const simt::EndedLaunch& launch) { are_plain.push_back(launch.is_plain); });
    DeviceArray<float> y = zeros<float>(kBlocks * kThreads);
    for (int launch = 0; launch < 2; ++launch) {
      y.zero();
      run_rounds<Rounds::kTwoBuffers>(y.get());
      CHECK(y.host() == std::vector<float>(kBlocks * kThreads, 10.0f * 256));
    }
    simt::observe_launches({});
    simt::set_counted_time(std::numeric_limits<double>::infinity());
    CHECK(are_plain == std::vector<bool>{false, true});
    CHECK(simt::findings().empty());
  }

  TEST_CASE("who tries in vain may do something else, which others wait for") {
    Mistakes mistakes;
    const DeviceArray<unsigned> y = zeros<unsigned>(kBlocks);
    run(tries_and_tells<1>, kBlocks, y.get());
    CHECK(mistakes.take_kinds() == "");
    CHECK(y.host() == std::vector<unsigned>{0, 2, 2, 2});
  }

  TEST_CASE("a block that ends before what is sent to it has come, whichever of them it is") {
    Mistakes mistakes;
    for (const unsigned receiver : {0u, 1u}) {
      launch_clusters(leaves<Leaving::kWaits>, 2, 32, 2, 0, receiver);
      CHECK(mistakes.take_kinds() == "");
      for (const auto kernel : {leaves<Leaving::kWaitsForOne>, leaves<Leaving::kDoesNotWait>,
                                leaves<Leaving::kExpectsMore>}) {
        launch_clusters(kernel, 2, 32, 2, 0, receiver);
        CHECK(mistakes.take_kinds() == "distributed-after-exit ");
      }
    }
    launch_clusters(leaves<Leaving::kDoesNotWait>, 2, 32, 2, 0, 1u);
    CHECK(
        mistakes.mentions("block 1 of the cluster ended, and none of its threads waited for the "
                          "asynchronous store by block 0"));
  }

  TEST_CASE("stores and barriers that are not as they must be") {
    Mistakes mistakes;
    float* const y = mistakes.y.get();
    run_badly<Mistake::kNobodyMadeIt>(y);
    CHECK(mistakes.mentions("no thread has initialized"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    run_badly<Mistake::kNotYetMade>(y);
    CHECK(mistakes.take_kinds().find("distributed-before-start") != std::string::npos);
    run_badly<Mistake::kExpectsTooMuch>(y);
    CHECK(mistakes.mentions("1048576 bytes: it takes up to 1048575"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    run_badly<Mistake::kMisaligned>(y);
    CHECK(mistakes.take_kinds() == "misaligned-access ");
    run_badly<Mistake::kBlockHasEnded>(y);
    CHECK(mistakes.take_kinds().find("distributed-after-exit") != std::string::npos);
    run_badly<Mistake::kBarrierElsewhere>(y);
    CHECK(mistakes.mentions("its barrier's block"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    run_badly<Mistake::kTooFewBytes>(y);
    CHECK(mistakes.mentions("1 of 1 have arrived and 24 bytes are missing"));
    CHECK(mistakes.take_kinds() == "deadlock ");
    run_badly<Mistake::kTooManyBytes>(y);
    CHECK(mistakes.mentions("4 bytes have come that no thread expects"));
    CHECK(mistakes.take_kinds() == "deadlock ");
    run_badly<Mistake::kWaitsElsewhere>(y);
    CHECK(mistakes.mentions("a barrier of another block of the cluster"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
    run_badly<Mistake::kNotShared>(y);
    CHECK(mistakes.mentions("its barrier's block"));
    CHECK(mistakes.take_kinds() == "async-barrier ");
  }
}
