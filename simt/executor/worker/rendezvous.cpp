#include "simt/executor/worker/rendezvous.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include "simt/executor/counters/warp_recording.h"
#include "simt/executor/fibers/turns.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/source_lines.h"
#include "simt/executor/log/called_lines.h"
#include "simt/executor/worker/abandon.h"
#include "simt/executor/worker/switch.h"

namespace simt {
namespace {

constexpr unsigned kAllLanes = 0xffffffff;

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
    case WarpOperation::kGather:
      return "__activemask";
    case WarpOperation::kTogether:
      return "a warp-wide operation";
  }
  return "a warp operation";
}

// Of a lane that waits in perform_together(), or did so until now.
WarpTask& task_of(const Warp& warp, unsigned lane) {
  return *reinterpret_cast<WarpTask*>(warp.values[lane]);
}

const char* name_of_operation(const Lane& lane) {
  const WarpOperation operation = lane.exchange.operation;
  return operation == WarpOperation::kTogether ? task_of(*lane.warp, lane.number).name
                                               : name_of(operation);
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

// What run_cluster() runs.
std::string widest_group(const Worker& worker) {
  return worker.launch->config.cooperative ? "grid" : "cluster";
}

// How far the phase has come that threads wait for.
std::string describe(const AsyncBarrier& barrier) {
  std::string text = std::to_string(barrier.expected - barrier.pending) + " of " +
                     std::to_string(barrier.expected) + " have arrived";
  if (barrier.missing_bytes > 0)
    text += " and " + std::to_string(barrier.missing_bytes) + " bytes are missing";
  if (barrier.missing_bytes < 0) {
    text += " and " + std::to_string(-barrier.missing_bytes) +
            " bytes have come that no thread expects";
  }
  return text;
}

std::string describe(const Lane& lane) {
  const Warp& warp = *lane.warp;
  const unsigned bit = lane.bit();
  if ((warp.alive & bit) == 0) return "returned from the kernel";
  const auto line = [&] { return source_line(lane.where.file, lane.where.line); };
  if (warp.at_barrier & bit) return "at the block's barrier, " + line();
  if (warp.at_cluster_barrier & bit) {
    return "at the " + widest_group(*warp.block->worker) + "'s barrier, " + line();
  }
  if (warp.at_async_barrier & bit) {
    const AsyncBarrier& barrier = warp.block->synchronization->barriers.at(lane.awaited);
    const std::string which = is_key_of_tile(lane.awaited)
                                  ? "the barrier of a tile of " +
                                        std::to_string(threads_of_tile(lane.awaited)) + " threads"
                                  : "a barrier in shared memory";
    return "at " + which + " where " + describe(barrier) + ", " + line();
  }
  if (warp.in_operation & bit) {
    return std::string("at ") + name_of_operation(lane) + " with mask " +
           hexadecimal(lane.exchange.mask) + ", " + line();
  }
  return &lane == current.lane ? "running" : "ready to run";
}

}  // namespace

std::string describe_threads(const Block& block) {
  struct Group {
    unsigned threads = 0;
    unsigned first = 0;
    unsigned last = 0;
  };
  std::map<std::string, Group> groups;
  for (const Lane& lane : std::span(block.lanes).first(block.threads)) {
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

namespace {

// At barriers in shared memory, which other blocks of the cluster may end.
bool some_wait_at_async_barriers(const Block& block) {
  return block.synchronization != nullptr &&
         std::any_of(block.warps.begin(), block.warps.end(),
                     [](const Warp& warp) { return warp.at_async_barrier != 0; });
}

// Of a block that cannot go on, the set of lanes that wait in vain.
unsigned Warp::*set_that_waits(const Block& block) {
  const bool in_operation = std::any_of(block.warps.begin(), block.warps.end(),
                                        [](const Warp& warp) { return warp.in_operation != 0; });
  return in_operation ? &Warp::in_operation : &Warp::at_async_barrier;
}

// There is one.
Lane& first_of(const Block& block, unsigned Warp::*set) {
  auto warp = block.warps.begin();
  while ((*warp).*set == 0)
    ++warp;
  return warp->lanes[std::countr_zero((*warp).*set)];
}

// From the scheduler's side, on behalf of a lane that waits.
void report_for(Lane& lane, const char* kind, const std::string& message) {
  current.lane = &lane;
  report(kind, {lane.where}, message);
  current.lane = nullptr;
}

// Ends the launch, too.
void end_launch(Lane& lane, const char* kind, const std::string& message) {
  Worker& worker = worker_of(lane);
  report_for(lane, kind, message);
  worker.launch->error = kErrorLaunchFailure;
  worker.aborted = true;
}

// ---- warp operations ----

// PTX ISA, shfl.sync: the lane that `lane` reads, itself when that would leave its segment of
// `width` lanes.
template <WarpOperation kOperation>
unsigned source_lane(unsigned lane, const Exchange& exchange) {
  const unsigned by = static_cast<unsigned>(exchange.argument) & (kWarpSize - 1);
  const auto width = static_cast<unsigned>(exchange.width);
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

// By which a shuffle of a mask of neighbours reads no lane but these.
std::string advice_on_width(unsigned mask) {
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  if (!std::has_single_bit(lanes) || lanes == kWarpSize || first % lanes != 0) return "";
  if (mask >> first != (1u << lanes) - 1) return "";  // others lie in between
  return "; with " + std::to_string(lanes) +
         " as its width it would read no other lanes than these";
}

[[gnu::noinline]] void report_absent_source(Warp& warp, unsigned lane, unsigned source,
                                            unsigned mask) {
  const Lane& reader = warp.lanes[lane];
  const char* why = (warp.present >> source & 1) == 0 ? "which the block does not have"
                    : (mask >> source & 1) == 0       ? "which the mask does not name"
                                                      : "which has returned from the kernel";
  current.lane = &warp.lanes[lane];
  report_and_end_launch("shuffle-absent-lane", {reader.where},
                        std::string(name_of(reader.exchange.operation)) + " with mask " +
                            hexadecimal(mask) + ": lane " + std::to_string(lane) + " reads lane " +
                            std::to_string(source) + ", " + why + advice_on_width(mask),
                        kErrorLaunchFailure);
}

template <WarpOperation kOperation>
void shuffle(Warp& warp, unsigned mask, unsigned members) {
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(rest));
    const Exchange& exchange = warp.lanes[number].exchange;
    const unsigned source = source_lane<kOperation>(number, exchange);
    if ((members >> source & 1) == 0) return report_absent_source(warp, number, source, mask);
    warp.results[number] = warp.values[source];
  }
}

// The same when all 32 lanes ask for the same, so that none can be absent.
template <WarpOperation kOperation>
void shuffle_alike(Warp& warp, const Exchange& exchange) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    warp.results[lane] = warp.values[source_lane<kOperation>(lane, exchange)];
  }
}

template <WarpOperation kOperation>
void shuffle(Warp& warp, unsigned mask, unsigned members, bool all_alike) {
  if (all_alike && members == kAllLanes) {
    shuffle_alike<kOperation>(warp, warp.first_exchange);
  } else {
    shuffle<kOperation>(warp, mask, members);
  }
}

void ballot(Warp& warp, unsigned members) {
  unsigned votes = 0;
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const int number = std::countr_zero(rest);
    if (warp.values[number] != 0) votes |= 1u << number;
  }
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    warp.results[std::countr_zero(rest)] = votes;
  }
}

// The lanes of a block of fewer than 32, or what others have left.
[[gnu::noinline]] void report_lanes_that_lack(Warp& warp, unsigned members) {
  const auto first = static_cast<unsigned>(std::countr_zero(members));
  const auto absent = std::to_string(std::countr_one(members));
  current.lane = &warp.lanes[first];
  report_and_end_launch("warp-mask", {current.lane->where},
                        std::string(task_of(warp, first).name) +
                            " takes all 32 lanes of a warp, and this one has no lane " + absent,
                        kErrorLaunchFailure);
}

void perform_task(Warp& warp, unsigned members) {
  if (members != kAllLanes) return report_lanes_that_lack(warp, members);
  std::array<WarpTask*, kWarpSize> tasks;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    tasks[lane] = &task_of(warp, lane);
  tasks[0]->perform(tasks.data());
}

// Whether all of them wait for the same operation with the same mask.
bool agree(const Warp& warp, unsigned members, const Exchange& of_one) {
  if ((warp.in_operation & members) != members) return false;
  const bool is_task = of_one.operation == WarpOperation::kTogether;
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const Exchange& exchange = warp.lanes[std::countr_zero(rest)].exchange;
    if (exchange.operation != of_one.operation || exchange.mask != of_one.mask) return false;
    if (is_task && exchange.argument != of_one.argument) return false;
  }
  return true;
}

// Returns the lanes whose logs are full now.
unsigned add_meeting_point(Warp& warp, unsigned members) {
  unsigned full = 0;
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const int number = std::countr_zero(rest);
    LaneLog& log = *warp.lanes[number].log;
    if (!log.repeat(kMeetingPoint) && !log.add(kMeetingPoint)) full |= 1u << number;
  }
  return full;
}

// Tells the replay, in their order of accesses, what they have done together; of a shuffle also who
// is the first of them. Returns the lanes whose logs are full now.
unsigned log_operation(Warp& warp, unsigned members, AccessKind kind) {
  const Location where = warp.lanes[std::countr_zero(members)].where;
  const Event event = access_event(number_of_line(where));
  warp.block->worker->tally.locate(event, where);
  std::uintptr_t is_first = 1;
  unsigned full = 0;
  for (unsigned rest = members; rest != 0; rest &= rest - 1) {
    const int number = std::countr_zero(rest);
    LaneLog& log = *warp.lanes[number].log;
    const Access operation(kind == AccessKind::kShuffle ? is_first : 0, 0, kind);
    if (!log.repeat(event, operation) && !log.add(event, operation)) full |= 1u << number;
    is_first = 0;
  }
  return full;
}

// What one of them knows of other warps, all of them know now.
void share_what_is_known(Warp& warp, unsigned members) {
  ThreadOrder& order = warp.block->synchronization->order;
  ThreadTimes known;
  for (unsigned rest = members; rest != 0; rest &= rest - 1)
    order.teach(warp.lanes[std::countr_zero(rest)].thread, known);
  for (unsigned rest = members; rest != 0; rest &= rest - 1)
    order.learn(warp.lanes[std::countr_zero(rest)].thread, known);
}

void perform(Warp& warp, WarpOperation operation, unsigned mask, unsigned members, bool all_alike) {
  switch (operation) {
    case WarpOperation::kShuffleIndex:
      return shuffle<WarpOperation::kShuffleIndex>(warp, mask, members, all_alike);
    case WarpOperation::kShuffleUp:
      return shuffle<WarpOperation::kShuffleUp>(warp, mask, members, all_alike);
    case WarpOperation::kShuffleDown:
      return shuffle<WarpOperation::kShuffleDown>(warp, mask, members, all_alike);
    case WarpOperation::kShuffleXor:
      return shuffle<WarpOperation::kShuffleXor>(warp, mask, members, all_alike);
    case WarpOperation::kBallot:
      return ballot(warp, members);
    case WarpOperation::kSync:
      warp.last_sync = ++warp.block->worker->clock;
      if (warp.block->synchronization != nullptr) share_what_is_known(warp, members);
      return;
    case WarpOperation::kGather:  // ends in gather()
      return;
    case WarpOperation::kTogether:
      return perform_task(warp, members);
  }
}

std::uint64_t Counters::*counter_of(WarpOperation operation) {
  if (operation == WarpOperation::kBallot) return &Counters::votes;
  return operation == WarpOperation::kSync ? &Counters::warp_syncs : &Counters::shuffles;
}

bool is_shuffle(WarpOperation operation) {
  return operation != WarpOperation::kTogether && counter_of(operation) == &Counters::shuffles;
}

// Several parts of a warp may exchange values in one instruction, each among its own lanes: which
// of them come to it together, the replay finds out.
bool is_counted_by_replay(const Warp& warp, WarpOperation operation, unsigned members) {
  return members != warp.present && is_shuffle(operation);
}

void count(const Warp& warp, WarpOperation operation, unsigned first) {
  Tally& tally = warp.block->worker->tally;
  const Location& where = warp.lanes[first].where;
  if (operation != WarpOperation::kTogether)
    return tally.add_operation(where, counter_of(operation));
  const unsigned instructions = task_of(warp, first).tensor_instructions;
  if (instructions > 0) tally.add_operation(where, &Counters::tensor_instructions, instructions);
}

unsigned source_lane(WarpOperation operation, unsigned lane, const Exchange& exchange) {
  switch (operation) {
    case WarpOperation::kShuffleIndex:
      return source_lane<WarpOperation::kShuffleIndex>(lane, exchange);
    case WarpOperation::kShuffleUp:
      return source_lane<WarpOperation::kShuffleUp>(lane, exchange);
    case WarpOperation::kShuffleDown:
      return source_lane<WarpOperation::kShuffleDown>(lane, exchange);
    default:
      return source_lane<WarpOperation::kShuffleXor>(lane, exchange);
  }
}

WarpEventKind kind_of(WarpOperation operation) {
  if (operation == WarpOperation::kTogether) return WarpEventKind::kMatrix;
  if (operation == WarpOperation::kBallot) return WarpEventKind::kVote;
  return operation == WarpOperation::kSync ? WarpEventKind::kWarpSync : WarpEventKind::kShuffle;
}

// What its lanes did, after perform().
[[gnu::noinline]] void record_operation(WarpRecording& recorded, const Warp& warp,
                                        WarpOperation operation, unsigned members, bool all_meet) {
  const auto first = static_cast<unsigned>(std::countr_zero(members));
  WarpEvent event;
  event.kind = kind_of(operation);
  event.lanes = members;
  if (event.kind == WarpEventKind::kVote)
    event.votes = static_cast<std::uint32_t>(warp.results[first]);
  if (event.kind == WarpEventKind::kMatrix) event.operation = task_of(warp, first).name;
  if (event.kind == WarpEventKind::kShuffle) {
    event.operation = name_of(operation);
    for (unsigned rest = members; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      event.others.push_back(source_lane(operation, lane, warp.lanes[lane].exchange));
    }
  }
  recorded.operation(warp, std::move(event), warp.lanes[first].where, all_meet);
}

void complete(Warp& warp, WarpOperation operation, unsigned mask, unsigned members) {
  Worker& worker = *warp.block->worker;
  perform(warp, operation, mask, members, (warp.alike & members) == members);
  const bool all_meet = worker.launch->counting && members == warp.alive;
  const bool by_replay = is_counted_by_replay(warp, operation, members);
  if (worker.launch->counting) {
    if (!by_replay) count(warp, operation, static_cast<unsigned>(std::countr_zero(members)));
    if (WarpRecording* const recorded = recording_of(warp)) [[unlikely]]
      record_operation(*recorded, warp, operation, members, all_meet);
  }
  unsigned full = 0;
  if (worker.launch->counting) {
    if (operation == WarpOperation::kSync)
      full = log_operation(warp, members, AccessKind::kWarpSync);
    if (by_replay) full = log_operation(warp, members, AccessKind::kShuffle);
  }
  if (all_meet) full |= add_meeting_point(warp, members);
  warp.in_operation &= ~members;
  warp.alike = 0;
  warp.log_full |= full;
  warp.ready |= members & ~full;
}

std::string describe_mask(const Lane& lane) {
  const std::string what =
      std::string(name_of_operation(lane)) + " with mask " + hexadecimal(lane.exchange.mask);
  if ((lane.exchange.mask & lane.bit()) == 0) {
    return what + " does not name the calling lane " + std::to_string(lane.number);
  }
  const unsigned returned = lane.exchange.mask & lane.warp->present & ~lane.warp->alive;
  return what + " names lane " + std::to_string(std::countr_zero(returned)) +
         ", which has skipped it and returned from the kernel";
}

[[noreturn, gnu::noinline]] void refuse_mask(const Lane& lane) {
  report_and_end_launch("warp-mask", {lane.where}, describe_mask(lane), kErrorLaunchFailure);
}

[[noreturn, gnu::noinline]] void refuse_width(const Lane& lane) {
  report_and_end_launch("shuffle-width", {lane.where},
                        std::string(name_of(lane.exchange.operation)) + " with width " +
                            std::to_string(lane.exchange.width) +
                            ", which is not 1, 2, 4, 8, 16 or 32",
                        kErrorLaunchFailure);
}

// Lanes that returned still count as named, but for __syncwarp, which CUDA defines over the lanes
// that remain.
bool mask_is_valid(const Lane& lane) {
  if ((lane.exchange.mask & lane.bit()) == 0) return false;
  if (lane.exchange.operation == WarpOperation::kSync) return true;
  return (lane.exchange.mask & lane.warp->present & ~lane.warp->alive) == 0;
}

[[gnu::noinline]] void check_exchange(const Lane& lane) {
  if (!mask_is_valid(lane)) refuse_mask(lane);
  const int width = lane.exchange.width;
  if (width <= 0 || width > 32 || (width & (width - 1)) != 0) refuse_width(lane);
}

// In two pieces, where == takes four.
bool same_exchange(const Exchange& a, const Exchange& b) {
  static_assert(std::has_unique_object_representations_v<Exchange>);
  return std::memcmp(&a, &b, sizeof(Exchange)) == 0;
}

// What another lane that waits asked for is valid, if the mask names this lane as well and no lane
// has returned since.
bool is_known_to_be_valid(const Warp& warp, const Lane& lane, unsigned mask) {
  return warp.alike != 0 && same_exchange(lane.exchange, warp.first_exchange) &&
         (mask & lane.bit()) != 0 && warp.alive == warp.present;
}

// The last of the members has come. Apart from the others' arrival, which so saves no registers.
[[gnu::noinline]] Handover end_exchange(Lane& lane, unsigned members) {
  Warp& warp = *lane.warp;
  const auto [mask, argument, width, operation] = lane.exchange;
  if ((warp.alike & members) == members || agree(warp, members, lane.exchange)) {
    complete(warp, operation, mask, members);
  }
  if ((warp.ready & lane.bit()) != 0) return {lane.context, &lane.context};
  return jump(turn_to_others(lane), lane.context);
}

[[gnu::always_inline]] inline Handover join_exchange(Lane& lane, unsigned mask) {
  Warp& warp = *lane.warp;
  warp.in_operation |= lane.bit();
  warp.ready &= ~lane.bit();
  const unsigned members = mask & warp.alive;
  if ((warp.in_operation & members) == members) return end_exchange(lane, members);
  return jump(turn_to_others(lane), lane.context);
}

// A lane that asks for what no other waits for, or for something else. One of threads that take
// turns is here, for of its warp none waits.
[[gnu::noinline]] Handover begin_exchange(Lane& lane) {
  end_turns(lane);
  check_exchange(lane);
  Warp& warp = *lane.warp;
  if (warp.in_operation == 0) {
    warp.first_exchange = lane.exchange;
    warp.alike = 0;
  }
  if (same_exchange(lane.exchange, warp.first_exchange)) warp.alike |= lane.bit();
  return join_exchange(lane, lane.exchange.mask);
}

}  // namespace

Handover arrive_at_warp_operation(Exchange exchange, std::uint64_t value, Location where) {
  Lane& lane = *current.lane;
  Warp& warp = *lane.warp;
  const unsigned mask = exchange.mask;
  lane.exchange = exchange;
  lane.where = where;
  warp.values[lane.number] = value;
  if (!is_known_to_be_valid(warp, lane, mask)) [[unlikely]]
    return begin_exchange(lane);
  warp.alike |= lane.bit();
  return join_exchange(lane, mask);
}

std::uint64_t leave_warp_operation(Handover handover) {
  keep_context_of_caller(handover);
  const Lane& lane = *current.lane;
  return lane.warp->results[lane.number];
}

namespace {

// Where the functions return to that a lane waits in, from the innermost to its kernel. Device code
// keeps frame pointers, and a frame begins with that of the caller and the address to return to.
std::vector<std::uintptr_t> calls_of(const Lane& lane) {
  std::vector<std::uintptr_t> calls;
  std::uintptr_t frame = lane.waiting_frame;
  while (lane.has_on_stack(frame) && frame < lane.outermost_frame) {
    std::array<std::uintptr_t, 2> record;
    std::memcpy(record.data(), reinterpret_cast<const void*>(frame), sizeof record);
    calls.push_back(record[1]);
    if (record[0] <= frame) break;
    frame = record[0];
  }
  return calls;
}

// The same call in the source: a compiler may have made several of it in the code.
bool same_calls(const std::vector<std::uintptr_t>& a, const std::vector<std::uintptr_t>& b) {
  if (a == b) return true;
  const auto text_of = [](const std::vector<std::uintptr_t>& calls) {
    std::string text;
    for (const std::uintptr_t call : calls)
      text += source_calls(call);
    return text;
  };
  return text_of(a) == text_of(b);
}

// Lets the lanes go on that wait for each other at one place in active_lanes(), which is also
// called from one place. Called when no other lane of the warp can: so these are as many as can
// ever meet there.
void gather(Warp& warp) {
  // Those that came first: on their way they may meet the others again.
  const Lane* first = nullptr;
  for (unsigned rest = warp.in_operation; rest != 0; rest &= rest - 1) {
    const Lane& lane = warp.lanes[std::countr_zero(rest)];
    if (lane.exchange.operation != WarpOperation::kGather) continue;
    if (first == nullptr || lane.waiting_since < first->waiting_since) first = &lane;
  }
  if (first == nullptr) return;
  unsigned members = 0;
  const std::vector<std::uintptr_t> calls = calls_of(*first);
  for (unsigned rest = warp.in_operation; rest != 0; rest &= rest - 1) {
    const Lane& lane = warp.lanes[std::countr_zero(rest)];
    if (lane.exchange.operation != WarpOperation::kGather) continue;
    if (same_place(lane.where, first->where) && same_calls(calls_of(lane), calls)) {
      members |= lane.bit();
    }
  }
  for (unsigned rest = members; rest != 0; rest &= rest - 1)
    warp.results[std::countr_zero(rest)] = members;
  warp.in_operation &= ~members;
  warp.ready |= members;
}

}  // namespace

void complete_without_exited(Warp& warp) {
  for (unsigned rest = warp.in_operation; rest != 0; rest &= rest - 1) {
    Lane& lane = warp.lanes[std::countr_zero(rest)];
    if (lane.exchange.operation == WarpOperation::kGather) continue;
    const unsigned members = lane.exchange.mask & warp.alive;
    if (!agree(warp, members, lane.exchange)) continue;
    if (mask_is_valid(lane)) {
      complete(warp, lane.exchange.operation, lane.exchange.mask, members);
    } else {
      end_launch(lane, "warp-mask", describe_mask(lane));
    }
    return;
  }
  gather(warp);
}

unsigned active_lanes(Location where) {
  Lane& lane = *current.lane;
  Warp& warp = *lane.warp;
  end_turns(lane);
  lane.exchange = {.mask = 0, .argument = 0, .width = 0, .operation = WarpOperation::kGather};
  lane.where = where;
  lane.waiting_since = ++warp.gathers;
  lane.waiting_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (warp.in_operation == 0) warp.alike = 0;
  warp.in_operation |= lane.bit();
  warp.ready &= ~lane.bit();
  run_others(lane);
  return static_cast<unsigned>(warp.results[lane.number]);
}

// ---- the clock ----

namespace {

// What comes behind a barrier is later than all that came before it.
void set_clocks_alike(Block& block) {
  std::uint64_t latest = 0;
  for (const Lane& lane : std::span(block.lanes).first(block.threads))
    latest = std::max(latest, lane.warp->ticks + lane.clock_looks);
  for (Lane& lane : block.lanes)
    lane.clock_looks = 0;
  for (Warp& warp : block.warps)
    warp.ticks = latest;
}

// What the running lane's log holds that the warp's ticks do not tell yet.
std::uint64_t ticks_in_log(const Lane& lane) {
  return lane.clock_looks + (current.log != nullptr ? current.log->all_events() : 0);
}

}  // namespace

std::uint64_t device_ticks() {
  if (current.lane == nullptr) return 0;
  constexpr std::uint64_t kTicksOfLook = 32;
  Lane& lane = *current.lane;
  lane.warp->block->has_looked_at_clock = true;
  lane.clock_looks += kTicksOfLook;
  return lane.warp->ticks + ticks_in_log(lane);
}

// ---- barriers ----

Handover arrive_at_block_barrier(bool predicate, Location where) {
  Lane& lane = *current.lane;
  Warp& warp = *lane.warp;
  Block& block = *warp.block;
  end_turns(lane);
  if (block.arrived++ == 0) {
    block.barrier = where;
  } else if (!same_place(block.barrier, where)) {
    block.barrier_differs = true;
  }
  block.predicates += predicate;
  lane.where = where;
  warp.at_barrier |= lane.bit();
  warp.ready &= ~lane.bit();
  return jump(turn_to_others(lane), lane.context);
}

int leave_block_barrier(Handover handover) {
  keep_context_of_caller(handover);
  return current.lane->warp->block->barrier_result;
}

namespace {

void wait_for_other_blocks(Location where) {
  Lane& lane = *current.lane;
  Warp& warp = *lane.warp;
  end_turns(lane);
  ++warp.block->arrived_at_cluster;
  lane.where = where;
  warp.at_cluster_barrier |= lane.bit();
  warp.ready &= ~lane.bit();
  run_others(lane);
}

void report_second_arrival(const Lane& lane, Location where) {
  report("divergent-barrier", {where},
         "a thread arrives at the barrier of the cluster a second time, and has not waited in "
         "between",
         {{{lane.arrival}, "the first time"}});
}

}  // namespace

// All blocks of a cooperative grid run as those of a cluster do.
void grid_barrier(Location where) {
  if (!grid_is_cooperative()) {
    report_and_end_launch("grid-barrier", {where},
                          "a barrier of the grid in a launch that is not cooperative: launch with "
                          "cudaLaunchCooperativeKernel",
                          kErrorLaunchFailure);
  }
  wait_for_other_blocks(where);
}

void cluster_arrive(Location where) {
  Lane& lane = *current.lane;
  if (lane.has_arrived) report_second_arrival(lane, where);
  end_turns(lane);
  lane.has_arrived = true;
  lane.arrival = where;
  lane.warp->block->has_arrivals = true;
  end_usual_shared();
}

void cluster_wait(Location where) {
  Lane& lane = *current.lane;
  if (!lane.has_arrived) {
    report("divergent-barrier", {where},
           "a thread waits at the barrier of the cluster and has not arrived there: "
           "barrier_arrive() comes before barrier_wait()");
  }
  lane.has_arrived = false;
  cluster_barrier(where);
}

void cluster_barrier(Location where) {
  if (current.lane->has_arrived) report_second_arrival(*current.lane, where);
  current.lane->has_arrived = false;
  // A cluster of one block.
  if (grid_is_cooperative()) {
    leave_block_barrier(arrive_at_block_barrier(false, where));
  } else {
    wait_for_other_blocks(where);
  }
}

namespace {

void record_leaving(const Block& block, const char* operation, Location where) {
  for (const Warp& warp : block.warps) {
    WarpRecording* const recorded = recording_of(warp);
    if (recorded != nullptr && warp.ready != 0) recorded->leave(warp, operation, where);
  }
}

// The rest have returned. The block goes on, as on a GPU since Volta, and says so once.
[[gnu::noinline]] void report_missed_barrier(Block& block) {
  block.barrier_missed = true;
  report_for(first_of(block, &Warp::at_barrier), "divergent-barrier",
             "not all threads of the block reach this barrier" + describe_threads(block));
}

}  // namespace

namespace {

void report_deadlock(Block& block) {
  end_launch(first_of(block, set_that_waits(block)), "deadlock",
             "the block cannot go on" + describe_threads(block));
}

// What one of its threads knows of other blocks and of asynchronous stores.
void share_what_is_known(Block& block) {
  if (block.synchronization != nullptr) block.synchronization->order.meet();
}

}  // namespace

bool release_block_barrier(Block& block) {
  const unsigned waiting = block.arrived + block.arrived_at_cluster;
  if (waiting < block.live) {
    if (!some_wait_at_async_barriers(block)) report_deadlock(block);
    return false;
  }
  if (block.arrived == 0) return false;
  if (block.arrived < block.live || block.barrier_differs) {
    end_launch(first_of(block, &Warp::at_barrier), "divergent-barrier",
               "not all threads of the block reach this barrier" + describe_threads(block));
    return false;
  }
  if (block.arrived < block.threads && !block.barrier_missed) report_missed_barrier(block);
  for (Warp& warp : block.warps) {
    warp.ready = warp.at_barrier;
    warp.at_barrier = 0;
  }
  if (block.has_looked_at_clock) set_clocks_alike(block);
  block.arrived = 0;
  block.barrier_result = block.predicates;
  block.predicates = 0;
  block.last_barrier = ++block.worker->clock;
  share_what_is_known(block);
  if (block.worker->launch->counting) {
    block.worker->tally.add_operation(block.barrier, &Counters::block_barriers);
  }
  if (recording) record_leaving(block, "__syncthreads", block.barrier);
  return true;
}

namespace {

// Returns whether there are some.
bool let_tries_fail(Block& block) {
  bool some = false;
  for (Warp& warp : block.warps) {
    for (unsigned rest = warp.at_async_barrier; rest != 0; rest &= rest - 1) {
      const Lane& lane = warp.lanes[std::countr_zero(rest)];
      if (!lane.tries) continue;
      warp.at_async_barrier &= ~lane.bit();
      warp.ready |= lane.bit();
      some = true;
    }
  }
  return some;
}

}  // namespace

bool let_tries_fail(Worker& worker, unsigned count) {
  // A loop may give up after some tries, and arrive; one that has not by then will not.
  constexpr unsigned kMostVainTries = 1000;
  if (worker.vain_tries == kMostVainTries) return false;
  bool some = false;
  for (unsigned slot = 0; slot < count; ++slot)
    some |= let_tries_fail(*worker.blocks[slot]);
  worker.vain_tries += some;
  return some;
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
    if (some_wait_at_async_barriers(block)) {
      report_deadlock(block);
      return false;
    }
  }
  if (arrived == 0) return false;
  if (arrived < threads) {
    end_launch(first_of(*waiting, &Warp::at_cluster_barrier), "divergent-barrier",
               "not all threads of the " + widest_group(worker) +
                   " reach this barrier; of this block:" + describe_threads(*waiting));
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
    share_what_is_known(block);
  }
  worker.cluster_barrier_before = worker.last_cluster_barrier;
  worker.last_cluster_barrier = worker.clock;
  worker.cluster_has_met = true;
  const Lane& waited = first_of(*waiting, &Warp::ready);
  if (worker.launch->counting) {
    worker.tally.add_operation(waited.where, &Counters::cluster_barriers);
  }
  for (unsigned slot = 0; recording && slot < count; ++slot)
    record_leaving(*worker.blocks[slot], "a barrier of several blocks", waited.where);
  return true;
}

}  // namespace simt
