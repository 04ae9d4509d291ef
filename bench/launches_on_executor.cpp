#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "bench/launches.h"
#include "common/cuda/stream.h"
#include "simt/executor/counters.h"
#include "simt/executor/launch_observer.h"
#include "simt/executor/trace.h"

namespace worklog::bench {

namespace {

std::array<unsigned, 3> to_array(const simt::Dim3& shape) {
  return {shape.x, shape.y, shape.z};
}

ProfiledLaunch listed(const simt::EndedLaunch& launch, cudaStream_t stream) {
  ProfiledLaunch result{
      .grid = to_array(launch.config.grid),
      .block = to_array(launch.config.block),
      .dynamic_shared_bytes = launch.config.dynamic_shared_bytes,
      .on_stream = launch.config.stream == stream,
      .kernel = std::string(launch.kernel.substr(0, launch.kernel.find('<'))),
      .counters = {},
      .by_line = {},
      .by_warp = {},
  };
  for (const auto& [name, value] : simt::named(launch.counters))
    result.counters.emplace_back(name, value);
  return result;
}

// Of the launch that ended last.
std::map<std::string, std::map<std::string, std::uint64_t>> counters_of_lines() {
  std::map<std::string, std::map<std::string, std::uint64_t>> result;
  for (const auto& [file, line, counters] : simt::last_launch_by_line()) {
    for (const auto& [name, value] : simt::named(counters)) {
      if (value > 0) result[file + ':' + std::to_string(line)][std::string(name)] = value;
    }
  }
  return result;
}

// All warps, each with one request of each place: it says how many there were.
constexpr simt::TraceLimits kEveryPlace = {.blocks = std::numeric_limits<std::uint64_t>::max(),
                                           .warps = std::numeric_limits<unsigned>::max(),
                                           .requests = 1};

using Requests = std::map<std::string, std::vector<std::uint64_t>>;  // of a warp, by place

// What the warps of each launch did. Those that accessed nothing are left out.
void add_warps(const simt::Trace& trace, std::vector<ProfiledLaunch>& launches) {
  std::map<std::tuple<std::uint64_t, std::uint64_t, unsigned>, Requests> by_warp;
  for (const simt::TracedRequest& first : trace.requests) {
    const std::string place =
        first.file + ':' + std::to_string(first.line) + ' ' + std::string(name_of(first.kind));
    by_warp[{first.launch, first.block, first.warp}][place].push_back(first.of);
  }
  std::vector<std::map<Requests, std::uint64_t>> alike(launches.size());
  for (const auto& [warp, requests] : by_warp)
    ++alike.at(std::get<0>(warp))[requests];
  for (std::size_t i = 0; i < launches.size(); ++i) {
    for (const auto& [requests, warps] : alike[i])
      launches[i].by_warp.push_back({warps, requests});
  }
}

}  // namespace

std::vector<ProfiledLaunch> run_and_list(const std::function<void(cudaStream_t)>& work,
                                         bool with_lines) {
  const Stream stream;
  std::vector<ProfiledLaunch> launches;
  simt::observe_launches([&](const simt::EndedLaunch& ended) {
    launches.push_back(listed(ended, stream.get()));
    if (with_lines) launches.back().by_line = counters_of_lines();
  });
  try {
    if (with_lines) simt::start_trace(kEveryPlace);
    work(stream.get());
  } catch (...) {
    simt::observe_launches({});
    if (with_lines) simt::stop_trace();
    throw;
  }
  simt::observe_launches({});
  if (with_lines) add_warps(simt::stop_trace(), launches);
  return launches;
}

}  // namespace worklog::bench
