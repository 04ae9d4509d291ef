/// \file
/// Barriers of 8 bytes in shared memory (mbarrier) and stores that count for one (st.async), as
/// libcu++'s cuda::ptx has them: without the variants that order no memory (`sem_relaxed`) where
/// there is one that does, and without bulk copies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/executor/executor.h"
#include "simt/include/cuda_standin/libcudacxx/ptx_variants.h"
#include "simt/include/cuda_standin/qualifiers.h"

namespace cuda::ptx {

namespace details {
using Place = simt::Location;

constexpr simt::BarrierPlace kBlock = simt::BarrierPlace::kBlock;
constexpr simt::BarrierPlace kCluster = simt::BarrierPlace::kCluster;

SIMT_INLINE ::std::uint64_t arrive(::std::uint64_t* addr, ::std::uint32_t count,
                                   ::std::uint32_t bytes, simt::BarrierPlace place, Place where) {
  simt::AsyncArrival arrival;
  arrival.count = count;
  arrival.bytes = bytes;
  arrival.place = place;
  return simt::arrive_at_async_barrier(addr, arrival, where);
}

/// Waits for as long as others can go on, which is one of the times that a try may.
SIMT_INLINE bool try_wait(::std::uint64_t* addr, ::std::uint64_t phase, Place where) {
  return simt::try_async_barrier(addr, phase, where);
}
SIMT_INLINE ::std::uint64_t phase_of(::std::uint64_t* addr, ::std::uint32_t parity, Place where) {
  return simt::async_barrier_phase(addr, (parity & 1) != 0, where);
}

template <typename Type>
SIMT_INLINE void store(Type* addr, const void* values, ::std::size_t bytes, ::std::uint64_t* bar,
                       Place where) {
  static_assert(sizeof(Type) == 4 || sizeof(Type) == 8, "of a type of 4 or 8 bytes");
  simt::store_async(addr, values, bytes, bar, where);
}
}  // namespace details

// ---- making one ----

SIMT_INLINE void mbarrier_init(::std::uint64_t* addr, const ::std::uint32_t& count,
                               details::Place where = details::Place::current()) {
  simt::init_async_barrier(addr, count, where);
}
/// Barriers of the cluster, by which other blocks come to know of it, follow.
SIMT_INLINE void fence_mbarrier_init(sem_release_t, scope_cluster_t) {}

// ---- arriving at one of the own block ----

SIMT_INLINE ::std::uint64_t mbarrier_arrive(::std::uint64_t* addr,
                                            details::Place where = details::Place::current()) {
  return details::arrive(addr, 1, 0, details::kBlock, where);
}
SIMT_INLINE ::std::uint64_t mbarrier_arrive(::std::uint64_t* addr, const ::std::uint32_t& count,
                                            details::Place where = details::Place::current()) {
  return details::arrive(addr, count, 0, details::kBlock, where);
}
template <dot_scope Scope>
SIMT_INLINE ::std::uint64_t mbarrier_arrive(sem_release_t, scope_t<Scope>, space_shared_t,
                                            ::std::uint64_t* addr,
                                            details::Place where = details::Place::current()) {
  return details::arrive(addr, 1, 0, details::kBlock, where);
}
template <dot_scope Scope>
SIMT_INLINE ::std::uint64_t mbarrier_arrive(sem_release_t, scope_t<Scope>, space_shared_t,
                                            ::std::uint64_t* addr, const ::std::uint32_t& count,
                                            details::Place where = details::Place::current()) {
  return details::arrive(addr, count, 0, details::kBlock, where);
}
/// The phase expects so many bytes more.
template <dot_scope Scope>
SIMT_INLINE ::std::uint64_t mbarrier_arrive_expect_tx(
    sem_release_t, scope_t<Scope>, space_shared_t, ::std::uint64_t* addr,
    const ::std::uint32_t& tx_count, details::Place where = details::Place::current()) {
  return details::arrive(addr, 1, tx_count, details::kBlock, where);
}
template <dot_scope Scope>
SIMT_INLINE void mbarrier_expect_tx(sem_relaxed_t, scope_t<Scope>, space_shared_t,
                                    ::std::uint64_t* addr, ::std::uint32_t tx_count,
                                    details::Place where = details::Place::current()) {
  simt::expect_bytes(addr, tx_count, details::kBlock, where);
}

// ---- at one of any block of the cluster ----

SIMT_INLINE void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t,
                                 ::std::uint64_t* addr,
                                 details::Place where = details::Place::current()) {
  details::arrive(addr, 1, 0, details::kCluster, where);
}
SIMT_INLINE void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t,
                                 ::std::uint64_t* addr, const ::std::uint32_t& count,
                                 details::Place where = details::Place::current()) {
  details::arrive(addr, count, 0, details::kCluster, where);
}
SIMT_INLINE void mbarrier_arrive_expect_tx(sem_release_t, scope_cluster_t, space_cluster_t,
                                           ::std::uint64_t* addr, const ::std::uint32_t& tx_count,
                                           details::Place where = details::Place::current()) {
  details::arrive(addr, 1, tx_count, details::kCluster, where);
}
template <dot_scope Scope>
SIMT_INLINE void mbarrier_expect_tx(sem_relaxed_t, scope_t<Scope>, space_cluster_t,
                                    ::std::uint64_t* addr, ::std::uint32_t tx_count,
                                    details::Place where = details::Place::current()) {
  simt::expect_bytes(addr, tx_count, details::kCluster, where);
}

// ---- waiting at one of the own block ----

SIMT_INLINE bool mbarrier_test_wait(::std::uint64_t* addr, const ::std::uint64_t& state,
                                    details::Place where = details::Place::current()) {
  return simt::async_barrier_has_passed(addr, state, where);
}
template <dot_scope Scope>
SIMT_INLINE bool mbarrier_test_wait(sem_acquire_t, scope_t<Scope>, ::std::uint64_t* addr,
                                    const ::std::uint64_t& state,
                                    details::Place where = details::Place::current()) {
  return simt::async_barrier_has_passed(addr, state, where);
}
SIMT_INLINE bool mbarrier_test_wait_parity(::std::uint64_t* addr, const ::std::uint32_t& parity,
                                           details::Place where = details::Place::current()) {
  return simt::async_barrier_has_passed(addr, details::phase_of(addr, parity, where), where);
}
template <dot_scope Scope>
SIMT_INLINE bool mbarrier_test_wait_parity(sem_acquire_t, scope_t<Scope>, ::std::uint64_t* addr,
                                           const ::std::uint32_t& parity,
                                           details::Place where = details::Place::current()) {
  return simt::async_barrier_has_passed(addr, details::phase_of(addr, parity, where), where);
}

SIMT_INLINE bool mbarrier_try_wait(::std::uint64_t* addr, const ::std::uint64_t& state,
                                   details::Place where = details::Place::current()) {
  return details::try_wait(addr, state, where);
}
SIMT_INLINE bool mbarrier_try_wait(::std::uint64_t* addr, const ::std::uint64_t& state,
                                   const ::std::uint32_t& /*nanoseconds*/,
                                   details::Place where = details::Place::current()) {
  return details::try_wait(addr, state, where);
}
template <dot_scope Scope>
SIMT_INLINE bool mbarrier_try_wait(sem_acquire_t, scope_t<Scope>, ::std::uint64_t* addr,
                                   const ::std::uint64_t& state,
                                   details::Place where = details::Place::current()) {
  return details::try_wait(addr, state, where);
}
template <dot_scope Scope>
SIMT_INLINE bool mbarrier_try_wait(sem_acquire_t, scope_t<Scope>, ::std::uint64_t* addr,
                                   const ::std::uint64_t& state,
                                   const ::std::uint32_t& /*nanoseconds*/,
                                   details::Place where = details::Place::current()) {
  return details::try_wait(addr, state, where);
}

SIMT_INLINE bool mbarrier_try_wait_parity(::std::uint64_t* addr, const ::std::uint32_t& parity,
                                          details::Place where = details::Place::current()) {
  return details::try_wait(addr, details::phase_of(addr, parity, where), where);
}
SIMT_INLINE bool mbarrier_try_wait_parity(::std::uint64_t* addr, const ::std::uint32_t& parity,
                                          const ::std::uint32_t& /*nanoseconds*/,
                                          details::Place where = details::Place::current()) {
  return details::try_wait(addr, details::phase_of(addr, parity, where), where);
}
template <dot_scope Scope>
SIMT_INLINE bool mbarrier_try_wait_parity(sem_acquire_t, scope_t<Scope>, ::std::uint64_t* addr,
                                          const ::std::uint32_t& parity,
                                          details::Place where = details::Place::current()) {
  return details::try_wait(addr, details::phase_of(addr, parity, where), where);
}
template <dot_scope Scope>
SIMT_INLINE bool mbarrier_try_wait_parity(sem_acquire_t, scope_t<Scope>, ::std::uint64_t* addr,
                                          const ::std::uint32_t& parity,
                                          const ::std::uint32_t& /*nanoseconds*/,
                                          details::Place where = details::Place::current()) {
  return details::try_wait(addr, details::phase_of(addr, parity, where), where);
}

// ---- variants that order no memory: not available on the CPU executor ----

template <dot_scope Scope, typename... Rest>
void mbarrier_arrive(sem_relaxed_t, scope_t<Scope>, Rest&&...) = delete;
template <dot_scope Scope, typename... Rest>
void mbarrier_arrive_expect_tx(sem_relaxed_t, scope_t<Scope>, Rest&&...) = delete;
template <dot_scope Scope, typename... Rest>
void mbarrier_test_wait(sem_relaxed_t, scope_t<Scope>, Rest&&...) = delete;
template <dot_scope Scope, typename... Rest>
void mbarrier_test_wait_parity(sem_relaxed_t, scope_t<Scope>, Rest&&...) = delete;
template <dot_scope Scope, typename... Rest>
void mbarrier_try_wait(sem_relaxed_t, scope_t<Scope>, Rest&&...) = delete;
template <dot_scope Scope, typename... Rest>
void mbarrier_try_wait_parity(sem_relaxed_t, scope_t<Scope>, Rest&&...) = delete;

// ---- storing for one of any block of the cluster, in that block's memory ----

template <typename Type>
SIMT_INLINE void st_async(Type* addr, const Type& value, ::std::uint64_t* remote_bar,
                          details::Place where = details::Place::current()) {
  const Type copy = value;
  details::store(addr, &copy, sizeof copy, remote_bar, where);
}
template <typename Type>
SIMT_INLINE void st_async(Type* addr, const Type (&value)[2], ::std::uint64_t* remote_bar,
                          details::Place where = details::Place::current()) {
  const Type copy[2] = {value[0], value[1]};
  details::store(addr, copy, sizeof copy, remote_bar, where);
}
template <typename Type>
SIMT_INLINE void st_async(Type* addr, const Type (&value)[4], ::std::uint64_t* remote_bar,
                          details::Place where = details::Place::current()) {
  static_assert(sizeof(Type) == 4, "four values are of 4 bytes each");
  const Type copy[4] = {value[0], value[1], value[2], value[3]};
  details::store(addr, copy, sizeof copy, remote_bar, where);
}

}  // namespace cuda::ptx
