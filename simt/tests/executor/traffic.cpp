// Sectors and wavefronts of single requests: known cases, and random ones against a model that
// enumerates bytes.

#include "simt/executor/counters/traffic.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <set>

namespace {

using simt::AccessKind;
using simt::Request;

template <typename AddressOfLane>
Request request(unsigned bytes, AddressOfLane address_of_lane, std::uint32_t lanes = ~0u,
                AccessKind kind = AccessKind::kSharedLoad) {
  Request made;
  made.kind = kind;
  made.bytes = bytes;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    made.lanes[made.count] = static_cast<std::uint8_t>(lane);
    made.addresses[made.count++] = address_of_lane(lane);
  }
  simt::find_stride(made);
  return made;
}

Request strided(unsigned bytes, std::uint64_t first, std::int64_t stride) {
  return request(bytes,
                 [=](unsigned lane) { return first + static_cast<std::uint64_t>(lane * stride); });
}

unsigned model_of_sectors(const Request& request) {
  std::set<std::uint64_t> touched;
  for (unsigned i = 0; i < request.count; ++i) {
    for (unsigned byte = 0; byte < request.bytes; ++byte) {
      touched.insert((request.addresses[i] + byte) / 32);
    }
  }
  return static_cast<unsigned>(touched.size());
}

unsigned model_of_constant_words(const Request& request) {
  std::set<std::uint64_t> touched;
  for (unsigned i = 0; i < request.count; ++i) {
    for (unsigned byte = 0; byte < request.bytes; ++byte)
      touched.insert((request.addresses[i] + byte) / 4);
  }
  return static_cast<unsigned>(touched.size());
}

// The rule as it is written down: groups of lanes; in each, the most distinct words in one bank.
simt::Wavefronts model_of_wavefronts(const Request& request) {
  std::map<unsigned, std::uint64_t> by_lane;
  for (unsigned i = 0; i < request.count; ++i)
    by_lane[request.lanes[i]] = request.addresses[i];
  unsigned group = request.bytes == 16 ? 8 : request.bytes == 8 ? 16 : 32;
  const bool paired = std::all_of(by_lane.begin(), by_lane.end(), [&](const auto& lane) {
    const auto neighbour = by_lane.find(lane.first ^ 1);
    return neighbour == by_lane.end() || neighbour->second == lane.second;
  });
  if (paired && request.bytes > 4 && request.kind != AccessKind::kSharedStore) group *= 2;
  simt::Wavefronts result;
  for (unsigned begin = 0; begin < 32; begin += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words;
    for (const auto& [lane, address] : by_lane) {
      if (lane < begin || lane >= begin + group) continue;
      for (unsigned byte = 0; byte < request.bytes; ++byte) {
        const std::uint64_t word = (address + byte) / 4;
        words[word % 32].insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, distinct] : words)
      most = std::max(most, distinct.size());
    result.total += static_cast<unsigned>(most);
    if (most > 0) result.conflicts += static_cast<unsigned>(most) - 1;
  }
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("traffic");

TEST_CASE("sectors of regular requests") {
  CHECK(sectors(strided(4, 0, 4)) == 4);
  CHECK(sectors(strided(4, 4, 4)) == 5);  // a row that begins within a sector
  CHECK(sectors(strided(2, 0, 2)) == 2);
  CHECK(sectors(strided(16, 0, 16)) == 16);
  CHECK(sectors(strided(4, 64, 0)) == 1);
  CHECK(sectors(strided(4, 0, 32)) == 32);
  CHECK(sectors(strided(4, 0, 16384)) == 32);
  CHECK(sectors(strided(4, 1 << 20, -4)) == 5);
  CHECK(sectors(strided(4, 1 << 20, -16384)) == 32);
}

// Nsight Compute's figures of an H200: 20 for 512 bytes that begin at half a sector, and for 80
// bytes 4 where two neighbours lie on both sides of a multiple of 128, else 3.
TEST_CASE("an asynchronous copy of 16 bytes asks for those of two lanes at once") {
  const auto copy = [](std::uint64_t first, std::uint32_t lanes = ~0u) {
    return sectors(request(
        16, [=](unsigned lane) { return first + 16 * lane; }, lanes, AccessKind::kAsyncCopy));
  };
  CHECK(copy(0) == 16);
  for (const std::uint64_t first : {16, 48, 80, 112})
    CHECK(copy(first) == 20);
  CHECK(copy(16, 0x1f) == 3);
  CHECK(copy(48, 0x1f) == 3);
  CHECK(copy(80, 0x1f) == 4);
  CHECK(copy(112, 0x1f) == 4);
  CHECK(copy(16, 0x3) == 1);
  CHECK(copy(112, 0x3) == 2);
  CHECK(copy(0, 0x6) == 2);  // no pair: each has another neighbour
  const auto apart = [](unsigned lane) { return std::uint64_t{64} * lane; };
  CHECK(sectors(request(16, apart, ~0u, AccessKind::kAsyncCopy)) == 32);
}

TEST_CASE("neighbours access the bytes behind those of the lane before") {
  const auto count = [](const Request& r, unsigned from) { return simt::neighbours(r, from); };
  CHECK(count(strided(4, 64, 4), 0) == 32);
  CHECK(count(strided(4, 64, 4), 30) == 2);
  CHECK(count(strided(16, 0, 16), 5) == 27);
  CHECK(count(strided(4, 0, 8), 0) == 1);
  CHECK(count(strided(4, 0, 0), 7) == 1);
  const Request rows =
      request(4, [](unsigned lane) { return 1024 * (lane / 16) + 4 * (lane % 16); });
  CHECK(count(rows, 0) == 16);
  CHECK(count(rows, 3) == 13);
  CHECK(count(rows, 15) == 1);
  CHECK(count(rows, 16) == 16);
  CHECK(count(rows, 31) == 1);
  // Side by side in memory, but lane 4 is absent.
  const auto closed_up = [](unsigned lane) { return 4 * (lane < 4 ? lane : lane - 1); };
  CHECK(count(request(4, closed_up, ~0x10u), 0) == 4);
  CHECK(count(request(4, closed_up, ~0x10u), 4) == 27);
}

TEST_CASE("wavefronts of regular requests") {
  const auto total = [](const Request& r) { return wavefronts(r).total; };
  CHECK(total(strided(4, 0, 4)) == 1);
  CHECK(total(strided(4, 0, 8)) == 2);
  CHECK(total(strided(4, 0, 128)) == 32);
  CHECK(total(strided(4, 0, 132)) == 1);
  CHECK(total(strided(4, 0, 0)) == 1);
  CHECK(total(strided(8, 0, 8)) == 2);
  CHECK(total(strided(8, 0, 0)) == 1);
  CHECK(total(strided(16, 0, 16)) == 4);
  CHECK(total(strided(16, 0, 0)) == 2);
  CHECK(total(strided(1, 0, 1)) == 1);
  CHECK(total(strided(2, 0, 2)) == 1);
  CHECK(wavefronts(strided(4, 0, 128)).conflicts == 31);
  // Two rows of a tile: 32 banks hold both, and the 33rd word is the first one's bank again.
  const auto rows = [](std::uint64_t apart) {
    return request(4, [=](unsigned lane) { return lane / 16 * apart + lane % 16 / 15 * 60; });
  };
  CHECK(total(rows(64)) == 1);
  CHECK(total(rows(128)) == 2);
  CHECK(wavefronts(strided(16, 0, 16)).conflicts == 0);
}

// As an H200 counts them: that neighbours take no part is no reason to serve more at once.
TEST_CASE("a store serves the halves of a warp apart, however few lanes take part") {
  const auto side_by_side = [](unsigned lane) { return 8 * (lane / 3); };
  const std::uint32_t every_third = 0x49249249;
  CHECK(wavefronts(request(8, side_by_side, every_third, AccessKind::kSharedStore)).total == 2);
  CHECK(wavefronts(request(8, side_by_side, every_third, AccessKind::kSharedLoad)).total == 1);
  CHECK(wavefronts(request(8, side_by_side, 0x9249, AccessKind::kSharedStore)).total == 1);
  CHECK(wavefronts(request(8, side_by_side, every_third, AccessKind::kSharedStore)).conflicts == 0);
}

TEST_CASE("an atomic operation visits a sector for each lane on its busiest word") {
  CHECK(atomic_sectors(strided(4, 0, 0)) == 32);
  CHECK(atomic_sectors(strided(4, 0, 4)) == 4);
  CHECK(atomic_sectors(request(4, [](unsigned lane) { return lane < 3 ? 0u : 4u * lane; })) ==
        3 + 3);
}

TEST_CASE("an atomic operation on shared memory takes the lanes of a bank one by one") {
  const auto total = [](unsigned bytes, auto address_of_lane, AccessKind kind) {
    return wavefronts(request(bytes, address_of_lane, ~0u, kind)).total;
  };
  const auto three_words = [](unsigned lane) { return lane % 3 * 4; };
  const auto one_word = [](unsigned) { return 64; };
  const auto two_of_a_bank = [](unsigned lane) { return lane % 2 * 128; };
  CHECK(total(4, three_words, AccessKind::kSharedAtomic) == 11);
  CHECK(total(4, one_word, AccessKind::kSharedAtomic) == 32);
  CHECK(total(4, two_of_a_bank, AccessKind::kSharedAtomic) == 32);
  CHECK(total(
            4, [](unsigned lane) { return lane * 4; }, AccessKind::kSharedAtomic) == 1);
  CHECK(wavefronts(request(4, one_word, 1, AccessKind::kSharedAtomic)).total == 1);
  // What all add to a word is added up before.
  CHECK(total(4, three_words, AccessKind::kSharedAddition) == 1);
  CHECK(total(4, one_word, AccessKind::kSharedAddition) == 1);
  CHECK(total(4, two_of_a_bank, AccessKind::kSharedAddition) == 2);
}

TEST_CASE("constants are read a word at a time") {
  CHECK(constant_words(strided(4, 64, 0)) == 1);
  CHECK(constant_words(strided(16, 64, 0)) == 4);
  CHECK(constant_words(strided(2, 0, 2)) == 16);
  CHECK(constant_words(strided(4, 0, 4)) == 32);
  CHECK(constant_words(strided(4, 0, 128)) == 32);
  CHECK(constant_words(strided(8, 0, 8)) == 64);
}

TEST_CASE("random requests agree with the models") {
  std::mt19937 random(20180508);
  for (int round = 0; round < 20000; ++round) {
    const unsigned bytes = 1u << random() % 5;
    const std::uint32_t lanes =
        round % 3 == 0 ? ~0u : static_cast<std::uint32_t>(random()) | 1u << random() % 32;
    const std::uint64_t range = 1u << (2 + random() % 10);
    const bool in_pairs = random() % 4 == 0;
    const AccessKind kind = random() % 2 == 0 ? AccessKind::kSharedLoad : AccessKind::kSharedStore;
    std::uint64_t last = 0;
    const Request made = request(
        bytes,
        [&](unsigned lane) {
          if (!in_pairs || lane % 2 == 0) last = random() % range * bytes;
          return last;
        },
        lanes, kind);
    CAPTURE(round);
    REQUIRE(sectors(made) == model_of_sectors(made));
    REQUIRE(constant_words(made) == model_of_constant_words(made));
    REQUIRE(wavefronts(made).total == model_of_wavefronts(made).total);
    REQUIRE(wavefronts(made).conflicts == model_of_wavefronts(made).conflicts);
  }
}

TEST_CASE("random strides agree with the model") {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const unsigned bytes = 1u << random() % 5;
    const std::int64_t stride = (static_cast<std::int64_t>(random() % 64) - 32) * bytes;
    const Request made = strided(bytes, (1 << 20) + random() % 64 * bytes, stride);
    REQUIRE(sectors(made) == model_of_sectors(made));
    REQUIRE(wavefronts(made).total == model_of_wavefronts(made).total);
  }
}

TEST_SUITE_END();
