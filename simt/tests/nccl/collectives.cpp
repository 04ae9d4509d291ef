// What NCCL's calls do, with one thread for all ranks and with one for each.

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>

#include "simt/include/cuda_bf16.h"
#include "simt/include/cuda_fp16.h"
#include "simt/tests/nccl/ranks.h"

namespace {

constexpr std::size_t kCount = 5;

// Small whole numbers, which every type has.
int number(int rank, std::size_t i) {
  return 1 + (rank + static_cast<int>(i)) % 3;
}

double expected(int ranks, std::size_t i, ncclRedOp_t op) {
  double result = number(0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const double next = number(rank, i);
    if (op == ncclSum || op == ncclAvg) result += next;
    if (op == ncclProd) result *= next;
    if (op == ncclMax) result = std::fmax(result, next);
    if (op == ncclMin) result = std::fmin(result, next);
  }
  return op == ncclAvg ? result / ranks : result;
}

template <typename T>
double as_number(T value) {
  if constexpr (std::is_arithmetic_v<T>) return static_cast<double>(value);
  return static_cast<double>(static_cast<float>(value));
}

template <typename T>
void check_reductions(ncclDataType_t type) {
  CAPTURE(type);
  constexpr int kRanks = 4;  // by which an average divides exactly
  Ranks ranks(kRanks);
  for (const ncclRedOp_t op : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
    CAPTURE(op);
    const RankArrays<T> x(kRanks, kCount, [](int rank, std::size_t i) {
      return static_cast<T>(static_cast<float>(number(rank, i)));
    });
    const RankArrays<T> y(kRanks, kCount, [](int, std::size_t) { return static_cast<T>(0.0f); });
    CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
      return ncclAllReduce(x[rank], y[rank], kCount, type, op, comm, nullptr);
    }) == ncclSuccess);
    for (int rank = 0; rank < kRanks; ++rank) {
      for (std::size_t i = 0; i < kCount; ++i) {
        const double exact = expected(kRanks, i, op);
        const bool rounds = op == ncclAvg && std::is_integral_v<T>;
        CHECK(as_number(y.host(rank)[i]) == (rounds ? std::floor(exact) : exact));
      }
    }
  }
}

// Element i of rank r.
float value_of(int rank, std::size_t i) {
  return static_cast<float>(100 * rank) + static_cast<float>(i);
}

using Floats = std::vector<float>;

}  // namespace

TEST_SUITE_BEGIN("collectives");

TEST_CASE("each type and operator") {
  check_reductions<std::int8_t>(ncclInt8);
  check_reductions<std::uint8_t>(ncclUint8);
  check_reductions<std::int32_t>(ncclInt32);
  check_reductions<std::uint32_t>(ncclUint32);
  check_reductions<std::int64_t>(ncclInt64);
  check_reductions<std::uint64_t>(ncclUint64);
  check_reductions<__half>(ncclFloat16);
  check_reductions<float>(ncclFloat32);
  check_reductions<double>(ncclFloat64);
  check_reductions<__nv_bfloat16>(ncclBfloat16);
}

TEST_CASE("sums of 16 bits are rounded at each step, of the same numbers on all ranks") {
  Ranks ranks(3);
  // 2048 + 1 is 2048 in fp16, and so it stays.
  const RankArrays<__half> x(
      3, 1, [](int rank, std::size_t) { return static_cast<__half>(rank == 0 ? 2048.0f : 1.0f); });
  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclAllReduce(x[rank], x[rank], 1, ncclHalf, ncclSum, comm, nullptr);
  }) == ncclSuccess);
  for (int rank = 0; rank < 3; ++rank)
    CHECK(static_cast<float>(x.host(rank)[0]) == 2048.0f);
}

TEST_CASE("a NaN loses in a maximum, and a third of 16 bits is rounded") {
  Ranks ranks(3);
  const RankArrays<float> x(3, 2, [](int rank, std::size_t i) {
    return rank == 1 || i == 1 ? std::nanf("") : static_cast<float>(rank);
  });
  const RankArrays<__half> y(3, 1, [](int, std::size_t) { return static_cast<__half>(7.0f); });
  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    ncclAllReduce(y[rank], y[rank], 1, ncclHalf, ncclAvg, comm, nullptr);
    return ncclAllReduce(x[rank], x[rank], 2, ncclFloat, ncclMax, comm, nullptr);
  }) == ncclSuccess);
  CHECK(x.host(2)[0] == 2.0f);
  CHECK(std::isnan(x.host(2)[1]));
  // A third is 0.333251953125 in fp16, and seven of these 2.33203125.
  CHECK(static_cast<float>(y.host(0)[0]) == 6.99609375f);
}

TEST_CASE("1 to 8 ranks, from one thread or a thread each, in place or not, or with no elements") {
  for (const int n : {1, 2, 3, 8}) {
    CAPTURE(n);
    Ranks ranks(n);
    for (const bool in_place : {false, true}) {
      for (const std::size_t count : {std::size_t{0}, kCount}) {
        const RankArrays<float> x(n, kCount, value_of);
        const RankArrays<float> y(n, kCount, [](int, std::size_t) { return -1.0f; });
        const RankArrays<float>& to = in_place ? x : y;
        const auto call = [&](int rank, ncclComm_t comm) {
          return ncclAllReduce(x[rank], to[rank], count, ncclFloat, ncclSum, comm, nullptr);
        };
        if (in_place) {
          CHECK(ranks.in_threads(call) == std::vector<ncclResult_t>(std::size_t(n), ncclSuccess));
        } else {
          CHECK(ranks.in_group(call) == ncclSuccess);
        }
        for (int rank = 0; rank < n; ++rank) {
          const float untouched = in_place ? value_of(rank, 4) : -1.0f;
          const auto sum = static_cast<float>(50 * n * (n - 1) + 4 * n);
          CHECK(to.host(rank)[4] == (count == 0 ? untouched : sum));
        }
      }
    }
  }
}

TEST_CASE("gathered, scattered, broadcast and reduced to one") {
  constexpr int n = 3;
  Ranks ranks(n);
  const RankArrays<float> one(n, 2, value_of);
  const RankArrays<float> all(n, 6, value_of);
  const auto zero = [](int, std::size_t) { return 0.0f; };
  const RankArrays<float> six(n, 6, zero);
  const RankArrays<float> two(n, 2, zero);

  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclAllGather(one[rank], six[rank], 2, ncclFloat, comm, nullptr);
  }) == ncclSuccess);
  for (int rank = 0; rank < n; ++rank)
    CHECK(six.host(rank) == Floats{0, 1, 100, 101, 200, 201});

  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclReduceScatter(all[rank], two[rank], 2, ncclFloat, ncclSum, comm, nullptr);
  }) == ncclSuccess);
  for (int rank = 0; rank < n; ++rank)
    CHECK(two.host(rank) ==
          Floats{300 + 6 * static_cast<float>(rank), 303 + 6 * static_cast<float>(rank)});

  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclReduce(one[rank], rank == 1 ? two[rank] : nullptr, 2, ncclFloat, ncclMax, 1, comm,
                      nullptr);
  }) == ncclSuccess);
  CHECK(two.host(1) == Floats{200, 201});
  CHECK(two.host(0) == Floats{300, 303});

  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclBroadcast(rank == 2 ? one[rank] : nullptr, two[rank], 2, ncclFloat, 2, comm,
                         nullptr);
  }) == ncclSuccess);
  for (int rank = 0; rank < n; ++rank)
    CHECK(two.host(rank) == Floats{200, 201});

  // In place, as NCCL's manual has it: at the rank's own part.
  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclReduceScatter(all[rank], all[rank] + 2 * rank, 2, ncclFloat, ncclSum, comm, nullptr);
  }) == ncclSuccess);
  CHECK(all.host(1) == Floats{100, 101, 306, 309, 104, 105});
  CHECK(ranks.in_group([&](int rank, ncclComm_t comm) {
    return ncclAllGather(all[rank] + 2 * rank, all[rank], 2, ncclFloat, comm, nullptr);
  }) == ncclSuccess);
  for (int rank = 0; rank < n; ++rank)
    CHECK(all.host(rank) == Floats{300, 303, 306, 309, 312, 315});
}

TEST_CASE("sent and received, all to all in one group") {
  constexpr int n = 3;
  Ranks ranks(n);
  const RankArrays<float> from(n, n, value_of);
  const RankArrays<float> to(n, n, [](int, std::size_t) { return 0.0f; });
  ncclGroupStart();
  for (int rank = 0; rank < n; ++rank) {
    for (int peer = 0; peer < n; ++peer) {
      CHECK(ncclRecv(to[rank] + peer, 1, ncclFloat, peer, ranks[rank], nullptr) == ncclSuccess);
      CHECK(ncclSend(from[rank] + peer, 1, ncclFloat, peer, ranks[rank], nullptr) == ncclSuccess);
    }
  }
  CHECK(ncclGroupEnd() == ncclSuccess);
  for (int rank = 0; rank < n; ++rank) {
    const auto r = static_cast<float>(rank);
    CHECK(to.host(rank) == Floats{r, 100 + r, 200 + r});
  }
  CHECK(simt::nccl::link_counters(0, "ncclSend").sent_bytes == 8);  // but for its own
}

TEST_CASE("what a call puts on the link") {
  constexpr int n = 4;
  Ranks ranks(n);
  const RankArrays<float> x(n, 8, value_of);
  const RankArrays<float> y(n, 8, value_of);
  struct {
    const char* name;
    std::function<ncclResult_t(int, ncclComm_t)> call;
    std::uint64_t sent, received, sent_by_root, received_by_root;
  } const cases[] = {
      {"ncclAllReduce",
       [&](int r, ncclComm_t c) {
         return ncclAllReduce(x[r], x[r], 8, ncclFloat, ncclSum, c, nullptr);
       },
       32, 32, 32, 32},
      {"ncclReduce",
       [&](int r, ncclComm_t c) {
         return ncclReduce(x[r], y[r], 8, ncclFloat, ncclSum, 0, c, nullptr);
       },
       32, 0, 0, 32},
      {"ncclBroadcast",
       [&](int r, ncclComm_t c) { return ncclBcast(x[r], 8, ncclFloat, 0, c, nullptr); }, 0, 32, 32,
       0},
      {"ncclAllGather",
       [&](int r, ncclComm_t c) { return ncclAllGather(x[r], y[r], 2, ncclFloat, c, nullptr); }, 8,
       24, 8, 24},
      {"ncclReduceScatter",
       [&](int r, ncclComm_t c) {
         return ncclReduceScatter(x[r], y[r], 2, ncclFloat, ncclSum, c, nullptr);
       },
       24, 8, 24, 8},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    CHECK(ranks.in_group(each.call) == ncclSuccess);
    CHECK(ranks.in_group(each.call) == ncclSuccess);
    const auto root = simt::nccl::link_counters(0, each.name);
    const auto other = simt::nccl::link_counters(3, each.name);
    CHECK(other.calls == 2);
    CHECK(other.sent_bytes == 2 * each.sent);
    CHECK(other.received_bytes == 2 * each.received);
    CHECK(root.sent_bytes == 2 * each.sent_by_root);
    CHECK(root.received_bytes == 2 * each.received_by_root);
  }
  Ranks alone(1);
  CHECK(ncclAllReduce(x[0], x[0], 8, ncclFloat, ncclSum, alone[0], nullptr) == ncclSuccess);
  CHECK(simt::nccl::link_counters(0, "ncclAllReduce").calls == 1);
  CHECK(simt::nccl::link_counters(0, "ncclAllReduce").sent_bytes == 0);
}

TEST_CASE("communicators are made in threads, in a group or by one call, and know themselves") {
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  std::vector<ncclComm_t> comms(3);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  const auto make = [&](int rank) {
    cudaSetDevice(7 - rank);
    return rank == 0 ? ncclCommInitRankConfig(&comms[0], 3, id, 0, &config)
                     : ncclCommInitRank(&comms[std::size_t(rank)], 3, id, rank);
  };
  SUBCASE("in threads") {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 3; ++rank)
      threads.emplace_back(make, rank);
    for (std::thread& thread : threads)
      thread.join();
  }
  SUBCASE("in a group") {
    ncclGroupStart();
    for (int rank = 0; rank < 3; ++rank)
      CHECK(make(rank) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
  }
  SUBCASE("by one call") {
    const int devices[] = {7, 6, 5};
    CHECK(ncclCommInitAll(comms.data(), 3, devices) == ncclSuccess);
  }
  for (int rank = 0; rank < 3; ++rank) {
    const ncclComm_t comm = comms[std::size_t(rank)];
    int count = 0;
    int number = -1;
    int device = -1;
    CHECK(ncclCommCount(comm, &count) == ncclSuccess);
    CHECK(ncclCommUserRank(comm, &number) == ncclSuccess);
    CHECK(ncclCommCuDevice(comm, &device) == ncclSuccess);
    CHECK(count == 3);
    CHECK(number == rank);
    CHECK(device == 7 - rank);
    CHECK(ncclCommFinalize(comm) == ncclSuccess);
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
  }
  cudaSetDevice(0);
  int version = 0;
  CHECK(ncclGetVersion(&version) == ncclSuccess);
  CHECK(version == NCCL_VERSION_CODE);
}

TEST_SUITE_END();
