// The rules are those of the memory system of an H200. bench/results/parity_*.json has what they
// give for every step beside what Nsight Compute gave.

#include "simt/executor/counters/traffic.h"

#include <algorithm>
#include <bit>
#include <map>

namespace simt {
namespace {

constexpr unsigned kSectorShift = 5;
constexpr std::int64_t kSectorBytes = 1 << kSectorShift;
constexpr unsigned kBanks = 32;
constexpr unsigned kWordBytes = 4;

unsigned count_distinct(std::array<std::uint64_t, kWarpSize>& values, unsigned count) {
  const auto end = values.begin() + count;
  std::sort(values.begin(), end);
  return static_cast<unsigned>(std::unique(values.begin(), end) - values.begin());
}

}  // namespace

void find_stride(Request& request) {
  request.stride = {.regular = true};
  request.first = request.addresses[0];
  if (request.count < 2) return;
  const auto distance = [&](unsigned i) {
    return static_cast<std::int64_t>(request.addresses[i] - request.addresses[i - 1]);
  };
  request.stride.bytes = distance(1);
  for (unsigned i = 2; i < request.count; ++i)
    request.stride.regular &= distance(i) == request.stride.bytes;
}

unsigned neighbours(const Request& request, unsigned from) {
  const auto bytes = static_cast<std::int64_t>(request.bytes);
  const unsigned rest = request.count - from;
  const int last_lane = request.lanes[request.count - 1];
  if (request.stride.regular) {
    if (request.stride.bytes != bytes) return 1;
    if (last_lane - request.lanes[from] == static_cast<int>(rest) - 1) return rest;
  }
  unsigned found = 1;
  while (found < rest && request.lanes[from + found] == request.lanes[from] + found &&
         request.address(from + found) == request.address(from) + found * request.bytes)
    ++found;
  return found;
}

namespace {

// The first lane of a pair has an even number.
unsigned sectors_of_pairs(const Request& request) {
  constexpr unsigned kLineShift = 7;
  unsigned total = 0;
  for (unsigned i = 0; i < request.count; ++i) {
    const std::uint64_t address = request.address(i);
    const bool is_second = i > 0 && request.lanes[i] % 2 == 1 &&
                           request.lanes[i - 1] + 1 == request.lanes[i] &&
                           request.address(i - 1) + request.bytes == address;
    total += !is_second || request.address(i - 1) >> kLineShift != address >> kLineShift;
  }
  return total;
}

}  // namespace

unsigned sectors(const Request& request) {
  if (request.kind == AccessKind::kAsyncCopy && request.bytes == kSectorBytes / 2) {
    return sectors_of_pairs(request);
  }
  const Stride stride = request.stride;
  const std::uint64_t first = request.first >> kSectorShift;
  const std::uint64_t last = request.last() >> kSectorShift;
  if (stride.regular && stride.bytes >= 0 && stride.bytes <= kSectorBytes) {
    return static_cast<unsigned>(last - first) + 1;
  }
  if (stride.regular && (stride.bytes > kSectorBytes || stride.bytes < -kSectorBytes)) {
    return request.count;
  }
  std::array<std::uint64_t, kWarpSize> touched;
  for (unsigned i = 0; i < request.count; ++i)
    touched[i] = request.address(i) >> kSectorShift;
  return count_distinct(touched, request.count);
}

unsigned atomic_sectors(const Request& request) {
  std::map<std::uint64_t, std::map<std::uint64_t, unsigned>> lanes;  // by sector and word
  for (unsigned i = 0; i < request.count; ++i) {
    ++lanes[request.address(i) >> kSectorShift][request.address(i) / kWordBytes];
  }
  unsigned total = 0;
  for (const auto& [sector, words] : lanes) {
    unsigned most = 0;
    for (const auto& [word, count] : words)
      most = std::max(most, count);
    total += most;
  }
  return total;
}

unsigned constant_words(const Request& request) {
  const bool one_address = request.stride.regular && request.stride.bytes == 0;
  const unsigned words_per_lane = std::max(1u, request.bytes / kWordBytes);
  if (one_address) return words_per_lane;
  // Accesses are aligned to their size: two lanes share all of their words, or none.
  const std::uint64_t unit = std::max(kWordBytes, request.bytes);
  std::array<std::uint64_t, kWarpSize> touched;
  for (unsigned i = 0; i < request.count; ++i)
    touched[i] = request.address(i) / unit;
  return count_distinct(touched, request.count) * words_per_lane;
}

namespace {

// Lanes that the banks serve at a time: a warp, half of one for 8-byte accesses, a quarter for
// 16-byte ones; and twice as many when neighbouring lanes want the same, except in a store.
unsigned lanes_served_together(const Request& request) {
  unsigned group = request.bytes <= kWordBytes ? kWarpSize : kWarpSize * kWordBytes / request.bytes;
  if (group == kWarpSize || request.kind == AccessKind::kSharedStore) return group;
  for (unsigned i = 1; i < request.count; ++i) {
    const bool neighbours =
        request.lanes[i] == (request.lanes[i - 1] ^ 1) && request.lanes[i] % 2 == 1;
    if (neighbours && request.address(i) != request.address(i - 1)) return group;
  }
  return group * 2;
}

// Whether a window of one word for each bank has all words of the request's lanes [begin, end).
bool are_in_different_banks(const Request& request, unsigned begin, unsigned end) {
  std::uint64_t lowest = request.address(begin);
  std::uint64_t highest = lowest;
  for (unsigned i = begin + 1; i < end; ++i) {
    lowest = std::min(lowest, request.address(i));
    highest = std::max(highest, request.address(i));
  }
  const std::uint64_t last_word = (highest + request.bytes - 1) / kWordBytes;
  return last_word - lowest / kWordBytes < kBanks;
}

// The most distinct words in one bank, of the request's lanes [begin, end).
unsigned most_words_in_a_bank(const Request& request, unsigned begin, unsigned end) {
  if (are_in_different_banks(request, begin, end)) return 1;
  std::array<std::array<std::uint64_t, 2 * kWarpSize>, kBanks> words;
  std::array<unsigned, kBanks> count = {};
  unsigned most = 0;
  const unsigned words_per_lane = std::max(1u, request.bytes / kWordBytes);
  for (unsigned i = begin; i < end; ++i) {
    for (unsigned k = 0; k < words_per_lane; ++k) {
      const std::uint64_t word = request.address(i) / kWordBytes + k;
      auto& bank = words[word % kBanks];
      unsigned& known = count[word % kBanks];
      if (std::find(bank.begin(), bank.begin() + known, word) != bank.begin() + known) continue;
      bank[known++] = word;
      most = std::max(most, known);
    }
  }
  return most;
}

// An atomic operation takes the lanes of a bank one by one, also those that want the same word.
unsigned most_lanes_on_a_bank(const Request& request, unsigned begin, unsigned end) {
  std::array<unsigned, kBanks> lanes = {};
  for (unsigned i = begin; i < end; ++i) {
    for (unsigned byte = 0; byte < request.bytes; byte += kWordBytes)
      ++lanes[(request.address(i) + byte) / kWordBytes % kBanks];
  }
  return *std::max_element(lanes.begin(), lanes.end());
}

}  // namespace

Wavefronts wavefronts(const Request& request) {
  const Stride stride = request.stride;
  const bool one_by_one = request.kind == AccessKind::kSharedAtomic;
  const bool one_word_a_bank =
      stride.regular && ((stride.bytes == 0 && (!one_by_one || request.count == 1)) ||
                         stride.bytes == std::int64_t{kWordBytes});
  if (request.bytes <= kWordBytes && one_word_a_bank) return {1, 0};

  // A division for each lane would take longer than all else here.
  const auto served_shift = static_cast<unsigned>(std::countr_zero(lanes_served_together(request)));
  const auto group_of = [&](unsigned i) { return unsigned{request.lanes[i]} >> served_shift; };
  Wavefronts result;
  for (unsigned begin = 0; begin < request.count;) {
    unsigned end = begin + 1;
    while (end < request.count && group_of(end) == group_of(begin))
      ++end;
    const unsigned rounds = one_by_one ? most_lanes_on_a_bank(request, begin, end)
                                       : most_words_in_a_bank(request, begin, end);
    result.total += rounds;
    result.conflicts += rounds - 1;
    begin = end;
  }
  return result;
}

}  // namespace simt
