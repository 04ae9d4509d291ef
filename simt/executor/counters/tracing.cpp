#include "simt/executor/counters/tracing.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "simt/executor/counters/event_lines.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/findings/source_lines.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/executor/trace.h"

namespace simt {

bool tracing = false;

namespace {

// Where in the launch a request was made. Blocks run on several workers, in any order.
struct Position {
  std::uint64_t launch = 0;
  std::uint64_t block = 0;
  unsigned warp = 0;
  auto operator<=>(const Position&) const = default;
};

struct Recorded {
  Position at;
  std::uint64_t number = 0;
  Request request;
  std::vector<TracedArray> arrays;  // of each lane
  std::vector<std::uint64_t> offsets;
};

using Place = std::tuple<Position, Event, AccessKind>;

// Tracing is rare and short: one lock serves all workers.
struct State {
  ForkLock<std::mutex> mutex;
  TraceLimits limits;
  std::vector<std::string> kernels;         // of the launches
  std::vector<std::uintptr_t> near_kernel;  // an address in the code of each
  std::vector<Recorded> recorded;
  std::map<Place, std::uint64_t> made;
};

State& state() {
  static State& instance = *new State;
  return instance;
}

// The warp that this OS thread replays.
thread_local Position position;
thread_local const SharedMemory* shared = nullptr;

bool is_global(AccessKind kind) {
  return kind == AccessKind::kGlobalLoad || kind == AccessKind::kAsyncCopy ||
         kind == AccessKind::kGlobalStore || kind == AccessKind::kGlobalAtomic;
}

// Shared memory is one array for all of a block's variables.
bool lies_in_array(AccessKind kind) {
  return is_global(kind) || kind == AccessKind::kConstantLoad;
}

void look_up_lines(const State& s) {
  std::set<std::uintptr_t> addresses;
  for (const Recorded& recorded : s.recorded) {
    add_code_address(recorded.request.site, s.near_kernel[recorded.at.launch], addresses);
  }
  look_up_source_lines(addresses);
}

int index_of(const TracedArray& array, std::vector<TracedArray>& arrays) {
  const auto same = [&](const TracedArray& other) { return other.begin == array.begin; };
  const auto found = std::find_if(arrays.begin(), arrays.end(), same);
  const auto index = static_cast<int>(found - arrays.begin());
  if (found == arrays.end()) arrays.push_back(array);
  return index;
}

TracedRequest complete(const State& s, const Recorded& recorded, std::vector<TracedArray>& arrays) {
  const Request& request = recorded.request;
  const auto& [launch, block, warp] = recorded.at;
  TracedRequest traced;
  traced.launch = launch;
  traced.kernel = s.kernels[launch];
  traced.block = block;
  traced.warp = warp;
  traced.kind = request.kind;
  traced.bytes = request.bytes;
  traced.number = recorded.number;
  traced.of = s.made.at({recorded.at, request.site, request.kind});
  const auto [file, line] = line_of(request.site, s.near_kernel[launch]);
  traced.file = file;
  traced.line = line;
  for (unsigned i = 0; i < request.count; ++i) {
    traced.lanes.push_back(
        {.lane = request.lanes[i],
         .array = lies_in_array(request.kind) ? index_of(recorded.arrays[i], arrays) : -1,
         .offset = recorded.offsets[i]});
  }
  if (request.kind == AccessKind::kGlobalAtomic) {
    traced.sectors = atomic_sectors(request);
  } else if (is_global(request.kind)) {
    traced.sectors = sectors(request);
  } else if (request.kind != AccessKind::kDistributed &&
             request.kind != AccessKind::kConstantLoad) {
    traced.wavefronts = wavefronts(request).total;
  }
  return traced;
}

}  // namespace

void start_trace(const TraceLimits& limits) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.limits = limits;
  s.kernels.clear();
  s.near_kernel.clear();
  s.recorded.clear();
  s.made.clear();
  tracing = true;
}

Trace stop_trace() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  tracing = false;
  std::stable_sort(s.recorded.begin(), s.recorded.end(),
                   [](const Recorded& a, const Recorded& b) { return a.at < b.at; });
  look_up_lines(s);
  Trace trace;
  for (const Recorded& recorded : s.recorded)
    trace.requests.push_back(complete(s, recorded, trace.arrays));
  s.recorded.clear();
  s.made.clear();
  return trace;
}

std::string_view name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kGlobalLoad:
      return "global load";
    case AccessKind::kAsyncCopy:
      return "asynchronous copy";
    case AccessKind::kGlobalStore:
      return "global store";
    case AccessKind::kGlobalAtomic:
      return "global atomic";
    case AccessKind::kSharedLoad:
      return "shared load";
    case AccessKind::kSharedStore:
      return "shared store";
    case AccessKind::kSharedAtomic:
    case AccessKind::kSharedAddition:
      return "shared atomic";
    case AccessKind::kConstantLoad:
      return "constant load";
    case AccessKind::kDistributed:
      return "distributed";
    case AccessKind::kFence:
      return "fence";
    case AccessKind::kWarpSync:
      return "__syncwarp";
    case AccessKind::kMeeting:
      return "uncounted atomic";
    case AccessKind::kShuffle:
      return "shuffle";
  }
  return "";
}

void trace_launch(Launch& launch) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  launch.trace_number = s.kernels.size();
  s.kernels.emplace_back(launch.kernel);
  s.near_kernel.push_back(reinterpret_cast<std::uintptr_t>(launch.body));
}

bool trace_warp(const SharedMemory& of_blocks, const Warp& warp) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Block& block = *warp.block;
  position = {current.launch->trace_number, block.number,
              static_cast<unsigned>(&warp - block.warps.data())};
  shared = &of_blocks;
  return position.block < s.limits.blocks && position.warp < s.limits.warps;
}

void trace_request(const Request& request) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const std::uint64_t number = ++s.made[{position, request.site, request.kind}];
  if (number > s.limits.requests) return;
  Recorded recorded{position, number, request, {}, {}};
  for (unsigned i = 0; i < request.count; ++i) {
    const std::uint64_t address = request.address(i);
    if (lies_in_array(request.kind)) {
      const auto array = DeviceMemory::instance().elements_at(address);
      recorded.arrays.push_back({.begin = reinterpret_cast<const void*>(array.begin),
                                 .bytes = array.end - array.begin,
                                 .element_bytes = array.element_bytes});
      recorded.offsets.push_back(address - array.begin);
    } else {
      recorded.offsets.push_back(shared->offset_in_slot(address));
    }
  }
  s.recorded.push_back(std::move(recorded));
}

}  // namespace simt
