// wmma fragments: the products of every shape, type and layout; which lane has which element, as
// PTX documents it for mma.sync; and the loads and stores that nvcc 13.0 emits for sm_90, which
// `cuobjdump -sass` shows of load_matrix_sync and store_matrix_sync.

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <mma.h>
#include <string>

#include "simt/tests/support/device_array.h"

namespace {

using namespace nvcuda;

using Row = wmma::row_major;
using Col = wmma::col_major;

template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, wmma::precision::tf32>, float, T>;

template <int m, int n, int k, typename T, typename Sum, typename LayoutA, typename LayoutB>
__global__ void multiply(const Stored<T>* a, const Stored<T>* b, const Sum* c, Sum* d,
                         wmma::layout_t layout, bool in_shared) {
  __shared__ alignas(32) Stored<T> shared_a[m * k];
  __shared__ alignas(32) Stored<T> shared_b[k * n];
  if (in_shared) {
    for (int i = threadIdx.x; i < m * k; i += 32)
      shared_a[i] = a[i];
    for (int i = threadIdx.x; i < k * n; i += 32)
      shared_b[i] = b[i];
    __syncwarp();
  }
  constexpr int kStrideA = std::is_same_v<LayoutA, Row> ? k : m;
  constexpr int kStrideB = std::is_same_v<LayoutB, Row> ? n : k;
  const int stride = layout == wmma::mem_row_major ? n : m;
  wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> fragment_a;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> fragment_b;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> sum;
  wmma::load_matrix_sync(fragment_a, in_shared ? shared_a : a, kStrideA);
  wmma::load_matrix_sync(fragment_b, in_shared ? shared_b : b, kStrideB);
  wmma::load_matrix_sync(sum, c, stride, layout);
  wmma::mma_sync(sum, fragment_a, fragment_b, sum);
  for (auto& element : sum.x)
    element = element + element;
  wmma::store_matrix_sync(d, sum, stride, layout);
}

// Small integers, whose products and sums every type holds.
template <typename T>
std::vector<T> small_integers(int count, int factor) {
  std::vector<T> values;
  const int lowest = std::is_same_v<T, unsigned char> ? 0 : -3;
  for (int i = 0; i < count; ++i)
    values.push_back(T(static_cast<float>(i * factor % 7 + lowest)));
  return values;
}

template <int m, int n, int k, typename T, typename Sum, typename LayoutA, typename LayoutB>
int mistakes_of_product(wmma::layout_t layout, bool in_shared) {
  const bool a_by_row = std::is_same_v<LayoutA, Row>;
  const bool b_by_row = std::is_same_v<LayoutB, Row>;
  const bool by_row = layout == wmma::mem_row_major;
  const auto a = small_integers<Stored<T>>(m * k, 5);
  const auto b = small_integers<Stored<T>>(k * n, 3);
  const auto c = small_integers<Sum>(m * n, 4);
  const DeviceArray<Stored<T>> device_a(a);
  const DeviceArray<Stored<T>> device_b(b);
  const DeviceArray<Sum> device_c(c);
  const DeviceArray<Sum> device_d(m * n);
  multiply<m, n, k, T, Sum, LayoutA, LayoutB><<<1, 32>>>(
      device_a.get(), device_b.get(), device_c.get(), device_d.get(), layout, in_shared);
  const auto d = device_d.host();
  int mistakes = 0;
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      const int at = by_row ? row * n + col : col * m + row;
      float sum = static_cast<float>(c[at]);
      for (int i = 0; i < k; ++i)
        sum += static_cast<float>(a[a_by_row ? row * k + i : i * m + row]) *
               static_cast<float>(b[b_by_row ? i * n + col : col * k + i]);
      mistakes += static_cast<float>(d[at]) != 2 * sum;
    }
  }
  return mistakes;
}

template <int m, int n, int k, typename T, typename Sum>
void check_products() {
  int mistakes = 0;
  for (const auto layout : {wmma::mem_row_major, wmma::mem_col_major}) {
    for (const bool in_shared : {false, true}) {
      mistakes += mistakes_of_product<m, n, k, T, Sum, Row, Row>(layout, in_shared);
      mistakes += mistakes_of_product<m, n, k, T, Sum, Row, Col>(layout, in_shared);
      mistakes += mistakes_of_product<m, n, k, T, Sum, Col, Row>(layout, in_shared);
      mistakes += mistakes_of_product<m, n, k, T, Sum, Col, Col>(layout, in_shared);
    }
  }
  CAPTURE(m);
  CAPTURE(n);
  CHECK(mistakes == 0);
}

template <typename T, typename Sum>
void check_shapes_of_16() {
  check_products<16, 16, 16, T, Sum>();
  check_products<32, 8, 16, T, Sum>();
  check_products<8, 32, 16, T, Sum>();
}

// Element i of each lane goes to place 32 * i + lane.
template <typename Fragment>
__device__ void show(const Fragment& fragment, typename Fragment::storage_element_type* to) {
  for (int i = 0; i < Fragment::num_elements; ++i)
    to[32 * i + threadIdx.x] = fragment.x[i];
}

template <typename Use, int m, int n, int k, typename T, typename Layout>
__global__ void show_factor(const Stored<T>* from, int stride, Stored<T>* to) {
  wmma::fragment<Use, m, n, k, T, Layout> fragment;
  wmma::load_matrix_sync(fragment, from, stride);
  show(fragment, to);
}

template <int m, int n, int k, typename T>
__global__ void show_sum(const T* from, int stride, wmma::layout_t layout, T* to) {
  wmma::fragment<wmma::accumulator, m, n, k, T> fragment;
  wmma::load_matrix_sync(fragment, from, stride, layout);
  show(fragment, to);
}

// A matrix of which no two elements are alike, stored by row: 0, 1, 2 and so on.
template <typename T>
DeviceArray<T> numbered(int count) {
  std::vector<T> values;
  for (int i = 0; i < count; ++i)
    values.push_back(T(static_cast<float>(i)));
  return DeviceArray<T>(values);
}

// place(group, in_group, i): the number of the element that PTX gives to a lane as number i.
template <typename T, typename Place>
int misplaced(const DeviceArray<T>& shown, int elements, Place place) {
  const std::vector<T> values = shown.host();
  int count = 0;
  for (int i = 0; i < elements; ++i) {
    for (int lane = 0; lane < 32; ++lane) {
      const int expected = place(lane / 4, lane % 4, i);
      count += static_cast<float>(values[32 * i + lane]) != static_cast<float>(expected);
    }
  }
  return count;
}

__global__ void add_half(const __half* a, const __half* b, __half* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, Row> fragment_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, Row> fragment_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(fragment_a, a, 16);
  wmma::load_matrix_sync(fragment_b, b, 16);
  wmma::mma_sync(sum, fragment_a, fragment_b, sum);
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

__global__ void saturate(int start, bool saturates, int* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, Row> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, Row> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(a, 1);
  wmma::fill_fragment(b, 1);
  wmma::fill_fragment(sum, start);
  wmma::mma_sync(sum, a, b, sum, saturates);
  d[threadIdx.x] = sum.x[0];
}

__global__ void round_to_tf32(const float* x, float* y) {
  y[threadIdx.x] = wmma::__float_to_tf32(x[threadIdx.x]);
}

// ---- counts ----

template <typename Use, int m, int n, int k, typename T, typename Layout>
__global__ void load_factor(const Stored<T>* from, int stride, bool in_shared) {
  __shared__ alignas(128) Stored<T> shared[512];
  if (in_shared) {
    for (int i = threadIdx.x; i < 512; i += 32)
      shared[i] = Stored<T>(1.0f);
    __syncwarp();
  }
  wmma::fragment<Use, m, n, k, T, Layout> fragment;
  wmma::load_matrix_sync(fragment, in_shared ? shared : from, stride);
  if (stride == 0) show(fragment, shared);  // never, but compilers drop loads that nobody needs
}

template <int m, int n, typename T>
__global__ void store_sum(T* to, wmma::layout_t layout, bool in_shared) {
  __shared__ alignas(128) T shared[m * n];
  constexpr int k = std::is_same_v<T, double> ? 4 : 16;
  wmma::fragment<wmma::accumulator, m, n, k, T> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::store_matrix_sync(in_shared ? shared : to, sum, layout == wmma::mem_row_major ? n : m,
                          layout);
}

// What a load or a store asks for: requests, and their sectors or wavefronts.
using Cost = std::array<std::uint64_t, 2>;

Cost cost_of(const simt::Traffic& traffic) {
  return {traffic.requests, traffic.sectors};
}
Cost cost_of(const simt::SharedTraffic& traffic) {
  return {traffic.requests, traffic.wavefronts};
}

constexpr int kMostElements = 32 * 16;

// Without the stores that come before it.
template <typename Use, int m, int n, int k, typename T, typename Layout>
Cost cost_of_factor(bool in_shared, int stride) {
  const auto array = zeros<Stored<T>>(kMostElements);
  load_factor<Use, m, n, k, T, Layout><<<1, 32>>>(array.get(), stride, in_shared);
  const simt::Counters counters = simt::last_launch();
  CHECK(counters.divergences == 0);
  CHECK(counters.tensor_instructions == 0);
  return in_shared ? cost_of(counters.shared_loads) : cost_of(counters.global_loads);
}

template <int m, int n, typename T>
Cost cost_of_stored_sum(bool in_shared, wmma::layout_t layout) {
  const auto array = zeros<T>(m * n);
  store_sum<m, n, T><<<1, 32>>>(array.get(), layout, in_shared);
  const simt::Counters counters = simt::last_launch();
  CHECK(counters.divergences == 0);
  return in_shared ? cost_of(counters.shared_stores) : cost_of(counters.global_stores);
}

// Tensor cores' instructions of one product.
template <int m, int n, int k, typename T, typename Sum>
std::uint64_t instructions() {
  const auto a = zeros<Stored<T>>(m * k);
  const auto b = zeros<Stored<T>>(k * n);
  const auto c = zeros<Sum>(m * n);
  multiply<m, n, k, T, Sum, Row, Col>
      <<<1, 32>>>(a.get(), b.get(), c.get(), c.get(), wmma::mem_row_major, false);
  return simt::last_launch().tensor_instructions;
}

// ---- mistakes ----

using Factor = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, Row>;

__global__ void load_without_some(const __half* from, unsigned lanes) {
  Factor factor;
  if (threadIdx.x < lanes) wmma::load_matrix_sync(factor, from, 16);
}

__global__ void wait_elsewhere(const __half* from) {
  Factor factor;
  if (threadIdx.x < 16) {
    wmma::load_matrix_sync(factor, from, 16);
  } else {
    __syncthreads();
  }
}

__global__ void do_different_things(const __half* from, float* to) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, Col> b;
  Factor a;
  wmma::fill_fragment(a, 1.0f);
  wmma::fill_fragment(b, 1.0f);
  wmma::fill_fragment(sum, 1.0f);
  if (threadIdx.x == 7) {
    wmma::mma_sync(sum, a, b, sum);
  } else {
    wmma::load_matrix_sync(a, from, 16);
  }
  to[threadIdx.x] = sum.x[0] + static_cast<float>(a.x[0]);
}

// The store lacks the __syncwarp that orders it before loads of other lanes.
__global__ void load_too_early(float* to, bool correct) {
  __shared__ alignas(32) __half shared[256];
  for (int i = threadIdx.x; i < 256; i += 32)
    shared[i] = 1.0f;
  if (correct) __syncwarp();
  Factor factor;
  wmma::load_matrix_sync(factor, shared, 16);
  to[threadIdx.x] = factor.x[0];
}

}  // namespace

TEST_SUITE("tensor_cores") {
  TEST_CASE("products of every shape, type and layout, from global and from shared memory") {
    check_shapes_of_16<__half, float>();
    check_shapes_of_16<__half, __half>();
    check_shapes_of_16<__nv_bfloat16, float>();
    check_shapes_of_16<signed char, int>();
    check_shapes_of_16<unsigned char, int>();
    check_products<16, 16, 8, wmma::precision::tf32, float>();
    check_products<8, 8, 4, double, double>();
  }

  // PTX ISA, "Matrix Fragments for mma.m16n8k16": a fragment of 16 columns is two of 8.
  TEST_CASE("lanes have the elements that PTX gives them") {
    const auto halves = numbered<__half>(16 * 16);
    const auto place_of_a = [](int group, int in_group, int i) {
      const int row = i % 4 < 2 ? group : group + 8;
      return 16 * row + in_group * 2 + i % 2 + (i % 8 >= 4 ? 8 : 0);
    };
    const auto place_of_b = [](int group, int in_group, int i) {
      const int row = in_group * 2 + i % 2 + (i % 4 >= 2 ? 8 : 0);
      return 16 * row + group + (i % 8 >= 4 ? 8 : 0);
    };
    const DeviceArray<__half> shown(32 * 16);
    show_factor<wmma::matrix_a, 16, 16, 16, __half, Row><<<1, 32>>>(halves.get(), 16, shown.get());
    CHECK(misplaced(shown, 16, place_of_a) == 0);
    show_factor<wmma::matrix_b, 16, 16, 16, __half, Row><<<1, 32>>>(halves.get(), 16, shown.get());
    CHECK(misplaced(shown, 16, place_of_b) == 0);
    const auto floats = numbered<float>(16 * 16);
    const DeviceArray<float> shown_sum(32 * 8);
    show_sum<16, 16, 16><<<1, 32>>>(floats.get(), 16, wmma::mem_row_major, shown_sum.get());
    CHECK(misplaced(shown_sum, 8, place_of_a) == 0);
  }

  TEST_CASE("the same of bytes, tf32 and doubles") {
    const auto bytes = numbered<unsigned char>(16 * 16);
    const DeviceArray<unsigned char> shown_bytes(32 * 8);
    using Byte = unsigned char;
    show_factor<wmma::matrix_a, 16, 16, 16, Byte, Row>
        <<<1, 32>>>(bytes.get(), 16, shown_bytes.get());
    CHECK(misplaced(shown_bytes, 8, [](int group, int in_group, int i) {
            return 16 * (i < 4 ? group : group + 8) + in_group * 4 + i % 4;
          }) == 0);
    show_factor<wmma::matrix_b, 16, 16, 16, Byte, Row>
        <<<1, 32>>>(bytes.get(), 16, shown_bytes.get());
    CHECK(misplaced(shown_bytes, 8, [](int group, int in_group, int i) {
            return 16 * (in_group * 4 + i % 4) + (i < 4 ? group : group + 8);
          }) == 0);
    const auto floats = numbered<float>(16 * 8);
    const DeviceArray<float> shown(32 * 4);
    show_factor<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, Row>
        <<<1, 32>>>(floats.get(), 8, shown.get());
    CHECK(misplaced(shown, 4, [](int group, int in_group, int i) {
            return 8 * (i % 2 == 0 ? group : group + 8) + in_group + (i >= 2 ? 4 : 0);
          }) == 0);
    show_factor<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, Row>
        <<<1, 32>>>(floats.get(), 16, shown.get());
    CHECK(misplaced(shown, 4, [](int group, int in_group, int i) {
            return 16 * (in_group + (i % 2 == 0 ? 0 : 4)) + group + (i >= 2 ? 8 : 0);
          }) == 0);
    const auto doubles = numbered<double>(8 * 8);
    const DeviceArray<double> shown_sum(32 * 2);
    show_sum<8, 8, 4><<<1, 32>>>(doubles.get(), 8, wmma::mem_row_major, shown_sum.get());
    CHECK(misplaced(shown_sum, 2, [](int group, int in_group, int i) {
            return 8 * group + in_group * 2 + i;
          }) == 0);
  }

  TEST_CASE("sums of __half are rounded once, and may become infinite") {
    std::vector<__half> a(256, __half(0.0f));
    std::vector<__half> b(256, __half(0.0f));
    a[0] = a[1] = a[2] = __half(1.0f);
    b[0] = __half(2048.0f);
    b[16] = b[32] = __half(1.0f);  // 2048 + 1 is 2048 in __half
    a[16] = a[17] = __half(255.0f);
    b[1] = b[17] = __half(255.0f);
    const DeviceArray<__half> d(256);
    add_half<<<1, 32>>>(DeviceArray<__half>(a).get(), DeviceArray<__half>(b).get(), d.get());
    CHECK(static_cast<float>(d.host()[0]) == 2050.0f);
    CHECK(std::isinf(static_cast<float>(d.host()[17])));
  }

  TEST_CASE("sums of int saturate if asked") {
    constexpr int kMost = std::numeric_limits<int>::max();
    const DeviceArray<int> d(32);
    saturate<<<1, 32>>>(kMost - 3, true, d.get());
    CHECK(d.host()[5] == kMost);
    saturate<<<1, 32>>>(kMost - 3, false, d.get());
    CHECK(d.host()[5] == std::numeric_limits<int>::min() + 12);
  }

  TEST_CASE("a float is rounded to tf32, and ties go away from 0") {
    std::vector<float> x(32, 0.0f);
    const float ulp = std::ldexp(1.0f, -10);
    x = {1.0f, 1.0f + ulp / 2, 1.0f + ulp * 0.49f, -1.0f - ulp / 2, 1.0f + ulp * 1.5f, HUGE_VALF};
    x.resize(32);
    const DeviceArray<float> y(32);
    round_to_tf32<<<1, 32>>>(DeviceArray<float>(x).get(), y.get());
    const auto rounded = y.host();
    CHECK(rounded[0] == 1.0f);
    CHECK(rounded[1] == 1.0f + ulp);
    CHECK(rounded[2] == 1.0f);
    CHECK(rounded[3] == -1.0f - ulp);
    CHECK(rounded[4] == 1.0f + 2 * ulp);
    CHECK(rounded[5] == HUGE_VALF);
  }

  TEST_CASE("factors are loaded from global memory by words, or by elements") {
    // A tile of 8 rows of 16 bytes touches 8 sectors if the rows lie apart.
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, __half, Row>(false, 16) == Cost{4, 32});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, __half, Col>(false, 16) == Cost{4, 32});
    CHECK(cost_of_factor<wmma::matrix_a, 32, 8, 16, __half, Row>(false, 16) == Cost{8, 64});
    CHECK(cost_of_factor<wmma::matrix_b, 32, 8, 16, __half, Col>(false, 16) == Cost{2, 16});
    CHECK(cost_of_factor<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, Row>(false, 8) == Cost{2, 8});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, signed char, Row>(false, 16) == Cost{2, 8});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, signed char, Col>(false, 16) == Cost{8, 32});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, Row>(false, 8) ==
          Cost{4, 32});
    CHECK(cost_of_factor<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, Row>(false, 16) ==
          Cost{4, 16});
    CHECK(cost_of_factor<wmma::matrix_a, 8, 8, 4, double, Row>(false, 4) == Cost{1, 8});
  }

  TEST_CASE("factors are loaded from shared memory by rows, where nvcc emits LDSM") {
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, __half, Row>(true, 16) == Cost{1, 8});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, __half, Col>(true, 16) == Cost{1, 8});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, __half, Row>(true, 24) == Cost{1, 4});
    CHECK(cost_of_factor<wmma::matrix_a, 32, 8, 16, __half, Row>(true, 16) == Cost{2, 16});
    CHECK(cost_of_factor<wmma::matrix_a, 8, 32, 16, __half, Row>(true, 24) == Cost{1, 2});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, signed char, Row>(true, 16) == Cost{1, 2});
    CHECK(cost_of_factor<wmma::matrix_a, 8, 32, 16, signed char, Row>(true, 16) == Cost{1, 1});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, signed char, Col>(true, 16)[0] == 8);
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, Row>(true, 24) == Cost{4, 4});
    CHECK(cost_of_factor<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, Row>(true, 12) ==
          Cost{4, 4});
  }

  TEST_CASE("sums are stored in pairs, where they lie side by side") {
    constexpr auto kByRow = wmma::mem_row_major;
    constexpr auto kByColumn = wmma::mem_col_major;
    CHECK(cost_of_stored_sum<16, 16, float>(false, kByRow) == Cost{4, 32});
    CHECK(cost_of_stored_sum<16, 16, float>(false, kByColumn) == Cost{8, 32});
    CHECK(cost_of_stored_sum<8, 32, int>(false, kByRow) == Cost{8, 32});
    CHECK(cost_of_stored_sum<8, 32, int>(false, kByColumn) == Cost{4, 8 * 4});
    CHECK(cost_of_stored_sum<16, 16, __half>(false, kByRow) == Cost{4, 32});
    CHECK(cost_of_stored_sum<16, 16, __half>(false, kByColumn) == Cost{4, 32});
    CHECK(cost_of_stored_sum<8, 8, double>(false, kByRow) == Cost{1, 16});
    CHECK(cost_of_stored_sum<8, 8, double>(false, kByColumn) == Cost{2, 16});
    CHECK(cost_of_stored_sum<16, 16, float>(true, kByRow)[0] == 4);
    CHECK(cost_of_stored_sum<16, 16, float>(true, kByColumn)[0] == 8);
  }

  TEST_CASE("a product takes an instruction for 16 rows and 8 columns") {
    CHECK(instructions<16, 16, 16, __half, float>() == 2);
    CHECK(instructions<32, 8, 16, __nv_bfloat16, float>() == 2);
    CHECK(instructions<8, 32, 16, signed char, int>() == 2);
    CHECK(instructions<16, 16, 8, wmma::precision::tf32, float>() == 4);  // of half the depth
    CHECK(instructions<8, 8, 4, double, double>() == 1);
  }

  TEST_CASE("a lane that has returned, or that there is not, is found") {
    const ExpectedFindings found;
    const auto x = zeros<__half>(256);
    load_without_some<<<1, 32>>>(x.get(), 31);
    CHECK(found.kinds() == "warp-mask ");
    CHECK(found.message().find("wmma::load_matrix_sync with mask 0xffffffff names lane 31, which "
                               "has skipped it and returned from the kernel") != std::string::npos);
    simt::clear_findings();
    load_without_some<<<1, 16>>>(x.get(), 16);
    CHECK(found.kinds() == "warp-mask ");
    CHECK(found.message().find("takes all 32 lanes of a warp, and this one has no lane 16") !=
          std::string::npos);
    simt::clear_findings();
    load_without_some<<<1, 32>>>(x.get(), 32);
    CHECK(found.kinds().empty());
  }

  TEST_CASE("lanes that wait elsewhere are found") {
    const ExpectedFindings found;
    const auto x = zeros<__half>(256);
    const auto y = zeros<float>(32);
    wait_elsewhere<<<1, 32>>>(x.get());
    CHECK(found.kinds() == "deadlock ");
    CHECK(found.message().find("at wmma::load_matrix_sync with mask") != std::string::npos);
    simt::clear_findings();
    do_different_things<<<1, 32>>>(x.get(), y.get());
    CHECK(found.kinds() == "deadlock ");
    CHECK(found.message().find("at wmma::mma_sync with mask") != std::string::npos);
  }

  TEST_CASE("a matrix that other lanes have stored is ordered by __syncwarp alone") {
    const ExpectedFindings found;
    const auto y = zeros<float>(32);
    load_too_early<<<1, 32>>>(y.get(), false);
    CHECK(found.kinds() == "shared-race uninitialized-shared-read ");
    simt::clear_findings();
    load_too_early<<<1, 32>>>(y.get(), true);
    CHECK(found.kinds().empty());
    CHECK(y.host()[3] == 1.0f);
  }
}
