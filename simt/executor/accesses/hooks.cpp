// What compilers call from instrumented code: g++'s -fsanitize=thread and
// -fsanitize-coverage=trace-pc, clang's -fsanitize-coverage=trace-loads,trace-stores,trace-pc. No
// sanitizer is linked; these are its functions.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simt/executor/accesses/memory_access.h"
#include "simt/executor/accesses/waiting_loops.h"
#include "simt/executor/log/block_hook.h"

#define SIMT_HOOK(name, bytes, direction)                                           \
  void name(void* pointer) {                                                        \
    simt::on_access<bytes, simt::Direction::direction>(pointer, SIMT_CODE_ADDRESS); \
  }
#define SIMT_VOLATILE_HOOK(name, bytes, direction)                                        \
  void name(void* pointer) {                                                              \
    simt::on_access<bytes, simt::Direction::direction, true>(pointer, SIMT_CODE_ADDRESS); \
  }
#define SIMT_LOOK_HOOK(name, bytes)                                                   \
  void name(void* pointer) {                                                          \
    simt::on_access<bytes, simt::Direction::kLoad, true>(pointer, SIMT_CODE_ADDRESS); \
    simt::note_look();                                                                \
  }
// Of a type that is aligned to less than its size: nvcc takes it in pieces.
#define SIMT_UNALIGNED_HOOK(name, bytes, direction)                                \
  void name(void* pointer) {                                                       \
    simt::on_range(pointer, bytes, simt::Direction::direction, SIMT_CODE_ADDRESS); \
  }
// Of a type that may be.
#define SIMT_UNSURE_HOOK(name, bytes, direction)                                 \
  void name(void* pointer) {                                                     \
    const std::uintptr_t code_address = SIMT_CODE_ADDRESS;                       \
    if (reinterpret_cast<std::uintptr_t>(pointer) % bytes != 0) {                \
      simt::on_range(pointer, bytes, simt::Direction::direction, code_address);  \
    } else {                                                                     \
      simt::on_access<bytes, simt::Direction::direction>(pointer, code_address); \
    }                                                                            \
  }

// g++ says which accesses may be unaligned. clang does not: it copies a structure of two 4-byte
// members in one access of 8 bytes, wherever it lies. Only its 16-byte accesses are sure to be of
// aligned types.
#define SIMT_GNU_HOOKS(bytes)                                     \
  SIMT_HOOK(__tsan_read##bytes, bytes, kLoad)                     \
  SIMT_HOOK(__tsan_write##bytes, bytes, kStore)                   \
  SIMT_LOOK_HOOK(__tsan_volatile_read##bytes, bytes)              \
  SIMT_VOLATILE_HOOK(__tsan_volatile_write##bytes, bytes, kStore) \
  SIMT_UNALIGNED_HOOK(__tsan_unaligned_read##bytes, bytes, kLoad) \
  SIMT_UNALIGNED_HOOK(__tsan_unaligned_write##bytes, bytes, kStore)
#define SIMT_CLANG_HOOKS(bytes)                               \
  SIMT_UNSURE_HOOK(__sanitizer_cov_load##bytes, bytes, kLoad) \
  SIMT_UNSURE_HOOK(__sanitizer_cov_store##bytes, bytes, kStore)

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the compilers' names
extern "C" {

SIMT_GNU_HOOKS(1)
SIMT_GNU_HOOKS(2)
SIMT_GNU_HOOKS(4)
SIMT_GNU_HOOKS(8)
SIMT_GNU_HOOKS(16)
SIMT_CLANG_HOOKS(1)
SIMT_CLANG_HOOKS(2)
SIMT_CLANG_HOOKS(4)
SIMT_CLANG_HOOKS(8)
SIMT_HOOK(__sanitizer_cov_load16, 16, kLoad)
SIMT_HOOK(__sanitizer_cov_store16, 16, kStore)

void __sanitizer_cov_trace_pc() {
  // Device code keeps frame pointers: a frame begins with that of the caller.
  const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  simt::on_basic_block(SIMT_CODE_ADDRESS, frame[0]);
}

// Copies of whole objects.
void __tsan_read_range(void* p, std::size_t bytes) {
  simt::on_range(p, bytes, simt::Direction::kLoad, SIMT_CODE_ADDRESS);
}
void __tsan_write_range(void* p, std::size_t bytes) {
  simt::on_range(p, bytes, simt::Direction::kStore, SIMT_CODE_ADDRESS);
}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  simt::on_range(const_cast<void*>(from), bytes, simt::Direction::kLoad, SIMT_CODE_ADDRESS);
  simt::on_range(to, bytes, simt::Direction::kStore, SIMT_CODE_ADDRESS);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  simt::on_range(const_cast<void*>(from), bytes, simt::Direction::kLoad, SIMT_CODE_ADDRESS);
  simt::on_range(to, bytes, simt::Direction::kStore, SIMT_CODE_ADDRESS);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  simt::on_range(to, bytes, simt::Direction::kStore, SIMT_CODE_ADDRESS);
  return std::memset(to, byte, bytes);
}

// An object is told of which class it is: a store like others.
void __tsan_vptr_update(void** pointer, void*) {
  simt::on_access<sizeof(void*), simt::Direction::kStore>(pointer, SIMT_CODE_ADDRESS);
}

// Nothing to do for these.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

std::uintptr_t simt::block_hook() {
  return reinterpret_cast<std::uintptr_t>(&__sanitizer_cov_trace_pc);
}
