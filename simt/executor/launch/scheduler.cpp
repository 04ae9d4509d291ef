#include "simt/executor/launch/scheduler.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "simt/executor/accesses/replay.h"
#include "simt/executor/checkers/global_races.h"
#include "simt/executor/checkers/shared_races.h"
#include "simt/executor/checkers/stored_values.h"
#include "simt/executor/checkers/unawaited_stores.h"
#include "simt/executor/checkers/usual_shared_access.h"
#include "simt/executor/counters/warp_recording.h"
#include "simt/executor/fibers/grid_index.h"
#include "simt/executor/fibers/turns.h"
#include "simt/executor/launch/worker_pool.h"
#include "simt/executor/worker/rendezvous.h"
#include "simt/executor/worker/switch.h"
#include "simt/executor/writable_thread_index.h"

namespace simt {

namespace {

[[gnu::noinline]] void report_no_wait(Lane& lane) {
  lane.has_arrived = false;
  report("divergent-barrier", {lane.arrival},
         "a thread arrives here at the barrier of the cluster and returns without having waited");
}

// Unwinds the stack of a thread that ends itself.
struct ExitOfThread {};

// The one place that calls kernels in launches that run plain.
[[gnu::noinline]] void call_in_turn(const Launch& launch, ThreadsInTurn& turns) {
  turns.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  current.lane->outermost_frame = turns.frame;
  bool are_left = true;
  while (are_left) {
    try {
      launch.threads(launch.arguments, turns);
      are_left = false;
    } catch (const ExitOfThread&) {
      are_left = Turn(turns).next();  // as if it had returned
    }
  }
}

// The running thread, and `others` that follow it.
ThreadsInTurn turns_of(Lane& first, unsigned others) {
  const Block& block = *first.warp->block;
  return {.running = &current.lane,
          .index = &threadIdx,
          .width = block.shape.x,
          .height = block.shape.y,
          .last = &first + others,
          .lane_bytes = sizeof(Lane),
          .first = &first};
}

// The one place that calls kernels in all other launches, whoever runs the thread: active_lanes()
// looks at what has called it from there on.
[[gnu::noinline]] void call_alone(const Launch& launch, Lane& lane) {
  lane.outermost_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  lane.calls.clear();
  try {
    launch.body(launch.arguments);
  } catch (const ExitOfThread&) {
    // As if it had returned.
  }
}

void call_body(const Launch& launch, Lane& lane) {
  if (!launch.plain) return call_alone(launch, lane);
  ThreadsInTurn turns = turns_of(lane, 0);
  call_in_turn(launch, turns);
}

void end_thread(Lane& lane) {
  if (lane.has_arrived) report_no_wait(lane);
  Warp& warp = *lane.warp;
  warp.alive &= ~lane.bit();
  warp.ready &= ~lane.bit();
  if (--warp.block->live == 0 && current.checking) check_stores_are_awaited(*warp.block);
}

void run_thread(Lane& lane) {
  Warp& warp = *lane.warp;
  warp.begun |= lane.bit();
  call_body(*worker_of(lane).launch, lane);
  end_thread(lane);
}

// The lane whose turn it is after one that has returned, if it can begin on the same stack: there
// it starts without a switch, and finds the stack's memory in the cache.
Lane* next_to_begin(const Warp& warp, unsigned after) {
  if (warp.ready == 0) return nullptr;
  Lane& next = next_ready(warp, after);
  return (warp.begun & next.bit()) == 0 ? &next : nullptr;
}

void begin_on_stack_of(Lane& returned, Lane& next) {
  std::swap(returned.stack, next.stack);
  std::swap(returned.context, next.context);
  current.lane = &next;
  if (current.log != nullptr) current.log = next.log;
  threadIdx = next.index;
}

bool is_untouched(const Warp& warp) {
  return warp.begun == 0 && warp.ready == warp.present;
}

// How many threads, from the first one of a warp on, belong to warps of which none has begun.
unsigned untouched_threads(const Lane& first) {
  const Block& block = *first.warp->block;
  const Warp* warp = first.warp;
  const Warp* const end = block.warps.data() + block.warps.size();
  unsigned threads = 0;
  for (; warp != end && is_untouched(*warp); ++warp)
    threads += static_cast<unsigned>(std::popcount(warp->present));
  return threads;
}

// Of a launch that runs plain, the running thread and all behind it, one after the other, as long
// as they return: so those that never wait need one stack, and each costs little more than its
// kernel. Returns the last thread that ran, null if none did.
Lane* run_threads_in_turn() {
  Lane& first = *current.lane;
  const unsigned threads = &first == first.warp->lanes ? untouched_threads(first) : 0;
  if (threads == 0) return nullptr;
  ThreadsInTurn turns = turns_of(first, threads - 1);
  current.turns = &turns;
  call_in_turn(*worker_of(first).launch, turns);
  Lane& last = *current.lane;
  end_turns(last);  // unless it waited
  end_thread(last);
  return &last;
}

// Runs threads one after the other, then others until one of the next block begins on this stack.
// By then another OS thread may have taken the worker over, so `current` is looked at anew: hence
// a function of its own, which ends there.
[[gnu::noinline]] void run_threads_of_block() {
  Lane* lane = current.plain ? run_threads_in_turn() : nullptr;
  if (lane == nullptr) {
    lane = current.lane;
    run_thread(*lane);
  }
  while (Lane* const next = next_to_begin(*lane->warp, lane->number)) {
    begin_on_stack_of(*lane, *next);
    lane = next;
    run_thread(*lane);
  }
  run_others(*lane);
}

// A fiber's life.
void fiber_main(context::transfer_t caller) {
  keep_context_of_caller({caller.fctx, caller.data});
  for (;;)
    run_threads_of_block();
}

void resume_warp(Worker& worker, Warp& warp) {
  Lane& first = warp.lanes[std::countr_zero(warp.ready)];
  current.log = worker.launch->counting ? first.log : nullptr;
  current.shared = usual_shared(worker, *warp.block);
  keep_context_of_caller(jump(turn_to(first), worker.scheduler));
  StoredValues::end_of_stores();
  current.lane = nullptr;
  current.log = nullptr;
}

// Runs a warp until each lane has returned or waits for other warps. Lanes still in a warp
// operation wait in vain, unless others of it wait in a loop.
void run_warp(Worker& worker, Warp& warp) {
  warp.giving_way = 0;
  blockIdx = warp.block->index;
  do {
    while (warp.ready != 0) {
      resume_warp(worker, warp);
      if (worker.aborted) return;
    }
    if (warp.log_full != 0 && warp.log_full == warp.giving_way) {
      warp.ready = warp.log_full;
      warp.log_full = 0;
      break;  // others first
    }
    if (warp.log_full != 0) {
      replay_front(worker, warp);
      warp.ready = warp.log_full;
      warp.log_full = warp.giving_way = 0;
    } else {
      complete_without_exited(warp);
      if (worker.aborted) return;
    }
  } while (warp.ready != 0 || warp.log_full != 0);
  if (worker.launch->counting) replay(worker, warp);
  if (WarpRecording* const recorded = recording_of(warp)) recorded->pause(warp);
}

void begin_warp(Warp& warp) {
  warp.alive = warp.ready = warp.present;
  warp.begun = 0;
  warp.alike = warp.in_operation = warp.at_barrier = warp.at_cluster_barrier = warp.log_full = 0;
  warp.at_async_barrier = warp.giving_way = 0;
  warp.last_event = kMeetingPoint;
  warp.where.clear();
  warp.ticks = 0;
}

// Gives a block the shape of the launch. Nothing to do when the one before had the same.
void shape_block(Worker& worker, Block& block, unsigned slot) {
  const Dim3 shape = worker.launch->config.block;
  const unsigned threads = worker.launch->threads_per_block;
  if (block.threads == threads && block.shape.x == shape.x && block.shape.y == shape.y) return;
  block.shape = {shape.x, shape.y, shape.z};
  block.worker = &worker;
  block.threads = threads;
  block.warps.assign((threads + kWarpSize - 1) / kWarpSize, Warp{});
  block.lanes.resize(threads + 1);  // turn_to_others() looks one lane ahead
  for (unsigned thread = 0; thread < threads; ++thread) {
    Warp& warp = block.warps[thread / kWarpSize];
    Lane& lane = block.lanes[thread];
    lane.number = thread % kWarpSize;
    lane.thread = thread;
    lane.index = {thread % shape.x, thread / shape.x % shape.y, thread / (shape.x * shape.y)};
    lane.log = &worker.logs[lane.number];
    lane.warp = &warp;
    char* const stack = worker.stacks.top(slot * kMaxThreads + thread);
    lane.stack = reinterpret_cast<std::uintptr_t>(stack) - FiberStacks::kUsableBytes;
    forget_stack(reinterpret_cast<void*>(lane.stack), FiberStacks::kUsableBytes);
    lane.context = context::make_fcontext(stack, FiberStacks::kUsableBytes, fiber_main);
    if (lane.number == 0) warp.lanes = &lane;
    warp.block = &block;
    warp.present |= lane.bit();
  }
}

// Those of the block before, which a program may leave under way.
void forget_async_copies(Block& block) {
  for (Lane& lane : block.lanes)
    lane.copies = {};
  block.has_async_copies = false;
}

// Those of a block that was ended in between.
void forget_arrivals(Block& block) {
  for (Lane& lane : block.lanes)
    lane.has_arrived = false;
  block.has_arrivals = false;
}

void restart_device_clock(Block& block) {
  for (Lane& lane : block.lanes)
    lane.clock_looks = 0;
  block.has_looked_at_clock = false;
}

void begin_block(Worker& worker, unsigned slot, std::uint64_t cluster) {
  Block& block = *worker.blocks[slot];
  const ClusteredGrid& grid = worker.launch->grid;
  shape_block(worker, block, slot);
  block.index = grid.block(cluster, slot);
  block.number = number_in(grid.grid, block.index);
  block.rank = slot;
  block.live = block.threads;
  block.arrived = block.arrived_at_cluster = 0;
  block.barrier_differs = false;
  block.barrier_missed = false;
  block.predicates = 0;
  block.start = block.last_barrier = ++worker.clock;
  if (block.has_async_copies) forget_async_copies(block);
  if (block.has_arrivals) forget_arrivals(block);
  block.synchronization.reset();
  if (block.has_looked_at_clock) restart_device_clock(block);
  for (Warp& warp : block.warps) {
    begin_warp(warp);
    warp.last_sync = worker.clock;
  }
  worker.shared.begin_block(slot);
  begin_block_of_global_races(block);
  ++worker.tally.blocks;
  worker.tally.threads += block.threads;
}

bool waits_in_loop(const Block& block) {
  return std::any_of(block.warps.begin(), block.warps.end(),
                     [](const Warp& warp) { return waits_in_loop(warp); });
}

// A barrier in shared memory may have let threads of a warp go on after its turn.
bool can_go_on(const Block& block) {
  return block.synchronization != nullptr &&
         std::any_of(block.warps.begin(), block.warps.end(),
                     [](const Warp& warp) { return warp.ready != 0; });
}

// The same of a barrier that threads of another block have arrived at, or stored for.
bool some_can_go_on(const Worker& worker, unsigned count) {
  return std::any_of(worker.blocks.begin(), worker.blocks.begin() + count,
                     [](const std::unique_ptr<Block>& block) { return can_go_on(*block); });
}

// Whether a lane can go on, or waits for what run_warp() settles: a warp that began in the turn of
// another one, as in a launch that runs plain, may have none that is ready.
bool needs_turn(const Warp& warp) {
  return (warp.ready | warp.in_operation | warp.log_full) != 0;
}

// Runs the block until its threads have returned or wait for others: of the cluster at a barrier,
// or for any in a loop.
void run_block(Worker& worker, Block& block) {
  do {
    for (Warp& warp : block.warps) {
      if (!needs_turn(warp)) continue;
      run_warp(worker, warp);
      if (worker.aborted) return;
    }
  } while (!waits_in_loop(block) && (can_go_on(block) || release_block_barrier(block)) &&
           !worker.aborted);
}

// Runs each block of the cluster as far as it comes. Returns whether some wait in a loop.
bool run_blocks(Worker& worker, unsigned count) {
  bool some_wait = false;
  for (unsigned slot = 0; slot < count && !worker.aborted; ++slot) {
    run_block(worker, *worker.blocks[slot]);
    some_wait |= waits_in_loop(*worker.blocks[slot]);
  }
  return some_wait && !worker.aborted;
}

// Runs the blocks until all have ended or wait at a barrier.
void run_and_wait(Worker& worker, unsigned count) {
  using Clock = WorkerPool::Clock;
  if (!run_blocks(worker, count)) return;
  const Clock::time_point since = Clock::now();
  do {
    worker.launch->pool->help_waiting_blocks(*worker.launch, since);
    std::this_thread::yield();  // what they wait for may be another worker's
  } while (run_blocks(worker, count));
}

// Whether all blocks wait there. What they did before is ordered before what follows.
bool pass_cluster_barrier(Worker& worker, unsigned count) {
  if (!release_cluster_barrier(worker, count)) return false;
  if (worker.launch->config.cooperative) next_phase_of_global_races(worker, count);
  return true;
}

}  // namespace

void run_cluster(Worker& worker, std::uint64_t number, unsigned count) {
  while (worker.blocks.size() < count)
    worker.blocks.push_back(std::make_unique<Block>());
  for (unsigned slot = 0; slot < count; ++slot)
    begin_block(worker, slot, number);
  worker.cluster_has_met = false;
  worker.vain_tries = 0;
  do {
    run_and_wait(worker, count);
  } while (!worker.aborted &&
           (some_can_go_on(worker, count) || let_tries_fail(worker, count) ||
            pass_cluster_barrier(worker, count)) &&
           !worker.aborted);
  end_shared_races(worker);
  for (unsigned slot = 0; slot < count; ++slot)
    end_block_of_global_races(*worker.blocks[slot]);
}

void exit_thread() {
  throw ExitOfThread{};
}

}  // namespace simt
