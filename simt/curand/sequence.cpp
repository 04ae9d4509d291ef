#include "simt/curand/sequence.h"

#include "simt/curand/interleaved.h"
#include "simt/curand/mt19937.h"
#include "simt/curand/sobol.h"

namespace simt::curand_host {

std::unique_ptr<Sequence> make_sequence(const Settings& settings, const Position& from) {
  const bool is_legacy = settings.ordering == CURAND_ORDERING_PSEUDO_LEGACY;
  switch (settings.type) {
    case CURAND_RNG_PSEUDO_XORWOW:
      return std::make_unique<Interleaved<curandStateXORWOW>>(settings.seed, 4096, from);
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return std::make_unique<Interleaved<curandStateMRG32k3a>>(settings.seed,
                                                                is_legacy ? 4096 : 81920, from);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return std::make_unique<Interleaved<curandStatePhilox4_32_10>>(settings.seed, 65536, from);
    case CURAND_RNG_PSEUDO_MT19937:
      return std::make_unique<Mt19937>(settings.seed);
    case CURAND_RNG_QUASI_SOBOL32:
      return std::make_unique<Sobol<unsigned>>(settings.dimensions, from.offset);
    case CURAND_RNG_QUASI_SOBOL64:
      return std::make_unique<Sobol<unsigned long long>>(settings.dimensions, from.offset);
    default:
      throw Failure{CURAND_STATUS_TYPE_ERROR};
  }
}

}  // namespace simt::curand_host
