// What CUDA's device functions return: the same expectations on the CPU executor and on a GPU.

#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>

#include "simt/tests/standins/kernels.h"

namespace {

constexpr int kLanes = 32;

template <typename T>
Lanes<T> lane_values() {
  Lanes<T> values;
  for (int lane = 0; lane < kLanes; ++lane) {
    values.push_back(static_cast<T>(static_cast<T>(0x1234567) * static_cast<T>(lane + 1)));
  }
  return values;
}

template <typename T>
void check_shuffles(const Lanes<T>& in, const Shuffled<T>& out) {
  for (int lane = 0; lane < kLanes; ++lane) {
    CAPTURE(lane);
    CHECK(out.from_lane_3[lane] == in[3]);
    CHECK(out.up_1[lane] == in[lane >= 1 ? lane - 1 : lane]);
    CHECK(out.down_2[lane] == in[lane + 2 < kLanes ? lane + 2 : lane]);
    CHECK(out.exchanged_5[lane] == in[lane ^ 5]);
    CHECK(out.within_8[lane] == in[lane / 8 * 8 + 1]);
  }
}

std::vector<int> ascending(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE_TEMPLATE("shuffles move every type", T, float, double, int, unsigned, long long,
                   unsigned long long) {
  const Lanes<T> values = lane_values<T>();
  check_shuffles(values, shuffle(values));
}

TEST_CASE("shuffles move 16-bit floats with all their bits") {
  const Lanes<std::uint16_t> bits = lane_values<std::uint16_t>();
  check_shuffles(bits, shuffle_float16(bits));
  check_shuffles(bits, shuffle_bfloat16(bits));
}

TEST_CASE("votes, matches and reductions of a warp") {
  const std::vector<int> lanes = ascending(kLanes);
  Lanes<int> values;
  for (const int lane : lanes)
    values.push_back(lane % 8 + 1);
  const Votes votes = vote(values);
  for (const int lane : lanes) {
    CAPTURE(lane);
    CHECK(votes.ballot[lane] == 0x55555555u);
    CHECK(votes.any[lane] == 1u);
    CHECK(votes.all[lane] == 1u);
    CHECK(votes.match[lane] == 0x01010101u << (lane % 8));
    CHECK(votes.sum[lane] == 4 * 36);
    CHECK(votes.least[lane] == 1);
    CHECK(votes.largest[lane] == 8);
    CHECK(votes.common_bits[lane] == 0u);
  }
  CHECK(vote(Lanes<int>(kLanes, 100)).all[0] == 0u);
  CHECK(vote(Lanes<int>(kLanes, 100)).any[0] == 0u);
}

TEST_CASE("votes of a block") {
  std::vector<int> values = ascending(96);
  BlockVotes votes = vote_in_block(values);
  CHECK(votes.odd == 48);
  CHECK(votes.any_above_1000 == 0);
  CHECK(votes.all_below_1000 == 1);
  values[95] = 1001;
  votes = vote_in_block(values);
  CHECK(votes.any_above_1000 == 1);
  CHECK(votes.all_below_1000 == 0);
}

TEST_CASE("atomic operations of many blocks") {
  constexpr int kThreads = 64;
  constexpr int kSum = kThreads * (kThreads - 1) / 2;
  const std::vector<long long> expected = {kSum,
                                           -kSum,
                                           1 - kThreads,
                                           kThreads - 1,
                                           -1 & ~6,
                                           kThreads - 1,
                                           0,
                                           1,
                                           kThreads % 10,
                                           10 - kThreads % 10,
                                           static_cast<long long>(kThreads) << 32,
                                           5};
  CHECK(atomics(kThreads) == expected);
  CHECK(atomic_sum(std::vector<float>(96, 0.5f)) == 48.0f);
  CHECK(atomic_sum(std::vector<double>(96, 0.25)) == 24.0);
}

TEST_CASE("tiles of a block") {
  const std::vector<int> values = ascending(96);
  for (const int tile : {1, 8, 32}) {
    const std::vector<int> sums = tile_sums(values, tile);
    for (const int thread : values) {
      const int first = thread / tile * tile;
      CHECK(sums[thread] == tile * first + tile * (tile - 1) / 2);
    }
  }
}

TEST_CASE("blocks of a cluster read each other's shared memory") {
  const std::vector<float> exchanged = {1.5f, 0.5f, 3.5f, 2.5f};
  CHECK(cluster_exchange(4) == exchanged);
  CHECK(fixed_cluster_exchange(4) == exchanged);
}

TEST_CASE("static and dynamic shared memory") {
  for (const int threads : {32, 96}) {
    const int sum = threads * (threads - 1) / 2;
    // The last thread's value is 0 in the first call, and each call adds 1 for 2 * 0.5.
    CHECK(shared_memory(threads) ==
          std::vector<int>(static_cast<std::size_t>(threads), 2 * sum + 1 + 1000));
  }
}

TEST_CASE("device functions") {
  const float x = -1.5f;
  const float y = 2.25f;
  const std::vector<double> expected = {3,
                                        -7,
                                        4294967289.0,  // -7 as an unsigned number
                                        7,
                                        y,
                                        x,  // a NaN loses
                                        2.0,
                                        y,
                                        1.0,
                                        x + y,
                                        x * y,
                                        x * y + 1.0f,
                                        x / y,
                                        1.0f / y,
                                        1.5,
                                        x + y,
                                        static_cast<double>(std::bit_cast<int>(x)),
                                        y,
                                        1.0,
                                        1023,
                                        2.0,
                                        8,
                                        64,
                                        4,
                                        0,
                                        41,
                                        31,
                                        32,
                                        63,
                                        2147483648.0,
                                        3,
                                        -1,
                                        1,
                                        1,
                                        1,
                                        32,
                                        16777216.0,
                                        1,
                                        1,
                                        1};
  const std::vector<double> actual = device_functions(x, y, -7);
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(actual[i] == expected[i]);
  }
}

TEST_CASE("inline PTX of one instruction") {
  constexpr double kTiny = 0x1p-130;  // subnormal in a float
  const std::vector<double> of_numbers = ptx_instructions(4.0f, 2.0f);
  const std::vector<double> expected = {16,  16,  2,       2, 0.25, 0.25, 2, 2,
                                        0.5, 0.5, 0.99933, 4, 2,    4,    2, 10};
  REQUIRE(of_numbers.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(of_numbers[i] == doctest::Approx(expected[i]).epsilon(1e-3));
  }
  const std::vector<double> of_small = ptx_instructions(-130.0f, 0.0f);
  CHECK(of_small[0] == kTiny);
  CHECK(of_small[1] == 0.0);
  const std::vector<double> of_nan = ptx_instructions(std::nanf(""), 2.0f);
  CHECK(std::isnan(of_nan[11]));  // .NaN
  CHECK(std::isnan(of_nan[12]));
  CHECK(of_nan[13] == 2.0);  // .ftz
  const std::vector<double> of_subnormal = ptx_instructions(static_cast<float>(kTiny), -1.0f);
  CHECK(of_subnormal[13] == 0.0);
  CHECK(of_subnormal[15] == -1.0);
}

TEST_CASE("constant and device variables") {
  CHECK(symbols({1.0f, -2.0f, 0.5f, 8.0f}) == std::vector<float>{2.0f, -4.0f, 1.0f, 16.0f});
}

TEST_CASE("loads and stores with a cache policy") {
  const std::vector<float> values = lane_values<float>();
  CHECK(cached_copy(values) == values);
}

TEST_SUITE_END();
