/// \file
/// What cuda::atomic and cuda::atomic_ref do to a value of up to 8 bytes. In device code each
/// operation is counted and checked; it happens as host code's does, too.
#pragma once

#include <type_traits>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/libcudacxx/thread_scope.h"
#include "simt/include/cuda_standin/memory_orders.h"

namespace cuda {
namespace details {

template <thread_scope Scope>
SIMT_INLINE void begin_atomic(const void* object, memory_order order) {
  constexpr bool kTellsOtherBlocks = Scope == thread_scope_system || Scope == thread_scope_device;
  simt::begin_atomic(object, static_cast<int>(order), kTellsOtherBlocks);
}
SIMT_INLINE void end_atomic(const void* object, memory_order order) {
  simt::end_atomic(object, static_cast<int>(order));
}

template <thread_scope Scope, typename T>
SIMT_INLINE T atomic_load(const T* object, memory_order order, simt::Location where) {
  simt::note_atomic_load(object, sizeof(T), where);
  ::std::remove_const_t<T> value;
  __atomic_load(object, &value, __ATOMIC_SEQ_CST);
  end_atomic(object, order);
  return value;
}

template <thread_scope Scope, typename T>
SIMT_INLINE void atomic_store(T* object, T value, memory_order order, simt::Location where) {
  begin_atomic<Scope>(object, order);
  simt::note_atomic_store(object, sizeof(T), where);
  __atomic_store(object, &value, __ATOMIC_SEQ_CST);
}

template <thread_scope Scope, typename T>
SIMT_INLINE bool atomic_compare_exchange(T* object, T& expected, T desired, memory_order order,
                                         simt::Location where) {
  begin_atomic<Scope>(object, order);
  simt::note_atomic(object, sizeof(T), where);
  T before = expected;
  const bool exchanged = __atomic_compare_exchange(object, &before, &desired, false,
                                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (!exchanged) expected = before;
  end_atomic(object, order);
  return exchanged;
}

/// Makes `change(before)` of the value, and returns that before.
template <thread_scope Scope, typename T, typename Change>
SIMT_INLINE T atomic_change(T* object, memory_order order, simt::Location where, Change change) {
  begin_atomic<Scope>(object, order);
  simt::note_atomic(object, sizeof(T), where);
  T before;
  __atomic_load(object, &before, __ATOMIC_RELAXED);
  T after = change(before);
  while (!__atomic_compare_exchange(object, &before, &after, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
    after = change(before);
  end_atomic(object, order);
  return before;
}

/// Sums and differences of signed integers wrap around.
template <typename T, typename Operand>
SIMT_INLINE T wrapping_sum(T value, Operand operand, bool subtract) {
  if constexpr (::std::is_integral_v<T>) {
    using Unsigned = ::std::make_unsigned_t<T>;
    const auto by = static_cast<Unsigned>(operand);
    return static_cast<T>(static_cast<Unsigned>(subtract ? static_cast<Unsigned>(value) - by
                                                         : static_cast<Unsigned>(value) + by));
  } else {
    return subtract ? value - operand : value + operand;
  }
}

}  // namespace details
}  // namespace cuda
