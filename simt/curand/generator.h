/// \file
/// What a program has made by curandCreateGenerator() or curandCreateGeneratorHost().
#pragma once

#include <memory>

#include "simt/curand/sequence.h"

/// A handle of cuRAND's is the address of one of these.
struct curandGenerator_st {
  bool is_of_host;                            ///< where its numbers go; else the device's memory
  int device;                                 ///< that was current when it was made
  cudaStream_t stream = nullptr;              ///< of its calls
  simt::curand_host::Settings settings = {};  ///< of the sequence
  std::unique_ptr<simt::curand_host::Sequence> sequence = {};  ///< of which its numbers are

  /// Whether its numbers imitate random ones; else they fill a space evenly.
  bool is_pseudo() const { return settings.type < CURAND_RNG_QUASI_DEFAULT; }
  /// Goes on with other settings from where it is. Setting what is set already changes nothing.
  void change(const simt::curand_host::Settings& to) {
    if (to == settings && sequence != nullptr) return;
    sequence = make_sequence(
        to, sequence == nullptr ? simt::curand_host::Position{} : sequence->position());
    settings = to;
  }
};

namespace simt::curand_host {

/// Makes one, and its handle.
curandGenerator_t create_generator(curandRngType_t type, bool is_of_host);
/// The generator of a handle; throws a Failure where there is none, or no longer.
curandGenerator_st& find_generator(curandGenerator_t generator);
/// Its end.
void destroy_generator(curandGenerator_t generator);

}  // namespace simt::curand_host
