// Launches: the checks that CUDA makes before one, the run, and what remains after it.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "common/simt/executor/findings.h"
#include "common/simt/executor/scheduler.h"
#include "common/simt/executor/worker.h"
#include "common/simt/executor/worker_pool.h"
#include "common/simt/executor/writable_thread_index.h"

namespace simt {
namespace {

// Limits of compute capability 9.0 (CUDA C++ programming guide, "technical specifications per
// compute capability").
constexpr unsigned kMaxGridX = 2147483647;
constexpr unsigned kMaxGridYZ = 65535;
constexpr unsigned kMaxBlockXY = 1024;
constexpr unsigned kMaxBlockZ = 64;

// Fewer threads than this are run by the launching thread alone: waking another takes longer.
constexpr std::uint64_t kThreadsWorthWaking = 64;

int default_workers() {
  if (const char* text = std::getenv("WORKLOG_WORKERS")) {
    const int count = std::atoi(text);
    if (count > 0) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Everything that outlives a launch. Launches of several host threads take turns.
struct State {
  std::mutex mutex;
  WorkerPool pool;
  int workers = default_workers();
  bool counting = true;
  bool checking = true;
  std::atomic<int> error = 0;
  Counters total;
  Counters last;
  std::map<const void*, std::size_t> dynamic_shared;  // bytes that a kernel may have
};

// Never destroyed: the pool's threads sleep in it until the program ends.
State& state() {
  static State& instance = *new State;
  return instance;
}

std::uint64_t volume(const Dim3& shape) {
  return std::uint64_t{shape.x} * shape.y * shape.z;
}

int refusal_of_shared_memory(const LaunchConfig& config) {
  if (config.dynamic_shared_bytes > kMaxShared) return kErrorInvalidValue;
  if (config.kernel == nullptr || config.dynamic_shared_bytes <= kMaxDynamicSharedWithoutOptIn) {
    return 0;
  }
  const auto allowed = state().dynamic_shared.find(config.kernel);
  const bool opted_in =
      allowed != state().dynamic_shared.end() && allowed->second >= config.dynamic_shared_bytes;
  return opted_in ? 0 : kErrorInvalidValue;
}

int refusal_of_cluster(const LaunchConfig& config) {
  const std::uint64_t blocks = volume(config.cluster);
  if (blocks == 0 || blocks > SharedMemory::kMaxSlots) return kErrorInvalidClusterSize;
  const bool divides = config.grid.x % config.cluster.x == 0 &&
                       config.grid.y % config.cluster.y == 0 &&
                       config.grid.z % config.cluster.z == 0;
  return divides ? 0 : kErrorInvalidClusterSize;
}

// The CUDA error code with which an H200 refuses such a launch, 0 if it does not.
int refusal(const LaunchConfig& config) {
  const Dim3& grid = config.grid;
  const Dim3& block = config.block;
  const bool grid_fits =
      volume(grid) > 0 && grid.x <= kMaxGridX && grid.y <= kMaxGridYZ && grid.z <= kMaxGridYZ;
  const bool block_fits = volume(block) > 0 && block.x <= kMaxBlockXY && block.y <= kMaxBlockXY &&
                          block.z <= kMaxBlockZ && volume(block) <= kMaxThreads;
  if (!grid_fits || !block_fits) return kErrorInvalidConfiguration;
  if (const int error = refusal_of_cluster(config)) return error;
  return refusal_of_shared_memory(config);
}

int useful_workers(const Launch& launch) {
  if (launch.blocks * launch.threads_per_block < kThreadsWorthWaking) return 1;
  const std::uint64_t clusters = launch.blocks / launch.blocks_per_cluster;
  return static_cast<int>(std::min(static_cast<std::uint64_t>(state().workers), clusters));
}

}  // namespace

void Worker::take_part(Launch& in) {
  launch = &in;
  tally = {};
  aborted = false;
  if (clock > kClockRestart) {
    shared.forget_accesses();
    clock = 1;
  }
  const Dim3& grid = in.config.grid;
  const Dim3& block = in.config.block;
  gridDim = {grid.x, grid.y, grid.z};
  blockDim = {block.x, block.y, block.z};
  shared.begin_launch(in.blocks_per_cluster, in.config.dynamic_shared_bytes);
  current.checking = in.checking;
  while (!aborted && in.error == 0) {
    const std::uint64_t first = in.next_block.fetch_add(in.blocks_per_cluster);
    if (first >= in.blocks) break;
    run_cluster(*this, first, in.blocks_per_cluster);
  }
  // The fibers of threads that did not return hang in the middle of the kernel: make new ones.
  if (aborted) blocks.clear();
  current = {};
}

void launch(const char* kernel, const LaunchConfig& config, void (*body)(void*), void* arguments) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.last = {};
  if (const int error = refusal(config)) {
    s.error = error;
    return;
  }
  Launch launch{.kernel = kernel,
                .config = config,
                .body = body,
                .arguments = arguments,
                .counting = s.counting,
                .checking = s.checking,
                .threads_per_block = static_cast<unsigned>(volume(config.block)),
                .blocks_per_cluster = static_cast<unsigned>(volume(config.cluster)),
                .blocks = volume(config.grid)};
  s.last = s.pool.run(launch, useful_workers(launch)).result();
  s.last.launches = 1;
  s.total += s.last;
  if (launch.error != 0) s.error = launch.error.load();
  publish_findings();
}

int take_error() {
  return state().error.exchange(0);
}
int peek_error() {
  return state().error;
}
void set_error(int code) {
  state().error = code;
}

int allow_dynamic_shared(const void* kernel, std::size_t bytes) {
  if (bytes > kMaxShared) return kErrorInvalidValue;
  const std::lock_guard lock(state().mutex);
  state().dynamic_shared[kernel] = bytes;
  return 0;
}

Counters counters() {
  return state().total;
}
Counters last_launch() {
  return state().last;
}
void reset_counters() {
  state().total = {};
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

}  // namespace simt
