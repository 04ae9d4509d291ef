#include "simt/executor/counters/warp_recording.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "simt/executor/counters/event_lines.h"
#include "simt/executor/devices.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/findings/source_lines.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/executor/trace.h"

namespace simt {

bool recording = false;

namespace {

/// An access that misses its array by no more than this is told by its distance from that array.
constexpr std::uintptr_t kNear = 256;

bool is_in_arrays(AccessKind kind) {
  return kind == AccessKind::kGlobalLoad || kind == AccessKind::kAsyncCopy ||
         kind == AccessKind::kGlobalStore || kind == AccessKind::kGlobalAtomic ||
         kind == AccessKind::kConstantLoad;
}

void add_cost(WarpEvent& event, const Request& request) {
  switch (request.kind) {
    case AccessKind::kGlobalLoad:
    case AccessKind::kAsyncCopy:
    case AccessKind::kGlobalStore:
      event.sectors = sectors(request);
      return;
    case AccessKind::kGlobalAtomic:
      event.sectors = atomic_sectors(request);
      return;
    case AccessKind::kConstantLoad:
      event.words = constant_words(request);
      return;
    case AccessKind::kSharedLoad:
    case AccessKind::kSharedStore:
    case AccessKind::kSharedAtomic:
    case AccessKind::kSharedAddition: {
      const Wavefronts needed = wavefronts(request);
      event.wavefronts = needed.total;
      event.conflicts = needed.conflicts;
      return;
    }
    default:
      return;
  }
}

std::uint32_t lanes_of(const Request& request) {
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < request.count; ++i)
    lanes |= 1u << request.lanes[i];
  return lanes;
}

bool same_place(const Location& a, const Location& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

}  // namespace

// ---- what lanes do together ----

void WarpRecording::add(Unresolved event) {
  if (events_.size() < limit_) {
    events_.push_back(std::move(event));
  } else {
    ++left_out_;
  }
}

void WarpRecording::operation(const Warp& warp, WarpEvent event, Location where, bool all_meet) {
  Pending pending{{std::move(event), kNoEvent, where}, {}, all_meet ? ++meetings_ : 0};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((pending.operation.event.lanes >> lane & 1) == 0) continue;
    pending.position[lane] = replayed_[lane] + warp.lanes[lane].log->accesses_kept();
  }
  pending_.push_back(std::move(pending));
}

// Those that are due, and before them what their lanes did earlier.
void WarpRecording::add_pending(const std::vector<bool>& due) {
  std::vector<bool> chosen = due;
  std::uint32_t lanes = 0;
  for (std::size_t i = pending_.size(); i-- > 0;) {
    const std::uint32_t own = pending_[i].operation.event.lanes;
    if (!chosen[i] && (own & lanes) == 0) continue;
    chosen[i] = true;
    lanes |= own;
  }
  std::vector<Pending> rest;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (chosen[i]) {
      add(std::move(pending_[i].operation));
    } else {
      rest.push_back(std::move(pending_[i]));
    }
  }
  pending_ = std::move(rest);
}

void WarpRecording::add_all_pending() {
  add_pending(std::vector<bool>(pending_.size(), true));
}

// The operations that these lanes did before their next access.
void WarpRecording::add_due(std::uint32_t lanes) {
  std::vector<bool> due(pending_.size());
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    for (std::uint32_t rest = lanes & pending_[i].operation.event.lanes; rest != 0;
         rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      due[i] = due[i] || pending_[i].position[lane] <= replayed_[lane];
    }
  }
  add_pending(due);
}

void WarpRecording::pass_meetings(std::size_t count) {
  passed_ += count;
  std::vector<bool> due(pending_.size());
  for (std::size_t i = 0; i < pending_.size(); ++i)
    due[i] = pending_[i].meeting != 0 && pending_[i].meeting <= passed_;
  add_pending(due);
}

// ---- accesses ----

// Number of the array, among this warp's; -1 where nothing is allocated.
int WarpRecording::array_at(std::uint64_t address) {
  const auto contains = [&](const ReachedArray& array) {
    return address - array.begin < array.end - array.begin;
  };
  auto found = std::find_if(arrays_.begin(), arrays_.end(), contains);
  if (found != arrays_.end()) return static_cast<int>(found - arrays_.begin());
  const auto range = DeviceMemory::instance().elements_at(address);
  if (!range.is_outside) {
    arrays_.push_back({range.begin, range.end, range.element_bytes});
    return static_cast<int>(arrays_.size()) - 1;
  }
  const auto is_near = [&](const ReachedArray& array) { return address - array.end < kNear; };
  found = std::find_if(arrays_.begin(), arrays_.end(), is_near);
  return found == arrays_.end() ? -1 : static_cast<int>(found - arrays_.begin());
}

void WarpRecording::request(const Request& request) {
  const std::uint32_t lanes = lanes_of(request);
  if (!pending_.empty()) add_due(lanes);
  for (unsigned i = 0; i < request.count; ++i)
    ++replayed_[request.lanes[i]];
  if (request.kind == AccessKind::kFence || request.kind == AccessKind::kMeeting ||
      request.kind == AccessKind::kWarpSync || request.kind == AccessKind::kShuffle) {
    return;
  }
  if (events_.size() >= limit_) {
    ++left_out_;
    return;
  }
  Unresolved access{{}, request.site, {nullptr, 0}};
  WarpEvent& event = access.event;
  event.kind = WarpEventKind::kAccess;
  event.access = request.kind;
  event.lanes = lanes;
  event.bytes = request.bytes;
  add_cost(event, request);
  for (unsigned i = 0; i < request.count; ++i) {
    const std::uint64_t address = request.address(i);
    if (!is_in_arrays(request.kind)) {
      event.offsets.push_back(shared_->offset_in_slot(address));
      continue;
    }
    const int array = array_at(address);
    event.arrays.push_back(array);
    event.offsets.push_back(array < 0 ? 0 : address - arrays_[static_cast<unsigned>(array)].begin);
  }
  add(std::move(access));
}

// ---- branches ----

std::size_t WarpRecording::part(Event branch, std::uint32_t lanes) {
  Unresolved parted{{}, branch, {nullptr, 0}};
  parted.event.kind = WarpEventKind::kPart;
  parted.event.lanes = lanes;
  add(std::move(parted));
  return left_out_ == 0 ? events_.size() - 1 : events_.size();
}

void WarpRecording::add_side(std::size_t parted, std::uint32_t lanes) {
  if (parted < events_.size()) events_[parted].event.others.push_back(lanes);
}

void WarpRecording::rejoin(Event meet, std::uint32_t lanes) {
  Unresolved joined{{}, meet, {nullptr, 0}};
  joined.event.kind = WarpEventKind::kRejoin;
  joined.event.lanes = lanes;
  add(std::move(joined));
}

// ---- barriers ----

void WarpRecording::pause(const Warp& warp) {
  add_all_pending();
  if (present_ == 0) present_ = alive_ = warp.present;
  if (shared_ != nullptr) objects_ = shared_->objects();
  const std::uint32_t returned = alive_ & ~warp.alive;
  alive_ = warp.alive;
  if (returned != 0) {
    Unresolved end;
    end.event.kind = WarpEventKind::kReturn;
    end.event.lanes = returned;
    add(std::move(end));
  }
  arrive(warp, warp.at_barrier, "__syncthreads");
  arrive(warp, warp.at_cluster_barrier, "a barrier of several blocks");
}

// Lanes may wait at different lines, which is a mistake that the record shall show.
void WarpRecording::arrive(const Warp& warp, std::uint32_t waiting, const char* operation) {
  while (waiting != 0) {
    const Location where = warp.lanes[std::countr_zero(waiting)].where;
    Unresolved arrival{{}, kNoEvent, where};
    WarpEvent& event = arrival.event;
    event.kind = WarpEventKind::kArrive;
    event.operation = operation;
    for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
      const Lane& lane = warp.lanes[std::countr_zero(rest)];
      if (same_place(lane.where, where)) event.lanes |= lane.bit();
    }
    waiting &= ~event.lanes;
    const std::vector<Warp>& warps = warp.block->warps;
    for (std::uint32_t i = 0; i < warps.size(); ++i) {
      if (warps[i].ready != 0) event.others.push_back(i);
    }
    add(std::move(arrival));
  }
}

void WarpRecording::leave(const Warp& warp, const char* operation, Location where) {
  Unresolved departure{{}, kNoEvent, where};
  departure.event.kind = WarpEventKind::kLeave;
  departure.event.operation = operation;
  departure.event.lanes = warp.ready;
  add(std::move(departure));
}

// ---- the launch ----

/// The recordings of all warps of one launch.
class LaunchRecording {
 public:
  LaunchRecording() = default;
  LaunchRecording(const Launch& launch, const RecordLimits& limits)
      : near_kernel_(reinterpret_cast<std::uintptr_t>(launch.body)),
        warps_of_block_((launch.threads_per_block + kWarpSize - 1) / kWarpSize),
        blocks_(std::min(limits.blocks, launch.blocks)),
        warps_(std::min(limits.warps, warps_of_block_)) {
    const std::uint64_t recorded = blocks_ * warps_;
    if (recorded > 0) recordings_.assign(recorded, WarpRecording(limits.events / recorded));
  }

  WarpRecording* find(std::uint64_t block, std::size_t warp) {
    if (block >= blocks_ || warp >= warps_) return nullptr;
    return &recordings_[block * warps_ + warp];
  }

  LaunchRecord take() {
    look_up_lines();
    LaunchRecord record;
    std::vector<std::uintptr_t> begins;  // of its arrays
    for (std::uint64_t number = 0; number < blocks_; ++number) {
      RecordedBlock block{number, warps_of_block_, {}, {}};
      for (unsigned warp = 0; warp < warps_; ++warp) {
        WarpRecording& recording = *find(number, warp);
        if (recording.objects_.size() > block.shared.size()) block.shared = objects_of(recording);
        renumber(recording, begins, record.arrays);
        block.recorded.push_back(take(recording, warp));
      }
      record.blocks.push_back(std::move(block));
    }
    return record;
  }

 private:
  void look_up_lines() const {
    std::set<std::uintptr_t> addresses;
    for (const WarpRecording& recording : recordings_) {
      for (const auto& [event, site, where] : recording.events_) {
        if (has_line(site)) add_code_address(site, near_kernel_, addresses);
      }
      for (const ReachedArray& array : recording.arrays_) {
        for (const Note& note : DeviceMemory::instance().history(array.begin))
          addresses.insert(note.place.code_address);
      }
    }
    look_up_source_lines(addresses);
  }

  /// Meeting points and the ends of paths are no places in the code.
  static bool has_line(Event site) { return site != kNoEvent && site != kMeetingPoint; }

  static std::vector<SharedObject> objects_of(const WarpRecording& recording) {
    std::vector<SharedObject> objects;
    objects.reserve(recording.objects_.size());
    for (const auto& [name, offset, bytes] : recording.objects_)
      objects.push_back({name, offset, bytes});
    return objects;
  }

  /// What this warp calls its first array may be the launch's third.
  static void renumber(WarpRecording& recording, std::vector<std::uintptr_t>& begins,
                       std::vector<RecordedArray>& arrays) {
    std::vector<int> number_of;
    number_of.reserve(recording.arrays_.size());
    for (const ReachedArray& array : recording.arrays_) {
      const auto known = std::find(begins.begin(), begins.end(), array.begin);
      number_of.push_back(static_cast<int>(known - begins.begin()));
      if (known != begins.end()) continue;
      begins.push_back(array.begin);
      arrays.push_back(describe(array));
    }
    for (auto& [event, site, where] : recording.events_) {
      for (int& array : event.arrays) {
        if (array >= 0) array = number_of[static_cast<unsigned>(array)];
      }
    }
  }

  static RecordedArray describe(const ReachedArray& array) {
    constexpr std::string_view kBegin = "byte 0 of ";
    const DeviceMemory& memory = DeviceMemory::instance();
    std::string name = memory.describe(array.begin);
    if (name.starts_with(kBegin)) name.erase(0, kBegin.size());
    const Notes history = memory.history(array.begin);
    return {reinterpret_cast<const void*>(array.begin), std::move(name), array.end - array.begin,
            array.element_bytes,
            history.empty() ? "" : source_line(history.front().place.code_address)};
  }

  RecordedWarp take(WarpRecording& recording, unsigned number) const {
    RecordedWarp warp{number, recording.present_, {}, recording.left_out_};
    for (auto& [event, site, where] : recording.events_) {
      SourceLine line;
      if (has_line(site)) line = line_of(site, near_kernel_);
      if (where.file != nullptr) line = split_line(source_line(where.file, where.line));
      event.file = line.file;
      event.line = line.line;
      warp.events.push_back(std::move(event));
    }
    return warp;
  }

  std::uintptr_t near_kernel_ = 0;
  unsigned warps_of_block_ = 0;
  std::uint64_t blocks_ = 0;  ///< recorded ones
  unsigned warps_ = 0;        ///< recorded ones of each block
  std::vector<WarpRecording> recordings_;
};

namespace {

// Changes only while no launch runs. Each warp's recording is its worker's own.
struct State {
  ForkLock<std::mutex> mutex;
  RecordLimits limits;
  std::array<LaunchRecording, kMostDevices> last;  // of each device
};

State& state() {
  static State& instance = *new State;
  return instance;
}

}  // namespace

void start_recording(const RecordLimits& limits) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.limits = limits;
  for (LaunchRecording& last : s.last)
    last = {};
  recording = true;
}

void stop_recording() {
  recording = false;
}

LaunchRecord take_launch_record() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return std::exchange(s.last[static_cast<unsigned>(current_device())], {}).take();
}

void record_launch(const Launch& launch) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.last[static_cast<unsigned>(launch.device)] =
      launch.counting ? LaunchRecording(launch, s.limits) : LaunchRecording();
}

WarpRecording* find_recording(const Warp& warp) {
  const Block& block = *warp.block;
  LaunchRecording& last = state().last[static_cast<unsigned>(current.launch->device)];
  return last.find(block.number, static_cast<std::size_t>(&warp - block.warps.data()));
}

std::string_view name_of(const WarpEvent& event) {
  switch (event.kind) {
    case WarpEventKind::kAccess:
      return name_of(event.access);
    case WarpEventKind::kShuffle:
      return "shuffle";
    case WarpEventKind::kVote:
      return "vote";
    case WarpEventKind::kWarpSync:
      return "warp sync";
    case WarpEventKind::kMatrix:
      return "matrix operation";
    case WarpEventKind::kArrive:
      return "barrier arrive";
    case WarpEventKind::kLeave:
      return "barrier leave";
    case WarpEventKind::kPart:
      return "part";
    case WarpEventKind::kRejoin:
      return "rejoin";
    case WarpEventKind::kReturn:
      return "return";
  }
  return "";
}

}  // namespace simt
