/// \file
/// Instructions of PTX that programs write as inline assembly: the translator makes a call of each
/// `asm("opcode %0, ...;" : ...)`. As the fast functions of device_math.h, approximations are
/// computed exactly here. (NVIDIA, "Parallel Thread Execution ISA", section 9.7.3)
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/bits.h"
#include "simt/include/cuda_standin/qualifiers.h"
#include "simt/include/cuda_standin/synchronization.h"
#include "simt/include/cuda_standin/tensor_cores.h"
#include "simt/include/cuda_standin/vector_types.h"

namespace simt::ptx {

/// `.ftz`: 0 with the sign of x where x is subnormal.
SIMT_INLINE float flushed(float x) {
  return ::fabsf(x) < std::numeric_limits<float>::min() ? ::copysignf(0.0f, x) : x;
}

SIMT_INLINE void ex2_approx_f32(float& d, float a) {
  d = ::exp2f(a);
}
SIMT_INLINE void ex2_approx_ftz_f32(float& d, float a) {
  d = flushed(::exp2f(flushed(a)));
}
SIMT_INLINE void lg2_approx_f32(float& d, float a) {
  d = ::log2f(a);
}
SIMT_INLINE void lg2_approx_ftz_f32(float& d, float a) {
  d = flushed(::log2f(flushed(a)));
}
SIMT_INLINE void rcp_approx_f32(float& d, float a) {
  d = 1.0f / a;
}
SIMT_INLINE void rcp_approx_ftz_f32(float& d, float a) {
  d = flushed(1.0f / flushed(a));
}
SIMT_INLINE void sqrt_approx_f32(float& d, float a) {
  d = ::sqrtf(a);
}
SIMT_INLINE void sqrt_approx_ftz_f32(float& d, float a) {
  d = flushed(::sqrtf(flushed(a)));
}
SIMT_INLINE void rsqrt_approx_f32(float& d, float a) {
  d = static_cast<float>(1.0 / ::sqrt(static_cast<double>(a)));
}
SIMT_INLINE void rsqrt_approx_ftz_f32(float& d, float a) {
  rsqrt_approx_f32(d, flushed(a));
}
SIMT_INLINE void tanh_approx_f32(float& d, float a) {
  d = ::tanhf(a);
}

/// `.NaN`: a NaN wins, which fminf() and fmaxf() would drop.
SIMT_INLINE void min_NaN_f32(float& d, float a, float b) {
  d = a != a || b != b ? std::numeric_limits<float>::quiet_NaN() : ::fminf(a, b);
}
SIMT_INLINE void max_NaN_f32(float& d, float a, float b) {
  d = a != a || b != b ? std::numeric_limits<float>::quiet_NaN() : ::fmaxf(a, b);
}
SIMT_INLINE void min_ftz_f32(float& d, float a, float b) {
  d = ::fminf(flushed(a), flushed(b));
}
SIMT_INLINE void max_ftz_f32(float& d, float a, float b) {
  d = ::fmaxf(flushed(a), flushed(b));
}
SIMT_INLINE void fma_rn_ftz_f32(float& d, float a, float b, float c) {
  d = flushed(::fmaf(flushed(a), flushed(b), flushed(c)));
}

/// The differences of four bytes each, without their signs, added up. (Section 9.7.17.4)
SIMT_INLINE void vabsdiff4_u32_u32_u32_add(unsigned& d, unsigned a, unsigned b, unsigned c) {
  for (unsigned at = 0; at < 32; at += 8) {
    const int difference = static_cast<int>(a >> at & 0xff) - static_cast<int>(b >> at & 0xff);
    c += static_cast<unsigned>(difference < 0 ? -difference : difference);
  }
  d = c;
}

/// Rounds to a float whose lower 13 bits are 0; ties go away from 0. (Section 9.7.9.21)
template <typename Register>
SIMT_INLINE void cvt_rna_tf32_f32(Register& d, float a) {
  static_assert(sizeof(Register) == sizeof(float));
  constexpr std::uint32_t kLost = 0x1fff;
  const std::uint32_t bits = bit_cast<std::uint32_t>(a);
  const bool is_finite = (bits & 0x7f800000) != 0x7f800000;
  const std::uint32_t rounded = (bits + (is_finite ? (kLost + 1) / 2 : 0)) & ~kLost;
  d = bit_cast<Register>(a != a ? 0x7fffffff : rounded);
}

// Special registers. (Section 10)
SIMT_INLINE unsigned laneid() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32;
}
SIMT_INLINE unsigned lanemask_eq() {
  return 1u << laneid();
}
SIMT_INLINE unsigned lanemask_lt() {
  return lanemask_eq() - 1;
}
SIMT_INLINE unsigned lanemask_le() {
  return lanemask_lt() | lanemask_eq();
}
SIMT_INLINE unsigned lanemask_gt() {
  return ~lanemask_le();
}
SIMT_INLINE unsigned lanemask_ge() {
  return ~lanemask_lt();
}
#define SIMT_SPECIAL_REGISTERS(name, variable) \
  SIMT_INLINE unsigned name##_x() {            \
    return variable.x;                         \
  }                                            \
  SIMT_INLINE unsigned name##_y() {            \
    return variable.y;                         \
  }                                            \
  SIMT_INLINE unsigned name##_z() {            \
    return variable.z;                         \
  }
SIMT_SPECIAL_REGISTERS(tid, threadIdx)
SIMT_SPECIAL_REGISTERS(ntid, blockDim)
SIMT_SPECIAL_REGISTERS(ctaid, blockIdx)
SIMT_SPECIAL_REGISTERS(nctaid, gridDim)
#undef SIMT_SPECIAL_REGISTERS
SIMT_INLINE unsigned clock() {
  return static_cast<unsigned>(device_ticks());
}
SIMT_INLINE unsigned long long clock64() {
  return device_ticks();
}
/// The same ticks for nanoseconds: a loop that waits for some ends, after as many as on every run.
SIMT_INLINE unsigned long long globaltimer() {
  return device_ticks();
}

// The halves of a barrier of the cluster. A relaxed arrival counts as one that releases: what it
// leaves unordered on a GPU is not looked for. (Section 9.7.13.4)
SIMT_INLINE void barrier_cluster_arrive(Location where = Location::current()) {
  cluster_arrive(where);
}
SIMT_INLINE void barrier_cluster_arrive_release(Location where = Location::current()) {
  cluster_arrive(where);
}
SIMT_INLINE void barrier_cluster_arrive_relaxed(Location where = Location::current()) {
  cluster_arrive(where);
}
SIMT_INLINE void barrier_cluster_wait(Location where = Location::current()) {
  cluster_wait(where);
}
SIMT_INLINE void barrier_cluster_wait_acquire(Location where = Location::current()) {
  cluster_wait(where);
}

// `.aligned`: all lanes of a warp execute it together.
SIMT_INLINE void barrier_cluster_arrive_aligned(Location where = Location::current()) {
  cluster_arrive(where);
}
SIMT_INLINE void barrier_cluster_arrive_release_aligned(Location where = Location::current()) {
  cluster_arrive(where);
}
SIMT_INLINE void barrier_cluster_arrive_relaxed_aligned(Location where = Location::current()) {
  cluster_arrive(where);
}
SIMT_INLINE void barrier_cluster_wait_aligned(Location where = Location::current()) {
  cluster_wait(where);
}
SIMT_INLINE void barrier_cluster_wait_acquire_aligned(Location where = Location::current()) {
  cluster_wait(where);
}

// Loads and stores by which blocks and devices tell each other of their data. Relaxed ones and
// those that acquire or release are like cuda::atomic_ref's, and happen as host code's do.
// (Sections 9.7.9.8 and 9.7.9.11)

/// What an operand of an address is, which may be a number.
template <typename T>
SIMT_INLINE T* object_at(const volatile void* address) {
  return static_cast<T*>(const_cast<void*>(address));
}
template <typename T>
SIMT_INLINE T* object_at(unsigned long long address) {
  return reinterpret_cast<T*>(address);
}

/// `cvta.to.shared`
template <typename Address>
SIMT_INLINE std::uint32_t shared_address(Address pointer) {
  return address_in_shared_memory(object_at<const void>(pointer));
}

/// The other way round.
SIMT_INLINE void* in_shared_memory(std::uint64_t address) {
  return pointer_to_shared_memory(address);
}

/// A register gets a value of a smaller type, which `load` loads.
template <typename Small, typename Register, typename Load>
SIMT_INLINE void extended(Register& value, Load load) {
  Small small;
  load(small);
  value = static_cast<Register>(small);
}

template <unsigned kBytes, typename Address, typename T>
SIMT_INLINE void load_relaxed(Address address, T& value, Location where = Location::current()) {
  static_assert(sizeof(T) == kBytes, "the operand has another size than the instruction");
  note_atomic_load(object_at<T>(address), kBytes, where);
  __atomic_load(object_at<T>(address), &value, __ATOMIC_SEQ_CST);
}
template <unsigned kBytes, typename Address, typename T>
SIMT_INLINE void load_acquire(Address address, T& value, Location where = Location::current()) {
  load_relaxed<kBytes>(address, value, where);
  if (in_kernel()) acquire_through(object_at<T>(address));
}
template <unsigned kBytes, typename Address, typename T>
SIMT_INLINE void load_volatile(Address address, T& value) {
  static_assert(sizeof(T) == kBytes, "the operand has another size than the instruction");
  value = *object_at<const volatile T>(address);
}

template <unsigned kBytes, typename Address, typename T>
SIMT_INLINE void store_relaxed(Address address, T value, Location where = Location::current()) {
  static_assert(sizeof(T) == kBytes, "the operand has another size than the instruction");
  note_atomic_store(object_at<T>(address), kBytes, where);
  __atomic_store(object_at<T>(address), &value, __ATOMIC_SEQ_CST);
}
template <unsigned kBytes, bool kBeyondCluster, typename Address, typename T>
SIMT_INLINE void store_release(Address address, T value, Location where = Location::current()) {
  if (kBeyondCluster) fence();
  if (in_kernel()) release_through(object_at<T>(address));
  store_relaxed<kBytes>(address, value, where);
}
template <unsigned kBytes, typename Address, typename T>
SIMT_INLINE void store_volatile(Address address, T value) {
  static_assert(sizeof(T) == kBytes, "the operand has another size than the instruction");
  *object_at<volatile T>(address) = value;
}

// Plain ones, of one, two or four values side by side. What they advise the caches is not modelled.
// (Sections 9.7.9.8, 9.7.9.9 and 9.7.9.11)
template <unsigned kBytes, typename Address, typename T, typename... Ts>
SIMT_INLINE void load_plain(Address address, T& value, Ts&... values) {
  static_assert(((sizeof(T) == kBytes) && ... && (sizeof(Ts) == kBytes)),
                "an operand has another size than the instruction");
  constexpr unsigned kCount = 1 + sizeof...(Ts);
  struct [[gnu::may_alias]] alignas(kCount * kBytes) Together {
    unsigned char bytes[kCount * kBytes];
  };
  const Together loaded = *object_at<const Together>(address);
  const unsigned char* next = loaded.bytes;
  const auto take = [&next](auto& each) {
    __builtin_memcpy(&each, next, kBytes);
    next += kBytes;
  };
  take(value);
  (take(values), ...);
}

template <unsigned kBytes, typename Address, typename T, typename... Ts>
SIMT_INLINE void store_plain(Address address, T value, Ts... values) {
  static_assert(((sizeof(T) == kBytes) && ... && (sizeof(Ts) == kBytes)),
                "an operand has another size than the instruction");
  constexpr unsigned kCount = 1 + sizeof...(Ts);
  struct [[gnu::may_alias]] alignas(kCount * kBytes) Together {
    unsigned char bytes[kCount * kBytes];
  };
  Together together;
  unsigned char* next = together.bytes;
  const auto put = [&next](auto each) {
    __builtin_memcpy(next, &each, kBytes);
    next += kBytes;
  };
  put(value);
  (put(values), ...);
  *object_at<Together>(address) = together;
}

// Products of matrices that lie in the registers of a warp. (Section 9.7.14)

/// The lower lanes of a warp, 8 for each tile, load 16 bytes each from an address of their own. No
/// branch: all lanes go the same way on a device.
template <unsigned kTiles>
SIMT_INLINE void load_row(std::uint32_t* row, const void* address, unsigned lane) {
  alignas(16) std::uint32_t nothing[4] = {};
  const auto from = reinterpret_cast<std::uintptr_t>(address);
  const auto instead = reinterpret_cast<std::uintptr_t>(nothing);
  const std::uintptr_t loads = 0 - static_cast<std::uintptr_t>(lane / 8 < kTiles);
  copy_wide<16>(row, reinterpret_cast<const void*>((from & loads) | (instead & ~loads)));
}

/// `ldmatrix`: each lane gets a word of each tile.
template <unsigned kTiles, bool kTurned, typename... Registers>
SIMT_INLINE void ldmatrix(Location where, const void* address, Registers&... registers) {
  static_assert(sizeof...(Registers) == kTiles && ((sizeof(Registers) == 4) && ...));
  alignas(16) std::uint32_t row[4];
  load_row<kTiles>(row, address, laneid());
  std::uint32_t words[kTiles];
  SpreadRows task = {{spread_rows, "ldmatrix"}, row, words, kTiles, kTiles, kTurned};
  perform_together(task, where);
  const std::uint32_t* next = words;
  (__builtin_memcpy(&registers, next++, sizeof(std::uint32_t)), ...);
}

/// The types of an `mma`.
template <MatrixElement kSum, MatrixElement kLeft, MatrixElement kRight, MatrixElement kAddend>
struct MatrixTypes {};

/// `mma.sync`: what it has in registers, all of them side by side.
template <unsigned kRows, unsigned kColumns, unsigned kDepth, bool kSaturates, MatrixElement kSum,
          MatrixElement kLeft, MatrixElement kRight, MatrixElement kAddend, typename... Results,
          typename... Inputs>
SIMT_INLINE void mma(Location where, MatrixTypes<kSum, kLeft, kRight, kAddend> /*types*/,
                     std::tuple<Results&...> results, const Inputs&... inputs) {
  constexpr auto kBytes = [](MatrixElement element, const MatrixLayout& layout) {
    return layout.elements() * bytes_of(element);
  };
  constexpr MatrixLayout kSums = layout_of_sum(kRows, kColumns);
  constexpr unsigned kOfLeft = kBytes(kLeft, layout_of_factor(kLeft, kRows, kDepth, true));
  constexpr unsigned kOfRight = kBytes(kRight, layout_of_factor(kRight, kColumns, kDepth, false));
  static_assert((sizeof(Inputs) + ...) == kOfLeft + kOfRight + kBytes(kAddend, kSums),
                "the inputs have other sizes than the instruction");
  static_assert((sizeof(Results) + ...) == kBytes(kSum, kSums),
                "the outputs have other sizes than the instruction");
  alignas(8) unsigned char in[(sizeof(Inputs) + ...)];
  alignas(8) unsigned char out[(sizeof(Results) + ...)];
  unsigned char* to = in;
  ((__builtin_memcpy(to, &inputs, sizeof(Inputs)), to += sizeof(Inputs)), ...);
  MatrixProduct product = {{multiply_matrices, "mma.sync", tensor_instructions_of(kRows, kColumns)},
                           kRows,
                           kColumns,
                           kDepth,
                           kLeft,
                           kRight,
                           kAddend,
                           kSum,
                           kSaturates,
                           in,
                           in + kOfLeft,
                           in + kOfLeft + kOfRight,
                           out};
  perform_together(product, where);
  const unsigned char* from = out;
  std::apply(
      [&](auto&... each) {
        ((__builtin_memcpy(&each, from, sizeof each), from += sizeof each), ...);
      },
      results);
}

}  // namespace simt::ptx
