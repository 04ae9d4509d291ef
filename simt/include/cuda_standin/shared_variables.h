/// \file
/// What the source translator makes of `__shared__`.
#pragma once

#include <type_traits>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {

/// A `__shared__` variable of type T (perhaps an array) of the running block.
template <typename T>
SIMT_INLINE T& shared_variable(const SharedVariable& variable) {
  return *static_cast<T*>(static_shared(variable));
}

/// An `extern __shared__` array of type T, which is U[].
template <typename T>
SIMT_INLINE T& dynamic_shared_variable() {
  static_assert(std::is_array_v<T> && std::extent_v<T> == 0,
                "extern __shared__ declares an array without a size");
  return *reinterpret_cast<T*>(dynamic_shared());
}

}  // namespace simt
