#include "simt/curand/sobol_vectors.h"

#include <cstddef>
#include <cstdint>

#include "simt/curand/sobol_numbers.h"

namespace simt::curand_host {
namespace {

/// Over the field of two elements; bit i is the coefficient of x^i.
struct Polynomial {
  unsigned degree = 0;
  std::uint64_t coefficients = 0;
};

/// Whether the powers of x modulo the polynomial, whose constant is 1, are all that are not 0.
bool is_primitive(const Polynomial& polynomial) {
  const std::uint64_t others = (std::uint64_t{1} << polynomial.degree) - 1;
  std::uint64_t power = 1;
  std::uint64_t count = 0;
  do {
    power <<= 1;
    if ((power >> polynomial.degree & 1) != 0) power ^= polynomial.coefficients;
    ++count;
  } while (power != 1);
  return count == others;
}

/// The next primitive one: of the same degree, or the next.
Polynomial next_primitive(Polynomial polynomial) {
  do {
    polynomial.coefficients += 2;
    polynomial.degree += static_cast<unsigned>(polynomial.coefficients >> (polynomial.degree + 1));
  } while (!is_primitive(polynomial));
  return polynomial;
}

/// Of the first dimension, in which number i is i with its bits reversed, but for the Gray code.
template <typename Word>
DirectionVectors<Word> first_dimension() {
  DirectionVectors<Word> vectors;
  for (std::size_t bit = 0; bit < vectors.size(); ++bit)
    vectors[bit] = Word{1} << (vectors.size() - 1 - bit);
  return vectors;
}

/// The first ones are given, and each later one is made of as many before it.
/// (Bratley and Fox, "Algorithm 659: implementing Sobol's quasirandom sequence generator", 2)
template <typename Word>
DirectionVectors<Word> dimension(const Polynomial& polynomial, std::uint64_t numbers) {
  DirectionVectors<Word> vectors;
  const std::size_t degree = polynomial.degree;
  for (std::size_t bit = 0; bit < degree; ++bit) {
    const std::uint64_t upper = numbers >> (bit * (bit - 1) / 2) & ((std::uint64_t{1} << bit) - 1);
    vectors[bit] = static_cast<Word>(2 * upper + 1) << (vectors.size() - 1 - bit);
  }
  for (std::size_t bit = degree; bit < vectors.size(); ++bit) {
    Word sum = vectors[bit - degree] >> degree;
    for (std::size_t back = 1; back <= degree; ++back) {
      if ((polynomial.coefficients >> (degree - back) & 1) != 0) sum ^= vectors[bit - back];
    }
    vectors[bit] = sum;
  }
  return vectors;
}

}  // namespace

template <typename Word>
std::vector<DirectionVectors<Word>>& direction_vectors() {
  static std::vector<DirectionVectors<Word>> vectors = [] {
    std::vector<DirectionVectors<Word>> made = {first_dimension<Word>()};
    Polynomial polynomial = {0, 1};
    for (const std::uint64_t numbers : kDirectionNumbers) {
      polynomial = next_primitive(polynomial);
      made.push_back(dimension<Word>(polynomial, numbers));
    }
    return made;
  }();
  return vectors;
}

template std::vector<DirectionVectors<unsigned>>& direction_vectors();
template std::vector<DirectionVectors<unsigned long long>>& direction_vectors();

}  // namespace simt::curand_host
