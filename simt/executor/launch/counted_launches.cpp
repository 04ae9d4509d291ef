#include "simt/executor/launch/counted_launches.h"

#include <array>
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "simt/executor/counters.h"
#include "simt/executor/system/fork_lock.h"

namespace simt {
namespace {

using Clock = std::chrono::steady_clock;

// Kernels of one name, such as a template's instances, differ in their address or, where the launch
// does not know it, in what calls them.
using Kind = std::tuple<std::string, const void*, std::array<unsigned, 9>, std::size_t>;

Kind kind_of(const char* kernel, const LaunchConfig& config, void (*body)(void*)) {
  const auto& [grid, block, cluster] = std::tie(config.grid, config.block, config.cluster);
  return {kernel,
          config.kernel != nullptr ? config.kernel : reinterpret_cast<const void*>(body),
          {grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster.x, cluster.y, cluster.z},
          config.dynamic_shared_bytes};
}

struct State {
  ForkLock<std::mutex> mutex;
  double seconds = std::numeric_limits<double>::infinity();
  std::optional<Clock::time_point> first;  // launch of all
  std::set<Kind> counted;
};

// Never destroyed: a static object of the program may launch at the very end.
State& state() {
  static State& instance = *new State;
  return instance;
}

}  // namespace

bool runs_plain(const char* kernel, const LaunchConfig& config, void (*body)(void*)) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const Clock::time_point now = Clock::now();
  if (!s.first) s.first = now;
  const bool is_new = s.counted.insert(kind_of(kernel, config, body)).second;
  return !is_new && std::chrono::duration<double>(now - *s.first).count() >= s.seconds;
}

void set_counted_time(double seconds) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.seconds = seconds;
  s.first.reset();
  s.counted.clear();
}

}  // namespace simt
