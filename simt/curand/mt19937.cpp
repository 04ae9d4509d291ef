#include "simt/curand/mt19937.h"

#include <algorithm>

#include "simt/curand/jump.h"

namespace simt::curand_host {
namespace {

constexpr std::size_t kSubsequences = 8192;
constexpr std::size_t kLanes = 8;  // whose numbers of a subsequence lie side by side
constexpr std::size_t kRows = 78;  // of these, in a block

/// Which number of a block of 624 a lane gives in a row. NVIDIA's library gives each of eight lanes
/// seven numbers that follow each other, eleven times. The eight numbers that are left, which lie
/// before some of these, are the first row.
std::size_t place_in_block(std::size_t row, std::size_t lane) {
  constexpr std::size_t kRounds = 11;
  constexpr std::size_t kRun = 7;
  if (row == 0) return kLanes * kRun * ((kRounds * lane + kLanes - 1) / kLanes) + lane;
  const std::size_t round = (row - 1) / kRun;
  const std::size_t left_out = kLanes * round / kRounds + 1;
  return kLanes * kRun * round + left_out + kRun * lane + (row - 1) % kRun;
}

std::array<std::size_t, kRows * kLanes> order_of_block() {
  std::array<std::size_t, kRows * kLanes> order;
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = place_in_block(i / kLanes, i % kLanes);
  return order;
}

/// What follows the state's first word when it has been used.
unsigned next_word(unsigned first, unsigned second, unsigned middle) {
  const unsigned mixed = (first & 0x80000000u) | (second & 0x7fffffffu);
  return middle ^ (mixed >> 1) ^ (mixed % 2 == 1 ? 0x9908b0dfu : 0u);
}

unsigned tempered(unsigned word) {
  word ^= word >> 11;
  word ^= word << 7 & 0x9d2c5680u;
  word ^= word << 15 & 0xefc60000u;
  return word ^ word >> 18;
}

constexpr std::size_t kMiddle = 397;

/// The words that follow a state, itself included.
template <std::size_t kWords>
std::vector<unsigned> stream_of(const std::array<unsigned, kWords>& state, std::size_t count) {
  std::vector<unsigned> words(state.begin(), state.end());
  while (words.size() < count) {
    const std::size_t oldest = words.size() - kWords;
    words.push_back(next_word(words[oldest], words[oldest + 1], words[oldest + kMiddle]));
  }
  return words;
}

constexpr std::size_t kDegree = 19937;  // bits of a state
// Of the numbers of one subsequence before the next begins.
constexpr int kLog2Distance = 2048;

/// The words of a stream that are added for the one that lies that far behind its first: so for
/// each.
template <std::size_t kWords>
const std::vector<std::size_t>& words_to_add(const std::array<unsigned, kWords>& any_state) {
  static const std::vector<std::size_t> added = [&] {
    // A bit of the first word is no part of the state.
    const std::vector<unsigned> words = stream_of(any_state, 2 * kDegree + 2);
    std::vector<bool> bits;
    for (std::size_t i = 1; i < words.size(); ++i)
      bits.push_back(words[i] % 2 == 1);
    const BitPolynomial power = power_of_x(kLog2Distance, characteristic_exponents(bits));
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < kDegree; ++i) {
      if (power[i]) found.push_back(i);
    }
    return found;
  }();
  return added;
}

/// Rounded once for a float, where those of other generators are rounded at each step.
double uniform_of(unsigned word) {
  return word * kPerWordDouble + kPerWordDouble / 2.0;
}

}  // namespace

Mt19937::State Mt19937::first_state(unsigned seed) {
  State state = {seed};
  for (unsigned i = 1; i < kWords; ++i)
    state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
  return state;
}

Mt19937::State Mt19937::jump(const State& state) {
  const std::vector<unsigned> words = stream_of(state, kDegree + kWords);
  const std::vector<std::size_t>& added = words_to_add(state);
  State sum = {};
  std::size_t i = 0;
  for (; i + 4 <= added.size(); i += 4) {  // at a time, since the sum is loaded and stored for each
    const unsigned* const a = words.data() + added[i];
    const unsigned* const b = words.data() + added[i + 1];
    const unsigned* const c = words.data() + added[i + 2];
    const unsigned* const d = words.data() + added[i + 3];
    for (std::size_t word = 0; word < kWords; ++word)
      sum[word] ^= a[word] ^ b[word] ^ c[word] ^ d[word];
  }
  for (; i < added.size(); ++i) {
    for (std::size_t word = 0; word < kWords; ++word)
      sum[word] ^= words[added[i] + word];
  }
  return sum;
}

void Mt19937::make_block(State& state) {
  for (std::size_t i = 0; i < kWords; ++i) {
    state[i] = next_word(state[i], state[(i + 1) % kWords], state[(i + kMiddle) % kWords]);
  }
}

Mt19937::Subsequence& Mt19937::subsequence_at(std::size_t number) {
  if (subsequences_.empty()) subsequences_.push_back({first_state(seed_)});
  while (subsequences_.size() <= number) {
    // Which may have made blocks already, and so have those behind it then.
    const Subsequence& last = subsequences_.back();
    subsequences_.push_back({jump(last.state), last.blocks});
  }
  return subsequences_[number];
}

void Mt19937::draw(std::span<unsigned> words) {
  static const std::array<std::size_t, kRows* kLanes> order = order_of_block();
  for (unsigned& word : words) {
    const std::uint64_t row = drawn_ / (kSubsequences * kLanes);
    const std::size_t column = drawn_ % (kSubsequences * kLanes);
    Subsequence& subsequence = subsequence_at(column / kLanes);
    for (; subsequence.blocks <= row / kRows; ++subsequence.blocks)
      make_block(subsequence.state);
    word = tempered(subsequence.state[order[row % kRows * kLanes + column % kLanes]]);
    ++drawn_;
  }
}

void Mt19937::uniform(std::span<float> numbers) {
  fill(numbers, [](unsigned word) { return static_cast<float>(uniform_of(word)); });
}

void Mt19937::uniform(std::span<double> numbers) {
  fill(numbers, uniform_of);
}

}  // namespace simt::curand_host
