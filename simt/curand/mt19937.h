/// \file
/// MT19937: numbers of many subsequences, each far along the one before. (Matsumoto and Nishimura,
/// "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number generator")
#pragma once

#include <array>
#include <vector>

#include "simt/curand/of_words.h"

namespace simt::curand_host {

/// 8192 subsequences, each of which begins 2^2048 numbers behind the one before. Eight numbers of
/// each lie in memory, then the next eight of each, and so on. They are not eight that follow each
/// other: see place_in_block() in the source.
class Mt19937 : public OfWords<unsigned> {
 public:
  /// The upper half of the seed is not used.
  explicit Mt19937(unsigned long long seed) : seed_(static_cast<unsigned>(seed)) {}

  void uniform(std::span<float> numbers) override;
  void uniform(std::span<double> numbers) override;
  /// It has no offsets.
  Position position() const override { return {}; }

 protected:
  void draw(std::span<unsigned> words) override;

 private:
  static constexpr std::size_t kWords = 624;
  using State = std::array<unsigned, kWords>;
  struct Subsequence {
    State state;
    std::uint64_t blocks = 0;  // of kWords numbers that have been made
  };

  static State first_state(unsigned seed);
  static State jump(const State& state);
  static void make_block(State& state);
  Subsequence& subsequence_at(std::size_t number);

  unsigned seed_;
  std::uint64_t drawn_ = 0;
  std::vector<Subsequence> subsequences_;
};

}  // namespace simt::curand_host
