/// \file
/// The tags by which functions of cuda::ptx tell variants of an instruction apart, as libcu++ has
/// them: order of memory, space, and scope.
#pragma once

#include <type_traits>

namespace cuda::ptx {

/// The order of memory.
enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
/// Where an address lies: `shared` in the block's own memory, `cluster` in that of any block of it.
enum class dot_space { global, cluster, shared };
/// Between which threads.
enum class dot_scope { cta, cluster, gpu, sys };

template <dot_sem Sem>
using sem_t = ::std::integral_constant<dot_sem, Sem>;
using sem_acq_rel_t = sem_t<dot_sem::acq_rel>;
using sem_acquire_t = sem_t<dot_sem::acquire>;
using sem_relaxed_t = sem_t<dot_sem::relaxed>;
using sem_release_t = sem_t<dot_sem::release>;
using sem_sc_t = sem_t<dot_sem::sc>;
using sem_weak_t = sem_t<dot_sem::weak>;
static constexpr sem_acq_rel_t sem_acq_rel{};
static constexpr sem_acquire_t sem_acquire{};
static constexpr sem_relaxed_t sem_relaxed{};
static constexpr sem_release_t sem_release{};
static constexpr sem_sc_t sem_sc{};
static constexpr sem_weak_t sem_weak{};

template <dot_space Space>
using space_t = ::std::integral_constant<dot_space, Space>;
using space_global_t = space_t<dot_space::global>;
using space_shared_t = space_t<dot_space::shared>;
using space_cluster_t = space_t<dot_space::cluster>;
static constexpr space_global_t space_global{};
static constexpr space_shared_t space_shared{};
static constexpr space_cluster_t space_cluster{};

template <dot_scope Scope>
using scope_t = ::std::integral_constant<dot_scope, Scope>;
using scope_cluster_t = scope_t<dot_scope::cluster>;
using scope_cta_t = scope_t<dot_scope::cta>;
using scope_gpu_t = scope_t<dot_scope::gpu>;
using scope_sys_t = scope_t<dot_scope::sys>;
static constexpr scope_cluster_t scope_cluster{};
static constexpr scope_cta_t scope_cta{};
static constexpr scope_gpu_t scope_gpu{};
static constexpr scope_sys_t scope_sys{};

}  // namespace cuda::ptx
