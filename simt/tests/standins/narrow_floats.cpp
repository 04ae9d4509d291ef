// __half and __nv_bfloat16, on the host: every bit pattern, every rounding boundary, and arithmetic
// against an independent computation in double with a table of all values.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "simt/include/cuda_standin/narrow_float.h"

namespace {

constexpr int kPatterns = 1 << 16;
constexpr std::uint16_t kSign = 0x8000;
constexpr std::uint16_t kCanonicalNaN = 0x7fff;

struct Float16 {
  using Type = __half;
  using Pair = __half2;
  static constexpr int kMantissaBits = 10;
  static constexpr int kBias = 15;
  static Type of(std::uint16_t bits) { return __ushort_as_half(bits); }
  static std::uint16_t bits(Type value) { return __half_as_ushort(value); }
  static Type toward_zero(float value) { return __float2half_rz(value); }
  static Type down(float value) { return __float2half_rd(value); }
  static Type up(float value) { return __float2half_ru(value); }
};

struct BFloat16 {
  using Type = __nv_bfloat16;
  using Pair = __nv_bfloat162;
  static constexpr int kMantissaBits = 7;
  static constexpr int kBias = 127;
  static Type of(std::uint16_t bits) { return __ushort_as_bfloat16(bits); }
  static std::uint16_t bits(Type value) { return __bfloat16_as_ushort(value); }
  static Type toward_zero(float value) { return __float2bfloat16_rz(value); }
  static Type down(float value) { return __float2bfloat16_rd(value); }
  static Type up(float value) { return __float2bfloat16_ru(value); }
};

/// The format as a table, which shares nothing with the code under test.
template <typename Format>
class Table {
 public:
  static constexpr std::uint16_t kInfinity =
      ((2 * Format::kBias + 1) << Format::kMantissaBits) & 0x7fff;

  Table() {
    for (int bits = 0; bits < kInfinity; ++bits)
      values_.push_back(finite(bits));
    values_.push_back(std::ldexp(1.0, Format::kBias + 1));  // where infinity would be
  }

  static bool is_nan(std::uint16_t bits) { return (bits & 0x7fff) > kInfinity; }

  double value(std::uint16_t bits) const {
    if (is_nan(bits)) return std::numeric_limits<double>::quiet_NaN();
    const std::uint16_t magnitude = bits & 0x7fff;
    const double value = magnitude == kInfinity ? HUGE_VAL : values_[magnitude];
    return (bits & kSign) != 0 ? -value : value;
  }

  std::uint16_t nearest(double x) const {
    if (std::isnan(x)) return kCanonicalNaN;
    const std::uint16_t below = truncated(x);
    const double magnitude = std::fabs(x);
    if ((below & 0x7fff) == kInfinity) return below;
    const double low = values_[below & 0x7fff];
    const double high = values_[(below & 0x7fff) + 1];
    const bool up = magnitude - low > high - magnitude ||
                    (magnitude - low == high - magnitude && (below & 1) != 0);
    return static_cast<std::uint16_t>(below + (up ? 1 : 0));
  }

  std::uint16_t toward_zero(double x) const {
    const std::uint16_t bits = truncated(x);
    const bool overflow = (bits & 0x7fff) == kInfinity && !std::isinf(x);
    return static_cast<std::uint16_t>(overflow ? bits - 1 : bits);
  }
  std::uint16_t down(double x) const { return away_if(x, x < 0.0); }
  std::uint16_t up(double x) const { return away_if(x, x > 0.0); }

 private:
  static double finite(int bits) {
    constexpr int kImplicit = 1 << Format::kMantissaBits;
    const int exponent = bits >> Format::kMantissaBits;
    const int mantissa = bits & (kImplicit - 1);
    const int significand = exponent == 0 ? mantissa : mantissa + kImplicit;
    return std::ldexp(significand, std::max(exponent, 1) - Format::kBias - Format::kMantissaBits);
  }

  /// The largest entry that is not above |x|, with x's sign; infinity from the overflow entry on.
  std::uint16_t truncated(double x) const {
    const auto above = std::upper_bound(values_.begin(), values_.end(), std::fabs(x));
    const auto magnitude = static_cast<std::uint16_t>(above - values_.begin() - 1);
    return static_cast<std::uint16_t>(magnitude | (std::signbit(x) ? kSign : 0));
  }

  std::uint16_t away_if(double x, bool away) const {
    const std::uint16_t bits = toward_zero(x);
    const bool exact = value(bits) == x;
    return static_cast<std::uint16_t>(away && !exact ? bits + 1 : bits);
  }

  std::vector<double> values_;
};

template <typename Format>
const Table<Format>& table() {
  static const Table<Format> instance;
  return instance;
}

/// Doubles at, between and beside all neighbours of the format, with both signs.
template <typename Format, typename Function>
void for_each_boundary(Function function) {
  const Table<Format>& all = table<Format>();
  for (int bits = 0; bits < Table<Format>::kInfinity; ++bits) {
    const double low = all.value(static_cast<std::uint16_t>(bits));
    const bool last = bits + 1 == Table<Format>::kInfinity;
    const double high =
        last ? std::ldexp(1.0, Format::kBias + 1) : all.value(static_cast<std::uint16_t>(bits + 1));
    const double middle = low + (high - low) / 2;
    for (const double x :
         {low, std::nextafter(low, high), low + (high - low) / 4, std::nextafter(middle, low),
          middle, std::nextafter(middle, high), std::nextafter(high, low)}) {
      function(x);
      function(-x);
    }
  }
}

std::vector<double> specials() {
  const double huge = HUGE_VAL;
  return {0.0,     -0.0,    huge,     -huge,   std::nan(""), 1e300,  -1e300, 1e-300,
          -1e-300, 65504.0, 65519.99, 65520.0, 65536.0,      3.4e38, 1.0,    -1.0};
}

/// Random patterns, with as many from the edges of the format as from its middle.
class Patterns {
 public:
  std::uint16_t next() {
    const auto any = static_cast<std::uint16_t>(engine_());
    constexpr std::array<std::uint16_t, 12> kEdges = {0x0000, 0x8000, 0x0001, 0x8001,
                                                      0x7c00, 0xfc00, 0x7bff, 0x7f80,
                                                      0xff80, 0x7f7f, 0x7fff, 0x0400};
    return engine_() % 8 == 0 ? kEdges[engine_() % kEdges.size()] : any;
  }
  std::uint64_t next_word() { return engine_(); }

 private:
  std::mt19937_64 engine_{20180508};
};

/// Counts what differs instead of a check each: millions of doctest checks take minutes.
struct Mismatches {
  std::int64_t compared = 0;
  std::int64_t count = 0;
  std::string first;

  void expect(std::uint16_t actual, std::uint16_t expected, double a, double b = 0, double c = 0) {
    ++compared;
    if (actual == expected) return;
    if (count++ > 0) return;
    first = "of " + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c) + ": " +
            std::to_string(actual) + " instead of " + std::to_string(expected);
  }
  void expect(bool holds, double a, double b = 0) { expect(holds ? 1 : 0, 1, a, b); }
};

#define CHECK_NO_MISMATCH(mismatches)          \
  CHECK((mismatches).compared > 0);            \
  INFO("first mismatch ", (mismatches).first); \
  CHECK((mismatches).count == 0)

template <typename Format>
std::uint16_t sign_free_nan(std::uint16_t bits) {
  return Table<Format>::is_nan(bits) ? kCanonicalNaN : bits;
}

}  // namespace

TEST_SUITE_BEGIN("narrow_floats");

TEST_CASE_TEMPLATE("every bit pattern has its value and survives a round trip", Format, Float16,
                   BFloat16) {
  Mismatches mismatches;
  for (int i = 0; i < kPatterns; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const auto value = Format::of(bits);
    const double expected = table<Format>().value(bits);
    const float widened = value;
    mismatches.expect(Format::bits(value), bits, expected);
    if (Table<Format>::is_nan(bits)) {
      mismatches.expect(widened != widened, expected);
      mismatches.expect(Format::bits(widened), kCanonicalNaN, expected);
    } else {
      mismatches.expect(static_cast<double>(widened) == expected, expected);
      mismatches.expect(std::signbit(widened) == std::signbit(expected), expected);
      mismatches.expect(Format::bits(typename Format::Type(widened)), bits, expected);
      mismatches.expect(Format::bits(typename Format::Type(expected)), bits, expected);
    }
  }
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE("the portable float16 conversions agree with the ones in use") {
  Mismatches mismatches;
  Patterns patterns;
  for (int i = 0; i < kPatterns; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float portable = simt::portable_float16_value(bits);
    const float used = simt::float16_value(bits);
    mismatches.expect(portable == used || (portable != portable && used != used), used);
  }
  for (int i = 0; i < 4'000'000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(patterns.next_word()));
    mismatches.expect(simt::portable_float16_bits(x), simt::float16_bits(x), x);
  }
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE_TEMPLATE("a float rounds to nearest even at every boundary", Format, Float16, BFloat16) {
  Mismatches mismatches;
  for_each_boundary<Format>([&](double x) {
    const auto value = static_cast<float>(x);
    for (const float f :
         {std::nextafter(value, -HUGE_VALF), value, std::nextafter(value, HUGE_VALF)}) {
      mismatches.expect(Format::bits(f), table<Format>().nearest(f), f);
    }
  });
  for (const double x : specials()) {
    const auto f = static_cast<float>(x);
    mismatches.expect(Format::bits(f), table<Format>().nearest(f), f);
  }
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE_TEMPLATE("a double is rounded once", Format, Float16, BFloat16) {
  Mismatches mismatches;
  for_each_boundary<Format>(
      [&](double x) { mismatches.expect(Format::bits(x), table<Format>().nearest(x), x); });
  for (const double x : specials()) {
    mismatches.expect(Format::bits(x), table<Format>().nearest(x), x);
  }
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE_TEMPLATE("directed rounding", Format, Float16, BFloat16) {
  Mismatches mismatches;
  const auto check = [&](double x) {
    const auto f = static_cast<float>(x);
    const Table<Format>& all = table<Format>();
    if (std::isnan(f)) return;
    mismatches.expect(Format::bits(Format::toward_zero(f)), all.toward_zero(f), f);
    mismatches.expect(Format::bits(Format::down(f)), all.down(f), f);
    mismatches.expect(Format::bits(Format::up(f)), all.up(f), f);
  };
  for_each_boundary<Format>(check);
  for (const double x : specials())
    check(x);
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE_TEMPLATE("integers are rounded once", Format, Float16, BFloat16) {
  using T = typename Format::Type;
  const Table<Format>& all = table<Format>();
  Mismatches mismatches;
  for (int i = -kPatterns; i <= kPatterns; ++i) {
    mismatches.expect(Format::bits(T(i)), all.nearest(i), i);
    const auto small = static_cast<short>(i);
    mismatches.expect(Format::bits(T(small)), all.nearest(small), small);
  }
  Patterns patterns;
  for (int i = 0; i < 300'000; ++i) {
    // A double holds 53 bits; with the last of the lost ones set, it rounds as the integer does.
    const std::uint64_t word = patterns.next_word() >> (patterns.next_word() % 64);
    const std::uint64_t kept = word >> 53 == 0 ? word : (word >> 11 << 11);
    const double below = static_cast<double>(kept);
    const double exact = kept == word ? below : std::nextafter(below, HUGE_VAL);
    mismatches.expect(Format::bits(T(static_cast<unsigned long long>(word))), all.nearest(exact),
                      exact);
    const auto narrow = static_cast<unsigned>(word);
    mismatches.expect(Format::bits(T(narrow)), all.nearest(narrow), narrow);
  }
  const auto least = std::numeric_limits<long long>::min();
  mismatches.expect(Format::bits(T(least)), all.nearest(static_cast<double>(least)), -0x1p63);
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE("float16 to integers: the four roundings, saturation, NaN") {
  Mismatches mismatches;
  for (int i = 0; i < kPatterns; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const __half value = __ushort_as_half(bits);
    const double x = table<Float16>().value(bits);
    if (std::isnan(x)) {
      mismatches.expect(__half2int_rn(value) == 0, x);
      mismatches.expect(__half2ll_rz(value) == std::numeric_limits<long long>::min(), x);
      continue;
    }
    const auto clamp = [](double v, double low, double high) {
      return std::min(std::max(v, low), high);
    };
    const auto as_int = [&](double v) {
      return static_cast<int>(clamp(v, -2147483648.0, 2147483647.0));
    };
    mismatches.expect(__half2int_rn(value) == as_int(std::nearbyint(x)), x);
    mismatches.expect(__half2int_rz(value) == as_int(std::trunc(x)), x);
    mismatches.expect(__half2int_rd(value) == as_int(std::floor(x)), x);
    mismatches.expect(__half2int_ru(value) == as_int(std::ceil(x)), x);
    mismatches.expect(static_cast<int>(value) == as_int(std::trunc(x)), x);
    mismatches.expect(
        __half2ushort_rz(value) == static_cast<unsigned short>(clamp(std::trunc(x), 0, 65535)), x);
    mismatches.expect(
        __half2uchar_rz(value) == static_cast<unsigned char>(clamp(std::trunc(x), 0, 255)), x);
  }
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE_TEMPLATE("arithmetic is rounded once", Format, Float16, BFloat16) {
  const Table<Format>& all = table<Format>();
  Mismatches mismatches;
  Patterns patterns;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto a = Format::of(patterns.next());
    const auto b = Format::of(patterns.next());
    const double x = all.value(Format::bits(a));
    const double y = all.value(Format::bits(b));
    mismatches.expect(Format::bits(a + b), all.nearest(x + y), x, y);
    mismatches.expect(Format::bits(a - b), all.nearest(x - y), x, y);
    mismatches.expect(Format::bits(a * b), all.nearest(x * y), x, y);
    mismatches.expect(Format::bits(a / b), all.nearest(x / y), x, y);
    mismatches.expect(Format::bits(__hadd(a, b)), Format::bits(a + b), x, y);
    mismatches.expect(Format::bits(hsqrt(a)), all.nearest(std::sqrt(x)), x);
    mismatches.expect((a < b) == (x < y) && (a <= b) == (x <= y) && (a > b) == (x > y) &&
                          (a >= b) == (x >= y) && (a == b) == (x == y) && (a != b) == (x != y),
                      x, y);
    mismatches.expect(__hlt(a, b) == (x < y) && __hltu(a, b) == !(x >= y) &&
                          __heq(a, b) == (x == y) && __hne(a, b) == (x < y || x > y) &&
                          __hneu(a, b) == (x != y) && __hgeu(a, b) == !(x < y),
                      x, y);
  }
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE_TEMPLATE("a fused multiply-add is rounded once", Format, Float16, BFloat16) {
  const Table<Format>& all = table<Format>();
  Mismatches mismatches;
  Patterns patterns;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto a = Format::of(patterns.next());
    const auto b = Format::of(patterns.next());
    const auto c = Format::of(patterns.next());
    const double x = all.value(Format::bits(a));
    const double y = all.value(Format::bits(b));
    const double z = all.value(Format::bits(c));
    const double sum = x * y + z;
    const bool exact = !std::isfinite(sum) || (sum - z == x * y && sum - x * y == z);
    if (!exact) continue;  // double cannot tell
    mismatches.expect(Format::bits(__hfma(a, b, c)), all.nearest(sum), x, y, z);
  }
  CHECK(mismatches.compared > 300'000);
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE("a fused multiply-add sees what a float, or even a double, would lose") {
  const __half one = 1.0f;
  const __half next = 1.0f + 0x1p-10f;
  const __half tiny = __ushort_as_half(0x0001);
  const __half large = 2048.0f;  // its neighbour is 2050
  const __half largest = 65504.0f;
  CHECK(__half2float(__hfma(one, one, large)) == 2048.0f);  // a tie goes to even
  CHECK(__half2float(__hfma(next, one, large)) == 2050.0f);
  CHECK(__half2float(__hfma(tiny, tiny, one)) == 1.0f);
  CHECK(__half2float(__hfma(largest, one, __half(16.0f))) == HUGE_VALF);
  CHECK(__half2float(__hfma(largest, one, __half(15.0f))) == 65504.0f);
  // 257 is halfway between the neighbours 256 and 258 of bfloat16, and 2^-133 decides.
  const float smallest = __ushort_as_bfloat16(0x0001);
  const auto rounded = [](float addend) {
    return static_cast<float>(__nv_bfloat16(simt::fused_multiply_add(257.0f, 1.0f, addend)));
  };
  CHECK(rounded(0.0f) == 256.0f);
  CHECK(rounded(smallest) == 258.0f);
  CHECK(rounded(-smallest) == 256.0f);
}

TEST_CASE_TEMPLATE("minimum, maximum and classification", Format, Float16, BFloat16) {
  using T = typename Format::Type;
  const T zero = 0.0f, negative_zero = -0.0f, one = 1.0f, two = 2.0f;
  const T nan = std::nanf(""), infinity = HUGE_VALF, negative_infinity = -HUGE_VALF;
  CHECK(Format::bits(__hmax(one, two)) == Format::bits(two));
  CHECK(Format::bits(__hmin(one, two)) == Format::bits(one));
  CHECK(Format::bits(__hmax(nan, one)) == Format::bits(one));
  CHECK(Format::bits(__hmin(one, nan)) == Format::bits(one));
  CHECK(Format::bits(__hmax(nan, nan)) == kCanonicalNaN);
  CHECK(Format::bits(__hmax_nan(nan, one)) == kCanonicalNaN);
  CHECK(Format::bits(__hmin_nan(one, nan)) == kCanonicalNaN);
  CHECK(Format::bits(__hmax(zero, negative_zero)) == Format::bits(zero));
  CHECK(Format::bits(__hmin(zero, negative_zero)) == Format::bits(negative_zero));
  CHECK(__hisnan(nan));
  CHECK_FALSE(__hisnan(infinity));
  CHECK(__hisinf(infinity) == 1);
  CHECK(__hisinf(negative_infinity) == -1);
  CHECK(__hisinf(one) == 0);
  CHECK(Format::bits(__hneg(one)) == (Format::bits(one) ^ kSign));
  CHECK(Format::bits(__habs(negative_infinity)) == Format::bits(infinity));
  CHECK(Format::bits(__hadd_sat(one, two)) == Format::bits(one));
  CHECK(Format::bits(__hmul_sat(nan, two)) == Format::bits(zero));
  CHECK(Format::bits(__hfma_relu(one, one, T(-2.0f))) == Format::bits(zero));
  CHECK(static_cast<bool>(one));
  CHECK_FALSE(static_cast<bool>(negative_zero));
}

TEST_CASE_TEMPLATE("functions are within half a unit and the float function's error", Format,
                   Float16, BFloat16) {
  Mismatches mismatches;
  const Table<Format>& all = table<Format>();
  for (int i = 0; i < kPatterns; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const auto value = Format::of(bits);
    const double x = all.value(bits);
    // A float function's error may tip a result that is almost a tie, by one unit.
    const auto close = [&](typename Format::Type actual, double expected) {
      const int difference = Format::bits(actual) - all.nearest(expected);
      mismatches.expect(std::isnan(expected) ? __hisnan(actual) : std::abs(difference) <= 1, x);
    };
    close(hexp(value), std::exp(x));
    close(hexp2(value), std::exp2(x));
    close(hexp10(value), std::pow(10.0, x));
    close(hlog(value), std::log(x));
    close(hlog2(value), std::log2(x));
    close(hrcp(value), 1.0 / x);
    close(hrsqrt(value), 1.0 / std::sqrt(x));
    close(htanh(value), std::tanh(x));
    mismatches.expect(sign_free_nan<Format>(Format::bits(hfloor(value))),
                      all.nearest(std::floor(x)), x);
    mismatches.expect(sign_free_nan<Format>(Format::bits(hrint(value))),
                      all.nearest(std::nearbyint(x)), x);
  }
  CHECK_NO_MISMATCH(mismatches);
}

TEST_CASE_TEMPLATE("a pair is two of them", Format, Float16, BFloat16) {
  using T = typename Format::Type;
  using P = typename Format::Pair;
  static_assert(sizeof(P) == 4 && alignof(P) == 4 && sizeof(T) == 2 && alignof(T) == 2);
  const P a(T(1.0f), T(-2.0f));
  const P b(T(3.0f), T(0.5f));
  const auto is = [](const P& pair, float low, float high) {
    return __low2float(pair) == low && __high2float(pair) == high;
  };
  CHECK(is(a + b, 4.0f, -1.5f));
  CHECK(is(__hsub2(a, b), -2.0f, -2.5f));
  CHECK(is(a * b, 3.0f, -1.0f));
  CHECK(is(__h2div(b, a), 3.0f, -0.25f));
  CHECK(is(__hfma2(a, b, b), 6.0f, -0.5f));
  CHECK(is(__hmax2(a, b), 3.0f, 0.5f));
  CHECK(is(__hmin2(a, b), 1.0f, -2.0f));
  CHECK(is(__hneg2(a), -1.0f, 2.0f));
  CHECK(is(__habs2(a), 1.0f, 2.0f));
  CHECK(is(h2exp2(a), 2.0f, 0.25f));
  CHECK(is(__lowhigh2highlow(a), -2.0f, 1.0f));
  CHECK(is(__hlt2(a, b), 1.0f, 1.0f));
  CHECK(__hblt2(a, b));
  CHECK_FALSE(__hbgt2(a, b));
  CHECK(__hgt2_mask(a, __lowhigh2highlow(a)) == 0x0000ffffu);
  CHECK(__hne2_mask(a, b) == 0xffffffffu);
  P c = a;
  c += b;
  CHECK(c == a + b);
  CHECK(a != b);
}

TEST_CASE("names of pairs' conversions") {
  const __half2 h = __floats2half2_rn(1.5f, -2.0f);
  CHECK(__half2float(__low2half(h)) == 1.5f);
  CHECK(__half2float(__high2half(h)) == -2.0f);
  CHECK(__half22float2(h).y == -2.0f);
  CHECK(__half22float2(__float22half2_rn(make_float2(3.0f, 4.0f))).x == 3.0f);
  CHECK(__half2float(__high2half(__half2half2(__float2half(7.0f)))) == 7.0f);
  CHECK(__low2float(__lows2half2(h, __high2half2(h))) == 1.5f);
  CHECK(__high2float(make_half2(__low2half(h), __low2half(h))) == 1.5f);
  const __nv_bfloat162 b = __floats2bfloat162_rn(1.5f, -2.0f);
  CHECK(__bfloat162float(__high2bfloat16(b)) == -2.0f);
  CHECK(__bfloat1622float2(b).x == 1.5f);
  CHECK(__low2float(__bfloat162bfloat162(__float2bfloat16(7.0f))) == 7.0f);
  CHECK(static_cast<float>(__half(__nv_bfloat16(1.5f))) == 1.5f);
  CHECK(static_cast<float>(__nv_bfloat16(__half(1.5f))) == 1.5f);
}

TEST_CASE("values on one side convert to the other's type") {
  __half h = 0.5f;
  h += 0.25f;
  h *= 2;
  CHECK(static_cast<float>(h) == 1.5f);
  CHECK(static_cast<float>(h++) == 1.5f);
  CHECK(static_cast<float>(--h) == 1.5f);
  CHECK(static_cast<float>(-h) == -1.5f);
  CHECK(static_cast<float>(__hmul(h, 2.0f)) == 3.0f);
  CHECK(static_cast<std::int64_t>(__half(-3.9f)) == -3);
  CHECK(static_cast<double>(__nv_bfloat16(2.5)) == 2.5);
}

TEST_SUITE_END();
