/// \file
/// The direction vectors of Sobol' sequences.
#pragma once

#include <array>
#include <vector>

namespace simt::curand_host {

/// One for each bit, of a dimension.
template <typename Word>
using DirectionVectors = std::array<Word, 8 * sizeof(Word)>;

/// Of all dimensions that are available; of words of 32 or 64 bits.
template <typename Word>
std::vector<DirectionVectors<Word>>& direction_vectors();

}  // namespace simt::curand_host
