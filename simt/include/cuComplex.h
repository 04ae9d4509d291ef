/// \file
/// Complex numbers as pairs, from before C++ had its own on devices: stands in for CUDA's
/// cuComplex.h.
#pragma once

#include <cmath>

#include "simt/include/cuda_runtime.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

namespace simt {

/// Scaled, so that neither the squares nor their sum overflow where the result does not.
template <typename Real>
SIMT_INLINE Real complex_magnitude(Real x, Real y) {
  return std::hypot(x, y);
}

/// Scaled by the divisor's size, for the same reason.
template <typename Real, typename Complex>
SIMT_INLINE Complex complex_quotient(Complex x, Complex y) {
  const Real scale = Real(1) / (std::fabs(y.x) + std::fabs(y.y));
  const Real a = x.x * scale;
  const Real b = x.y * scale;
  const Real c = y.x * scale;
  const Real d = y.y * scale;
  const Real inverse = Real(1) / (c * c + d * d);
  return {(a * c + b * d) * inverse, (b * c - a * d) * inverse};
}

}  // namespace simt

/// The functions of one precision: `f` is what their names end in.
#define SIMT_COMPLEX(Complex, Real, f, make)                           \
  SIMT_INLINE Complex make(Real real, Real imaginary) {                \
    return {real, imaginary};                                          \
  }                                                                    \
  SIMT_INLINE Real cuCreal##f(Complex x) {                             \
    return x.x;                                                        \
  }                                                                    \
  SIMT_INLINE Real cuCimag##f(Complex x) {                             \
    return x.y;                                                        \
  }                                                                    \
  SIMT_INLINE Complex cuConj##f(Complex x) {                           \
    return {x.x, -x.y};                                                \
  }                                                                    \
  SIMT_INLINE Complex cuCadd##f(Complex x, Complex y) {                \
    return {x.x + y.x, x.y + y.y};                                     \
  }                                                                    \
  SIMT_INLINE Complex cuCsub##f(Complex x, Complex y) {                \
    return {x.x - y.x, x.y - y.y};                                     \
  }                                                                    \
  SIMT_INLINE Complex cuCmul##f(Complex x, Complex y) {                \
    return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};             \
  }                                                                    \
  SIMT_INLINE Complex cuCdiv##f(Complex x, Complex y) {                \
    return simt::complex_quotient<Real>(x, y);                         \
  }                                                                    \
  SIMT_INLINE Real cuCabs##f(Complex x) {                              \
    return simt::complex_magnitude(x.x, x.y);                          \
  }                                                                    \
  SIMT_INLINE Complex cuCfma##f(Complex x, Complex y, Complex d) {     \
    return {x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x}; \
  }

SIMT_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex)
SIMT_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex)
#undef SIMT_COMPLEX

SIMT_INLINE cuComplex make_cuComplex(float real, float imaginary) {
  return {real, imaginary};
}
SIMT_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
  return {x.x, x.y};
}
SIMT_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
