/// \file
/// Atomic operations on global and shared memory. They are atomic among the executor's workers,
/// too, and return the value before. The `_block` and `_system` kinds are the same here.
#pragma once

#include "common/simt/executor/executor.h"
#include "common/simt/include/cuda_standin/qualifiers.h"

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

#define WORKLOG_SIMT_ATOMIC_NAMED(name, T, operation)                                      \
  WORKLOG_SIMT_INLINE T name(T* address, T operand,                                        \
                             simt::Location where = simt::Location::current()) {           \
    return simt::atomic_update(simt::AtomicOperation::operation, address, operand, where); \
  }
#define WORKLOG_SIMT_ATOMIC(name, T, operation)         \
  WORKLOG_SIMT_ATOMIC_NAMED(name, T, operation)         \
  WORKLOG_SIMT_ATOMIC_NAMED(name##_block, T, operation) \
  WORKLOG_SIMT_ATOMIC_NAMED(name##_system, T, operation)

WORKLOG_SIMT_ATOMIC(atomicAdd, int, kAdd)
WORKLOG_SIMT_ATOMIC(atomicAdd, unsigned, kAdd)
WORKLOG_SIMT_ATOMIC(atomicAdd, unsigned long long, kAdd)
WORKLOG_SIMT_ATOMIC(atomicAdd, float, kAdd)
WORKLOG_SIMT_ATOMIC(atomicAdd, double, kAdd)
WORKLOG_SIMT_ATOMIC(atomicSub, int, kSub)
WORKLOG_SIMT_ATOMIC(atomicSub, unsigned, kSub)
WORKLOG_SIMT_ATOMIC(atomicExch, int, kExchange)
WORKLOG_SIMT_ATOMIC(atomicExch, unsigned, kExchange)
WORKLOG_SIMT_ATOMIC(atomicExch, unsigned long long, kExchange)
WORKLOG_SIMT_ATOMIC(atomicExch, float, kExchange)
WORKLOG_SIMT_ATOMIC(atomicMin, int, kMin)
WORKLOG_SIMT_ATOMIC(atomicMin, unsigned, kMin)
WORKLOG_SIMT_ATOMIC(atomicMin, long long, kMin)
WORKLOG_SIMT_ATOMIC(atomicMin, unsigned long long, kMin)
WORKLOG_SIMT_ATOMIC(atomicMax, int, kMax)
WORKLOG_SIMT_ATOMIC(atomicMax, unsigned, kMax)
WORKLOG_SIMT_ATOMIC(atomicMax, long long, kMax)
WORKLOG_SIMT_ATOMIC(atomicMax, unsigned long long, kMax)
WORKLOG_SIMT_ATOMIC(atomicInc, unsigned, kIncrement)
WORKLOG_SIMT_ATOMIC(atomicDec, unsigned, kDecrement)
WORKLOG_SIMT_ATOMIC(atomicAnd, int, kAnd)
WORKLOG_SIMT_ATOMIC(atomicAnd, unsigned, kAnd)
WORKLOG_SIMT_ATOMIC(atomicAnd, unsigned long long, kAnd)
WORKLOG_SIMT_ATOMIC(atomicOr, int, kOr)
WORKLOG_SIMT_ATOMIC(atomicOr, unsigned, kOr)
WORKLOG_SIMT_ATOMIC(atomicOr, unsigned long long, kOr)
WORKLOG_SIMT_ATOMIC(atomicXor, int, kXor)
WORKLOG_SIMT_ATOMIC(atomicXor, unsigned, kXor)
WORKLOG_SIMT_ATOMIC(atomicXor, unsigned long long, kXor)

#undef WORKLOG_SIMT_ATOMIC
#undef WORKLOG_SIMT_ATOMIC_NAMED

#define WORKLOG_SIMT_CAS_NAMED(name, T)                                          \
  WORKLOG_SIMT_INLINE T name(T* address, T expected, T desired,                  \
                             simt::Location where = simt::Location::current()) { \
    return simt::atomic_compare_and_swap(address, expected, desired, where);     \
  }
#define WORKLOG_SIMT_CAS(T)                  \
  WORKLOG_SIMT_CAS_NAMED(atomicCAS, T)       \
  WORKLOG_SIMT_CAS_NAMED(atomicCAS_block, T) \
  WORKLOG_SIMT_CAS_NAMED(atomicCAS_system, T)

WORKLOG_SIMT_CAS(int)
WORKLOG_SIMT_CAS(unsigned)
WORKLOG_SIMT_CAS(unsigned long long)
WORKLOG_SIMT_CAS(unsigned short)

#undef WORKLOG_SIMT_CAS
#undef WORKLOG_SIMT_CAS_NAMED
