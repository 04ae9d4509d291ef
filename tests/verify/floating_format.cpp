// The arithmetic of last places, against the standard library and against all numbers of fp16.
#include "common/verify/floating_format.h"

#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>

namespace {

using namespace worklog;

constexpr FloatingFormat kFloat32 = format_of(DType::kFloat32);
constexpr FloatingFormat kFloat16 = format_of(DType::kFloat16);
constexpr FloatingFormat kBFloat16 = format_of(DType::kBFloat16);

double half_of(std::uint16_t bits) {
  __half value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return static_cast<double>(static_cast<float>(value));
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("an ulp of fp32 is the distance to the next float") {
  for (const float x : {1.0f, 1.5f, 0.9999999f, 3.0e-5f, 1.0e30f, 0x1p-126f, 0x1p-130f}) {
    const float next = std::nextafter(x, std::numeric_limits<float>::infinity());
    CHECK(ulp(x, kFloat32) == static_cast<double>(next) - static_cast<double>(x));
    CHECK(ulp(-x, kFloat32) == ulp(x, kFloat32));
  }
}

TEST_CASE("an ulp of fp16 is the distance to the next one, for all of them") {
  constexpr std::uint16_t kInfinity = 0x7c00;
  for (std::uint16_t bits = 0; bits + 1 < kInfinity; ++bits) {
    REQUIRE(ulp(half_of(bits), kFloat16) ==
            half_of(static_cast<std::uint16_t>(bits + 1)) - half_of(bits));
  }
}

TEST_CASE("subnormal numbers are evenly spaced, down to 0") {
  CHECK(smallest_subnormal(kFloat32) == 0x1p-149);
  CHECK(smallest_subnormal(kFloat16) == 0x1p-24);
  CHECK(smallest_subnormal(kBFloat16) == 0x1p-133);
  for (const FloatingFormat format : {kFloat32, kFloat16, kBFloat16}) {
    CHECK(ulp(0.0, format) == smallest_subnormal(format));
    CHECK(ulp(1e-60, format) == smallest_subnormal(format));
  }
}

TEST_CASE("an unbounded ulp keeps shrinking where an ulp does not") {
  CHECK(unbounded_ulp(1.0, kFloat32) == ulp(1.0, kFloat32));
  CHECK(unbounded_ulp(0x1p-140, kFloat32) == 0x1p-163);
  CHECK(unbounded_ulp(0.0, kFloat32) == 0.0);
}

TEST_CASE("the unit roundoff is half an ulp of 1") {
  for (const FloatingFormat format : {kFloat32, kFloat16, kBFloat16}) {
    CHECK(unit_roundoff(format) == 0.5 * ulp(1.0, format));
  }
}

TEST_SUITE_END();
