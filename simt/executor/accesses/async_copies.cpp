#include "simt/executor/fibers/async_copies.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "simt/executor/accesses/barrier_copies.h"
#include "simt/executor/accesses/memory_access.h"
#include "simt/executor/executor.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/worker/worker.h"

namespace simt {
namespace {

void arrive(const Lane& lane, const AsyncCopy& copy) {
  note_arrival_in_shared(lane, copy.to, copy.bytes, copy.code_address);
  std::memcpy(reinterpret_cast<void*>(copy.to), copy.content.data(), copy.bytes);
}

// `barrier` is null for a copy that its group waits for.
void start(const void* barrier, void* shared, const void* global, std::size_t bytes,
           std::size_t zeros, Location where, std::uintptr_t code_address) {
  const auto size = static_cast<unsigned>(bytes);
  if (current.lane == nullptr) return;
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
    return report("async-copy", {where},
                  "an asynchronous copy of " + std::to_string(bytes) + " bytes, the last " +
                      std::to_string(zeros) + " of them zeros: it must be of 4, 8 or 16 bytes");
  }
  if (!is_shared_memory(shared)) {
    return report("async-copy", {where},
                  "an asynchronous copy to what is not the block's shared memory");
  }
  const auto to = reinterpret_cast<std::uintptr_t>(shared);
  if (to % bytes != 0) refuse_misaligned("asynchronous copy", to, size, {where});
  const auto* const from = static_cast<const std::byte*>(global);
  if (zeros < bytes) {
    load_for_async_copy(reinterpret_cast<std::uintptr_t>(from), size,
                        static_cast<unsigned>(bytes - zeros), code_address);
  }

  AsyncCopies& copies = current.lane->copies;
  AsyncCopy copy;
  copy.to = to;
  copy.bytes = size;
  copy.group = copies.committed;
  copy.barrier = reinterpret_cast<std::uintptr_t>(barrier);
  copy.code_address = code_address;
  std::memcpy(copy.content.data(), from, bytes - zeros);
  copies.under_way.push_back(copy);
  current.lane->warp->block->has_async_copies = true;
  end_usual_shared();
}

}  // namespace

bool is_shared_memory(const void* address) {
  if (current.lane == nullptr) return false;
  const SharedMemory& shared = worker_of(*current.lane).shared;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return shared.contains(at) && shared.slot_of(at) == current.lane->warp->block->rank;
}

void start_async_copy(void* shared, const void* global, std::size_t bytes, std::size_t zeros,
                      Location where) {
  start(nullptr, shared, global, bytes, zeros, where, SIMT_CODE_ADDRESS);
}

void start_async_copy_for(const void* barrier, void* shared, const void* global, std::size_t bytes,
                          Location where) {
  start(barrier, shared, global, bytes, 0, where, SIMT_CODE_ADDRESS);
}

void commit_async_copies() {
  if (current.lane != nullptr) ++current.lane->copies.committed;
}

void wait_for_async_copies(std::size_t groups_left) {
  if (current.lane == nullptr) return;
  AsyncCopies& copies = current.lane->copies;
  const auto is_waited_for = [&](const AsyncCopy& copy) {
    return copy.barrier == 0 && copy.group + groups_left < copies.committed;
  };
  for (const AsyncCopy& copy : copies.under_way) {
    if (is_waited_for(copy)) arrive(*current.lane, copy);
  }
  std::erase_if(copies.under_way, is_waited_for);
}

void let_copies_arrive(Lane& lane, std::uintptr_t barrier) {
  for (AsyncCopy& copy : lane.copies.under_way) {
    if (copy.barrier != barrier || copy.has_arrived) continue;
    arrive(lane, copy);
    copy.has_arrived = true;
  }
}

void forget_arrived_copies(Lane& lane, std::uintptr_t barrier) {
  std::erase_if(lane.copies.under_way, [barrier](const AsyncCopy& copy) {
    return copy.barrier == barrier && copy.has_arrived;
  });
}

}  // namespace simt
