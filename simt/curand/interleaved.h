/// \file
/// XORWOW, MRG32k3a and Philox: numbers of many subsequences, in turn.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "simt/curand/sequence.h"
#include "simt/include/curand_kernel.h"

namespace simt::curand_host {

/// How many numbers of a subsequence lie side by side.
template <typename State>
inline constexpr std::size_t kSideBySide = 1;
/// Philox makes four at once.
template <>
inline constexpr std::size_t kSideBySide<curandStatePhilox4_32_10> = 4;

/// Subsequence c is what curand_init(seed, c, 0) begins in a kernel. One number of each lies in
/// memory, or four of Philox's, then the next of each, and so on. A number may take several of its
/// subsequence: two words for a double of XORWOW's, and a pair of normal numbers, which stay
/// together, two or four.
template <typename State>
class Interleaved : public Sequence {
 public:
  /// Of so many subsequences.
  Interleaved(unsigned long long seed, std::uint64_t subsequences, const Position& from)
      : seed_(seed),
        subsequences_(subsequences),
        offset_(from.offset),
        first_visit_(offset_ / kTogether),
        visits_(first_visit_),
        taken_(offset_ == 0 ? from.taken : offset_ % kTogether) {}

  void words(std::span<unsigned> numbers) override {
    fill<kTogether>(numbers, [](State* state, unsigned* made) {
      for (std::size_t i = 0; i < kTogether; ++i)
        made[i] = ::curand(state);
    });
  }

  void long_words(std::span<unsigned long long>) override {
    throw Failure{CURAND_STATUS_TYPE_ERROR};
  }

  void uniform(std::span<float> numbers) override {
    fill<kTogether>(numbers, [](State* state, float* made) {
      for (std::size_t i = 0; i < kTogether; ++i)
        made[i] = curand_uniform(state);
    });
  }

  void uniform(std::span<double> numbers) override {
    fill<kTogether>(numbers, [](State* state, double* made) {
      for (std::size_t i = 0; i < kTogether; ++i)
        made[i] = uniform_double_of(state);
    });
  }

  void normal(std::span<float> numbers) override {
    fill_pairs(numbers, [](State* state) { return curand_normal2(state); });
  }

  void normal(std::span<double> numbers) override {
    fill_pairs(numbers, [](State* state) { return curand_normal2_double(state); });
  }

  /// NVIDIA's library counts visits to subsequences, which of Philox's have four numbers each.
  Position position() const override { return {offset_ + (visits_ - first_visit_), taken_}; }

 private:
  static constexpr std::size_t kTogether = kSideBySide<State>;

  template <typename Any>
  static double uniform_double_of(Any* state) {
    return curand_uniform_double(state);
  }
  /// Of 53 bits, as the others have them.
  static double uniform_double_of(curandStatePhilox4_32_10* state) {
    const unsigned low = ::curand(state);
    return uniform_double(low, ::curand(state));
  }

  template <typename T, typename Make>
  void fill_pairs(std::span<T> numbers, Make make) {
    constexpr std::size_t kNumbers = std::max<std::size_t>(kTogether, 2);
    if (kTogether == 1 && numbers.size() % 2 != 0) throw Failure{CURAND_STATUS_LENGTH_NOT_MULTIPLE};
    fill<kNumbers>(numbers, [make](State* state, T* made) {
      for (std::size_t i = 0; i < kNumbers; i += 2) {
        const auto pair = make(state);
        made[i] = pair.x;
        made[i + 1] = pair.y;
      }
    });
  }

  /// `make` draws what lies side by side of one subsequence. Where that is cut, the subsequence
  /// goes on when its last number is taken.
  template <std::size_t kNumbers, typename T, typename Make>
  void fill(std::span<T> numbers, Make make) {
    while (!numbers.empty()) {
      State& subsequence = subsequence_at(visits_ % subsequences_);
      State next = subsequence;
      std::array<T, kNumbers> made;
      make(&next, made.data());
      const std::size_t count = std::min(kNumbers - taken_, numbers.size());
      std::copy_n(made.begin() + static_cast<std::ptrdiff_t>(taken_), count, numbers.begin());
      numbers = numbers.subspan(count);
      taken_ += count;
      if (taken_ < kNumbers) return;
      taken_ = 0;
      ++visits_;
      subsequence = next;
    }
  }

  /// Begins those up to it that have not begun.
  State& subsequence_at(std::uint64_t number) {
    for (std::uint64_t next = states_.size(); next <= number; ++next) {
      const std::uint64_t rows =
          first_visit_ / subsequences_ + (next < first_visit_ % subsequences_ ? 1 : 0);
      curand_init(seed_, next, rows * kTogether, &states_.emplace_back());
    }
    return states_[number];
  }

  unsigned long long seed_;
  std::uint64_t subsequences_;
  std::uint64_t offset_;
  std::uint64_t first_visit_;
  std::uint64_t visits_;  // to subsequences, from the offset 0 on
  std::size_t taken_;     // of the numbers of this visit
  std::vector<State> states_;
};

}  // namespace simt::curand_host
