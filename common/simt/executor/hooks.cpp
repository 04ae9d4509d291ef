// What compilers call from instrumented code: g++'s -fsanitize=thread and
// -fsanitize-coverage=trace-pc, clang's -fsanitize-coverage=trace-loads,trace-stores,trace-pc. No
// sanitizer is linked; these are its functions.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/simt/executor/memory_access.h"

#define WORKLOG_CODE_ADDRESS \
  reinterpret_cast<std::uintptr_t>(__builtin_extract_return_addr(__builtin_return_address(0)))

#define WORKLOG_ACCESS_HOOKS(bytes)                 \
  void __tsan_read##bytes(void* p) {                \
    simt::on_load(p, bytes, WORKLOG_CODE_ADDRESS);  \
  }                                                 \
  void __tsan_write##bytes(void* p) {               \
    simt::on_store(p, bytes, WORKLOG_CODE_ADDRESS); \
  }                                                 \
  void __tsan_unaligned_read##bytes(void* p) {      \
    simt::on_load(p, bytes, WORKLOG_CODE_ADDRESS);  \
  }                                                 \
  void __tsan_unaligned_write##bytes(void* p) {     \
    simt::on_store(p, bytes, WORKLOG_CODE_ADDRESS); \
  }                                                 \
  void __tsan_volatile_read##bytes(void* p) {       \
    simt::on_load(p, bytes, WORKLOG_CODE_ADDRESS);  \
  }                                                 \
  void __tsan_volatile_write##bytes(void* p) {      \
    simt::on_store(p, bytes, WORKLOG_CODE_ADDRESS); \
  }                                                 \
  void __sanitizer_cov_load##bytes(void* p) {       \
    simt::on_load(p, bytes, WORKLOG_CODE_ADDRESS);  \
  }                                                 \
  void __sanitizer_cov_store##bytes(void* p) {      \
    simt::on_store(p, bytes, WORKLOG_CODE_ADDRESS); \
  }

extern "C" {

WORKLOG_ACCESS_HOOKS(1)
WORKLOG_ACCESS_HOOKS(2)
WORKLOG_ACCESS_HOOKS(4)
WORKLOG_ACCESS_HOOKS(8)
WORKLOG_ACCESS_HOOKS(16)

void __sanitizer_cov_trace_pc() {
  simt::on_basic_block(WORKLOG_CODE_ADDRESS);
}

// Copies of whole objects.
void __tsan_read_range(void* p, std::size_t bytes) {
  simt::on_range(p, bytes, false, WORKLOG_CODE_ADDRESS);
}
void __tsan_write_range(void* p, std::size_t bytes) {
  simt::on_range(p, bytes, true, WORKLOG_CODE_ADDRESS);
}
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  simt::on_range(const_cast<void*>(from), bytes, false, WORKLOG_CODE_ADDRESS);
  simt::on_range(to, bytes, true, WORKLOG_CODE_ADDRESS);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  simt::on_range(const_cast<void*>(from), bytes, false, WORKLOG_CODE_ADDRESS);
  simt::on_range(to, bytes, true, WORKLOG_CODE_ADDRESS);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  simt::on_range(to, bytes, true, WORKLOG_CODE_ADDRESS);
  return std::memset(to, byte, bytes);
}

// Nothing to do for these.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
