/// \file
/// Between which threads an atomic object or a barrier is shared, and the orders of memory.
#pragma once

#include <atomic>

#include "simt/include/cuda_standin/libcudacxx/std_namespace.h"

namespace cuda {

/// All of them are the same to the executor but for what they tell its checkers.
enum thread_scope {
  thread_scope_system = 0,   ///< all threads, the host's too
  thread_scope_device = 1,   ///< of the device
  thread_scope_block = 2,    ///< of a block
  thread_scope_thread = 10,  ///< one alone
};

using ::std::memory_order;
inline constexpr memory_order memory_order_relaxed = ::std::memory_order_relaxed;
inline constexpr memory_order memory_order_consume = ::std::memory_order_consume;
inline constexpr memory_order memory_order_acquire = ::std::memory_order_acquire;
inline constexpr memory_order memory_order_release = ::std::memory_order_release;
inline constexpr memory_order memory_order_acq_rel = ::std::memory_order_acq_rel;
inline constexpr memory_order memory_order_seq_cst = ::std::memory_order_seq_cst;

}  // namespace cuda
