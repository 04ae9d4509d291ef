// What device code asks of its block and cluster, other than to wait.

#include "common/simt/executor/findings.h"
#include "common/simt/executor/worker.h"

namespace simt {

void* dynamic_shared() {
  const Block& block = *current.lane->warp->block;
  return block.worker->shared.dynamic_memory(block.rank);
}

void* static_shared(const SharedVariable& variable) {
  const Block& block = *current.lane->warp->block;
  void* address = block.worker->shared.static_variable(block.rank, variable);
  if (address == nullptr) [[unlikely]] {
    report_and_end_launch(
        "shared-memory-limit", {variable.where},
        std::string("'") + variable.name + "' (" + std::to_string(variable.bytes) +
            " bytes) does not fit: a block has at most " + std::to_string(kMaxStaticShared) +
            " bytes of static and " + std::to_string(kMaxShared) + " bytes of all shared memory",
        kErrorInvalidConfiguration);
  }
  return address;
}

unsigned cluster_rank() {
  return current.lane->warp->block->rank;
}
unsigned cluster_size() {
  return worker_of(*current.lane).launch->blocks_per_cluster;
}

void* map_shared_rank(void* mine, unsigned rank) {
  const unsigned own = cluster_rank();
  return static_cast<char*>(mine) +
         (static_cast<std::ptrdiff_t>(rank) - static_cast<std::ptrdiff_t>(own)) *
             static_cast<std::ptrdiff_t>(SharedMemory::slot_stride());
}

}  // namespace simt
