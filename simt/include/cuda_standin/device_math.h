/// \file
/// Arithmetic that CUDA has and <cmath> has not. Fast functions such as __expf() are computed
/// exactly here: code that relies on their speed runs, but their error on a GPU does not show.
#pragma once

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <math.h>

#include "simt/include/cuda_standin/bits.h"
#include "simt/include/cuda_standin/qualifiers.h"

// ---- min and max: as CUDA overloads them, unsigned wins over signed of its width --------------

#define SIMT_MIN_MAX(Result, A, B)                                                   \
  SIMT_INLINE constexpr Result min(A a, B b) {                                       \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                           : static_cast<Result>(b); \
  }                                                                                  \
  SIMT_INLINE constexpr Result max(A a, B b) {                                       \
    return static_cast<Result>(a) > static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                           : static_cast<Result>(b); \
  }
#define SIMT_MIN_MAX_OF_WIDTH(Signed, Unsigned) \
  SIMT_MIN_MAX(Signed, Signed, Signed)          \
  SIMT_MIN_MAX(Unsigned, Unsigned, Unsigned)    \
  SIMT_MIN_MAX(Unsigned, Signed, Unsigned)      \
  SIMT_MIN_MAX(Unsigned, Unsigned, Signed)
SIMT_MIN_MAX_OF_WIDTH(int, unsigned)
SIMT_MIN_MAX_OF_WIDTH(long, unsigned long)
SIMT_MIN_MAX_OF_WIDTH(long long, unsigned long long)
#undef SIMT_MIN_MAX_OF_WIDTH
#undef SIMT_MIN_MAX

SIMT_INLINE unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
SIMT_INLINE unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
SIMT_INLINE long long llmin(long long a, long long b) {
  return min(a, b);
}
SIMT_INLINE long long llmax(long long a, long long b) {
  return max(a, b);
}
SIMT_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
SIMT_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}

// Of floats, a NaN loses.
SIMT_INLINE float min(float a, float b) {
  return ::fminf(a, b);
}
SIMT_INLINE float max(float a, float b) {
  return ::fmaxf(a, b);
}
SIMT_INLINE double min(double a, double b) {
  return ::fmin(a, b);
}
SIMT_INLINE double max(double a, double b) {
  return ::fmax(a, b);
}
SIMT_INLINE double min(float a, double b) {
  return ::fmin(static_cast<double>(a), b);
}
SIMT_INLINE double max(float a, double b) {
  return ::fmax(static_cast<double>(a), b);
}
SIMT_INLINE double min(double a, float b) {
  return ::fmin(a, static_cast<double>(b));
}
SIMT_INLINE double max(double a, float b) {
  return ::fmax(a, static_cast<double>(b));
}

// ---- functions --------------------------------------------------------------------------------

SIMT_INLINE float rsqrtf(float x) {
  return 1.0f / ::sqrtf(x);
}
SIMT_INLINE double rsqrt(double x) {
  return 1.0 / ::sqrt(x);
}
SIMT_INLINE float rcbrtf(float x) {
  return 1.0f / ::cbrtf(x);
}
SIMT_INLINE float fdividef(float a, float b) {
  return a / b;
}
SIMT_INLINE float rhypotf(float x, float y) {
  return 1.0f / ::hypotf(x, y);
}
SIMT_INLINE float norm3df(float x, float y, float z) {
  return ::sqrtf(x * x + y * y + z * z);
}
SIMT_INLINE float rnorm3df(float x, float y, float z) {
  return 1.0f / norm3df(x, y, z);
}
SIMT_INLINE double norm3d(double x, double y, double z) {
  return ::sqrt(x * x + y * y + z * z);
}
SIMT_INLINE double rnorm3d(double x, double y, double z) {
  return 1.0 / norm3d(x, y, z);
}
SIMT_INLINE double normcdf(double x) {
  return 0.5 * ::erfc(-x * 0.70710678118654752440);
}
SIMT_INLINE float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}

namespace simt {
/// The sine and cosine of pi times x: exact at halves, which a rounded pi is not.
SIMT_INLINE double sine_of_half_turns(double x) {
  const double reduced = ::remainder(x, 2.0);
  if (reduced == ::trunc(reduced)) return ::copysign(0.0, x);
  if (::fabs(reduced) > 0.5)
    return ::sin((::copysign(1.0, reduced) - reduced) * 3.14159265358979323846);
  return ::sin(reduced * 3.14159265358979323846);
}
}  // namespace simt
SIMT_INLINE double sinpi(double x) {
  return simt::sine_of_half_turns(x);
}
SIMT_INLINE double cospi(double x) {
  return simt::sine_of_half_turns(::fabs(x) + 0.5);
}
SIMT_INLINE float sinpif(float x) {
  return static_cast<float>(sinpi(static_cast<double>(x)));
}
SIMT_INLINE float cospif(float x) {
  return static_cast<float>(cospi(static_cast<double>(x)));
}

SIMT_INLINE float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

SIMT_INLINE float __expf(float x) {
  return ::expf(x);
}
SIMT_INLINE float __exp10f(float x) {
  return static_cast<float>(::pow(10.0, static_cast<double>(x)));
}
SIMT_INLINE float __logf(float x) {
  return ::logf(x);
}
SIMT_INLINE float __log2f(float x) {
  return ::log2f(x);
}
SIMT_INLINE float __log10f(float x) {
  return ::log10f(x);
}
SIMT_INLINE float __powf(float x, float y) {
  return ::powf(x, y);
}
SIMT_INLINE float __sinf(float x) {
  return ::sinf(x);
}
SIMT_INLINE float __cosf(float x) {
  return ::cosf(x);
}
SIMT_INLINE float __tanf(float x) {
  return ::tanf(x);
}
SIMT_INLINE void __sincosf(float x, float* sine, float* cosine) {
  *sine = ::sinf(x);
  *cosine = ::cosf(x);
}
SIMT_INLINE float __fdividef(float a, float b) {
  return a / b;
}

// Rounded to nearest, each by itself: never contracted into a fused operation.
SIMT_INLINE float __fadd_rn(float a, float b) {
  return a + b;
}
SIMT_INLINE float __fsub_rn(float a, float b) {
  return a - b;
}
SIMT_INLINE float __fmul_rn(float a, float b) {
  float product = a * b;
  asm("" : "+m"(product));  // hides the product from contraction
  return product;
}
SIMT_INLINE float __fdiv_rn(float a, float b) {
  return a / b;
}
SIMT_INLINE float __fmaf_rn(float a, float b, float c) {
  return ::fmaf(a, b, c);
}
SIMT_INLINE float __frcp_rn(float x) {
  return 1.0f / x;
}
SIMT_INLINE float __fsqrt_rn(float x) {
  return ::sqrtf(x);
}
SIMT_INLINE float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x)));
}
SIMT_INLINE double __dadd_rn(double a, double b) {
  return a + b;
}
SIMT_INLINE double __dsub_rn(double a, double b) {
  return a - b;
}
SIMT_INLINE double __dmul_rn(double a, double b) {
  double product = a * b;
  asm("" : "+m"(product));
  return product;
}
SIMT_INLINE double __ddiv_rn(double a, double b) {
  return a / b;
}
SIMT_INLINE double __fma_rn(double a, double b, double c) {
  return ::fma(a, b, c);
}
SIMT_INLINE double __drcp_rn(double x) {
  return 1.0 / x;
}
SIMT_INLINE double __dsqrt_rn(double x) {
  return ::sqrt(x);
}

// Rounded down, up and towards zero. No compiler may compute that beforehand, nor before or after
// the changes of the mode.
namespace simt {
template <typename Number>
SIMT_INLINE void hide(Number& number) {
  asm volatile("" : "+m"(number) : : "memory");
}
template <typename Operation, typename... Numbers>
inline auto rounded(int mode, Operation operation, Numbers... numbers) {
  std::fesetround(mode);
  (hide(numbers), ...);
  auto value = operation(numbers...);
  hide(value);
  std::fesetround(FE_TONEAREST);
  return value;
}
}  // namespace simt

#define SIMT_ROUNDED_OF_TYPE(type, add, sub, mul, div, fma_, rcp, root, suffix, mode) \
  SIMT_INLINE type add##suffix(type a, type b) {                                      \
    return simt::rounded(                                                             \
        mode, [](type x, type y) { return x + y; }, a, b);                            \
  }                                                                                   \
  SIMT_INLINE type sub##suffix(type a, type b) {                                      \
    return simt::rounded(                                                             \
        mode, [](type x, type y) { return x - y; }, a, b);                            \
  }                                                                                   \
  SIMT_INLINE type mul##suffix(type a, type b) {                                      \
    return simt::rounded(                                                             \
        mode, [](type x, type y) { return x * y; }, a, b);                            \
  }                                                                                   \
  SIMT_INLINE type div##suffix(type a, type b) {                                      \
    return simt::rounded(                                                             \
        mode, [](type x, type y) { return x / y; }, a, b);                            \
  }                                                                                   \
  SIMT_INLINE type fma_##suffix(type a, type b, type c) {                             \
    return simt::rounded(                                                             \
        mode, [](type x, type y, type z) { return std::fma(x, y, z); }, a, b, c);     \
  }                                                                                   \
  SIMT_INLINE type rcp##suffix(type a) {                                              \
    return div##suffix(1, a);                                                         \
  }                                                                                   \
  SIMT_INLINE type root##suffix(type a) {                                             \
    return simt::rounded(                                                             \
        mode, [](type x) { return std::sqrt(x); }, a);                                \
  }
#define SIMT_ROUNDED(suffix, mode)                                                            \
  SIMT_ROUNDED_OF_TYPE(float, __fadd_, __fsub_, __fmul_, __fdiv_, __fmaf_, __frcp_, __fsqrt_, \
                       suffix, mode)                                                          \
  SIMT_ROUNDED_OF_TYPE(double, __dadd_, __dsub_, __dmul_, __ddiv_, __fma_, __drcp_, __dsqrt_, \
                       suffix, mode)
SIMT_ROUNDED(rd, FE_DOWNWARD)
SIMT_ROUNDED(ru, FE_UPWARD)
SIMT_ROUNDED(rz, FE_TOWARDZERO)
#undef SIMT_ROUNDED
#undef SIMT_ROUNDED_OF_TYPE

// ---- bits -------------------------------------------------------------------------------------

SIMT_INLINE int __float_as_int(float x) {
  return simt::bit_cast<int>(x);
}
SIMT_INLINE unsigned __float_as_uint(float x) {
  return simt::bit_cast<unsigned>(x);
}
SIMT_INLINE float __int_as_float(int x) {
  return simt::bit_cast<float>(x);
}
SIMT_INLINE float __uint_as_float(unsigned x) {
  return simt::bit_cast<float>(x);
}
SIMT_INLINE long long __double_as_longlong(double x) {
  return simt::bit_cast<long long>(x);
}
SIMT_INLINE double __longlong_as_double(long long x) {
  return simt::bit_cast<double>(x);
}

SIMT_INLINE int __double2hiint(double x) {
  return static_cast<int>(simt::bit_cast<std::uint64_t>(x) >> 32);
}
SIMT_INLINE int __double2loint(double x) {
  return static_cast<int>(simt::bit_cast<std::uint64_t>(x));
}
SIMT_INLINE double __hiloint2double(int high, int low) {
  return simt::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 |
                                static_cast<unsigned>(low));
}

SIMT_INLINE int __popc(unsigned x) {
  return __builtin_popcount(x);
}
SIMT_INLINE int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
/// The position of the lowest bit that is set, from 1; 0 if there is none.
SIMT_INLINE int __ffs(int x) {
  return __builtin_ffs(x);
}
SIMT_INLINE int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
/// Leading zeros; all 32 or 64 for 0.
SIMT_INLINE int __clz(int x) {
  return simt::leading_zeros(static_cast<unsigned>(x));
}
SIMT_INLINE int __clzll(long long x) {
  return simt::leading_zeros(static_cast<unsigned long long>(x));
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
SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
SIMT_INLINE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32);
}
SIMT_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
SIMT_INLINE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
/// The low 32 bits of the product of the low 24 bits.
SIMT_INLINE unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
SIMT_INLINE int __mul24(int a, int b) {
  const auto low = [](int x) { return static_cast<int>(static_cast<unsigned>(x) << 8) >> 8; };
  return static_cast<int>(static_cast<std::int64_t>(low(a)) * low(b));
}
/// |a - b| + c
SIMT_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
SIMT_INLINE unsigned __sad(int a, int b, unsigned c) {
  const std::int64_t difference = static_cast<std::int64_t>(a) - b;
  return static_cast<unsigned>(difference < 0 ? -difference : difference) + c;
}
SIMT_INLINE int __hadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1);
}
SIMT_INLINE int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<std::int64_t>(a) + b + 1) >> 1);
}

// The 64 bits of high:low, shifted: their upper word to the left, their lower to the right.
SIMT_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift < 32 ? shift : 32) >> 32);
}
SIMT_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift < 32 ? shift : 32));
}
SIMT_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return __funnelshift_lc(low, high, shift & 31);
}
SIMT_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return __funnelshift_rc(low, high, shift & 31);
}
/// Each byte of the result is the one of the eight of y:x that a nibble of the selector names; with
/// the nibble's highest bit, the sign of that byte in all bits.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t pool = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i) & 15;
    unsigned byte = static_cast<unsigned>(pool >> (8 * (nibble & 7))) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
/// The products of four bytes each, added to `sum`.
inline int __dp4a(int a, int b, int sum) {
  unsigned total = static_cast<unsigned>(sum);
  for (int i = 0; i < 32; i += 8)
    total +=
        static_cast<unsigned>(static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i));
  return static_cast<int>(total);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8)
    sum += (a >> i & 0xff) * (b >> i & 0xff);
  return sum;
}

// ---- conversions ------------------------------------------------------------------------------

SIMT_INLINE float __int2float_rn(int x) {
  return static_cast<float>(x);
}
SIMT_INLINE float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
SIMT_INLINE float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
SIMT_INLINE float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
SIMT_INLINE double __int2double_rn(int x) {
  return x;
}
SIMT_INLINE double __uint2double_rn(unsigned x) {
  return x;
}
SIMT_INLINE double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
SIMT_INLINE double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
SIMT_INLINE float __double2float_rn(double x) {
  return static_cast<float>(x);
}

namespace simt {
/// A whole number as an integer: the nearest that there is, 0 for NaN.
template <typename Integer>
Integer saturated(double whole) {
  constexpr auto kLeast = std::numeric_limits<Integer>::min();
  constexpr auto kLargest = std::numeric_limits<Integer>::max();
  if (whole != whole) return 0;
  if (whole <= static_cast<double>(kLeast)) return kLeast;
  if (whole >= static_cast<double>(kLargest)) return kLargest;
  return static_cast<Integer>(whole);
}
}  // namespace simt

// To the nearest (even), towards 0, down, up.
#define SIMT_TO_INTEGER(from, From, to, Integer)     \
  SIMT_INLINE Integer __##from##2##to##_rn(From x) { \
    return simt::saturated<Integer>(::nearbyint(x)); \
  }                                                  \
  SIMT_INLINE Integer __##from##2##to##_rz(From x) { \
    return simt::saturated<Integer>(::trunc(x));     \
  }                                                  \
  SIMT_INLINE Integer __##from##2##to##_rd(From x) { \
    return simt::saturated<Integer>(::floor(x));     \
  }                                                  \
  SIMT_INLINE Integer __##from##2##to##_ru(From x) { \
    return simt::saturated<Integer>(::ceil(x));      \
  }
SIMT_TO_INTEGER(float, float, int, int)
SIMT_TO_INTEGER(float, float, uint, unsigned)
SIMT_TO_INTEGER(float, float, ll, long long)
SIMT_TO_INTEGER(float, float, ull, unsigned long long)
SIMT_TO_INTEGER(double, double, int, int)
SIMT_TO_INTEGER(double, double, uint, unsigned)
SIMT_TO_INTEGER(double, double, ll, long long)
SIMT_TO_INTEGER(double, double, ull, unsigned long long)
#undef SIMT_TO_INTEGER

// ---- time -------------------------------------------------------------------------------------

namespace simt {
/// Counts what the thread's warp executes; not in cycles of anything.
long long clock_ticks();
}  // namespace simt
SIMT_INLINE long long clock64() {
  return simt::clock_ticks();
}
SIMT_INLINE void __nanosleep(unsigned) {}
