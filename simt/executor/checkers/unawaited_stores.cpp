#include "simt/executor/checkers/unawaited_stores.h"

#include <algorithm>
#include <string>

#include "simt/executor/fibers/block.h"
#include "simt/executor/findings/findings.h"

namespace simt {
namespace {

void report_unawaited(const Block& block, unsigned sender, Location where) {
  report("distributed-after-exit", {where},
         "block " + std::to_string(block.rank) +
             " of the cluster ended, and none of its threads waited for the asynchronous store by "
             "block " +
             std::to_string(sender) + ": one waits for its barrier before the block ends");
}

// Up to when some thread knows the barrier's stores to have arrived.
std::uint32_t awaited_until(const Block& block, const AsyncBarrier& barrier) {
  const ThreadOrder& order = block.synchronization->order;
  std::uint32_t latest = 0;
  for (unsigned thread = 0; thread < block.threads; ++thread)
    latest = std::max(latest, order.known(thread, order.of_stores(barrier.number)));
  return latest;
}

// Those of a phase that has not ended cannot have been waited for.
void check_stores_are_awaited(const Block& block, const AsyncBarrier& barrier) {
  for (const AsyncStore& store : barrier.stores) {
    if (store.sender != block.rank) return report_unawaited(block, store.sender, store.where);
  }
  const ArrivedStore& last = barrier.last_arrived;
  if (last.time > awaited_until(block, barrier)) report_unawaited(block, last.sender, last.where);
}

}  // namespace

void check_stores_are_awaited(const Block& block) {
  if (block.synchronization == nullptr) return;
  for (const auto& [address, barrier] : block.synchronization->barriers)
    check_stores_are_awaited(block, barrier);
}

}  // namespace simt
