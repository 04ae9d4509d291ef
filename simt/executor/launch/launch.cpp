// Launches: the checks that CUDA makes before one, the run, and what remains after it.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "simt/executor/checkers/crash.h"
#include "simt/executor/checkers/early_launch.h"
#include "simt/executor/checkers/global_races.h"
#include "simt/executor/checkers/launch_limits.h"
#include "simt/executor/checkers/time_limit.h"
#include "simt/executor/child_launches.h"
#include "simt/executor/counters/place_counters.h"
#include "simt/executor/counters/tracing.h"
#include "simt/executor/counters/warp_recording.h"
#include "simt/executor/devices.h"
#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/current.h"
#include "simt/executor/fibers/grid_index.h"
#include "simt/executor/fibers/plain_code.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/host_call.h"
#include "simt/executor/findings/reporting.h"
#include "simt/executor/launch/counted_launches.h"
#include "simt/executor/launch/worker_pool.h"
#include "simt/executor/launch_observer.h"
#include "simt/executor/memory/device_memory.h"
#include "simt/executor/memory/host_pointers.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/executor/worker/worker.h"

namespace simt {
namespace {

// Fewer threads than this are run by the launching thread alone: waking another takes longer.
constexpr std::uint64_t kThreadsWorthWaking = 64;

int default_workers() {
  if (const char* text = std::getenv("SIMT_WORKERS")) {
    const int count = std::atoi(text);
    if (count > 0) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// What each device has. Launches of several host threads on one take turns; those on several run at
// the same time.
struct Device {
  ForkLock<std::mutex> mutex;
  WorkerPool pool;
  std::atomic<int> error = 0;
};

// Everything that outlives a launch.
struct State {
  std::array<Device, kMostDevices> devices;
  int workers = default_workers();
  bool counting = true;
  bool checking = true;
  ForkLock<std::recursive_mutex> mutex;  // of what follows; who observes a launch may ask for it
  Counters total;
  Counters last;
  CountersByPlace total_by_place;
  CountersByPlace last_by_place;
  std::function<void(const EndedLaunch&)> observer;
  std::function<void(std::string_view)> library_observer;
  std::map<const void*, std::size_t> dynamic_shared;  // bytes that a kernel may have
};

// Never destroyed: the pool's threads sleep in it until the program ends.
State& state() {
  static State& instance = *new State;
  return instance;
}

Device& device() {
  return state().devices[static_cast<unsigned>(current_device())];
}

// A process is copied between launches, of which no device has one, and its copy, which has one
// thread, starts others anew.
void forget_other_threads() {
  forget_watching_thread();
  for (Device& each : state().devices)
    each.pool.forget_helpers();
}

[[maybe_unused]] const int fork_is_safe = after_fork_in_copy(forget_other_threads);

// How much a kernel of which nothing is known may have is for its launch to say.
std::size_t allowed_dynamic_shared(const void* kernel) {
  if (kernel == nullptr) return kMaxShared;
  const std::lock_guard lock(state().mutex);
  const auto allowed = state().dynamic_shared.find(kernel);
  return allowed == state().dynamic_shared.end() ? 0 : allowed->second;
}

// Static and dynamic together: what a kernel has unasked, or all of it once the program has allowed
// it so much dynamic memory.
std::size_t most_shared(const LaunchConfig& config, std::size_t allowed_dynamic) {
  const bool has_asked = allowed_dynamic > 0 && config.dynamic_shared_bytes <= allowed_dynamic;
  return has_asked ? kMaxShared : kMaxSharedWithoutOptIn;
}

AddressSpan memory_of_current_device() {
  DeviceMemory::instance();  // makes the arena before kernels of several devices look at it
  return memory_of_device(current_device());
}

// One worker runs all blocks that may meet: those of a cluster, or of a whole cooperative grid.
Dim3 blocks_that_meet(const LaunchConfig& config) {
  return config.cooperative ? config.grid : config.cluster;
}

int useful_workers(const Launch& launch) {
  if (launch.blocks * launch.threads_per_block < kThreadsWorthWaking) return 1;
  const std::uint64_t clusters = launch.blocks / launch.blocks_per_cluster;
  return static_cast<int>(std::min(static_cast<std::uint64_t>(state().workers), clusters));
}

const Tally& run_guarded(Launch& launch) {
  const CaughtCrashes caught;
  const TimedLaunch timed(launch);
  return device().pool.run(launch, useful_workers(launch));
}

void forget_last_launch() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.last = {};
  s.last_by_place = {};
}

// Under the lock.
void tell_observers(State& s, const Launch& launch, bool was_ended) {
  publish_findings_of(launch.device);
  if (launch.config.of_library) {
    if (s.library_observer) s.library_observer(launch.kernel);
  } else if (s.observer) {
    s.observer({launch.kernel, launch.config, s.last, launch.device, launch.plain, was_ended});
  }
}

// Adds the launch to what is counted, and tells whoever observes launches.
void keep_counters(const Launch& launch, const Tally& tally) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!launch.plain && !launch.config.of_library) {
    s.last = tally.total();
    s.last.launches = 1;
    s.last_by_place = counters_by_place(tally, launch);
    add(s.total_by_place, s.last_by_place);
    s.total += s.last;
  }
  tell_observers(s, launch, launch.error != 0);
}

using Body = void (*)(void*);
using Threads = void (*)(void*, ThreadsInTurn&);

// The copy that has no hooks, if there is one: what it writes is not seen.
Threads plain_threads(Threads threads) {
  const auto address = reinterpret_cast<std::uintptr_t>(threads);
  const std::uintptr_t copy = plain_copy_of(address);
  if (copy != address) expect_unseen_writes();
  return reinterpret_cast<Threads>(copy);
}

// What launch() does, but for what the grid orders: that is returned, in its order.
std::vector<OrderedLaunch> launch_one(const char* kernel, const LaunchConfig& config, Body body,
                                      void* arguments, Threads threads,
                                      std::uintptr_t code_address) {
  std::vector<HostRange> host_ranges = take_expected_host_pointers();
  State& s = state();
  Device& on = device();
  const std::lock_guard lock(on.mutex);
  forget_last_launch();
  const std::size_t allowed_dynamic = allowed_dynamic_shared(config.kernel);
  const Refusal refusal = refusal_of(config, allowed_dynamic);
  if (refusal.error != 0) {
    const HostCall call(code_address);
    report("refused-launch", {},
           std::string("a device refuses this launch of kernel ") + kernel + ": " + refusal.reason);
    publish_findings_of(current_device());
    on.error = refusal.error;
    return {};
  }
  const bool watched = (tracing || recording) && !config.of_library;
  const bool plain = !watched && threads != nullptr && runs_plain(kernel, config, body);
  Launch launch{.kernel = kernel,
                .config = config,
                .body = body,
                .threads = plain ? plain_threads(threads) : nullptr,
                .arguments = arguments,
                .most_shared_bytes = most_shared(config, allowed_dynamic),
                .device = current_device(),
                .memory = memory_of_current_device(),
                .counting = s.counting && !plain && !config.of_library,
                .checking = s.checking && !plain,
                .plain = plain,
                .threads_per_block = static_cast<unsigned>(volume(config.block)),
                .grid = {config.grid, blocks_that_meet(config)},
                .blocks_per_cluster = static_cast<unsigned>(volume(blocks_that_meet(config))),
                .blocks = volume(config.grid),
                .host_ranges = std::move(host_ranges)};
  if (watched && tracing) trace_launch(launch);
  if (watched && recording) record_launch(launch);
  begin_global_races(launch);
  const Tally& tally = run_guarded(launch);
  end_global_races(launch, tally);
  if (config.starts_early) {
    const HostCall call(code_address);
    check_early_launch(launch);
  }
  if (launch.error != 0) on.error = launch.error.load();
  keep_counters(launch, tally);
  if (launch.error != 0) return {};
  std::stable_sort(launch.ordered.begin(), launch.ordered.end(),
                   [](const OrderedLaunch& a, const OrderedLaunch& b) {
                     return std::tie(a.for_the_end, a.block, a.thread) <
                            std::tie(b.for_the_end, b.block, b.thread);
                   });
  return std::move(launch.ordered);
}

// What the calling thread's launches have ordered and is still to run; null while it runs none.
thread_local std::deque<OrderedLaunch>* orders = nullptr;

}  // namespace

void launch(const char* kernel, const LaunchConfig& config, Body body, void* arguments,
            Threads threads) {
  std::vector<OrderedLaunch> ordered =
      launch_one(kernel, config, body, arguments, threads, SIMT_CODE_ADDRESS);
  if (ordered.empty()) return;
  if (orders != nullptr) {
    // Its own come before what its siblings wait for: they may be ordered behind it in a stream.
    orders->insert(orders->begin(), std::make_move_iterator(ordered.begin()),
                   std::make_move_iterator(ordered.end()));
    return;
  }
  std::deque<OrderedLaunch> all(std::make_move_iterator(ordered.begin()),
                                std::make_move_iterator(ordered.end()));
  orders = &all;
  while (!all.empty()) {
    const OrderedLaunch next = std::move(all.front());
    all.pop_front();
    next.run();
  }
  orders = nullptr;
}

int run_for_library(const char* function, void (*body)(void*), void* arguments) {
  LaunchConfig config;
  config.of_library = true;
  config.called_from = HostCall::place();
  launch(function, config, body, arguments);
  return peek_error();
}

void tell_of_unended(const Launch& launch) {
  forget_last_launch();
  State& s = state();
  const std::lock_guard lock(s.mutex);
  tell_observers(s, launch, true);
}

void order_launch(std::function<void()> launch, bool for_the_end) {
  const Reporting no_log;
  const Lane& lane = *current.lane;
  const Block& block = *lane.warp->block;
  Launch& running = *block.worker->launch;
  const std::lock_guard lock(running.ordering);
  running.ordered.push_back({for_the_end, block.number, lane.thread, std::move(launch)});
}

void observe_launches(std::function<void(const EndedLaunch&)> observer) {
  const std::lock_guard lock(state().mutex);
  state().observer = std::move(observer);
}

void note_library_call(std::string_view function) {
  const std::lock_guard lock(state().mutex);
  if (state().library_observer) state().library_observer(function);
}

void observe_library_calls(std::function<void(std::string_view)> observer) {
  const std::lock_guard lock(state().mutex);
  state().library_observer = std::move(observer);
}

bool in_kernel() {
  return current.lane != nullptr;
}

int take_error() {
  return device().error.exchange(0);
}
int peek_error() {
  return device().error;
}
void set_error(int code) {
  device().error = code;
}

int allow_dynamic_shared(const void* kernel, std::size_t bytes) {
  if (bytes > kMaxShared) return kErrorInvalidValue;
  const std::lock_guard lock(state().mutex);
  state().dynamic_shared[kernel] = bytes;
  return 0;
}

Counters counters() {
  const std::lock_guard lock(state().mutex);
  return state().total;
}
Counters last_launch() {
  const std::lock_guard lock(state().mutex);
  return state().last;
}
std::vector<LineCounters> counters_by_line() {
  const std::lock_guard lock(state().mutex);
  return by_line(state().total_by_place);
}
std::vector<LineCounters> last_launch_by_line() {
  const std::lock_guard lock(state().mutex);
  return by_line(state().last_by_place);
}
void reset_counters() {
  const std::lock_guard lock(state().mutex);
  state().total = {};
  state().total_by_place = {};
}
void set_counting(bool on) {
  state().counting = on;
}
void set_checking(bool on) {
  state().checking = on;
}
void set_workers(int count) {
  state().workers = std::max(1, count);
}

int workers() {
  return state().workers;
}

}  // namespace simt
