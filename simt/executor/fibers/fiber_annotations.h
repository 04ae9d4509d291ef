/// \file
/// Tells AddressSanitizer, in a build with it, which stack runs: fibers leave one for another
/// without a return. Elsewhere these functions are empty.
///
/// It must not keep local variables apart from the stack, as it does to find uses of them after a
/// return (`detect_stack_use_after_return`, off by default with g++).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(SIMT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

#if defined(SIMT_ADDRESS_SANITIZER)

/// What is known of the stacks of an OS thread.
struct KnownStacks {
  bool is_switching = false;
  const void* own = nullptr;  ///< the lowest address of the OS thread's own
  std::size_t own_bytes = 0;
};
inline constinit thread_local KnownStacks known_stacks = {};

/// The next jump goes to a fiber on this stack.
inline void announce_switch_to_fiber(std::uintptr_t stack, std::size_t bytes) {
  known_stacks.is_switching = true;
  __sanitizer_start_switch_fiber(nullptr, reinterpret_cast<const void*>(stack), bytes);
}

/// The next jump goes back to the OS thread's own stack.
inline void announce_switch_to_thread() {
  known_stacks.is_switching = true;
  __sanitizer_start_switch_fiber(nullptr, known_stacks.own, known_stacks.own_bytes);
}

/// Whoever was announced runs now.
inline void end_switch() {
  if (!known_stacks.is_switching) return;  // the caller went on at once
  known_stacks.is_switching = false;
  const void* left = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(nullptr, &left, &bytes);
  // The first switch leaves the OS thread's own stack.
  if (known_stacks.own == nullptr) known_stacks = {false, left, bytes};
}

/// Nobody comes back to what lies on this stack.
inline void forget_stack(const void* stack, std::size_t bytes) {
  __asan_unpoison_memory_region(stack, bytes);
}

#else

/// Nobody watches.
inline void announce_switch_to_fiber(std::uintptr_t, std::size_t) {}
/// Nobody watches.
inline void announce_switch_to_thread() {}
/// Nobody watches.
inline void end_switch() {}
/// Nobody watches.
inline void forget_stack(const void*, std::size_t) {}

#endif

}  // namespace simt
