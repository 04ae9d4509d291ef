#include "common/simt/executor/rendezvous.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <map>

#include "common/simt/executor/findings.h"
#include "common/simt/executor/scheduler.h"
#include "common/simt/executor/source_lines.h"

namespace simt {
namespace {

const char* name_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::kShuffleIndex:
      return "__shfl_sync";
    case WarpOperation::kShuffleUp:
      return "__shfl_up_sync";
    case WarpOperation::kShuffleDown:
      return "__shfl_down_sync";
    case WarpOperation::kShuffleXor:
      return "__shfl_xor_sync";
    case WarpOperation::kSync:
      return "__syncwarp";
    case WarpOperation::kBallot:
      return "a warp vote";
  }
  return "a warp operation";
}

std::string hexadecimal(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

bool same_place(const Location& a, const Location& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

// ---- who waits where, for messages ----

std::string describe(const Lane& lane) {
  const Warp& warp = *lane.warp;
  const unsigned bit = lane.bit();
  if ((warp.alive & bit) == 0) return "returned from the kernel";
  const std::string line = source_line(lane.where.file, lane.where.line);
  if (warp.at_barrier & bit) return "at the block's barrier, " + line;
  if (warp.at_cluster_barrier & bit) return "at the cluster's barrier, " + line;
  if (warp.in_operation & bit) {
    return std::string("at ") + name_of(lane.operation) + " with mask " + hexadecimal(lane.mask) +
           ", " + line;
  }
  return "ready to run";
}

std::string describe(const Block& block) {
  struct Group {
    unsigned threads = 0;
    unsigned first = 0;
    unsigned last = 0;
  };
  std::map<std::string, Group> groups;
  for (const Lane& lane : block.lanes) {
    Group& group = groups[describe(lane)];
    if (group.threads++ == 0) group.first = lane.thread;
    group.last = lane.thread;
  }
  std::string text;
  for (const auto& [what, group] : groups) {
    text += "\n  " + what + ": ";
    if (group.threads == 1) {
      text += "thread " + std::to_string(group.first);
    } else {
      text += std::to_string(group.threads) + " threads, " + std::to_string(group.first) + " to " +
              std::to_string(group.last);
    }
  }
  return text;
}

// There is one.
Lane& first_of(const Block& block, unsigned Warp::*set) {
  auto warp = block.warps.begin();
  while ((*warp).*set == 0)
    ++warp;
  return warp->lanes[std::countr_zero((*warp).*set)];
}

// Ends the launch from the scheduler's side, on behalf of a lane that waits.
void end_launch(Lane& lane, const char* kind, const std::string& message) {
  Worker& worker = worker_of(lane);
  current.lane = &lane;
  report(kind, {lane.where}, message);
  current.lane = nullptr;
  worker.launch->error = kErrorLaunchFailure;
  worker.aborted = true;
}

// ---- warp operations ----

// PTX ISA, shfl.sync: the lane that `lane` reads, itself when that would leave its segment of
// `width` lanes.
template <WarpOperation kOperation>
unsigned source_lane(unsigned lane, int argument, unsigned width) {
  const unsigned by = static_cast<unsigned>(argument) & (kWarpSize - 1);
  const unsigned begin = lane & ~(width - 1);
  const unsigned end = begin + width;
  if constexpr (kOperation == WarpOperation::kShuffleIndex) return begin + (by & (width - 1));
  if constexpr (kOperation == WarpOperation::kShuffleUp)
    return lane >= begin + by ? lane - by : lane;
  if constexpr (kOperation == WarpOperation::kShuffleDown)
    return lane + by < end ? lane + by : lane;
  if constexpr (kOperation == WarpOperation::kShuffleXor)
    return (lane ^ by) < end ? lane ^ by : lane;
  return lane;
}

[[gnu::noinline]] void report_absent_source(Warp& warp, unsigned lane, unsigned source,
                                            unsigned mask) {
  const Lane& reader = warp.lanes[lane];
  const char* why = (warp.present >> source & 1) == 0 ? "which the block does not have"
                    : (mask >> source & 1) == 0       ? "which the mask does not name"
                                                      : "which has returned from the kernel";
  current.lane = &warp.lanes[lane];
  report_and_end_launch("shuffle-absent-lane", {reader.where},
                        std::string(name_of(reader.operation)) + " with mask " + hexadecimal(mask) +
                            ": lane " + std::to_string(lane) + " reads lane " +
                            std::to_string(source) + ", " + why,
                        kErrorLaunchFailure);
}

template <WarpOperation kOperation>
void shuffle(Warp& warp, unsigned mask, unsigned members) {
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(rest));
    Lane& lane = warp.lanes[number];
    const unsigned source =
        source_lane<kOperation>(number, lane.argument, static_cast<unsigned>(lane.width));
    if ((members >> source & 1) == 0) return report_absent_source(warp, number, source, mask);
    lane.result = warp.lanes[source].value;
  }
}

void ballot(Warp& warp, unsigned members) {
  unsigned votes = 0;
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const int number = std::countr_zero(rest);
    if (warp.lanes[number].value != 0) votes |= 1u << number;
  }
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    warp.lanes[std::countr_zero(rest)].result = votes;
  }
}

// Whether all of them wait for the same operation with the same mask.
bool agree(const Warp& warp, unsigned members, WarpOperation operation, unsigned mask) {
  if ((warp.in_operation & members) != members) return false;
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const Lane& lane = warp.lanes[std::countr_zero(rest)];
    if (lane.operation != operation || lane.mask != mask) return false;
  }
  return true;
}

// Returns the lanes whose logs are full now.
unsigned add_meeting_point(Warp& warp, unsigned members) {
  unsigned full = 0;
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const int number = std::countr_zero(rest);
    LaneLog& log = *warp.lanes[number].log;
    log.add_meeting_point();
    if (log.full()) full |= 1u << number;
  }
  return full;
}

void complete(Warp& warp, WarpOperation operation, unsigned mask, unsigned members) {
  Worker& worker = *warp.block->worker;
  switch (operation) {
    case WarpOperation::kShuffleIndex:
      shuffle<WarpOperation::kShuffleIndex>(warp, mask, members);
      ++worker.tally.counters.shuffles;
      break;
    case WarpOperation::kShuffleUp:
      shuffle<WarpOperation::kShuffleUp>(warp, mask, members);
      ++worker.tally.counters.shuffles;
      break;
    case WarpOperation::kShuffleDown:
      shuffle<WarpOperation::kShuffleDown>(warp, mask, members);
      ++worker.tally.counters.shuffles;
      break;
    case WarpOperation::kShuffleXor:
      shuffle<WarpOperation::kShuffleXor>(warp, mask, members);
      ++worker.tally.counters.shuffles;
      break;
    case WarpOperation::kBallot:
      ballot(warp, members);
      ++worker.tally.counters.votes;
      break;
    case WarpOperation::kSync:
      warp.last_sync = ++worker.clock;
      ++worker.tally.counters.warp_syncs;
      break;
  }
  const bool all_meet = worker.launch->counting && members == warp.alive;
  const unsigned full = all_meet ? add_meeting_point(warp, members) : 0;
  warp.in_operation &= ~members;
  warp.log_full |= full;
  warp.ready |= members & ~full;
}

std::string describe_mask(const Lane& lane) {
  const std::string what =
      std::string(name_of(lane.operation)) + " with mask " + hexadecimal(lane.mask);
  if ((lane.mask & lane.bit()) == 0) {
    return what + " does not name the calling lane " + std::to_string(lane.number);
  }
  const unsigned returned = lane.mask & lane.warp->present & ~lane.warp->alive;
  return what + " names lane " + std::to_string(std::countr_zero(returned)) +
         ", which has returned from the kernel";
}

[[gnu::noinline]] void refuse_mask(const Lane& lane) {
  report_and_end_launch("warp-mask", {lane.where}, describe_mask(lane), kErrorLaunchFailure);
}

[[gnu::noinline]] void refuse_width(const Lane& lane) {
  report_and_end_launch("shuffle-width", {lane.where},
                        std::string(name_of(lane.operation)) + " with width " +
                            std::to_string(lane.width) + ", which is not 1, 2, 4, 8, 16 or 32",
                        kErrorLaunchFailure);
}

// Lanes that returned still count as named, but for __syncwarp, which CUDA defines over the lanes
// that remain.
bool mask_is_valid(const Lane& lane) {
  if ((lane.mask & lane.bit()) == 0) return false;
  if (lane.operation == WarpOperation::kSync) return true;
  return (lane.mask & lane.warp->present & ~lane.warp->alive) == 0;
}

}  // namespace

std::uint64_t warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value,
                             int argument, int width, Location where) {
  Lane& lane = *current.lane;
  Warp& warp = *lane.warp;
  lane.operation = operation;
  lane.mask = mask;
  lane.value = value;
  lane.argument = argument;
  lane.width = width;
  lane.where = where;
  if (!mask_is_valid(lane)) [[unlikely]]
    refuse_mask(lane);
  if (width <= 0 || width > 32 || (width & (width - 1)) != 0) [[unlikely]] {
    refuse_width(lane);
  }

  warp.in_operation |= lane.bit();
  warp.ready &= ~lane.bit();
  const unsigned members = mask & warp.alive;
  if (agree(warp, members, operation, mask)) {
    complete(warp, operation, mask, members);
  }
  if ((warp.ready & lane.bit()) == 0) run_others(lane);
  return lane.result;
}

void complete_without_exited(Warp& warp) {
  for (unsigned rest = warp.in_operation; rest != 0; rest &= rest - 1) {
    Lane& lane = warp.lanes[std::countr_zero(rest)];
    const unsigned members = lane.mask & warp.alive;
    if (!agree(warp, members, lane.operation, lane.mask)) continue;
    if (mask_is_valid(lane)) {
      complete(warp, lane.operation, lane.mask, members);
    } else {
      end_launch(lane, "warp-mask", describe_mask(lane));
    }
    return;
  }
}

unsigned active_lanes() {
  return current.lane->warp->alive;
}

// ---- barriers ----

int block_barrier(bool predicate, Location where) {
  Lane& lane = *current.lane;
  Warp& warp = *lane.warp;
  Block& block = *warp.block;
  if (block.arrived++ == 0) {
    block.barrier = where;
  } else if (!same_place(block.barrier, where)) {
    block.barrier_differs = true;
  }
  block.predicates += predicate;
  lane.where = where;
  warp.at_barrier |= lane.bit();
  warp.ready &= ~lane.bit();
  run_others(lane);
  return block.barrier_result;
}

void cluster_barrier(Location where) {
  Lane& lane = *current.lane;
  Warp& warp = *lane.warp;
  ++warp.block->arrived_at_cluster;
  lane.where = where;
  warp.at_cluster_barrier |= lane.bit();
  warp.ready &= ~lane.bit();
  run_others(lane);
}

bool release_block_barrier(Block& block) {
  const unsigned waiting = block.arrived + block.arrived_at_cluster;
  if (waiting < block.live) {
    end_launch(first_of(block, &Warp::in_operation), "deadlock",
               "the block cannot go on" + describe(block));
    return false;
  }
  if (block.arrived == 0) return false;
  if (block.arrived < block.threads || block.barrier_differs) {
    end_launch(first_of(block, &Warp::at_barrier), "divergent-barrier",
               "not all threads of the block reach this barrier" + describe(block));
    return false;
  }
  for (Warp& warp : block.warps) {
    warp.ready = warp.at_barrier;
    warp.at_barrier = 0;
  }
  block.arrived = 0;
  block.barrier_result = block.predicates;
  block.predicates = 0;
  block.last_barrier = ++block.worker->clock;
  ++block.worker->tally.counters.block_barriers;
  return true;
}

bool release_cluster_barrier(Worker& worker, unsigned count) {
  unsigned arrived = 0;
  unsigned threads = 0;
  Block* waiting = nullptr;
  for (unsigned slot = 0; slot < count; ++slot) {
    Block& block = *worker.blocks[slot];
    arrived += block.arrived_at_cluster;
    threads += block.threads;
    if (block.arrived_at_cluster > 0 && waiting == nullptr) waiting = &block;
  }
  if (arrived == 0) return false;
  if (arrived < threads) {
    end_launch(
        first_of(*waiting, &Warp::at_cluster_barrier), "divergent-barrier",
        "not all threads of the cluster reach this barrier; of this block:" + describe(*waiting));
    return false;
  }
  ++worker.clock;
  for (unsigned slot = 0; slot < count; ++slot) {
    Block& block = *worker.blocks[slot];
    for (Warp& warp : block.warps) {
      warp.ready = warp.at_cluster_barrier;
      warp.at_cluster_barrier = 0;
    }
    block.arrived_at_cluster = 0;
    block.last_barrier = worker.clock;
  }
  worker.last_cluster_barrier = worker.clock;
  ++worker.tally.counters.cluster_barriers;
  return true;
}

}  // namespace simt
