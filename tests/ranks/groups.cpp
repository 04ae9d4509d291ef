// Ranks that are threads hear from each other, and wait for nobody for ever.
#include <doctest/doctest.h>
#include <thread>

#include "common/ranks/communicator.h"
#include "common/ranks/crossing.h"
#include "common/ranks/group.h"

TEST_SUITE_BEGIN("ranks");

using namespace worklog;
using namespace std::chrono_literals;

TEST_CASE("every rank gets every message, turn by turn") {
  constexpr int kRanks = 5;
  constexpr int kTurns = 50;
  Board board(kRanks);
  std::vector<int> right(kRanks, 0);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
      threads.emplace_back([&, rank] {
        const auto group = board.group_of(rank);
        for (int turn = 0; turn < kTurns; ++turn) {
          const auto messages =
              group->exchange(std::to_string(rank) + " in " + std::to_string(turn), 10s);
          for (int from = 0; from < kRanks; ++from) {
            const auto& message = messages[static_cast<std::size_t>(from)];
            if (message == std::to_string(from) + " in " + std::to_string(turn))
              ++right[static_cast<std::size_t>(rank)];
          }
        }
      });
    }
  }
  for (const int each : right)
    CHECK(each == kRanks * kTurns);
}

TEST_CASE("what crosses the links is counted on the executor") {
  CHECK(counts_crossing());
  CHECK(crossing_of(0).calls == 0);
  CHECK(all_counted().back() == std::pair<std::string, std::int64_t>("nccl_sent_bytes", 0));
}

TEST_CASE("a rank that does not come is named") {
  Board board(4);
  const auto first = board.group_of(0);
  const auto third = board.group_of(2);
  std::string silent_for_third;
  {
    const std::jthread other([&] { silent_for_third = silent_ranks(third->exchange("2", 50ms)); });
    CHECK(silent_ranks(first->exchange("0", 50ms)) == "ranks 1 and 3");
  }
  CHECK(silent_for_third == "ranks 1 and 3");
  Group::Messages messages(3);
  messages[0] = messages[2] = "";
  CHECK(silent_ranks(messages) == "rank 1");
  messages[1] = "";
  CHECK(silent_ranks(messages) == "");
}

TEST_SUITE_END();
