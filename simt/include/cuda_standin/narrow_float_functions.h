/// \file
/// The operators and intrinsics that __half and __nv_bfloat16 have in common, written once for
/// both.
///
/// + - * / and sqrt are computed in float and rounded once more. That gives the correctly rounded
/// result, as the hardware does: a float has more than twice the bits of either format, and two to
/// spare. (Figueroa, "When is double rounding innocuous?", 1995)
#pragma once

#include <math.h>
#include <type_traits>

#include "simt/include/cuda_standin/narrow_float.h"
#include "simt/include/cuda_standin/vector_types.h"

namespace simt {

/// Specialised for __half2 and __nv_bfloat162: `type` is that of x and y.
template <typename T>
struct PairElement;

template <typename T, typename = void>
inline constexpr bool is_narrow_pair = false;
template <typename T>
inline constexpr bool is_narrow_pair<T, std::void_t<typename PairElement<T>::type>> = true;
template <typename T>
using IfNarrowPair = std::enable_if_t<is_narrow_pair<T>, int>;

/// The operators of a narrow type. As friends they take whatever converts to it on either side.
template <typename T>
struct NarrowOperators {
  SIMT_INLINE friend T operator+(const T& a, const T& b) {
    return from_float<T>(to_float(a) + to_float(b));
  }
  SIMT_INLINE friend T operator-(const T& a, const T& b) {
    return from_float<T>(to_float(a) - to_float(b));
  }
  SIMT_INLINE friend T operator*(const T& a, const T& b) {
    return from_float<T>(to_float(a) * to_float(b));
  }
  SIMT_INLINE friend T operator/(const T& a, const T& b) {
    return from_float<T>(to_float(a) / to_float(b));
  }
  SIMT_INLINE friend T& operator+=(T& a, const T& b) { return a = a + b; }
  SIMT_INLINE friend T& operator-=(T& a, const T& b) { return a = a - b; }
  SIMT_INLINE friend T& operator*=(T& a, const T& b) { return a = a * b; }
  SIMT_INLINE friend T& operator/=(T& a, const T& b) { return a = a / b; }
  SIMT_INLINE friend T& operator++(T& a) { return a = from_float<T>(to_float(a) + 1.0f); }
  SIMT_INLINE friend T& operator--(T& a) { return a = from_float<T>(to_float(a) - 1.0f); }
  SIMT_INLINE friend T operator++(T& a, int) {
    const T before = a;
    ++a;
    return before;
  }
  SIMT_INLINE friend T operator--(T& a, int) {
    const T before = a;
    --a;
    return before;
  }
  SIMT_INLINE friend T operator+(const T& a) { return a; }
  SIMT_INLINE friend T operator-(const T& a) { return from_float<T>(-to_float(a)); }
  SIMT_INLINE friend bool operator==(const T& a, const T& b) { return to_float(a) == to_float(b); }
  SIMT_INLINE friend bool operator!=(const T& a, const T& b) { return to_float(a) != to_float(b); }
  SIMT_INLINE friend bool operator<(const T& a, const T& b) { return to_float(a) < to_float(b); }
  SIMT_INLINE friend bool operator>(const T& a, const T& b) { return to_float(a) > to_float(b); }
  SIMT_INLINE friend bool operator<=(const T& a, const T& b) { return to_float(a) <= to_float(b); }
  SIMT_INLINE friend bool operator>=(const T& a, const T& b) { return to_float(a) >= to_float(b); }
};

/// The operators of a pair; comparisons hold if they hold for both. Pairs are passed by value: a
/// copy is one access, where a reference would lead to one of each element.
template <typename T>
struct NarrowPairOperators {
  SIMT_INLINE friend T operator+(T a, T b) { return {a.x + b.x, a.y + b.y}; }
  SIMT_INLINE friend T operator-(const T& a, const T& b) { return {a.x - b.x, a.y - b.y}; }
  SIMT_INLINE friend T operator*(const T& a, const T& b) { return {a.x * b.x, a.y * b.y}; }
  SIMT_INLINE friend T operator/(const T& a, const T& b) { return {a.x / b.x, a.y / b.y}; }
  SIMT_INLINE friend T& operator+=(T& a, const T& b) { return a = a + b; }
  SIMT_INLINE friend T& operator-=(T& a, const T& b) { return a = a - b; }
  SIMT_INLINE friend T& operator*=(T& a, const T& b) { return a = a * b; }
  SIMT_INLINE friend T& operator/=(T& a, const T& b) { return a = a / b; }
  SIMT_INLINE friend T operator+(const T& a) { return a; }
  SIMT_INLINE friend T operator-(const T& a) { return {-a.x, -a.y}; }
  SIMT_INLINE friend bool operator==(const T& a, const T& b) { return a.x == b.x && a.y == b.y; }
  SIMT_INLINE friend bool operator!=(const T& a, const T& b) { return a.x != b.x && a.y != b.y; }
  SIMT_INLINE friend bool operator<(const T& a, const T& b) { return a.x < b.x && a.y < b.y; }
  SIMT_INLINE friend bool operator>(const T& a, const T& b) { return a.x > b.x && a.y > b.y; }
  SIMT_INLINE friend bool operator<=(const T& a, const T& b) { return a.x <= b.x && a.y <= b.y; }
  SIMT_INLINE friend bool operator>=(const T& a, const T& b) { return a.x >= b.x && a.y >= b.y; }
};

/// a * b + c rounded once. The product is exact in double; the sum is rounded to odd before it is
/// rounded to T.
inline float fused_multiply_add(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = static_cast<double>(c);
  const double sum = product + addend;
  const double addend_part = sum - product;
  const double error = (product - (sum - addend_part)) + (addend - addend_part);
  if (!(error != 0.0) || !std::isfinite(sum)) return round_to_odd(sum);
  const std::uint64_t bits = bit_cast<std::uint64_t>(sum);
  if ((bits & 1) != 0) return round_to_odd(sum);
  const bool away_from_zero = (error > 0.0) == (sum > 0.0);
  return round_to_odd(bit_cast<double>(away_from_zero ? bits + 1 : bits - 1));
}

/// Between 0 and 1; a NaN gives 0.
inline float saturate(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

/// Not below 0; a NaN stays one.
inline float rectify(float value) {
  return value < 0.0f ? 0.0f : value;
}

/// The larger; of two zeros +0; the other one if one is a NaN.
inline float larger(float a, float b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline float smaller(float a, float b) {
  return -larger(-a, -b);
}

/// As larger() and smaller(), but a NaN on either side gives NaN.
inline float larger_nan(float a, float b) {
  return a != a ? a : b != b ? b : larger(a, b);
}
inline float smaller_nan(float a, float b) {
  return a != a ? a : b != b ? b : smaller(a, b);
}

}  // namespace simt

// ---- arithmetic: `name` for one value and `name2` for a pair ----------------------------------

// The other arguments may be anything that converts to the first one's type, as with CUDA's
// overloads.
#define SIMT_SAME(T) const std::common_type_t<T>&

#define SIMT_UNARY(name, name2, expression)         \
  template <typename T, simt::IfNarrowFloat<T> = 0> \
  SIMT_INLINE T name(const T& value) {              \
    const float x = simt::to_float(value);          \
    return simt::from_float<T>(expression);         \
  }                                                 \
  template <typename P, simt::IfNarrowPair<P> = 0>  \
  SIMT_INLINE P name2(P value) {                    \
    return {name(value.x), name(value.y)};          \
  }

#define SIMT_BINARY(name, name2, expression)                \
  template <typename T, simt::IfNarrowFloat<T> = 0>         \
  SIMT_INLINE T name(const T& first, SIMT_SAME(T) second) { \
    const float a = simt::to_float(first);                  \
    const float b = simt::to_float(second);                 \
    return simt::from_float<T>(expression);                 \
  }                                                         \
  template <typename P, simt::IfNarrowPair<P> = 0>          \
  SIMT_INLINE P name2(P a, std::common_type_t<P> b) {       \
    return {name(a.x, b.x), name(a.y, b.y)};                \
  }

#define SIMT_TERNARY(name, name2, expression)                                   \
  template <typename T, simt::IfNarrowFloat<T> = 0>                             \
  SIMT_INLINE T name(const T& first, SIMT_SAME(T) second, SIMT_SAME(T) third) { \
    const float a = simt::to_float(first);                                      \
    const float b = simt::to_float(second);                                     \
    const float c = simt::to_float(third);                                      \
    return simt::from_float<T>(expression);                                     \
  }                                                                             \
  template <typename P, simt::IfNarrowPair<P> = 0>                              \
  SIMT_INLINE P name2(P a, std::common_type_t<P> b, std::common_type_t<P> c) {  \
    return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};                          \
  }

SIMT_BINARY(__hadd, __hadd2, a + b)
SIMT_BINARY(__hsub, __hsub2, a - b)
SIMT_BINARY(__hmul, __hmul2, a* b)
SIMT_BINARY(__hdiv, __h2div, a / b)
SIMT_BINARY(__hadd_rn, __hadd2_rn, a + b)
SIMT_BINARY(__hsub_rn, __hsub2_rn, a - b)
SIMT_BINARY(__hmul_rn, __hmul2_rn, a* b)
SIMT_BINARY(__hadd_sat, __hadd2_sat, simt::saturate(a + b))
SIMT_BINARY(__hsub_sat, __hsub2_sat, simt::saturate(a - b))
SIMT_BINARY(__hmul_sat, __hmul2_sat, simt::saturate(a* b))
SIMT_BINARY(__hmax, __hmax2, simt::larger(a, b))
SIMT_BINARY(__hmin, __hmin2, simt::smaller(a, b))
SIMT_BINARY(__hmax_nan, __hmax2_nan, simt::larger_nan(a, b))
SIMT_BINARY(__hmin_nan, __hmin2_nan, simt::smaller_nan(a, b))
SIMT_TERNARY(__hfma, __hfma2, simt::fused_multiply_add(a, b, c))
SIMT_TERNARY(__hfma_sat, __hfma2_sat, simt::saturate(simt::fused_multiply_add(a, b, c)))
SIMT_TERNARY(__hfma_relu, __hfma2_relu, simt::rectify(simt::fused_multiply_add(a, b, c)))
SIMT_UNARY(hexp, h2exp, ::expf(x))
SIMT_UNARY(hexp2, h2exp2, ::exp2f(x))
SIMT_UNARY(hexp10, h2exp10, static_cast<float>(::pow(10.0, static_cast<double>(x))))
SIMT_UNARY(hlog, h2log, ::logf(x))
SIMT_UNARY(hlog2, h2log2, ::log2f(x))
SIMT_UNARY(hlog10, h2log10, ::log10f(x))
SIMT_UNARY(hsqrt, h2sqrt, ::sqrtf(x))
SIMT_UNARY(hrsqrt, h2rsqrt, 1.0f / ::sqrtf(x))
SIMT_UNARY(hrcp, h2rcp, 1.0f / x)
SIMT_UNARY(hsin, h2sin, ::sinf(x))
SIMT_UNARY(hcos, h2cos, ::cosf(x))
SIMT_UNARY(htanh, h2tanh, ::tanhf(x))
SIMT_UNARY(htanh_approx, h2tanh_approx, ::tanhf(x))
SIMT_UNARY(hfloor, h2floor, ::floorf(x))
SIMT_UNARY(hceil, h2ceil, ::ceilf(x))
SIMT_UNARY(htrunc, h2trunc, ::truncf(x))
SIMT_UNARY(hrint, h2rint, ::nearbyintf(x))

#undef SIMT_UNARY
#undef SIMT_BINARY
#undef SIMT_TERNARY

/// The sign alone is changed, of a NaN as well.
template <typename T, simt::IfNarrowFloat<T> = 0>
SIMT_INLINE T __hneg(const T& value) {
  using Format = simt::NarrowFormat<T>;
  return Format::from_bits(static_cast<std::uint16_t>(Format::to_bits(value) ^ 0x8000));
}
template <typename T, simt::IfNarrowFloat<T> = 0>
SIMT_INLINE T __habs(const T& value) {
  using Format = simt::NarrowFormat<T>;
  return Format::from_bits(static_cast<std::uint16_t>(Format::to_bits(value) & 0x7fff));
}
template <typename P, simt::IfNarrowPair<P> = 0>
SIMT_INLINE P __hneg2(P value) {
  return {__hneg(value.x), __hneg(value.y)};
}
template <typename P, simt::IfNarrowPair<P> = 0>
SIMT_INLINE P __habs2(P value) {
  return {__habs(value.x), __habs(value.y)};
}

// ---- classification and comparison ------------------------------------------------------------

template <typename T, simt::IfNarrowFloat<T> = 0>
SIMT_INLINE bool __hisnan(const T& value) {
  const float x = simt::to_float(value);
  return x != x;
}

/// 1 for +inf, -1 for -inf, else 0.
template <typename T, simt::IfNarrowFloat<T> = 0>
SIMT_INLINE int __hisinf(const T& value) {
  const float x = simt::to_float(value);
  return x == HUGE_VALF ? 1 : x == -HUGE_VALF ? -1 : 0;
}

/// 1 where the element is a NaN, else 0.
template <typename P, simt::IfNarrowPair<P> = 0>
SIMT_INLINE P __hisnan2(P value) {
  return {__hisnan(value.x) ? 1.0f : 0.0f, __hisnan(value.y) ? 1.0f : 0.0f};
}

namespace simt {
/// As the `_mask` comparisons of pairs: 0xffff in the half that holds, the first element's being
/// the lower one.
constexpr unsigned pair_mask(bool first, bool second) {
  return (first ? 0x0000ffffu : 0u) | (second ? 0xffff0000u : 0u);
}
}  // namespace simt

/// `name`: one value. `name2`: 1 or 0 for each element. `both`: whether it holds for both. `mask`:
/// see pair_mask().
#define SIMT_COMPARISON(name, name2, both, mask, expression)             \
  template <typename T, simt::IfNarrowFloat<T> = 0>                      \
  SIMT_INLINE bool name(const T& first, SIMT_SAME(T) second) {           \
    const float a = simt::to_float(first);                               \
    const float b = simt::to_float(second);                              \
    return expression;                                                   \
  }                                                                      \
  template <typename P, simt::IfNarrowPair<P> = 0>                       \
  SIMT_INLINE P name2(P a, std::common_type_t<P> b) {                    \
    return {name(a.x, b.x) ? 1.0f : 0.0f, name(a.y, b.y) ? 1.0f : 0.0f}; \
  }                                                                      \
  template <typename P, simt::IfNarrowPair<P> = 0>                       \
  SIMT_INLINE bool both(P a, std::common_type_t<P> b) {                  \
    return name(a.x, b.x) && name(a.y, b.y);                             \
  }                                                                      \
  template <typename P, simt::IfNarrowPair<P> = 0>                       \
  SIMT_INLINE unsigned mask(P a, std::common_type_t<P> b) {              \
    return simt::pair_mask(name(a.x, b.x), name(a.y, b.y));              \
  }

SIMT_COMPARISON(__heq, __heq2, __hbeq2, __heq2_mask, a == b)
SIMT_COMPARISON(__hne, __hne2, __hbne2, __hne2_mask, a<b || a> b)
SIMT_COMPARISON(__hlt, __hlt2, __hblt2, __hlt2_mask, a < b)
SIMT_COMPARISON(__hle, __hle2, __hble2, __hle2_mask, a <= b)
SIMT_COMPARISON(__hgt, __hgt2, __hbgt2, __hgt2_mask, a > b)
SIMT_COMPARISON(__hge, __hge2, __hbge2, __hge2_mask, a >= b)
// The unordered ones also hold if either is a NaN.
SIMT_COMPARISON(__hequ, __hequ2, __hbequ2, __hequ2_mask, !(a < b || a > b))
SIMT_COMPARISON(__hneu, __hneu2, __hbneu2, __hneu2_mask, a != b)
SIMT_COMPARISON(__hltu, __hltu2, __hbltu2, __hltu2_mask, !(a >= b))
SIMT_COMPARISON(__hleu, __hleu2, __hbleu2, __hleu2_mask, !(a > b))
SIMT_COMPARISON(__hgtu, __hgtu2, __hbgtu2, __hgtu2_mask, !(a <= b))
SIMT_COMPARISON(__hgeu, __hgeu2, __hbgeu2, __hgeu2_mask, !(a < b))

#undef SIMT_COMPARISON
#undef SIMT_SAME

// ---- elements of a pair -----------------------------------------------------------------------

template <typename P, simt::IfNarrowPair<P> = 0>
SIMT_INLINE float __low2float(P pair) {
  return simt::to_float(pair.x);
}
template <typename P, simt::IfNarrowPair<P> = 0>
SIMT_INLINE float __high2float(P pair) {
  return simt::to_float(pair.y);
}
template <typename P, simt::IfNarrowPair<P> = 0>
SIMT_INLINE P __lowhigh2highlow(P pair) {
  return {pair.y, pair.x};
}
