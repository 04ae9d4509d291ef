/// \file
/// What a handler of signals is told of the code that it interrupted.
#pragma once

#include <cstdint>
#include <ucontext.h>

namespace simt {

/// Where in the code a signal came, as its handler is told; 0 where it is not known how to ask.
inline std::uintptr_t interrupted_code([[maybe_unused]] void* context) {
#if defined(__linux__) && defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#elif defined(__APPLE__) && defined(__x86_64__)
  return static_cast<ucontext_t*>(context)->uc_mcontext->__ss.__rip;
#elif defined(__APPLE__) && defined(__aarch64__)
  return __darwin_arm_thread_state64_get_pc(static_cast<ucontext_t*>(context)->uc_mcontext->__ss);
#else
  return 0;
#endif
}

}  // namespace simt
