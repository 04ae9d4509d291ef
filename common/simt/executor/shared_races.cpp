#include "common/simt/executor/shared_races.h"

#include <string>

#include "common/simt/executor/findings.h"
#include "common/simt/executor/worker.h"

namespace simt {
namespace {

// A thread is ordered after whatever its block did before the last block barrier, and after
// whatever its own warp did before the last __syncwarp. Times are of the worker's clock, which
// ticks at each of them.
struct Reader {
  unsigned thread;
  unsigned warp;
  std::uint32_t block_start;
  std::uint32_t last_barrier;
  std::uint32_t last_sync;
  std::uint32_t now;
};

Reader reader_of(const Lane& lane) {
  const Block& block = *lane.warp->block;
  return {lane.thread,        lane.thread / kWarpSize, block.start,
          block.last_barrier, lane.warp->last_sync,    block.worker->clock};
}

bool races_with_store(const SharedByte& byte, const Reader& me) {
  if (byte.written < me.last_barrier || byte.writer == me.thread) return false;
  const bool synced = byte.writer / kWarpSize == me.warp && byte.written < me.last_sync;
  return !synced;
}

bool races_with_loads(const SharedByte& byte, const Reader& me) {
  if (byte.read < me.last_barrier) return false;
  if (byte.many_warps || byte.reader / kWarpSize != me.warp) return true;
  const bool synced = byte.read < me.last_sync;
  return !synced && (byte.many_lanes || byte.reader != me.thread);
}

void note_load(SharedByte& byte, const Reader& me) {
  if (byte.read < me.last_barrier) {
    byte.many_lanes = byte.many_warps = 0;
  } else {
    if (byte.reader / kWarpSize != me.warp) byte.many_warps = 1;
    if (byte.read < me.last_sync) {
      byte.many_lanes = 0;
    } else if (byte.reader != me.thread) {
      byte.many_lanes = 1;
    }
  }
  byte.read = me.now;
  byte.reader = static_cast<std::uint16_t>(me.thread) & 0x3ff;
}

void note_store(SharedByte& byte, const Reader& me) {
  byte.written = me.now;
  byte.writer = static_cast<std::uint16_t>(me.thread);
}

[[gnu::noinline]] void report_race(const char* what, unsigned other, const Reader& me,
                                   const Place& place) {
  const std::string who =
      other == kOtherBlock ? "a thread of another block" : std::to_string(other);
  report("shared-race", place,
         std::string(what) + ": threads " + who + " and " + std::to_string(me.thread) +
             " have no barrier in between");
}

[[gnu::noinline]] void report_unwritten(const SharedMemory& shared, std::uintptr_t address,
                                        const Place& place) {
  report("uninitialized-shared-read", place,
         "load of " + shared.describe(shared.offset_in_slot(address)) +
             ", which its block has not written");
}

}  // namespace

void check_shared_access(const Lane& lane, std::uintptr_t address, unsigned bytes, bool store,
                         std::uintptr_t code_address) {
  const Reader me = reader_of(lane);
  SharedMemory& shared = lane.warp->block->worker->shared;
  SharedByte* const cells = shared.bytes_at(address);
  for (unsigned i = 0; i < bytes; ++i) {
    SharedByte& byte = cells[i];
    if (races_with_store(byte, me)) {
      return report_race(store ? "store after store" : "load after store", byte.writer, me,
                         {{}, code_address});
    }
    if (store) {
      if (races_with_loads(byte, me)) {
        return report_race("store after load", byte.reader, me, {{}, code_address});
      }
      note_store(byte, me);
    } else {
      if (byte.written < me.block_start) {
        return report_unwritten(shared, address + i, {{}, code_address});
      }
      note_load(byte, me);
    }
  }
}

void check_shared_atomic(const Lane& lane, std::uintptr_t address, unsigned bytes,
                         const Place& place) {
  const Reader me = reader_of(lane);
  SharedMemory& shared = lane.warp->block->worker->shared;
  if (!shared.is_inside(shared.offset_in_slot(address), bytes)) {
    report("shared-out-of-bounds", place,
           "atomic operation on " + std::to_string(bytes) + " bytes at " +
               shared.describe(shared.offset_in_slot(address)));
    return;
  }
  const SharedByte& first = *shared.bytes_at(address);
  if (races_with_store(first, me)) {
    report_race("atomic operation after store", first.writer, me, place);
  } else if (first.written < me.block_start) {
    report_unwritten(shared, address, place);
  }
}

void check_distributed_access(const Lane& lane, const Block& owner, std::uintptr_t address,
                              unsigned bytes, bool store, std::uintptr_t code_address) {
  Worker& worker = worker_of(lane);
  SharedByte* const cells = worker.shared.bytes_at(address);
  for (unsigned i = 0; i < bytes; ++i) {
    SharedByte& byte = cells[i];
    if (store) {
      byte.written = worker.clock;
      byte.writer = kOtherBlock;
    } else if (byte.written < owner.start) {
      return report_unwritten(worker.shared, address + i, {{}, code_address});
    } else if (byte.written >= worker.last_cluster_barrier && byte.writer != kOtherBlock) {
      report("shared-race", {{}, code_address},
             "load after store: thread " + std::to_string(byte.writer) + " of block " +
                 std::to_string(owner.rank) +
                 " of the cluster stored it, with no cluster barrier in between");
      return;
    }
  }
}

}  // namespace simt
