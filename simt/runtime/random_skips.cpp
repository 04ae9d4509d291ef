// How cuRAND's generators skip numbers: both are linear, so that a skip is a power of a matrix.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simt/include/curand_kernel.h"

namespace simt {
namespace {

// ---- XORWOW: 160 bits, over the field of two elements -----------------------------------------

constexpr int kWords = 5;
constexpr int kBits = 32 * kWords;
using Words = std::array<unsigned, kWords>;
/// What becomes of each bit alone.
using BitMatrix = std::array<Words, kBits>;

Words times(const BitMatrix& matrix, const Words& words) {
  Words product = {};
  for (int bit = 0; bit < kBits; ++bit) {
    if ((words[static_cast<std::size_t>(bit / 32)] >> (bit % 32) & 1) == 0) continue;
    for (std::size_t i = 0; i < kWords; ++i)
      product[i] ^= matrix[static_cast<std::size_t>(bit)][i];
  }
  return product;
}

BitMatrix squared(const BitMatrix& matrix) {
  BitMatrix square;
  for (std::size_t bit = 0; bit < kBits; ++bit)
    square[bit] = times(matrix, matrix[bit]);
  return square;
}

BitMatrix one_step() {
  BitMatrix matrix;
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    Words words = {};
    words[bit / 32] = 1u << (bit % 32);
    const unsigned t = words[0] ^ (words[0] >> 2);
    const unsigned last = words[4];
    matrix[bit] = {words[1], words[2], words[3], last, (last ^ (last << 4)) ^ (t ^ (t << 1))};
  }
  return matrix;
}

/// Skips by 2^0, 2^1, ... numbers: up to 64 bits of a number of sequences of 2^67 each.
const std::vector<BitMatrix>& xorwow_powers() {
  constexpr int kPowers = 67 + 64;
  static const std::vector<BitMatrix> powers = [] {
    std::vector<BitMatrix> made = {one_step()};
    while (made.size() < kPowers)
      made.push_back(squared(made.back()));
    return made;
  }();
  return powers;
}

void skip_by_powers(unsigned* words, unsigned long long count, std::size_t first_power) {
  if (count == 0) return;
  Words state;
  std::copy_n(words, kWords, state.begin());
  for (std::size_t i = 0; count != 0; ++i, count /= 2) {
    if (count % 2 == 1) state = times(xorwow_powers()[first_power + i], state);
  }
  std::copy_n(state.begin(), kWords, words);
}

// ---- MRG32k3a: three numbers each, modulo two primes ------------------------------------------

using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b, std::uint64_t modulus) {
  Matrix result = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k)
        result[i][j] = (result[i][j] + a[i][k] * b[k][j] % modulus) % modulus;
    }
  }
  return result;
}

/// Skips by 2^0, 2^1, ... numbers: up to 64 bits of a number of sequences of 2^127 each.
std::vector<Matrix> powers_of(const Matrix& step, std::uint64_t modulus) {
  constexpr int kPowers = 127 + 64;
  std::vector<Matrix> powers = {step};
  while (powers.size() < kPowers)
    powers.push_back(product(powers.back(), powers.back(), modulus));
  return powers;
}

void skip_half(unsigned* numbers, const std::vector<Matrix>& powers, std::uint64_t modulus,
               unsigned long long count, int log2_unit) {
  for (auto power = static_cast<std::size_t>(log2_unit); count != 0; ++power, count /= 2) {
    if (count % 2 == 0) continue;
    const std::uint64_t old[] = {numbers[0], numbers[1], numbers[2]};
    for (std::size_t i = 0; i < 3; ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < 3; ++j)
        sum = (sum + powers[power][i][j] * old[j] % modulus) % modulus;
      numbers[i] = static_cast<unsigned>(sum);
    }
  }
}

}  // namespace

void skip_xorwow(unsigned* words, unsigned long long count) {
  skip_by_powers(words, count, 0);
}

void skip_xorwow_sequences(unsigned* words, unsigned long long count) {
  constexpr std::size_t kLog2Sequence = 67;
  skip_by_powers(words, count, kLog2Sequence);
}

void skip_mrg32k3a(unsigned* first, unsigned* second, unsigned long long count, int log2_unit) {
  if (count == 0) return;
  static const std::vector<Matrix> of_first =
      powers_of({{{0, 1, 0}, {0, 0, 1}, {kMrgModulus1 - 810728, 1403580, 0}}}, kMrgModulus1);
  static const std::vector<Matrix> of_second =
      powers_of({{{0, 1, 0}, {0, 0, 1}, {kMrgModulus2 - 1370589, 0, 527612}}}, kMrgModulus2);
  skip_half(first, of_first, kMrgModulus1, count, log2_unit);
  skip_half(second, of_second, kMrgModulus2, count, log2_unit);
}

}  // namespace simt
