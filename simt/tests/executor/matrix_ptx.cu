// mma.sync and ldmatrix as inline PTX: registers are filled by the formulas of the PTX ISA's
// figures ("Matrix Fragments for mma"), and the products compared with loops.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <doctest/doctest.h>

#include "simt/tests/support/device_array.h"

namespace {

// What a lane has of a matrix: element i is that of row(i) and col(i), of a matrix stored by row.
template <typename T, int kCount>
struct Registers {
  alignas(4) T values[kCount];

  template <typename Row, typename Col>
  __device__ Registers(const T* matrix, int columns, Row row, Col col) {
    for (int i = 0; i < kCount; ++i)
      values[i] = matrix[row(i) * columns + col(i)];
  }
  __device__ unsigned word(int number) const {
    return reinterpret_cast<const unsigned*>(values)[number];
  }
};

__device__ int group() {
  return static_cast<int>(threadIdx.x) / 4;
}
__device__ int in_group() {
  return static_cast<int>(threadIdx.x) % 4;
}

// The sums of 16 rows and 8 columns.
template <typename T>
__device__ void store_sums(const T* d, T* to) {
  for (int i = 0; i < 4; ++i)
    to[(i < 2 ? group() : group() + 8) * 8 + in_group() * 2 + i % 2] = d[i];
}

__global__ void m16n8k16_f16(const __half* a, const __half* b, float* to) {
  const Registers<__half, 8> ra(
      a, 16, [](int i) { return i % 4 < 2 ? group() : group() + 8; },
      [](int i) { return in_group() * 2 + i % 2 + (i >= 4 ? 8 : 0); });
  const Registers<__half, 4> rb(
      b, 8, [](int i) { return in_group() * 2 + i % 2 + (i >= 2 ? 8 : 0); },
      [](int) { return group(); });
  float d[4] = {1, 1, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,  %1,  %2,  %3},"
      "{%4,  %5,  %6,  %7},"
      "{%8,  %9},"
      "{%10, %11, %12, %13};\n"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(ra.word(0)), "r"(ra.word(1)), "r"(ra.word(2)), "r"(ra.word(3)), "r"(rb.word(0)),
        "r"(rb.word(1)), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
  store_sums(d, to);
}

// Two sums of __half in a register.
__global__ void m16n8k16_f16_sums(const __half* a, const __half* b, float* to) {
  const Registers<__half, 8> ra(
      a, 16, [](int i) { return i % 4 < 2 ? group() : group() + 8; },
      [](int i) { return in_group() * 2 + i % 2 + (i >= 4 ? 8 : 0); });
  const Registers<__half, 4> rb(
      b, 8, [](int i) { return in_group() * 2 + i % 2 + (i >= 2 ? 8 : 0); },
      [](int) { return group(); });
  __half2 d[2] = {__half2(1.0f, 1.0f), __half2(1.0f, 1.0f)};
  unsigned* const words = reinterpret_cast<unsigned*>(d);
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
      "{%0, %1};"
      : "+r"(words[0]), "+r"(words[1])
      : "r"(ra.word(0)), "r"(ra.word(1)), "r"(ra.word(2)), "r"(ra.word(3)), "r"(rb.word(0)),
        "r"(rb.word(1)));
  const float sums[4] = {d[0].x, d[0].y, d[1].x, d[1].y};
  store_sums(sums, to);
}

__global__ void m16n8k8_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* to) {
  const Registers<__nv_bfloat16, 4> ra(
      a, 8, [](int i) { return i < 2 ? group() : group() + 8; },
      [](int i) { return in_group() * 2 + i % 2; });
  const Registers<__nv_bfloat16, 2> rb(
      b, 8, [](int i) { return in_group() * 2 + i; }, [](int) { return group(); });
  float d[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(ra.word(0)), "r"(ra.word(1)), "r"(rb.word(0)));
  store_sums(d, to);
}

__global__ void m16n8k8_tf32(const float* a, const float* b, float* to) {
  const Registers<float, 4> ra(
      a, 8, [](int i) { return i % 2 == 0 ? group() : group() + 8; },
      [](int i) { return in_group() + (i >= 2 ? 4 : 0); });
  const Registers<float, 2> rb(
      b, 8, [](int i) { return in_group() + (i == 1 ? 4 : 0); }, [](int) { return group(); });
  unsigned first;
  asm("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(first) : "f"(ra.values[0]));
  float d[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(first), "r"(ra.word(1)), "r"(ra.word(2)), "r"(ra.word(3)), "r"(rb.word(0)),
        "r"(rb.word(1)));
  store_sums(d, to);
}

// Signed by unsigned.
__global__ void m16n8k32_s8(const signed char* a, const unsigned char* b, int* to) {
  const Registers<signed char, 16> ra(
      a, 32, [](int i) { return i % 8 < 4 ? group() : group() + 8; },
      [](int i) { return in_group() * 4 + i % 4 + (i >= 8 ? 16 : 0); });
  const Registers<unsigned char, 8> rb(
      b, 8, [](int i) { return in_group() * 4 + i % 4 + (i >= 4 ? 16 : 0); },
      [](int) { return group(); });
  int d[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(ra.word(0)), "r"(ra.word(1)), "r"(ra.word(2)), "r"(ra.word(3)), "r"(rb.word(0)),
        "r"(rb.word(1)));
  store_sums(d, to);
}

__global__ void m16n8k16_s8(const signed char* a, const signed char* b, int* to) {
  const Registers<signed char, 8> ra(
      a, 16, [](int i) { return i < 4 ? group() : group() + 8; },
      [](int i) { return in_group() * 4 + i % 4; });
  const Registers<signed char, 4> rb(
      b, 8, [](int i) { return in_group() * 4 + i; }, [](int) { return group(); });
  int d[4] = {1, 1, 1, 1};
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(ra.word(0)), "r"(ra.word(1)), "r"(rb.word(0)));
  store_sums(d, to);
}

__global__ void m8n8k4_f64(const double* a, const double* b, double* to) {
  double d[2] = {1, 1};
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
      : "=d"(d[0]), "=d"(d[1])
      : "d"(a[group() * 4 + in_group()]), "d"(b[in_group() * 8 + group()]), "d"(d[0]), "d"(d[1]));
  for (int i = 0; i < 2; ++i)
    to[group() * 8 + in_group() * 2 + i] = d[i];
}

// What a product with sums of 1 gives, of matrices of small integers.
template <int m, int k, typename A, typename B, typename Sum>
int mistakes(void (*kernel)(const A*, const B*, Sum*)) {
  constexpr int n = 8;
  std::vector<A> a;
  std::vector<B> b;
  for (int i = 0; i < m * k; ++i)
    a.push_back(A(static_cast<float>(i * 5 % 7 - 3)));
  for (int i = 0; i < k * n; ++i)
    b.push_back(B(static_cast<float>(i * 3 % 5)));
  const DeviceArray<A> device_a(a);
  const DeviceArray<B> device_b(b);
  const DeviceArray<Sum> device_sums(m * n);
  kernel<<<1, 32>>>(device_a.get(), device_b.get(), device_sums.get());
  CHECK(simt::last_launch().tensor_instructions == 1);
  const auto sums = device_sums.host();
  int count = 0;
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 1;
      for (int i = 0; i < k; ++i)
        sum += static_cast<float>(a[row * k + i]) * static_cast<float>(b[i * n + col]);
      count += static_cast<float>(sums[row * n + col]) != sum;
    }
  }
  return count;
}

// ---- ldmatrix ----

// Number n of a shared array of 32-bit words has the value n. Each lane shows its registers.
template <bool kTurned>
__global__ void load_four(unsigned short* to, int words_a_row) {
  __shared__ alignas(16) unsigned short elements[32 * 16];
  for (int i = threadIdx.x; i < 32 * 16; i += 32)
    elements[i] = static_cast<unsigned short>(i);
  __syncwarp();
  const unsigned short* const row = elements + threadIdx.x * 2 * words_a_row;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  unsigned words[4];
  if constexpr (kTurned) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address));
  }
  for (int i = 0; i < 4; ++i) {
    to[(i * 32 + threadIdx.x) * 2] = static_cast<unsigned short>(words[i]);
    to[(i * 32 + threadIdx.x) * 2 + 1] = static_cast<unsigned short>(words[i] >> 16);
  }
}

__device__ unsigned shared_address(const void* pointer) {
  unsigned address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }\n"
      : "=r"(address)
      : "l"(pointer));
  return address;
}

// Lanes from 8 on have no address that leads anywhere.
__global__ void load_one(unsigned* to) {
  __shared__ alignas(16) unsigned words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncwarp();
  const unsigned address = threadIdx.x < 8 ? shared_address(words + 4 * threadIdx.x) : 0xfffffff0u;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(to[threadIdx.x])
               : "r"(address));
}

// By a pointer, and not an address in shared memory.
__global__ void load_two(unsigned* to) {
  __shared__ alignas(16) unsigned words[64];
  words[threadIdx.x] = threadIdx.x;
  words[threadIdx.x + 32] = threadIdx.x + 32;
  __syncwarp();
  const unsigned* const row = words + 4 * (threadIdx.x % 16);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.b16 {%0, %1}, [%2];"
               : "=r"(to[threadIdx.x]), "=r"(to[threadIdx.x + 32])
               : "l"(row));
}

__global__ void load_outside(unsigned* to, unsigned offset) {
  __shared__ alignas(16) unsigned words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncwarp();
  const unsigned address = shared_address(words) + 16 * (threadIdx.x % 8) + offset;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(to[threadIdx.x])
               : "r"(address));
}

}  // namespace

TEST_SUITE("matrix_ptx") {
  TEST_CASE("mma.sync of each type") {
    CHECK(mistakes<16, 16>(m16n8k16_f16) == 0);
    CHECK(mistakes<16, 16>(m16n8k16_f16_sums) == 0);
    CHECK(mistakes<16, 8>(m16n8k8_bf16) == 0);
    CHECK(mistakes<16, 8>(m16n8k8_tf32) == 0);
    CHECK(mistakes<16, 32>(m16n8k32_s8) == 0);
    CHECK(mistakes<16, 16>(m16n8k16_s8) == 0);
    CHECK(mistakes<8, 4>(m8n8k4_f64) == 0);
  }

  TEST_CASE("ldmatrix gives each lane a word of each tile") {
    const DeviceArray<unsigned short> shown(4 * 32 * 2);
    constexpr int kElementsARow = 8;
    load_four<false><<<1, 32>>>(shown.get(), kElementsARow / 2);
    const auto plain = shown.host();
    load_four<true><<<1, 32>>>(shown.get(), kElementsARow / 2);
    const auto turned = shown.host();
    for (int tile = 0; tile < 4; ++tile) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int half = 0; half < 2; ++half) {
          const int at = (tile * 32 + lane) * 2 + half;
          const int across = lane / 4;
          const int along = lane % 4 * 2 + half;
          CHECK(plain[at] == (tile * 8 + across) * kElementsARow + along);
          CHECK(turned[at] == (tile * 8 + along) * kElementsARow + across);
        }
      }
    }
  }

  TEST_CASE("ldmatrix is one request, with a wavefront for each tile whose rows share no bank") {
    const DeviceArray<unsigned short> shown(4 * 32 * 2);
    load_four<false><<<1, 32>>>(shown.get(), 4);
    CHECK(simt::last_launch().shared_loads.requests == 1);
    CHECK(simt::last_launch().shared_loads.wavefronts == 4);
    CHECK(simt::last_launch().shared_loads.bank_conflicts == 0);
    load_four<false><<<1, 32>>>(shown.get(), 8);
    CHECK(simt::last_launch().shared_loads.requests == 1);
    CHECK(simt::last_launch().shared_loads.bank_conflicts == 4);
    const DeviceArray<unsigned> words(32);
    load_one<<<1, 32>>>(words.get());
    CHECK(words.host()[31] == 31);
    CHECK(simt::last_launch().shared_loads.requests == 1);
    CHECK(simt::last_launch().shared_loads.lanes == 8);
    CHECK(simt::last_launch().shared_loads.wavefronts == 1);
    CHECK(simt::last_launch().tensor_instructions == 0);
    const DeviceArray<unsigned> more_words(64);
    load_two<<<1, 32>>>(more_words.get());
    CHECK(more_words.host()[31] == 31);
    CHECK(more_words.host()[63] == 63);
    CHECK(simt::last_launch().shared_loads.lanes == 16);
    CHECK(simt::last_launch().shared_loads.wavefronts == 2);
  }

  TEST_CASE("a row that ldmatrix loads from outside of a variable is found") {
    const ExpectedFindings found;
    const DeviceArray<unsigned> words(32);
    load_outside<<<1, 32>>>(words.get(), 16);
    CHECK(found.kinds() == "shared-out-of-bounds ");
    simt::clear_findings();
    load_outside<<<1, 32>>>(words.get(), 4);
    CHECK(found.kinds() == "misaligned-access ");
    simt::clear_findings();
    load_outside<<<1, 32>>>(words.get(), 0);
    CHECK(found.kinds().empty());
  }
}
