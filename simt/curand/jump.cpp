#include "simt/curand/jump.h"

#include <bit>
#include <utility>

namespace simt::curand_host {
namespace {

/// Each bit of 32 becomes two, of which the upper one is 0.
std::uint64_t spread(std::uint32_t bits) {
  std::uint64_t wide = bits;
  wide = (wide | wide << 16) & 0x0000ffff0000ffffu;
  wide = (wide | wide << 8) & 0x00ff00ff00ff00ffu;
  wide = (wide | wide << 4) & 0x0f0f0f0f0f0f0f0fu;
  wide = (wide | wide << 2) & 0x3333333333333333u;
  return (wide | wide << 1) & 0x5555555555555555u;
}

/// (a + b)^2 = a^2 + b^2 in this field.
BitPolynomial square(const BitPolynomial& polynomial, std::size_t coefficients) {
  BitPolynomial square(2 * coefficients);
  for (std::size_t i = 0; i < (coefficients + 63) / 64; ++i) {
    const std::uint64_t word = polynomial.words()[i];
    square.add(spread(static_cast<std::uint32_t>(word)), 128 * i);
    square.add(spread(static_cast<std::uint32_t>(word >> 32)), 128 * i + 64);
  }
  return square;
}

/// Takes the modulus off, 64 of the highest coefficients at a time.
BitPolynomial remainder(BitPolynomial polynomial, const std::vector<std::size_t>& modulus) {
  const std::size_t degree = modulus.front();
  for (std::size_t i = polynomial.words().size(); i-- > degree / 64;) {
    std::uint64_t high = polynomial.words()[i];
    const std::size_t lowest = 64 * i;
    if (lowest < degree) high &= ~std::uint64_t{0} << (degree - lowest);
    polynomial.words()[i] ^= high;
    for (std::size_t term = 1; term < modulus.size() && high != 0; ++term) {
      // high x^lowest = high x^(lowest - degree) x^degree, which is the sum of the other terms.
      const std::size_t up = lowest + modulus[term];
      if (up >= degree)
        polynomial.add(high, up - degree);
      else
        polynomial.add(high >> (degree - up), 0);
    }
  }
  BitPolynomial rest(degree);
  for (std::size_t i = 0; i < rest.words().size(); ++i)
    rest.words()[i] = polynomial.words()[i];
  return rest;
}

/// The last bits of a sequence, the newest first.
void push(BitPolynomial& bits, bool newest) {
  std::uint64_t carry = newest ? 1 : 0;
  for (std::uint64_t& word : bits.words())
    carry = std::exchange(word, word << 1 | carry) >> 63;
}

bool is_odd(const BitPolynomial& a, const BitPolynomial& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.words().size(); ++i)
    sum ^= a.words()[i] & b.words()[i];
  return std::popcount(sum) % 2 == 1;
}

}  // namespace

void BitPolynomial::add(std::uint64_t bits, std::size_t exponent) {
  const std::size_t word = exponent / 64;
  const std::size_t up = exponent % 64;
  words_[word] ^= bits << up;
  if (up != 0 && word + 1 < words_.size()) words_[word + 1] ^= bits >> (64 - up);
}

// (Massey, "Shift-register synthesis and BCH decoding")
std::vector<std::size_t> characteristic_exponents(const std::vector<bool>& bits) {
  const std::size_t room = bits.size() / 2 + 1;
  BitPolynomial recent(room);
  BitPolynomial connection(room);  // of x^-1
  BitPolynomial before(room);      // the one that failed when the degree last rose
  connection.flip(0);
  before.flip(0);
  std::size_t degree = 0;
  std::size_t since = 1;
  for (std::size_t n = 0; n < bits.size(); ++n, ++since) {
    push(recent, bits[n]);
    if (!is_odd(connection, recent)) continue;
    const BitPolynomial failed = connection;
    for (std::size_t i = 0; 64 * i + since < 64 * before.words().size(); ++i)
      connection.add(before.words()[i], 64 * i + since);
    if (2 * degree > n) continue;
    degree = n + 1 - degree;
    before = failed;
    since = 0;
  }
  std::vector<std::size_t> exponents;
  for (std::size_t i = 0; i <= degree; ++i) {
    if (connection[i]) exponents.push_back(degree - i);
  }
  return exponents;
}

BitPolynomial power_of_x(int log2, const std::vector<std::size_t>& modulus) {
  const std::size_t degree = modulus.front();
  BitPolynomial power(degree);
  power.flip(1);
  for (int i = 0; i < log2; ++i)
    power = remainder(square(power, degree), modulus);
  return power;
}

}  // namespace simt::curand_host
