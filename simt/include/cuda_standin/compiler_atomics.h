/// \file
/// The atomic operations that nvcc has as built-ins since CUDA 12.8: those of GNU's compilers, with
/// a scope. They count as the functions of atomics.h do, a load as a load and a store as a store.
/// Values have up to 8 bytes.
#pragma once

#include <cstddef>
#include <type_traits>

#include "simt/include/cuda_standin/atomics.h"
#include "simt/include/cuda_standin/memory_orders.h"

/// By this macro nvcc says that it has them.
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1

/// Their orders, as C++ and the compiler number them.
enum {
  __NV_ATOMIC_RELAXED = __ATOMIC_RELAXED,  ///< memory_order_relaxed
  __NV_ATOMIC_CONSUME = __ATOMIC_CONSUME,  ///< memory_order_consume
  __NV_ATOMIC_ACQUIRE = __ATOMIC_ACQUIRE,  ///< memory_order_acquire
  __NV_ATOMIC_RELEASE = __ATOMIC_RELEASE,  ///< memory_order_release
  __NV_ATOMIC_ACQ_REL = __ATOMIC_ACQ_REL,  ///< memory_order_acq_rel
  __NV_ATOMIC_SEQ_CST = __ATOMIC_SEQ_CST   ///< memory_order_seq_cst
};

/// Among which threads they order.
enum {
  __NV_THREAD_SCOPE_THREAD,   ///< one alone
  __NV_THREAD_SCOPE_BLOCK,    ///< of a block
  __NV_THREAD_SCOPE_CLUSTER,  ///< of a cluster
  __NV_THREAD_SCOPE_DEVICE,   ///< of the device
  __NV_THREAD_SCOPE_SYSTEM    ///< all threads, the host's too
};

namespace simt {
namespace compiler_atomics {

/// The unsigned integer of so many bytes.
template <std::size_t bytes>
struct WordOf {};
template <>
struct WordOf<1> {
  using type = unsigned char;
};
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned;
};
template <>
struct WordOf<8> {
  using type = unsigned long long;
};

/// A type that is no `const` or `volatile` one, to which nvcc does not apply them.
template <typename T>
constexpr bool kMayChange = !std::is_const_v<T> && !std::is_volatile_v<T>;

#define SIMT_REQUIRE_CHANGEABLE(T)                          \
  static_assert(simt::compiler_atomics::kMayChange<T>,      \
                "a pointer to const or volatile memory is " \
                "not what nvcc takes for a built-in atomic operation")

/// The sizes of values, of which nvcc takes 16 bytes, too.
#define SIMT_REQUIRE_SIZE(T, is_allowed, sizes)                     \
  static_assert(sizeof(T) != 16,                                    \
                "a built-in atomic operation on 16 bytes is not "   \
                "available on the CPU executor, which has " sizes); \
  static_assert(sizeof(T) == 16 || (is_allowed), "this built-in atomic operation takes " sizes)

/// What the forms whose names end in _n take.
#define SIMT_REQUIRE_INTEGER(T)        \
  static_assert(std::is_integral_v<T>, \
                "this built-in atomic operation takes integers; its form without _n any type")

/// A T as the bits of a word.
template <typename T>
struct Bits {
  SIMT_REQUIRE_CHANGEABLE(T);
  static_assert(std::is_trivially_copyable_v<T>, "an atomic value is copied as bytes");
  using Word = typename WordOf<sizeof(T)>::type;

  /// The object as a word.
  SIMT_INLINE static Word* at(T* address) { return reinterpret_cast<Word*>(address); }
  /// The value as a word.
  SIMT_INLINE static Word of(const T& value) {
    Word word;
    __builtin_memcpy(&word, static_cast<const void*>(&value), sizeof(T));
    return word;
  }
  /// A value elsewhere as a word: of any type of the same size, as the built-ins take it.
  template <typename Other>
  SIMT_INLINE static Word read(const Other* from) {
    static_assert(sizeof(Other) == sizeof(T), "both values must have the same size");
    Word word;
    __builtin_memcpy(&word, static_cast<const void*>(from), sizeof(T));
    return word;
  }
  /// Makes a word such a value.
  template <typename Other>
  SIMT_INLINE static void write(Word word, Other* to) {
    static_assert(sizeof(Other) == sizeof(T), "both values must have the same size");
    __builtin_memcpy(static_cast<void*>(to), &word, sizeof(T));
  }
};

/// Whether a scope is wider than a block.
SIMT_INLINE constexpr bool tells_other_blocks(int scope) {
  return scope > __NV_THREAD_SCOPE_BLOCK;
}

/// An atomic load.
template <typename T>
SIMT_INLINE typename Bits<T>::Word load(T* address, int order, Location where) {
  note_atomic_load(address, sizeof(T), where);
  const auto word = __atomic_load_n(Bits<T>::at(address), __ATOMIC_SEQ_CST);
  end_atomic(address, order);
  return word;
}

/// An atomic store.
template <typename T>
SIMT_INLINE void store(T* address, typename Bits<T>::Word word, int order, int scope,
                       Location where) {
  begin_atomic(address, order, tells_other_blocks(scope));
  note_atomic_store(address, sizeof(T), where);
  __atomic_store_n(Bits<T>::at(address), word, __ATOMIC_SEQ_CST);
}

/// Changes the value, and returns that before. `Number` is what the runtime has operations for; `T`
/// has its size.
template <typename Number, typename T>
SIMT_INLINE Number update(AtomicOperation operation, T* address, Number operand, int order,
                          int scope, Location where) {
  static_assert(sizeof(Number) == sizeof(T));
  begin_atomic(address, order, tells_other_blocks(scope));
  const Number before =
      atomic_update(operation, reinterpret_cast<Number*>(address), operand, where);
  end_atomic(address, order);
  return before;
}

/// Exchanges the value if it is what `expected` points to; else writes it there.
template <typename T, typename Expected>
SIMT_INLINE bool compare_exchange(T* address, Expected* expected, typename Bits<T>::Word desired,
                                  int success, int failure, int scope, Location where) {
  using Word = typename Bits<T>::Word;
  begin_atomic(address, success, tells_other_blocks(scope));
  const Word wanted = Bits<T>::read(expected);
  const Word before = atomic_compare_and_swap(Bits<T>::at(address), wanted, desired, where);
  end_atomic(address, acquires(failure) ? failure : success);
  if (before != wanted) Bits<T>::write(before, expected);
  return before == wanted;
}

/// What computes with a T: int for a long of 4 bytes, and so on.
template <typename T, bool is_enum = std::is_enum_v<T>>
struct NumberOf {
  using Signed = std::conditional_t<sizeof(T) == 4, int, long long>;
  using Unsigned = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  using Integer = std::conditional_t<std::is_signed_v<T>, Signed, Unsigned>;
  using type = std::conditional_t<std::is_floating_point_v<T>, T, Integer>;
};
template <typename T>
struct NumberOf<T, true> {
  using type = typename NumberOf<std::underlying_type_t<T>>::type;
};

/// Not deduced: a literal becomes what the pointer points to.
template <typename T>
using ValueOf = std::common_type_t<T>;

}  // namespace compiler_atomics
}  // namespace simt

// Loads and stores.

/// Returns the value.
template <typename T>
SIMT_INLINE T __nv_atomic_load_n(T* address, int order, int = __NV_THREAD_SCOPE_SYSTEM,
                                 simt::Location where = simt::Location::current()) {
  namespace atomics = simt::compiler_atomics;
  SIMT_REQUIRE_INTEGER(T);
  SIMT_REQUIRE_SIZE(T, sizeof(T) <= 8, "1, 2, 4 or 8 bytes");
  return static_cast<T>(atomics::load(address, order, where));
}
/// Writes the value to `to`.
template <typename T, typename Other>
SIMT_INLINE void __nv_atomic_load(T* address, Other* to, int order, int = __NV_THREAD_SCOPE_SYSTEM,
                                  simt::Location where = simt::Location::current()) {
  SIMT_REQUIRE_SIZE(T, sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                    "1, 2, 4 or 8 bytes");
  namespace atomics = simt::compiler_atomics;
  atomics::Bits<T>::write(atomics::load(address, order, where), to);
}
/// Makes it `value`.
template <typename T>
SIMT_INLINE void __nv_atomic_store_n(T* address, simt::compiler_atomics::ValueOf<T> value,
                                     int order, int scope = __NV_THREAD_SCOPE_SYSTEM,
                                     simt::Location where = simt::Location::current()) {
  namespace atomics = simt::compiler_atomics;
  SIMT_REQUIRE_INTEGER(T);
  SIMT_REQUIRE_SIZE(T, sizeof(T) <= 8, "1, 2, 4 or 8 bytes");
  atomics::store(address, atomics::Bits<T>::of(value), order, scope, where);
}
/// Makes it what `value` points to.
template <typename T, typename Other>
SIMT_INLINE void __nv_atomic_store(T* address, Other* value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM,
                                   simt::Location where = simt::Location::current()) {
  namespace atomics = simt::compiler_atomics;
  SIMT_REQUIRE_SIZE(T, sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                    "1, 2, 4 or 8 bytes");
  atomics::store(address, atomics::Bits<T>::read(value), order, scope, where);
}

// Exchanges.

/// Makes it `value`, and returns what it was before.
template <typename T>
SIMT_INLINE T __nv_atomic_exchange_n(T* address, simt::compiler_atomics::ValueOf<T> value,
                                     int order, int scope = __NV_THREAD_SCOPE_SYSTEM,
                                     simt::Location where = simt::Location::current()) {
  namespace atomics = simt::compiler_atomics;
  SIMT_REQUIRE_INTEGER(T);
  SIMT_REQUIRE_SIZE(T, sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
  return static_cast<T>(atomics::update(simt::AtomicOperation::kExchange, address,
                                        atomics::Bits<T>::of(value), order, scope, where));
}
/// Makes it what `value` points to, and writes what it was to `before`.
template <typename T, typename From, typename To>
SIMT_INLINE void __nv_atomic_exchange(T* address, From* value, To* before, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM,
                                      simt::Location where = simt::Location::current()) {
  namespace atomics = simt::compiler_atomics;
  SIMT_REQUIRE_SIZE(T, sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
  atomics::Bits<T>::write(atomics::update(simt::AtomicOperation::kExchange, address,
                                          atomics::Bits<T>::read(value), order, scope, where),
                          before);
}
/// Makes it `desired` and returns true if it is what `expected` points to; else writes it there.
template <typename T>
SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* address,
                                                simt::compiler_atomics::ValueOf<T>* expected,
                                                simt::compiler_atomics::ValueOf<T> desired, bool,
                                                int success, int failure,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM,
                                                simt::Location where = simt::Location::current()) {
  namespace atomics = simt::compiler_atomics;
  SIMT_REQUIRE_INTEGER(T);
  SIMT_REQUIRE_SIZE(T, sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "2, 4 or 8 bytes");
  return atomics::compare_exchange(address, expected, atomics::Bits<T>::of(desired), success,
                                   failure, scope, where);
}
/// The same with what `desired` points to.
template <typename T, typename Expected, typename Desired>
SIMT_INLINE bool __nv_atomic_compare_exchange(T* address, Expected* expected, Desired* desired,
                                              bool, int success, int failure,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM,
                                              simt::Location where = simt::Location::current()) {
  namespace atomics = simt::compiler_atomics;
  SIMT_REQUIRE_SIZE(T, sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "2, 4 or 8 bytes");
  return atomics::compare_exchange(address, expected, atomics::Bits<T>::read(desired), success,
                                   failure, scope, where);
}

// Arithmetic: one that returns the value before, and one that returns nothing.

#define SIMT_ARITHMETIC(name, operation, is_allowed, types)                                    \
  template <typename T>                                                                        \
  SIMT_INLINE T __nv_atomic_fetch_##name(T* address, simt::compiler_atomics::ValueOf<T> value, \
                                         int order, int scope = __NV_THREAD_SCOPE_SYSTEM,      \
                                         simt::Location where = simt::Location::current()) {   \
    SIMT_REQUIRE_CHANGEABLE(T);                                                                \
    static_assert((is_allowed) && (sizeof(T) == 4 || sizeof(T) == 8),                          \
                  "__nv_atomic_fetch_" #name " and __nv_atomic_" #name " take " types);        \
    using Number = typename simt::compiler_atomics::NumberOf<T>::type;                         \
    return static_cast<T>(simt::compiler_atomics::update(simt::AtomicOperation::operation,     \
                                                         address, static_cast<Number>(value),  \
                                                         order, scope, where));                \
  }                                                                                            \
  template <typename T>                                                                        \
  SIMT_INLINE void __nv_atomic_##name(T* address, simt::compiler_atomics::ValueOf<T> value,    \
                                      int order, int scope = __NV_THREAD_SCOPE_SYSTEM,         \
                                      simt::Location where = simt::Location::current()) {      \
    __nv_atomic_fetch_##name(address, value, order, scope, where);                             \
  }

#define SIMT_CAN_BE_ADDED(T) \
  (std::is_arithmetic_v<T> && !(std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8))
#define SIMT_TYPES_TO_ADD "int, unsigned, unsigned integers of 8 bytes, float and double"
#define SIMT_HAS_BITS(T) (std::is_integral_v<T> || std::is_enum_v<T>)
#define SIMT_TYPES_OF_BITS "integers of 4 or 8 bytes"

SIMT_ARITHMETIC(add, kAdd, SIMT_CAN_BE_ADDED(T), SIMT_TYPES_TO_ADD)
SIMT_ARITHMETIC(sub, kSub, SIMT_CAN_BE_ADDED(T), SIMT_TYPES_TO_ADD)
SIMT_ARITHMETIC(and, kAnd, SIMT_HAS_BITS(T), SIMT_TYPES_OF_BITS)
SIMT_ARITHMETIC(or, kOr, SIMT_HAS_BITS(T), SIMT_TYPES_OF_BITS)
SIMT_ARITHMETIC(xor, kXor, SIMT_HAS_BITS(T), SIMT_TYPES_OF_BITS)
SIMT_ARITHMETIC(min, kMin, std::is_integral_v<T>, SIMT_TYPES_OF_BITS)
SIMT_ARITHMETIC(max, kMax, std::is_integral_v<T>, SIMT_TYPES_OF_BITS)

#undef SIMT_TYPES_OF_BITS
#undef SIMT_HAS_BITS
#undef SIMT_TYPES_TO_ADD
#undef SIMT_CAN_BE_ADDED
#undef SIMT_ARITHMETIC
#undef SIMT_REQUIRE_INTEGER
#undef SIMT_REQUIRE_SIZE
#undef SIMT_REQUIRE_CHANGEABLE

/// Orders what the thread did before it.
SIMT_INLINE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED) return;
  if (simt::compiler_atomics::tells_other_blocks(scope)) {
    __threadfence();
  } else {
    __threadfence_block();
  }
}
