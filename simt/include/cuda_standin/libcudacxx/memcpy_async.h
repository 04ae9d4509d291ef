/// \file
/// Copies that go on while the thread does: from global to shared memory in pieces of 16, 8 or 4
/// bytes where addresses and size allow (cp.async), else at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/libcudacxx/barrier.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace cuda {

/// A number of bytes, of which and of the addresses beside it is known that they are multiples.
template <::std::size_t kAlignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = kAlignment;  ///< of these
  ::std::size_t value;                                ///< the number
  SIMT_INLINE explicit constexpr aligned_size_t(::std::size_t size) : value(size) {}
  SIMT_INLINE constexpr operator ::std::size_t() const { return value; }
};

namespace details {

/// The threads of a group that is one thread.
struct SingleThread {
  SIMT_INLINE static unsigned thread_rank() { return 0; }
  SIMT_INLINE static unsigned size() { return 1; }
};

/// The width of the pieces in which a copy can go on by itself; 0 if in none.
SIMT_INLINE ::std::size_t async_piece(const void* to, const void* from, ::std::size_t bytes) {
  if (!simt::is_shared_memory(to) || simt::is_shared_memory(from)) return 0;
  const ::std::size_t all =
      reinterpret_cast<::std::uintptr_t>(to) | reinterpret_cast<::std::uintptr_t>(from) | bytes;
  for (::std::size_t piece = 16; piece >= 4; piece /= 2)
    if (all % piece == 0) return piece;
  return 0;
}

/// The calling thread's share of a group's copy; `start(to, from, bytes)` begins one of a piece.
template <typename Group, typename Start>
SIMT_INLINE void copy_share(const Group& group, void* to, const void* from, ::std::size_t bytes,
                            Start start) {
  auto* const target = static_cast<char*>(to);
  const auto* const source = static_cast<const char*>(from);
  const auto rank = static_cast<::std::size_t>(group.thread_rank());
  const auto threads = static_cast<::std::size_t>(group.size());
  if (const ::std::size_t piece = async_piece(to, from, bytes)) {
    for (::std::size_t at = rank * piece; at < bytes; at += threads * piece)
      start(target + at, source + at, piece);
  } else {
    for (::std::size_t at = rank; at < bytes; at += threads)
      target[at] = source[at];
  }
}

}  // namespace details

/// The group's threads copy together; what they copy has arrived when the barrier's phase ends.
template <typename Group, thread_scope Scope, typename Completion>
SIMT_INLINE void memcpy_async(const Group& group, void* to, const void* from, ::std::size_t bytes,
                              barrier<Scope, Completion>& waits,
                              simt::Location where = simt::Location::current()) {
  details::copy_share(group, to, from, bytes,
                      [&](char* target, const char* source, ::std::size_t piece) {
                        simt::start_async_copy_for(waits.state(), target, source, piece, where);
                      });
}
/// The calling thread copies all of it.
template <thread_scope Scope, typename Completion>
SIMT_INLINE void memcpy_async(void* to, const void* from, ::std::size_t bytes,
                              barrier<Scope, Completion>& waits,
                              simt::Location where = simt::Location::current()) {
  memcpy_async(details::SingleThread{}, to, from, bytes, waits, where);
}

}  // namespace cuda
