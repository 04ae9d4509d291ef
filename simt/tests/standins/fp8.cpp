// cuda_fp8.h and cuComplex.h: values and roundings, held against what CUDA's own headers give.

#include <cuda_fp8.h>

#include <cmath>
#include <cuComplex.h>
#include <doctest/doctest.h>
#include <limits>

TEST_SUITE_BEGIN("fp8");

namespace {

unsigned bits(float value, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(value, saturate, format);
}

float value(unsigned bits, __nv_fp8_interpretation_t format) {
  return __half2float(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits), format));
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("E5M2 is the upper half of a float16") {
  for (unsigned i = 0; i < 256; ++i) {
    const float expected = __half2float(__ushort_as_half(static_cast<unsigned short>(i << 8)));
    const float decoded = value(i, __NV_E5M2);
    if (expected != expected) {
      CHECK(decoded != decoded);
    } else {
      CHECK(decoded == expected);
      CHECK(bits(decoded, __NV_NOSAT, __NV_E5M2) == i);
    }
  }
}

TEST_CASE("E4M3 has one NaN, no infinity, and 448 as its largest number") {
  CHECK(value(0x01, __NV_E4M3) == 0x1p-9f);
  CHECK(value(0x08, __NV_E4M3) == 0x1p-6f);
  CHECK(value(0x38, __NV_E4M3) == 1.0f);
  CHECK(value(0xfe, __NV_E4M3) == -448.0f);
  CHECK(std::isnan(value(0x7f, __NV_E4M3)));
  for (unsigned i = 0; i < 256; ++i) {
    const float decoded = value(i, __NV_E4M3);
    if (decoded == decoded) CHECK(bits(decoded, __NV_NOSAT, __NV_E4M3) == i);
  }
}

TEST_CASE("rounding is to nearest even; what is too large saturates if asked") {
  CHECK(bits(17.0f, __NV_NOSAT, __NV_E4M3) == bits(16.0f, __NV_NOSAT, __NV_E4M3));
  CHECK(bits(19.0f, __NV_NOSAT, __NV_E4M3) == bits(20.0f, __NV_NOSAT, __NV_E4M3));
  CHECK(bits(0x1p-10f, __NV_NOSAT, __NV_E4M3) == 0);
  CHECK(bits(0x1.8p-10f, __NV_NOSAT, __NV_E4M3) == 1);
  CHECK(bits(464.0f, __NV_NOSAT, __NV_E4M3) == 0x7e);
  CHECK(bits(465.0f, __NV_NOSAT, __NV_E4M3) == 0x7f);
  CHECK(bits(465.0f, __NV_SATFINITE, __NV_E4M3) == 0x7e);
  CHECK(bits(-61440.0f, __NV_NOSAT, __NV_E5M2) == 0xfc);
  CHECK(bits(-kInfinity, __NV_SATFINITE, __NV_E5M2) == 0xfb);
  CHECK(bits(-std::nanf(""), __NV_SATFINITE, __NV_E5M2) == 0x7f);
  CHECK(__nv_cvt_double_to_fp8(std::nan(""), __NV_SATFINITE, __NV_E5M2) == 0x7e);
  // In two steps it would go to the even neighbour.
  CHECK(__nv_cvt_double_to_fp8(17.0 + 1e-12, __NV_NOSAT, __NV_E4M3) ==
        bits(18.0f, __NV_NOSAT, __NV_E4M3));
}

TEST_CASE("the types convert, and pairs keep their order") {
  const __nv_fp8_e4m3 x(3.3f);
  CHECK(x.__x == 0x45);
  CHECK(static_cast<float>(x) == 3.25f);
  CHECK(static_cast<int>(x) == 3);
  CHECK(static_cast<bool>(x));
  CHECK(static_cast<float>(__nv_fp8_e5m2(1000)) == 1024.0f);
  const __nv_fp8x2_e5m2 pair(make_float2(1.5f, -70000.0f));
  CHECK(pair.__x == 0xfb3e);
  CHECK(static_cast<float2>(pair).y == -57344.0f);
  const __nv_fp8x4_e4m3 four(make_float4(1, 2, 3, 500));
  CHECK(four.__x == 0x7e444038);
  CHECK(static_cast<float4>(four).z == 3.0f);
}

TEST_CASE("complex numbers") {
  const cuComplex quotient = cuCdivf(make_cuComplex(1, 2), make_cuComplex(3, -4));
  CHECK(quotient.x == doctest::Approx(-0.2));
  CHECK(quotient.y == doctest::Approx(0.4));
  const cuDoubleComplex product = cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, -4));
  CHECK(cuCreal(product) == 11);
  CHECK(cuCimag(cuConj(product)) == -2);
  CHECK(cuCabsf(make_cuComplex(3e30f, 4e30f)) == doctest::Approx(5e30));
  CHECK(cuCfma(product, product, product).x == 128);
  CHECK(cuCsubf(cuCaddf(quotient, quotient), quotient).x == quotient.x);
  CHECK(cuComplexDoubleToFloat(cuComplexFloatToDouble(quotient)).y == quotient.y);
}

TEST_SUITE_END();
