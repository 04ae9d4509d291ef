// Lanes that take different paths: requests must be those of hardware that reconverges as soon as
// it can.

#include <algorithm>
#include <cassert>
#include <doctest/doctest.h>
#include <vector>

#include "simt/executor/log/machine_code.h"
#include "simt/tests/support/device_array.h"

namespace {

// Each lane goes round more often than the one before.
__global__ void ragged_loop(const float* x, float* y, int first, int step) {
  float sum = 0.0f;
  const int rounds = first + step * threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    sum += x[i % 8 * 32 + threadIdx.x];
  y[threadIdx.x] = sum;
}

// Some lanes do more in each round.
__global__ void branch_in_loop(const float* x, float* y, int rounds) {
  float value = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    value += x[i % 8 * 32 + threadIdx.x];
    if (threadIdx.x < 4) value *= x[256 + threadIdx.x];
  }
  y[threadIdx.x] = value;
}

// Odd and even lanes take turns.
__global__ void alternate(const float* x, float* y, int rounds) {
  float sum = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    if ((i + threadIdx.x) % 2 == 1) sum += x[i % 8 * 32 + threadIdx.x];
  }
  y[threadIdx.x] = sum;
}

// Two sides, each with a branch of its own, and code after.
__global__ void nested_branches(const float* x, float* y) {
  float value = x[threadIdx.x];
  if (threadIdx.x < 16) {
    value += x[32 + threadIdx.x];
    if (threadIdx.x < 8) value += x[64 + threadIdx.x];
    value *= x[96 + threadIdx.x];
  } else {
    value -= x[128 + threadIdx.x];
    if (threadIdx.x < 24) value -= x[160 + threadIdx.x];
    value /= x[192 + threadIdx.x];  // not the same operation, or g++ merges the two
  }
  y[threadIdx.x] = value + x[224 + threadIdx.x];
}

// Diverges between shuffles, at which all lanes meet.
__global__ void branch_between_shuffles(const float* x, float* y, int rounds) {
  float value = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x % 2 == 0) value += x[threadIdx.x];
    value = __shfl_xor_sync(0xffffffff, value, 1);
    value += x[32 + threadIdx.x];
  }
  y[threadIdx.x] = value;
}

// Diverges right behind a barrier, and has more to do behind the shuffle that follows.
__global__ void branch_behind_a_barrier(const float* x, float* y) {
  float value = 0.0f;
  __syncthreads();
  if (threadIdx.x % 2 == 0) value = x[threadIdx.x];
  value += x[32 + threadIdx.x];
  value = __shfl_xor_sync(0xffffffff, value, 1);
  y[threadIdx.x] = value;
}

// A branch after many events that all lanes have in common, and a shuffle later on.
__global__ void late_branch(const float* x, float* y, int rounds, int more_blocks) {
  float value = 0.0f;
  for (int i = 0; i < rounds; ++i)
    value += x[i % 8 * 32 + threadIdx.x];
  for (int i = 0; i < more_blocks; ++i)
    value *= 1.5f;
  if (threadIdx.x % 2 == 0) value += x[256 + threadIdx.x];
  value *= x[288 + threadIdx.x];
  value = __shfl_xor_sync(0xffffffff, value, 1);
  y[threadIdx.x] = value + x[320 + threadIdx.x];
}

__global__ void early_exit(const float* x, float* y, int active) {
  if (static_cast<int>(threadIdx.x) >= active) return;
  y[threadIdx.x] = x[threadIdx.x] + x[32 + threadIdx.x];
}

// ---- loops that some leave or cut short ----

constexpr int kRounds = 64;
constexpr int kLanes = 32;

__global__ void cut_short(const int* x, int* y, int never, int last) {
  int sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    const int value = x[i * kLanes + threadIdx.x];
    if (value % 3 == never) continue;
    if (value % 17 == last) break;
    sum += x[value % 100];
  }
  y[threadIdx.x] = sum;
}

// g++ makes two loops of it: one of the rounds that do nothing.
__global__ void four_at_once(const int4* x, int* y, int least, int* count) {
  for (int i = threadIdx.x; i < kRounds * kLanes / 4; i += kLanes) {
    const int4 four = x[i];
    if (max(max(four.x, four.y), max(four.z, four.w)) < least) continue;
    const int values[4] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < 4; ++k) {
      if (values[k] < least) continue;
      y[atomicAdd(count, 1) % 100] = values[k];
    }
  }
}

__global__ void store_before_break(const int* x, int* y) {
  int sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    const int value = x[i * kLanes + threadIdx.x];
    if (value % 97 == 0) {
      y[value % 100] = i;
      break;
    }
    sum += value;
  }
  y[threadIdx.x] = sum;
}

__global__ void search_first(const int* x, int* y) {
  int j = 0;
  while (j < kRounds - 1 && x[j * kLanes + threadIdx.x] % 17 != 0)
    ++j;
  int sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += x[i * j];
  y[threadIdx.x] = sum;
}

__global__ void any_of_three(const int* x, int* y) {
  int sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    const int value = x[i * kLanes + threadIdx.x];
    if (value % 3 == 0 || x[value % 100] % 3 == 0 || x[100 + value % 100] % 3 == 0)
      sum += x[200 + value % 100];
  }
  y[threadIdx.x] = sum;
}

__global__ void fall_through(const int* x, int* y) {
  int sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    const int value = x[i * kLanes + threadIdx.x];
    switch (value % 4) {
      case 3:
        sum += x[value % 100];
        [[fallthrough]];
      case 2:
        sum ^= x[100 + value % 100];
        [[fallthrough]];
      case 1:
        sum += x[200 + (sum & 63)];
        break;
      default:
        break;
    }
  }
  y[threadIdx.x] = sum;
}

__global__ void next_of_outer(const int* x, int* y) {
  int sum = 0;
  for (int i = 0; i < kRounds / 8; ++i) {
    sum += x[i * kLanes + threadIdx.x];
    for (int j = 0; j < 8; ++j) {
      const int value = x[(i * 8 + j) * kLanes + threadIdx.x];
      if (value % 5 == 0) goto next;
      sum += value;
    }
    sum ^= x[sum & 63];
  next:;
  }
  y[threadIdx.x] = sum;
}

__device__ __noinline__ int look_up(const int* x, int value) {
  return x[value % 100] + x[100 + value % 50];
}

__global__ void call_on_both_sides(const int* x, int* y) {
  int sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    const int value = x[i * kLanes + threadIdx.x];
    if (value % 2 == 0) {
      sum += look_up(x, value);
    } else {
      sum ^= look_up(x, value + 1);
    }
  }
  y[threadIdx.x] = sum;
}

// Ways that end the launch, of which nobody takes one, are no ways on.
template <bool kAsserts, bool kTraps>
__global__ void check_in_a_branch(const int* x, int* y) {
  int sum = 0;
  for (int i = 0; i < kRounds; ++i) {
    const int value = x[i * kLanes + threadIdx.x];
    if (value % 2 == 0) {
      if (kAsserts) assert(value >= 0);
      if (kTraps && value < 0) __trap();
      sum += x[value];
    }
    sum ^= x[value + 1];
  }
  y[threadIdx.x] = sum;
}

// A function without a result, which ends with a block of its own.
__device__ __noinline__ void store_if_even(int value, int* y) {
  if (value % 2 != 0) return;
  y[threadIdx.x] = value;
}

__global__ void call_what_returns_early(const int* x, int* y) {
  for (int i = 0; i < kRounds; ++i)
    store_if_even(x[i * kLanes + threadIdx.x], y);
  y[threadIdx.x] = 0;
}

__device__ __noinline__ int descend(const int* x, int at, int depth) {
  const int value = x[at % 100 + depth];
  return depth == 0 || value % 3 == 0 ? value : descend(x, value, depth - 1) + x[value % 64];
}

__global__ void call_itself(const int* x, int* y) {
  y[threadIdx.x] = descend(x, threadIdx.x, 6);
}

// Values that lanes decide by, of each in each round.
std::vector<int> some_values() {
  std::vector<int> values(kRounds * kLanes);
  unsigned state = 1;
  for (int& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int>(state >> 8) % 1000 + 1;
  }
  return values;
}

// A warp in lockstep: how often any of its lanes does something.
struct Lockstep {
  std::vector<int> values = some_values();
  std::vector<bool> in_loop = std::vector<bool>(kLanes, true);

  int at(int round, int lane) const { return values[round * kLanes + lane]; }
  // Whether any lane still in the loop does it; those of `leaves` leave.
  template <typename Does>
  int any(Does does) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (in_loop[lane] && does(lane)) return 1;
    }
    return 0;
  }
  template <typename Leaves>
  void leave(Leaves leaves) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (leaves(lane)) in_loop[lane] = false;
    }
  }
};

simt::Counters counted() {
  return simt::last_launch();
}

}  // namespace

TEST_SUITE_BEGIN("divergence");

// The first test, as others make the logs grow.
TEST_CASE("lanes that part just where their logs are full meet again all the same") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  for (int rounds = 400; rounds < 1200; ++rounds) {
    for (int more_blocks = 0; more_blocks < 3; ++more_blocks) {
      late_branch<<<1, 32>>>(x.get(), y.get(), rounds, more_blocks);
      REQUIRE(counted().global_loads.requests == static_cast<std::uint64_t>(rounds) + 3);
    }
  }
}

TEST_CASE("a ragged loop takes as many requests as its longest lane") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  ragged_loop<<<1, 32>>>(x.get(), y.get(), 5000, 100);
  CHECK(counted().global_loads.requests == 5000 + 31 * 100);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that do more in a round come back for the next") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  branch_in_loop<<<1, 32>>>(x.get(), y.get(), 20000);
  CHECK(counted().global_loads.requests == 40000);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that take turns share a round") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  alternate<<<1, 32>>>(x.get(), y.get(), 1000);
  CHECK(counted().global_loads.requests == 1000);
  CHECK(counted().global_loads.elements == 16 * 1000);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("nested branches meet innermost first") {
  const auto x = zeros<float>(1024);
  const DeviceArray<float> y(32);
  nested_branches<<<1, 32>>>(x.get(), y.get());
  CHECK(counted().global_loads.requests == 1 + 3 + 3 + 1);
  CHECK(counted().global_loads.elements == 32 + (16 + 8 + 16) * 2 + 32);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("all lanes meet at a shuffle") {
  const auto x = zeros<float>(64);
  const DeviceArray<float> y(32);
  branch_between_shuffles<<<1, 32>>>(x.get(), y.get(), 3000);
  CHECK(counted().global_loads.requests == 2 * 3000);
  CHECK(counted().global_loads.elements == (16 + 32) * 3000);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that part behind a barrier meet again before the next shuffle") {
  const auto x = zeros<float>(64);
  const DeviceArray<float> y(32);
  branch_behind_a_barrier<<<1, 32>>>(x.get(), y.get());
  CHECK(counted().global_loads.requests == 2);
  CHECK(counted().global_loads.elements == 16 + 32);
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("lanes that return take no part in what follows") {
  const auto x = zeros<float>(64);
  const DeviceArray<float> y(32);
  early_exit<<<1, 32>>>(x.get(), y.get(), 20);
  CHECK(counted().global_loads.requests == 2);
  CHECK(counted().global_loads.elements == 40);
  CHECK(counted().global_stores.sectors == 3);
}

TEST_CASE("lanes that continue or break hold nobody up") {
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(kLanes);
  cut_short<<<1, kLanes>>>(x.get(), y.get(), 0, 0);
  int loads = 0;
  for (int i = 0; i < kRounds; ++i) {
    loads += warp.any([](int) { return true; });
    warp.leave([&](int lane) { return warp.at(i, lane) % 3 != 0 && warp.at(i, lane) % 17 == 0; });
    loads += warp.any([&](int lane) { return warp.at(i, lane) % 3 != 0; });
  }
  CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
  CHECK(counted().global_stores.requests == 1);
}

TEST_CASE("rounds that do nothing are rounds all the same") {
  const std::vector<int> values = some_values();
  const DeviceArray<int> x(values);
  const DeviceArray<int> y(100);
  const auto count = zeros<int>(1);
  constexpr int kLeast = 900;
  four_at_once<<<1, kLanes>>>(reinterpret_cast<const int4*>(x.get()), y.get(), kLeast, count.get());
  std::uint64_t stores = 0;
  for (int round = 0; round < kRounds / 4; ++round) {
    for (int k = 0; k < 4; ++k) {
      bool any = false;
      for (int lane = 0; lane < kLanes; ++lane)
        any |= values[(round * kLanes + lane) * 4 + k] >= kLeast;
      stores += any;
    }
  }
  CHECK(counted().global_stores.requests == stores);
  CHECK(counted().global_atomics.requests == stores);
}

TEST_CASE("what is done before a break is done in that round") {
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(100);
  store_before_break<<<1, kLanes>>>(x.get(), y.get());
  int loads = 0;
  int stores = 1;
  for (int i = 0; i < kRounds; ++i) {
    const auto leaves = [&](int lane) { return warp.at(i, lane) % 97 == 0; };
    loads += warp.any([](int) { return true; });
    stores += warp.any(leaves);
    warp.leave(leaves);
  }
  REQUIRE(stores > 5);
  REQUIRE(warp.any([](int) { return true; }) == 1);  // else nobody shows where the loop ends
  CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
  CHECK(counted().global_stores.requests == static_cast<std::uint64_t>(stores));
}

TEST_CASE("all lanes meet behind a search") {
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(kLanes);
  search_first<<<1, kLanes>>>(x.get(), y.get());
  int loads = 10;
  for (int j = 0; j < kRounds - 1; ++j) {
    loads += warp.any([](int) { return true; });
    warp.leave([&](int lane) { return warp.at(j, lane) % 17 == 0; });
  }
  CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
}

TEST_CASE("a body that several conditions lead to runs once") {
  Lockstep warp;
  const std::vector<int>& values = warp.values;
  const DeviceArray<int> x(values);
  const DeviceArray<int> y(kLanes);
  any_of_three<<<1, kLanes>>>(x.get(), y.get());
  int loads = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto first = [&](int lane) { return warp.at(i, lane) % 3 == 0; };
    const auto second = [&](int lane) { return values[warp.at(i, lane) % 100] % 3 == 0; };
    const auto third = [&](int lane) { return values[100 + warp.at(i, lane) % 100] % 3 == 0; };
    loads += 1 + warp.any([&](int lane) { return !first(lane); });
    loads += warp.any([&](int lane) { return !first(lane) && !second(lane); });
    loads += warp.any([&](int lane) { return first(lane) || second(lane) || third(lane); });
  }
  CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
}

TEST_CASE("cases that fall through share what is behind them") {
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(kLanes);
  fall_through<<<1, kLanes>>>(x.get(), y.get());
  int loads = 0;
  for (int i = 0; i < kRounds; ++i) {
    ++loads;
    for (int least = 1; least < 4; ++least)
      loads += warp.any([&](int lane) { return warp.at(i, lane) % 4 >= least; });
  }
  CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
}

TEST_CASE("lanes that go on with the loop around are not waited for behind the inner one") {
  if (!simt::reads_machine_code)
    return;  // the ways that lanes take do not tell the two loops apart
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(kLanes);
  next_of_outer<<<1, kLanes>>>(x.get(), y.get());
  int loads = 0;
  for (int i = 0; i < kRounds / 8; ++i) {
    warp.in_loop.assign(kLanes, true);
    ++loads;
    for (int j = 0; j < 8; ++j) {
      loads += warp.any([](int) { return true; });
      warp.leave([&](int lane) { return warp.at(i * 8 + j, lane) % 5 == 0; });
    }
    loads += warp.any([](int) { return true; });
  }
  CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
}

TEST_CASE("a function that both sides call runs once for each") {
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(kLanes);
  call_on_both_sides<<<1, kLanes>>>(x.get(), y.get());
  int loads = 0;
  for (int i = 0; i < kRounds; ++i) {
    loads += 1 + 2 * warp.any([&](int lane) { return warp.at(i, lane) % 2 == 0; });
    loads += 2 * warp.any([&](int lane) { return warp.at(i, lane) % 2 != 0; });
  }
  CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
}

TEST_CASE("lanes meet behind a branch in which an assertion or a trap may end the launch") {
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(kLanes);
  int loads = 0;
  for (int i = 0; i < kRounds; ++i)
    loads += 2 + warp.any([&](int lane) { return warp.at(i, lane) % 2 == 0; });
  const auto check = [&](auto kernel) {
    kernel<<<1, kLanes>>>(x.get(), y.get());
    CHECK(counted().global_loads.requests == static_cast<std::uint64_t>(loads));
    CHECK(counted().global_stores.requests == 1);
  };
  check(check_in_a_branch<false, false>);
  check(check_in_a_branch<true, false>);
  check(check_in_a_branch<false, true>);
  check(check_in_a_branch<true, true>);
}

TEST_CASE("lanes meet behind a function that some have left early") {
  Lockstep warp;
  const DeviceArray<int> x(warp.values);
  const DeviceArray<int> y(kLanes);
  call_what_returns_early<<<1, kLanes>>>(x.get(), y.get());
  int stores = 1;
  for (int i = 0; i < kRounds; ++i)
    stores += warp.any([&](int lane) { return warp.at(i, lane) % 2 == 0; });
  CHECK(counted().global_loads.requests == kRounds);
  CHECK(counted().global_stores.requests == static_cast<std::uint64_t>(stores));
}

TEST_CASE(
    "lanes that call themselves meet at some depths, as the registers by which they do allow") {
  const std::vector<int> values = some_values();
  const DeviceArray<int> x(values);
  const DeviceArray<int> y(kLanes);
  call_itself<<<1, kLanes>>>(x.get(), y.get());
  std::vector<int> lanes_at_depth(8);
  for (int lane = 0; lane < kLanes; ++lane) {
    int at = lane;
    int depth = 6;
    for (;; --depth) {
      ++lanes_at_depth[depth];
      at = values[at % 100 + depth];
      if (depth == 0 || at % 3 == 0) break;
    }
  }
  // Each depth loads once going down, and all but the deepest once more going up: those who wait
  // there while others go down go on by themselves.
  const auto depths = std::count_if(lanes_at_depth.begin(), lanes_at_depth.end(),
                                    [](int lanes) { return lanes > 0; });
  const int by_themselves = simt::reads_machine_code ? 8 : 0;
  CHECK(counted().global_loads.requests ==
        static_cast<std::uint64_t>(2 * depths - 1 + by_themselves));
}

TEST_SUITE_END();
