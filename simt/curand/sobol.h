/// \file
/// Sobol' sequences of several dimensions.
#pragma once

#include "simt/curand/of_words.h"
#include "simt/curand/sobol_vectors.h"

namespace simt::curand_host {

/// n / dimensions numbers of the first dimension lie in memory, then as many of the next.
template <typename Word>
class Sobol : public OfWords<Word> {
 public:
  /// From this offset on, in each dimension.
  Sobol(unsigned dimensions, std::uint64_t offset) : dimensions_(dimensions), offset_(offset) {}

  Position position() const override { return {offset_}; }

 protected:
  void draw(std::span<Word> words) override {
    if (words.size() % dimensions_ != 0) throw Failure{CURAND_STATUS_LENGTH_NOT_MULTIPLE};
    const std::size_t count = words.size() / dimensions_;
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      SobolState<Word> state;
      curand_init(direction_vectors<Word>()[dimension].data(), static_cast<Word>(offset_), &state);
      for (Word& word : words.subspan(dimension * count, count))
        word = ::curand(&state);
    }
    offset_ += count;
  }

 private:
  unsigned dimensions_;
  std::uint64_t offset_;
};

}  // namespace simt::curand_host
