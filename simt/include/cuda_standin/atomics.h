/// \file
/// Atomic operations on global and shared memory. They are atomic among the executor's workers,
/// too, and return the value before. The `_block` and `_system` kinds are the same here.
#pragma once

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace simt {
/// What an atomic operation does with the value before and its operand.
enum class AtomicOperation {
  kAdd,
  kSub,
  kExchange,
  kMin,
  kMax,
  kIncrement,
  kDecrement,
  kAnd,
  kOr,
  kXor
};

/// Defined in the runtime for int, unsigned, long long, unsigned long long, float and double.
template <typename T>
T atomic_update(AtomicOperation operation, T* address, T operand, Location where);

/// Defined for unsigned short as well.
template <typename T>
T atomic_compare_and_swap(T* address, T expected, T desired, Location where);

/// Of a type that is added by its own operator and has the size of Word: __half, __half2 and their
/// like.
template <typename Word, typename T>
T atomic_add_as(T* address, T operand, Location where) {
  static_assert(sizeof(Word) == sizeof(T));
  auto* word = reinterpret_cast<Word*>(address);
  note_atomic(word, sizeof(Word), where);
  Word before = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), &before, sizeof(T));
    const T sum = value + operand;
    Word after;
    __builtin_memcpy(&after, static_cast<const void*>(&sum), sizeof(T));
    if (__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return value;
    }
  }
}
}  // namespace simt

#define SIMT_ATOMIC_NAMED(name, T, operation)                                                   \
  SIMT_INLINE T name(T* address, T operand, simt::Location where = simt::Location::current()) { \
    return simt::atomic_update(simt::AtomicOperation::operation, address, operand, where);      \
  }
#define SIMT_ATOMIC(name, T, operation)         \
  SIMT_ATOMIC_NAMED(name, T, operation)         \
  SIMT_ATOMIC_NAMED(name##_block, T, operation) \
  SIMT_ATOMIC_NAMED(name##_system, T, operation)

SIMT_ATOMIC(atomicAdd, int, kAdd)
SIMT_ATOMIC(atomicAdd, unsigned, kAdd)
SIMT_ATOMIC(atomicAdd, unsigned long long, kAdd)
SIMT_ATOMIC(atomicAdd, float, kAdd)
SIMT_ATOMIC(atomicAdd, double, kAdd)
SIMT_ATOMIC(atomicSub, int, kSub)
SIMT_ATOMIC(atomicSub, unsigned, kSub)
SIMT_ATOMIC(atomicExch, int, kExchange)
SIMT_ATOMIC(atomicExch, unsigned, kExchange)
SIMT_ATOMIC(atomicExch, unsigned long long, kExchange)
SIMT_ATOMIC(atomicExch, float, kExchange)
SIMT_ATOMIC(atomicMin, int, kMin)
SIMT_ATOMIC(atomicMin, unsigned, kMin)
SIMT_ATOMIC(atomicMin, long long, kMin)
SIMT_ATOMIC(atomicMin, unsigned long long, kMin)
SIMT_ATOMIC(atomicMax, int, kMax)
SIMT_ATOMIC(atomicMax, unsigned, kMax)
SIMT_ATOMIC(atomicMax, long long, kMax)
SIMT_ATOMIC(atomicMax, unsigned long long, kMax)
SIMT_ATOMIC(atomicInc, unsigned, kIncrement)
SIMT_ATOMIC(atomicDec, unsigned, kDecrement)
SIMT_ATOMIC(atomicAnd, int, kAnd)
SIMT_ATOMIC(atomicAnd, unsigned, kAnd)
SIMT_ATOMIC(atomicAnd, unsigned long long, kAnd)
SIMT_ATOMIC(atomicOr, int, kOr)
SIMT_ATOMIC(atomicOr, unsigned, kOr)
SIMT_ATOMIC(atomicOr, unsigned long long, kOr)
SIMT_ATOMIC(atomicXor, int, kXor)
SIMT_ATOMIC(atomicXor, unsigned, kXor)
SIMT_ATOMIC(atomicXor, unsigned long long, kXor)

#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_NAMED

#define SIMT_CAS_NAMED(name, T)                                              \
  SIMT_INLINE T name(T* address, T expected, T desired,                      \
                     simt::Location where = simt::Location::current()) {     \
    return simt::atomic_compare_and_swap(address, expected, desired, where); \
  }
#define SIMT_CAS(T)                  \
  SIMT_CAS_NAMED(atomicCAS, T)       \
  SIMT_CAS_NAMED(atomicCAS_block, T) \
  SIMT_CAS_NAMED(atomicCAS_system, T)

SIMT_CAS(int)
SIMT_CAS(unsigned)
SIMT_CAS(unsigned long long)
SIMT_CAS(unsigned short)

#undef SIMT_CAS
#undef SIMT_CAS_NAMED
