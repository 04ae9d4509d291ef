/// \file
/// How linear generators of many bits jump: by polynomials over the field of two elements.
/// (Haramoto, Matsumoto, Nishimura, Panneton and L'Ecuyer, "Efficient jump ahead for F2-linear
/// random number generators")
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt::curand_host {

/// Bit i is the coefficient of x^i.
class BitPolynomial {
 public:
  /// 0, with room for so many coefficients.
  explicit BitPolynomial(std::size_t coefficients) : words_((coefficients + 63) / 64 + 1) {}

  /// The coefficient of x^`exponent`.
  bool operator[](std::size_t exponent) const {
    return (words_[exponent / 64] >> (exponent % 64) & 1) != 0;
  }
  /// Adds x^`exponent`.
  void flip(std::size_t exponent) { words_[exponent / 64] ^= std::uint64_t{1} << (exponent % 64); }
  /// Adds `bits`, times x^`exponent`.
  void add(std::uint64_t bits, std::size_t exponent);

  /// 64 coefficients each, the lowest first; there is one word more than needed.
  std::vector<std::uint64_t>& words() { return words_; }
  const std::vector<std::uint64_t>& words() const { return words_; }  ///< the same

 private:
  std::vector<std::uint64_t> words_;
};

/// The exponents of the polynomial of the lowest degree, the highest first, for which the bits of a
/// sequence that these are the first of, picked where it has ones and added, are 0 wherever one
/// begins. There must be twice as many as its degree.
std::vector<std::size_t> characteristic_exponents(const std::vector<bool>& bits);

/// x^(2^`log2`) modulo the polynomial with these exponents, the highest first and by 64 or more
/// above the second.
BitPolynomial power_of_x(int log2, const std::vector<std::size_t>& modulus);

}  // namespace simt::curand_host
