#include "bench/launches.h"
#include "common/cuda/stream.h"
#include "simt/executor/launch_observer.h"

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
  };
  for (const auto& [name, value] : simt::named(launch.counters))
    result.counters.emplace_back(name, value);
  return result;
}

}  // namespace

std::vector<ProfiledLaunch> run_and_list(const std::function<void(cudaStream_t)>& work) {
  const Stream stream;
  std::vector<ProfiledLaunch> launches;
  simt::observe_launches(
      [&](const simt::EndedLaunch& ended) { launches.push_back(listed(ended, stream.get())); });
  try {
    work(stream.get());
  } catch (...) {
    simt::observe_launches({});
    throw;
  }
  simt::observe_launches({});
  return launches;
}

}  // namespace worklog::bench
