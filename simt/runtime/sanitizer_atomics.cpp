// g++'s instrumentation turns the atomic operations of C++ into calls: those of std::atomic, and
// those that guard the initialization of a function's static variable. Here they are done,
// sequentially consistent whatever was asked for. CUDA's atomics (atomics.cpp) do not come by here.

#include <cstdint>

// The names are the sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define SIMT_ATOMIC_UPDATE(bits, name, builtin)                                        \
  std::uint##bits##_t __tsan_atomic##bits##_##name(std::uint##bits##_t* address,       \
                                                   std::uint##bits##_t operand, int) { \
    return builtin(address, operand, __ATOMIC_SEQ_CST);                                \
  }

#define SIMT_ATOMIC_COMPARE(bits, strength)                                                      \
  int __tsan_atomic##bits##_compare_exchange_##strength(std::uint##bits##_t* address,            \
                                                        std::uint##bits##_t* expected,           \
                                                        std::uint##bits##_t desired, int, int) { \
    return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,      \
                                       __ATOMIC_SEQ_CST);                                        \
  }

#define SIMT_ATOMICS(bits)                                                                         \
  std::uint##bits##_t __tsan_atomic##bits##_load(const std::uint##bits##_t* address, int) {        \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  void __tsan_atomic##bits##_store(std::uint##bits##_t* address, std::uint##bits##_t value, int) { \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  SIMT_ATOMIC_UPDATE(bits, exchange, __atomic_exchange_n)                                          \
  SIMT_ATOMIC_UPDATE(bits, fetch_add, __atomic_fetch_add)                                          \
  SIMT_ATOMIC_UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                          \
  SIMT_ATOMIC_UPDATE(bits, fetch_and, __atomic_fetch_and)                                          \
  SIMT_ATOMIC_UPDATE(bits, fetch_or, __atomic_fetch_or)                                            \
  SIMT_ATOMIC_UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                          \
  SIMT_ATOMIC_UPDATE(bits, fetch_nand, __atomic_fetch_nand)                                        \
  SIMT_ATOMIC_COMPARE(bits, strong)                                                                \
  SIMT_ATOMIC_COMPARE(bits, weak)                                                                  \
  std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                  \
      std::uint##bits##_t* address, std::uint##bits##_t expected, std::uint##bits##_t desired,     \
      int, int) {                                                                                  \
    __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST,              \
                                __ATOMIC_SEQ_CST);                                                 \
    return expected;                                                                               \
  }

extern "C" {
SIMT_ATOMICS(8)
SIMT_ATOMICS(16)
SIMT_ATOMICS(32)
SIMT_ATOMICS(64)
}
// NOLINTEND(bugprone-reserved-identifier)
