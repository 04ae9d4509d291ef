/// \file
/// cuda::barrier in a block's shared memory, and copies that one waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/libcudacxx/thread_scope.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace cuda {
namespace details {
/// What a barrier without a completion function calls.
struct NoCompletion {
  void operator()() const noexcept {}
};

/// A number of bytes that a phase shall expect, or one that is too large.
SIMT_INLINE constexpr ::std::uint32_t bytes_of(::std::ptrdiff_t bytes) {
  constexpr ::std::ptrdiff_t kTooMany = 1 << 20;
  return static_cast<::std::uint32_t>(bytes >= 0 && bytes < kTooMany ? bytes : kTooMany);
}
}  // namespace details

/// Threads arrive, go on, and wait later until all have arrived. Its state is the executor's: what
/// lies in shared memory is its place alone, and the completion function.
template <thread_scope Scope, typename Completion = details::NoCompletion>
class barrier : private Completion {
  static_assert(Scope != thread_scope_thread, "a barrier of one thread");
  using Place = simt::Location;

 public:
  /// Which phase a thread has arrived in.
  class arrival_token {
   public:
    arrival_token() = default;

   private:
    friend class barrier;
    SIMT_INLINE explicit arrival_token(::std::uint64_t phase) : phase_(phase) {}
    ::std::uint64_t phase_ = 0;
  };

  barrier() = default;
  SIMT_INLINE explicit barrier(::std::ptrdiff_t expected, Completion completion = Completion(),
                               Place where = Place::current())
      : Completion(completion) {
    make(expected, where);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  SIMT_INLINE static constexpr ::std::ptrdiff_t max() { return (1 << 20) - 1; }

  [[nodiscard]] SIMT_INLINE arrival_token arrive(::std::ptrdiff_t count = 1,
                                                 Place where = Place::current()) {
    return arrival_token(simt::arrive_at_async_barrier(state(), arrival(count, false), where));
  }
  SIMT_INLINE void wait(arrival_token&& token, Place where = Place::current()) const {
    simt::wait_for_async_barrier(state(), token.phase_, where);
  }
  SIMT_INLINE void arrive_and_wait(Place where = Place::current()) {
    wait(arrive(1, where), where);
  }
  SIMT_INLINE void arrive_and_drop(Place where = Place::current()) {
    simt::arrive_at_async_barrier(state(), arrival(1, true), where);
  }
  /// Waits until no phase of that parity is under way.
  SIMT_INLINE void wait_parity(bool parity, Place where = Place::current()) const {
    simt::wait_for_async_barrier(state(), simt::async_barrier_phase(state(), parity, where), where);
  }
  /// These wait for as long as others can go on, which is one of the times that they may.
  SIMT_INLINE bool try_wait(arrival_token&& token, Place where = Place::current()) const {
    return simt::try_async_barrier(state(), token.phase_, where);
  }
  SIMT_INLINE bool try_wait_parity(bool parity, Place where = Place::current()) const {
    return simt::try_async_barrier(state(), simt::async_barrier_phase(state(), parity, where),
                                   where);
  }

  SIMT_INLINE friend void init(barrier* made, ::std::ptrdiff_t expected,
                               Completion completion = Completion(),
                               Place where = Place::current()) {
    if constexpr (!::std::is_same_v<Completion, details::NoCompletion>)
      ::new (static_cast<void*>(static_cast<Completion*>(made))) Completion(completion);
    made->make(expected, where);
  }

  /// By which the executor knows it.
  SIMT_INLINE void* state() const { return &state_; }
  /// Arrives, and lets the phase expect some bytes more.
  SIMT_INLINE arrival_token arrive_tx(::std::ptrdiff_t count, ::std::ptrdiff_t bytes, Place where) {
    simt::AsyncArrival arrives = arrival(count, false);
    arrives.bytes = details::bytes_of(bytes);
    return arrival_token(simt::arrive_at_async_barrier(state(), arrives, where));
  }

 private:
  SIMT_INLINE void make(::std::ptrdiff_t expected, Place where) {
    constexpr ::std::ptrdiff_t kTooMany = max() + 1;
    const bool fits = expected >= 0 && expected < kTooMany;
    simt::init_async_barrier(state(), static_cast<::std::uint32_t>(fits ? expected : kTooMany),
                             where);
  }
  SIMT_INLINE simt::AsyncArrival arrival(::std::ptrdiff_t count, bool drops) {
    simt::AsyncArrival arrival;
    arrival.count = count > 0 && count <= max() ? static_cast<::std::uint32_t>(count) : 0;
    arrival.drops = drops;
    if constexpr (!::std::is_same_v<Completion, details::NoCompletion>) {
      arrival.completion = [](void* of) { (*static_cast<Completion*>(of))(); };
      arrival.completion_of = static_cast<Completion*>(this);
    }
    return arrival;
  }

  alignas(8) mutable unsigned char state_[8];
};

/// Barriers that bytes count for as well: asynchronous stores here, of libcu++'s calls there.
namespace device {
/// What functions of cuda::ptx take.
SIMT_INLINE ::std::uint64_t* barrier_native_handle(barrier<thread_scope_block>& of) {
  return static_cast<::std::uint64_t*>(of.state());
}
[[nodiscard]] SIMT_INLINE barrier<thread_scope_block>::arrival_token barrier_arrive_tx(
    barrier<thread_scope_block>& at, ::std::ptrdiff_t count, ::std::ptrdiff_t bytes,
    simt::Location where = simt::Location::current()) {
  return at.arrive_tx(count, bytes, where);
}
SIMT_INLINE void barrier_expect_tx(barrier<thread_scope_block>& of, ::std::ptrdiff_t bytes,
                                   simt::Location where = simt::Location::current()) {
  simt::expect_bytes(of.state(), details::bytes_of(bytes), simt::BarrierPlace::kBlock, where);
}
}  // namespace device

namespace std {
template <typename Completion = ::cuda::details::NoCompletion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}  // namespace std

}  // namespace cuda
