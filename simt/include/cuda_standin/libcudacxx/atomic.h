/// \file
/// cuda::atomic, cuda::atomic_ref and their fence. Values have up to 8 bytes.
#pragma once

#include <cstddef>
#include <type_traits>

#include "simt/include/cuda_standin/libcudacxx/atomic_operations.h"

namespace cuda {
namespace details {

/// What of a type its differences are.
template <typename T>
struct DifferenceOf {
  using type = T;
};
template <typename T>
struct DifferenceOf<T*> {
  using type = ::std::ptrdiff_t;
};

/// The operations, over an object that `Self::object()` gives the address of.
template <typename Self, typename T, thread_scope Scope>
class AtomicInterface {
  static_assert(::std::is_trivially_copyable_v<T>, "an atomic value is copied as bytes");
  static_assert(sizeof(T) <= 8, "on the CPU executor, an atomic value has up to 8 bytes");
  using Place = simt::Location;

 public:
  using value_type = T;
  using difference_type = typename DifferenceOf<T>::type;
  static constexpr bool is_always_lock_free = true;

  SIMT_INLINE bool is_lock_free() const { return true; }
  SIMT_INLINE T load(memory_order order = memory_order_seq_cst,
                     Place where = Place::current()) const {
    return atomic_load<Scope>(object(), order, where);
  }
  SIMT_INLINE void store(T value, memory_order order = memory_order_seq_cst,
                         Place where = Place::current()) const {
    atomic_store<Scope>(object(), value, order, where);
  }
  SIMT_INLINE T exchange(T value, memory_order order = memory_order_seq_cst,
                         Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where, [&](T) { return value; });
  }
  SIMT_INLINE bool compare_exchange_strong(T& expected, T desired,
                                           memory_order order = memory_order_seq_cst,
                                           Place where = Place::current()) const {
    return atomic_compare_exchange<Scope>(object(), expected, desired, order, where);
  }
  SIMT_INLINE bool compare_exchange_strong(T& expected, T desired, memory_order success,
                                           memory_order, Place where = Place::current()) const {
    return compare_exchange_strong(expected, desired, success, where);
  }
  SIMT_INLINE bool compare_exchange_weak(T& expected, T desired,
                                         memory_order order = memory_order_seq_cst,
                                         Place where = Place::current()) const {
    return compare_exchange_strong(expected, desired, order, where);
  }
  SIMT_INLINE bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order,
                                         Place where = Place::current()) const {
    return compare_exchange_strong(expected, desired, success, where);
  }

  SIMT_INLINE T fetch_add(difference_type operand, memory_order order = memory_order_seq_cst,
                          Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where,
                                [&](T value) { return wrapping_sum(value, operand, false); });
  }
  SIMT_INLINE T fetch_sub(difference_type operand, memory_order order = memory_order_seq_cst,
                          Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where,
                                [&](T value) { return wrapping_sum(value, operand, true); });
  }
  SIMT_INLINE T fetch_and(T operand, memory_order order = memory_order_seq_cst,
                          Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where,
                                [&](T value) { return static_cast<T>(value & operand); });
  }
  SIMT_INLINE T fetch_or(T operand, memory_order order = memory_order_seq_cst,
                         Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where,
                                [&](T value) { return static_cast<T>(value | operand); });
  }
  SIMT_INLINE T fetch_xor(T operand, memory_order order = memory_order_seq_cst,
                          Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where,
                                [&](T value) { return static_cast<T>(value ^ operand); });
  }
  SIMT_INLINE T fetch_min(T operand, memory_order order = memory_order_seq_cst,
                          Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where,
                                [&](T value) { return operand < value ? operand : value; });
  }
  SIMT_INLINE T fetch_max(T operand, memory_order order = memory_order_seq_cst,
                          Place where = Place::current()) const {
    return atomic_change<Scope>(object(), order, where,
                                [&](T value) { return value < operand ? operand : value; });
  }

  /// Reads the value again and again until it is another one.
  SIMT_INLINE void wait(T old, memory_order order = memory_order_seq_cst,
                        Place where = Place::current()) const {
    while (load(order, where) == old) {
    }
  }
  SIMT_INLINE void notify_one() const {}
  SIMT_INLINE void notify_all() const {}

  SIMT_INLINE operator T() const { return load(); }
  SIMT_INLINE T operator++() const { return wrapping_sum(fetch_add(1), 1, false); }
  SIMT_INLINE T operator++(int) const { return fetch_add(1); }
  SIMT_INLINE T operator--() const { return wrapping_sum(fetch_sub(1), 1, true); }
  SIMT_INLINE T operator--(int) const { return fetch_sub(1); }
  SIMT_INLINE T operator+=(difference_type operand) const {
    return wrapping_sum(fetch_add(operand), operand, false);
  }
  SIMT_INLINE T operator-=(difference_type operand) const {
    return wrapping_sum(fetch_sub(operand), operand, true);
  }
  SIMT_INLINE T operator&=(T operand) const { return fetch_and(operand) & operand; }
  SIMT_INLINE T operator|=(T operand) const { return fetch_or(operand) | operand; }
  SIMT_INLINE T operator^=(T operand) const { return fetch_xor(operand) ^ operand; }

 private:
  SIMT_INLINE T* object() const { return static_cast<const Self*>(this)->object(); }
};

}  // namespace details

/// A value that is accessed by atomic operations alone.
template <typename T, thread_scope Scope = thread_scope_system>
class atomic : public details::AtomicInterface<atomic<T, Scope>, T, Scope> {
 public:
  atomic() = default;
  SIMT_INLINE constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  SIMT_INLINE T operator=(T value) {
    this->store(value);
    return value;
  }

 private:
  friend class details::AtomicInterface<atomic, T, Scope>;
  SIMT_INLINE T* object() const { return &value_; }

  alignas(sizeof(T)) mutable T value_;
};

/// Atomic operations on a value that lies elsewhere.
template <typename T, thread_scope Scope = thread_scope_system>
class atomic_ref : public details::AtomicInterface<atomic_ref<T, Scope>, T, Scope> {
 public:
  static constexpr ::std::size_t required_alignment = sizeof(T);

  SIMT_INLINE explicit atomic_ref(T& value) : object_(&value) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  SIMT_INLINE T operator=(T value) const {
    this->store(value);
    return value;
  }

 private:
  friend class details::AtomicInterface<atomic_ref, T, Scope>;
  SIMT_INLINE T* object() const { return object_; }

  T* object_;
};

/// Orders what the thread did before it.
SIMT_INLINE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed || scope == thread_scope_thread) return;
  if (scope == thread_scope_block) {
    __threadfence_block();
  } else {
    __threadfence();
  }
}
SIMT_INLINE void atomic_signal_fence(memory_order) {
  asm volatile("" ::: "memory");
}

namespace std {
template <typename T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <typename T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using ::cuda::atomic_thread_fence;
using atomic_int = atomic<int>;
using atomic_uint = atomic<unsigned>;
using atomic_bool = atomic<bool>;

/// A lock's flag.
class atomic_flag {
 public:
  SIMT_INLINE bool test_and_set(memory_order order = memory_order_seq_cst,
                                simt::Location where = simt::Location::current()) {
    return set_.exchange(1, order, where) != 0;
  }
  SIMT_INLINE bool test(memory_order order = memory_order_seq_cst,
                        simt::Location where = simt::Location::current()) const {
    return set_.load(order, where) != 0;
  }
  SIMT_INLINE void clear(memory_order order = memory_order_seq_cst,
                         simt::Location where = simt::Location::current()) {
    set_.store(0, order, where);
  }

 private:
  ::cuda::atomic<int, thread_scope_system> set_{0};
};
}  // namespace std

}  // namespace cuda
