/// \file
/// The usual access to shared memory: of whole words of the own block, to which nobody made an
/// access that this one could race with. All that shared_races.h asks and notes comes down to a few
/// comparisons there, which are inline: a kernel that works in shared memory does little else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/executor/worker/worker.h"

namespace simt {

/// Where accesses of the running warp may be usual: in the shared memory of its block, unless that
/// has barriers, atomic operations or copies on their way; else nowhere.
inline AddressSpan usual_shared(Worker& worker, const Block& block) {
  const bool is_usual = current.checking && block.synchronization == nullptr &&
                        !block.has_async_copies && !block.has_arrivals &&
                        !worker.shared.has_atomics() && worker.racing_stores.empty();
  return is_usual ? worker.shared.slot(block.rank) : AddressSpan{};
}

/// All threads of the block that made such accesses, if this lane is not the only one, have met at
/// a barrier since.
inline bool is_ordered_in_block(const LastAccess& last, const Lane& lane, const Block& block) {
  if (last.block != block.rank || last.others == LastAccess::kBlocks) return false;
  return last.time < block.last_barrier ||
         (last.thread == lane.thread && last.others == LastAccess::kNone);
}

/// Who made such loads before, threads of the block all of them, if one is noted now.
inline LastAccess::Others others_in_block(const LastAccess& last, const Lane& lane,
                                          const Block& block) {
  if (last.time < block.last_barrier) return LastAccess::kNone;
  if (last.others == LastAccess::kWarps || last.thread / kWarpSize != lane.thread / kWarpSize) {
    return LastAccess::kWarps;
  }
  if (last.time < lane.warp->last_sync) return LastAccess::kNone;
  const bool is_only_mine = last.others == LastAccess::kNone && last.thread == lane.thread;
  return is_only_mine ? LastAccess::kNone : LastAccess::kLanes;
}

/// An access that happens now.
inline LastAccess access_now(const Lane& lane, const Block& block, std::uintptr_t code_address,
                             LastAccess::Others others) {
  return {.time = block.worker->clock,
          .code = static_cast<std::uint32_t>(code_address),
          .thread = static_cast<std::uint16_t>(lane.thread & 0x3ff),
          .others = others,
          .block = static_cast<std::uint16_t>(block.rank)};
}

/// Whether a load of this word is a usual one; notes nothing.
inline bool is_usual_load(const SharedByte& word, const Lane& lane, const Block& block) {
  return is_ordered_in_block(word.store, lane, block) && word.store.time >= block.start &&
         word.load.block == block.rank && word.load.others != LastAccess::kBlocks;
}

/// The same of a store.
inline bool is_usual_store(const SharedByte& word, const Lane& lane, const Block& block) {
  return is_ordered_in_block(word.store, lane, block) &&
         is_ordered_in_block(word.load, lane, block);
}

/// Whether a load of this word changes nothing but which was the last one: since the last
/// synchronization the block's other warps, or this one's other lanes, have loaded what was stored
/// before it. (A store since then may have raced, with a value that others stored as well.)
inline bool is_loaded_again(const SharedByte& word, const Lane& lane, const Block& block) {
  const LastAccess& load = word.load;
  if (load.time != block.worker->clock || word.store.time >= load.time) return false;
  if (load.block != block.rank) return false;
  return load.others == LastAccess::kWarps ||
         (load.others == LastAccess::kLanes && load.thread / kWarpSize == lane.thread / kWarpSize);
}

/// Notes a load that is_loaded_again() is true for.
inline void note_loaded_again(SharedByte& word, const Lane& lane, std::uintptr_t code_address) {
  word.load.code = static_cast<std::uint32_t>(code_address);
  word.load.thread = lane.thread & 0x3ff;
}

/// Notes an access of the running lane to words that are inside of an object and that
/// current.shared contains. Returns false, and has noted nothing, if it is not a usual one.
template <unsigned kBytes, bool kLoads>
[[gnu::noinline]] bool note_usual_shared_access(std::uintptr_t address,
                                                std::uintptr_t code_address) {
  static_assert(kBytes % SharedMemory::kWordBytes == 0, "words are what is known of");
  constexpr unsigned kWords = kBytes / SharedMemory::kWordBytes;
  const Lane& lane = *current.lane;
  const Block& block = *lane.warp->block;
  SharedMemory& shared = block.worker->shared;
  SharedByte* const words = shared.words_at(address);
  for (unsigned i = 0; i < kWords; ++i) {
    if (shared.is_apart(address + i * SharedMemory::kWordBytes)) return false;
    const bool is_usual =
        kLoads ? is_usual_load(words[i], lane, block) : is_usual_store(words[i], lane, block);
    if (!is_usual) return false;
  }
  for (unsigned i = 0; i < kWords; ++i) {
    if constexpr (kLoads) {
      LastAccess& load = words[i].load;
      load = access_now(lane, block, code_address, others_in_block(load, lane, block));
    } else {
      words[i].store = access_now(lane, block, code_address, LastAccess::kNone);
    }
  }
  return true;
}

}  // namespace simt
