/// \file
/// What C++20's <bit> has: programs may be of an older C++.
#pragma once

#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {

/// The same bits as another type of the same size.
template <typename To, typename From>
SIMT_INLINE constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

/// Leading zeros; all if there is nothing else.
SIMT_INLINE constexpr int leading_zeros(unsigned x) {
  return x == 0 ? 32 : __builtin_clz(x);
}
SIMT_INLINE constexpr int leading_zeros(unsigned long long x) {
  return x == 0 ? 64 : __builtin_clzll(x);
}

}  // namespace simt
