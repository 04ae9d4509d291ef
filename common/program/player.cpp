#include "common/program/player.h"

#include <cuda_runtime.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "common/cuda/check.h"
#include "common/measure/array_names.h"
#include "common/measure/traced_run.h"
#include "common/program/source_text.h"
#include "common/step/run.h"
#include "common/verify/case_buffers.h"
#include "simt/executor/launch_observer.h"
#include "simt/executor/warp_record.h"
#include "simt/run/launch_json.h"
#include "simt/run/player_page.h"
#include "simt/run/warp_json.h"

namespace worklog {

namespace {

using Json = nlohmann::ordered_json;

// Records all launches while it lives.
class Recording {
 public:
  Recording(const Step& step, const std::vector<GivenArray>& given, Json& launches) {
    simt::start_recording();
    simt::observe_launches([&](const simt::EndedLaunch& launch) {
      simt::LaunchRecord record = simt::take_launch_record();
      const std::vector<std::string> names = names_of(record.arrays, given);
      for (std::size_t i = 0; i < names.size(); ++i) {
        record.arrays[i].name = names[i];
        record.arrays[i].allocated_at.clear();
      }
      Json json = simt::run::to_json(launch);
      json["program"] = step.label();
      json["recorded"] = simt::run::to_json(record);
      launches.push_back(std::move(json));
    });
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    simt::observe_launches({});
    simt::stop_recording();
  }
};

void add_launches(const Step& step, int block_size, Json& launches) {
  const Case a_case = small_case(step, DType::kFloat32);
  ProblemBuffers<float> buffers = buffers_of<float>(step, a_case);
  const std::vector<GivenArray> given = arrays_given(step, buffers);
  const Recording recording(step, given, launches);
  run(step, buffers.problem(block_size), nullptr);
  check(cudaDeviceSynchronize(), step.label());
}

}  // namespace

std::string player_of(const std::vector<const Step*>& steps, int block_size) {
  Json launches = Json::array();
  for (const Step* step : steps)
    add_launches(*step, block_size == 0 ? kPlayedBlock : block_size, launches);
  const Step& first = *steps.front();
  const Json page = {{"title", first.name},      {"sources", {first.name}},
                     {"exit_code", 0},           {"signal", 0},
                     {"timed_out", false},       {"launches", std::move(launches)},
                     {"findings", Json::array()}};
  return simt::run::player_page(simt::run::with_files(page, cuda_files_of(first)));
}

}  // namespace worklog
