/// \file
/// Arithmetic that CUDA has and <cmath> has not. Fast functions such as __expf() are computed
/// exactly here: code that relies on their speed runs, but their error on a GPU does not show.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <math.h>

#include "common/simt/include/cuda_standin/qualifiers.h"

// ---- min and max: as CUDA overloads them, unsigned wins over signed of its width --------------

#define WORKLOG_SIMT_MIN_MAX(Result, A, B)                                           \
  WORKLOG_SIMT_INLINE constexpr Result min(A a, B b) {                               \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                           : static_cast<Result>(b); \
  }                                                                                  \
  WORKLOG_SIMT_INLINE constexpr Result max(A a, B b) {                               \
    return static_cast<Result>(a) > static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                           : static_cast<Result>(b); \
  }
#define WORKLOG_SIMT_MIN_MAX_OF_WIDTH(Signed, Unsigned) \
  WORKLOG_SIMT_MIN_MAX(Signed, Signed, Signed)          \
  WORKLOG_SIMT_MIN_MAX(Unsigned, Unsigned, Unsigned)    \
  WORKLOG_SIMT_MIN_MAX(Unsigned, Signed, Unsigned)      \
  WORKLOG_SIMT_MIN_MAX(Unsigned, Unsigned, Signed)
WORKLOG_SIMT_MIN_MAX_OF_WIDTH(int, unsigned)
WORKLOG_SIMT_MIN_MAX_OF_WIDTH(long, unsigned long)
WORKLOG_SIMT_MIN_MAX_OF_WIDTH(long long, unsigned long long)
#undef WORKLOG_SIMT_MIN_MAX_OF_WIDTH
#undef WORKLOG_SIMT_MIN_MAX

// Of floats, a NaN loses.
WORKLOG_SIMT_INLINE float min(float a, float b) {
  return ::fminf(a, b);
}
WORKLOG_SIMT_INLINE float max(float a, float b) {
  return ::fmaxf(a, b);
}
WORKLOG_SIMT_INLINE double min(double a, double b) {
  return ::fmin(a, b);
}
WORKLOG_SIMT_INLINE double max(double a, double b) {
  return ::fmax(a, b);
}
WORKLOG_SIMT_INLINE double min(float a, double b) {
  return ::fmin(static_cast<double>(a), b);
}
WORKLOG_SIMT_INLINE double max(float a, double b) {
  return ::fmax(static_cast<double>(a), b);
}
WORKLOG_SIMT_INLINE double min(double a, float b) {
  return ::fmin(a, static_cast<double>(b));
}
WORKLOG_SIMT_INLINE double max(double a, float b) {
  return ::fmax(a, static_cast<double>(b));
}

// ---- functions --------------------------------------------------------------------------------

WORKLOG_SIMT_INLINE float rsqrtf(float x) {
  return 1.0f / ::sqrtf(x);
}
WORKLOG_SIMT_INLINE double rsqrt(double x) {
  return 1.0 / ::sqrt(x);
}
WORKLOG_SIMT_INLINE float rcbrtf(float x) {
  return 1.0f / ::cbrtf(x);
}
WORKLOG_SIMT_INLINE float fdividef(float a, float b) {
  return a / b;
}
WORKLOG_SIMT_INLINE float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

WORKLOG_SIMT_INLINE float __expf(float x) {
  return ::expf(x);
}
WORKLOG_SIMT_INLINE float __exp10f(float x) {
  return static_cast<float>(::pow(10.0, static_cast<double>(x)));
}
WORKLOG_SIMT_INLINE float __logf(float x) {
  return ::logf(x);
}
WORKLOG_SIMT_INLINE float __log2f(float x) {
  return ::log2f(x);
}
WORKLOG_SIMT_INLINE float __log10f(float x) {
  return ::log10f(x);
}
WORKLOG_SIMT_INLINE float __powf(float x, float y) {
  return ::powf(x, y);
}
WORKLOG_SIMT_INLINE float __sinf(float x) {
  return ::sinf(x);
}
WORKLOG_SIMT_INLINE float __cosf(float x) {
  return ::cosf(x);
}
WORKLOG_SIMT_INLINE float __tanf(float x) {
  return ::tanf(x);
}
WORKLOG_SIMT_INLINE float __fdividef(float a, float b) {
  return a / b;
}

// Rounded to nearest, each by itself: never contracted into a fused operation.
WORKLOG_SIMT_INLINE float __fadd_rn(float a, float b) {
  return a + b;
}
WORKLOG_SIMT_INLINE float __fsub_rn(float a, float b) {
  return a - b;
}
WORKLOG_SIMT_INLINE float __fmul_rn(float a, float b) {
  float product = a * b;
  asm("" : "+m"(product));  // hides the product from contraction
  return product;
}
WORKLOG_SIMT_INLINE float __fdiv_rn(float a, float b) {
  return a / b;
}
WORKLOG_SIMT_INLINE float __fmaf_rn(float a, float b, float c) {
  return ::fmaf(a, b, c);
}
WORKLOG_SIMT_INLINE float __frcp_rn(float x) {
  return 1.0f / x;
}
WORKLOG_SIMT_INLINE float __fsqrt_rn(float x) {
  return ::sqrtf(x);
}
WORKLOG_SIMT_INLINE float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x)));
}
WORKLOG_SIMT_INLINE double __dadd_rn(double a, double b) {
  return a + b;
}
WORKLOG_SIMT_INLINE double __dsub_rn(double a, double b) {
  return a - b;
}
WORKLOG_SIMT_INLINE double __dmul_rn(double a, double b) {
  double product = a * b;
  asm("" : "+m"(product));
  return product;
}
WORKLOG_SIMT_INLINE double __ddiv_rn(double a, double b) {
  return a / b;
}
WORKLOG_SIMT_INLINE double __fma_rn(double a, double b, double c) {
  return ::fma(a, b, c);
}
WORKLOG_SIMT_INLINE double __drcp_rn(double x) {
  return 1.0 / x;
}
WORKLOG_SIMT_INLINE double __dsqrt_rn(double x) {
  return ::sqrt(x);
}

// ---- bits -------------------------------------------------------------------------------------

WORKLOG_SIMT_INLINE int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
WORKLOG_SIMT_INLINE unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
WORKLOG_SIMT_INLINE float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
WORKLOG_SIMT_INLINE float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
WORKLOG_SIMT_INLINE long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
WORKLOG_SIMT_INLINE double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}

WORKLOG_SIMT_INLINE int __popc(unsigned x) {
  return std::popcount(x);
}
WORKLOG_SIMT_INLINE int __popcll(unsigned long long x) {
  return std::popcount(x);
}
/// The position of the lowest bit that is set, from 1; 0 if there is none.
WORKLOG_SIMT_INLINE int __ffs(int x) {
  return __builtin_ffs(x);
}
WORKLOG_SIMT_INLINE int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
/// Leading zeros; all 32 or 64 for 0.
WORKLOG_SIMT_INLINE int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
WORKLOG_SIMT_INLINE int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
/// Bits in reverse order.
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit)
    reversed |= ((x >> bit) & 1u) << (31 - bit);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  const auto low = static_cast<unsigned>(x);
  const auto high = static_cast<unsigned>(x >> 32);
  return static_cast<unsigned long long>(__brev(low)) << 32 | __brev(high);
}
WORKLOG_SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
WORKLOG_SIMT_INLINE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32);
}

// ---- conversions ------------------------------------------------------------------------------

WORKLOG_SIMT_INLINE float __int2float_rn(int x) {
  return static_cast<float>(x);
}
WORKLOG_SIMT_INLINE float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
WORKLOG_SIMT_INLINE float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
WORKLOG_SIMT_INLINE float __double2float_rn(double x) {
  return static_cast<float>(x);
}

// ---- time -------------------------------------------------------------------------------------

namespace simt {
/// Counts up; not in cycles of anything.
long long clock_ticks();
}  // namespace simt
WORKLOG_SIMT_INLINE long long clock64() {
  return simt::clock_ticks();
}
WORKLOG_SIMT_INLINE void __nanosleep(unsigned) {}
