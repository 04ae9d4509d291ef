// What device code asks of its block and cluster, other than to wait.

#include "simt/executor/findings/findings.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/worker.h"
#include "simt/include/cuda_standin/launch_bounds.h"

namespace simt {

namespace {

[[noreturn]] void refuse_without_opt_in(const SharedMemory& shared,
                                        const SharedVariable& variable) {
  report_and_end_launch(
      "refused-launch", {variable.where},
      "a device refuses to launch this kernel: its " + std::to_string(shared.static_bytes()) +
          " bytes of shared variables, as far as this one, and " +
          std::to_string(shared.dynamic_bytes()) + " of dynamic shared memory are more than " +
          std::to_string(kMaxSharedWithoutOptIn) +
          " together, which need cudaFuncSetAttribute(kernel, "
          "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before",
      kErrorInvalidValue);
}

}  // namespace

void* dynamic_shared() {
  const Block& block = *current.lane->warp->block;
  return block.worker->shared.dynamic_memory(block.rank);
}

std::uint32_t address_in_shared_memory(const void* pointer) {
  const SharedMemory& shared = current.lane->warp->block->worker->shared;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<std::uint32_t>(shared.offset_in_slot(address));
}

void* pointer_to_shared_memory(std::uint64_t address) {
  const Block& block = *current.lane->warp->block;
  return block.worker->shared.address_in_slot(block.rank, address);
}

void* static_shared(const SharedVariable& variable) {
  const Block& block = *current.lane->warp->block;
  void* address = block.worker->shared.static_variable(block.rank, variable);
  if (address == nullptr) [[unlikely]] {
    if (block.worker->shared.needs_opt_in()) refuse_without_opt_in(block.worker->shared, variable);
    report_and_end_launch(
        "shared-memory-limit", {variable.where},
        std::string("'") + variable.name + "' (" + std::to_string(variable.bytes) +
            " bytes) does not fit: a block has at most " + std::to_string(kMaxStaticShared) +
            " bytes of static and " + std::to_string(kMaxShared) + " bytes of all shared memory",
        kErrorInvalidConfiguration);
  }
  return address;
}

bool grid_is_cooperative() {
  return worker_of(*current.lane).launch->config.cooperative;
}

void check_launch_bounds(long long max_threads, long long, long long, Location where) {
  const Dim3& block = worker_of(*current.lane).launch->config.block;
  const long long threads = static_cast<long long>(block.x) * block.y * block.z;
  if (threads <= max_threads) [[likely]]
    return;
  report_and_end_launch("refused-launch", {where},
                        "a device refuses to launch this kernel with " + std::to_string(threads) +
                            " threads per block: its __launch_bounds__ allow " +
                            std::to_string(max_threads),
                        kErrorInvalidValue);
}

unsigned cluster_rank() {
  return grid_is_cooperative() ? 0 : current.lane->warp->block->rank;
}
unsigned cluster_size() {
  return grid_is_cooperative() ? 1 : worker_of(*current.lane).launch->blocks_per_cluster;
}

Dim3 cluster_shape() {
  return worker_of(*current.lane).launch->config.cluster;
}

void* map_shared_rank(void* mine, unsigned rank) {
  const unsigned own = cluster_rank();
  return static_cast<char*>(mine) +
         (static_cast<std::ptrdiff_t>(rank) - static_cast<std::ptrdiff_t>(own)) *
             static_cast<std::ptrdiff_t>(SharedMemory::slot_stride());
}

unsigned rank_of_shared(const void* address, Location where) {
  const SharedMemory& shared = worker_of(*current.lane).shared;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (shared.contains(at)) return grid_is_cooperative() ? 0 : shared.slot_of(at);
  report("shared-out-of-bounds", {where},
         "query_shared_rank() of an address that lies in no block's shared memory");
  return cluster_rank();
}

}  // namespace simt
