/// \file
/// Generators each of whose numbers is made of one word.
#pragma once

#include <algorithm>
#include <vector>

#include "simt/curand/sequence.h"
#include "simt/include/curand_kernel.h"

namespace simt::curand_host {

/// Makes the other kinds of numbers of words of 32 or 64 bits.
template <typename Word>
class OfWords : public Sequence {
 public:
  /// Of 32 bits.
  void words(std::span<unsigned> numbers) override { give(numbers); }
  /// Of 64 bits.
  void long_words(std::span<unsigned long long> numbers) override { give(numbers); }
  /// Above 0, up to 1.
  void uniform(std::span<float> numbers) override {
    fill(numbers, [](Word word) { return uniform_of_word(word); });
  }
  /// The same.
  void uniform(std::span<double> numbers) override {
    fill(numbers, [](Word word) { return uniform_double_of_word(word); });
  }
  /// Of mean 0, deviation 1.
  void normal(std::span<float> numbers) override {
    fill(numbers, [](Word word) { return normal_of_word(word); });
  }
  /// The same.
  void normal(std::span<double> numbers) override {
    fill(numbers, [](Word word) { return normal_double_of_word(word); });
  }

 protected:
  /// The next words.
  virtual void draw(std::span<Word> words) = 0;

  /// Makes one number of each.
  template <typename T, typename Make>
  void fill(std::span<T> numbers, Make make) {
    std::vector<Word> words(numbers.size());
    draw(words);
    std::transform(words.begin(), words.end(), numbers.begin(), make);
  }

 private:
  void give(std::span<Word> numbers) { draw(numbers); }
  template <typename Other>
  void give(std::span<Other>) {
    throw Failure{CURAND_STATUS_TYPE_ERROR};
  }
};

}  // namespace simt::curand_host
