#include "simt/executor/fibers/async_copies.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "simt/executor/accesses/memory_access.h"
#include "simt/executor/executor.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/worker/worker.h"

namespace simt {
namespace {

bool is_shared(const void* pointer) {
  return worker_of(*current.lane).shared.contains(reinterpret_cast<std::uintptr_t>(pointer));
}

void arrive(const AsyncCopy& copy) {
  note_arrival_in_shared(copy.to, copy.bytes, copy.code_address);
  std::memcpy(reinterpret_cast<void*>(copy.to), copy.content.data(), copy.bytes);
}

}  // namespace

void start_async_copy(void* shared, const void* global, std::size_t bytes, std::size_t zeros,
                      Location where) {
  const std::uintptr_t code_address = SIMT_CODE_ADDRESS;
  const auto size = static_cast<unsigned>(bytes);
  if (current.lane == nullptr) return;
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
    return report("async-copy", {where},
                  "an asynchronous copy of " + std::to_string(bytes) + " bytes, the last " +
                      std::to_string(zeros) + " of them zeros: it must be of 4, 8 or 16 bytes");
  }
  if (!is_shared(shared)) {
    return report("async-copy", {where},
                  "an asynchronous copy to what is not the block's shared memory");
  }
  const auto to = reinterpret_cast<std::uintptr_t>(shared);
  if (to % bytes != 0) refuse_misaligned(to, size, {where});
  const auto* const from = static_cast<const std::byte*>(global);
  if (zeros < bytes) {
    load_for_async_copy(reinterpret_cast<std::uintptr_t>(from), size,
                        static_cast<unsigned>(bytes - zeros), code_address);
  }

  AsyncCopies& copies = current.lane->copies;
  AsyncCopy copy{to, size, copies.committed, code_address};
  std::memcpy(copy.content.data(), from, bytes - zeros);
  copies.under_way.push_back(copy);
  current.lane->warp->block->has_async_copies = true;
}

void commit_async_copies() {
  if (current.lane != nullptr) ++current.lane->copies.committed;
}

void wait_for_async_copies(std::size_t groups_left) {
  if (current.lane == nullptr) return;
  AsyncCopies& copies = current.lane->copies;
  const auto is_waited_for = [&](const AsyncCopy& copy) {
    return copy.group + groups_left < copies.committed;
  };
  for (const AsyncCopy& copy : copies.under_way) {
    if (is_waited_for(copy)) arrive(copy);
  }
  std::erase_if(copies.under_way, is_waited_for);
}

}  // namespace simt
