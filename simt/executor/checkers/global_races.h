/// \file
/// Finds accesses of different blocks to one place of global memory, variables of the device
/// included, that nothing orders: a store and any other access, unless both are atomic. Nothing
/// orders blocks of a launch but what they tell each other: __threadfence() after the one access,
/// then an atomic operation, and an atomic operation by the other block before its access. Any two
/// atomic operations count as a meeting, whatever their addresses: some races go unseen. Volatile
/// accesses are taken for atomic operations, where the compiler tells them from others.
///
/// Which block runs first differs from run to run, the findings must not. So nothing is judged
/// while the launch runs: each element remembers the first two blocks (by number) that loaded it,
/// stored it and operated on it atomically, whoever came when. Elements that several blocks touched
/// are suspects, and they are judged at the end.
///
/// Stores that race with each other are no mistake where all stores of the launch to these bytes
/// have stored the same (stored_values.h).
///
/// Threads of one block are compared with each other as well (block_races.h).
///
/// Blocks of one cluster count as one: their barriers order them, and other mistakes among them go
/// unseen. A barrier of a cooperative grid is like the end of one launch and the start of another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

struct Block;
struct Launch;
struct Request;
class Tally;
struct Warp;
struct Worker;

/// Before a launch, and after its end: what came before is ordered before what follows.
void begin_global_races(Launch& launch);
/// Reports what was found.
void end_global_races(const Launch& launch, const Tally& tally);

/// A barrier of a cooperative grid, whose blocks are all of this worker: orders what came before.
void next_phase_of_global_races(Worker& worker, unsigned blocks);

/// Gives the block its key, 0 where it can race with no other, and lets it be watched by itself.
void begin_block_of_global_races(Block& block);
/// Keeps what the block's threads did to each other.
void end_block_of_global_races(const Block& block);

/// A replay of the warp, whose launch is watched, begins or ends.
void note_replay_in_global_races(const Warp& warp);

/// The running lane is about to store at `at`, which has that place. Nothing may come in between.
void note_stored_value(std::uintptr_t place, const void* at, std::size_t bytes);

/// A warp's access to global memory, or its fence.
void note_in_global_races(const Warp& warp, const Request& request);

}  // namespace simt
