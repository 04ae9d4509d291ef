/// \file
/// The numbers of a generator, in the order in which they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "simt/curand/failure.h"

namespace simt::curand_host {

/// Where another sequence of the same type goes on.
struct Position {
  std::uint64_t offset = 0;  ///< by which curandSetGeneratorOffset() would come there
  std::size_t taken = 0;     ///< of the numbers that lie side by side there
};

/// Each function gives the next numbers, and throws a Failure where the generator has none of this
/// kind, or none of that length.
class Sequence {
 public:
  Sequence() = default;
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;
  virtual ~Sequence() = default;

  virtual void words(std::span<unsigned> numbers) = 0;                 ///< of 32 bits
  virtual void long_words(std::span<unsigned long long> numbers) = 0;  ///< of 64 bits
  virtual void uniform(std::span<float> numbers) = 0;                  ///< above 0, up to 1
  virtual void uniform(std::span<double> numbers) = 0;                 ///< the same
  virtual void normal(std::span<float> numbers) = 0;                   ///< of mean 0, deviation 1
  virtual void normal(std::span<double> numbers) = 0;                  ///< the same

  /// Where it is.
  virtual Position position() const = 0;
};

/// What a program may set of a generator.
struct Settings {
  curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW;             ///< none of the defaults
  curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT;  ///< one that the type has
  unsigned long long seed = 0;                                 ///< of pseudorandom ones
  unsigned dimensions = 1;                                     ///< of quasirandom ones
  /// Whether they are the same.
  bool operator==(const Settings&) const = default;
};

/// A sequence with these settings, from this position on.
std::unique_ptr<Sequence> make_sequence(const Settings& settings, const Position& from);

}  // namespace simt::curand_host
