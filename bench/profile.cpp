// worklog_profile: runs every step once at each shape of a profile, in a fixed order, and writes
// which launches that made. On a GPU it is run under Nsight Compute (bench/profile_on_gpu.sh),
// whose rows come in the same order; worklog_profile_cpu adds what the CPU executor counted.

#include <CLI/CLI.hpp>
#include <ctime>
#include <fmt/chrono.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/launches.h"
#include "bench/profile_cases.h"
#include "common/cuda/device.h"
#include "common/measure/measure.h"
#include "common/program/command_line.h"
#include "common/program/write_whole.h"
#include "common/step/run.h"
#include "common/verify/case_buffers.h"

namespace {

using nlohmann::ordered_json;
using worklog::DType;
using worklog::bench::ProfileCase;
using worklog::bench::ProfiledLaunch;
using worklog::bench::ProfilePart;
using worklog::bench::WarpsAlike;

struct Options {
  ProfilePart part = {};
  std::string out;
  std::optional<DType> type;
  std::string steps;
  bool with_lines = false;
};

// Nothing if only help was asked for, which is printed.
std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Runs every step once at each shape of a profile, and writes which launches that made.",
      "worklog_profile");
  const auto set_part = [&](const std::string& name) {
    options.part = worklog::bench::profile_part_from_name(name);
  };
  app.add_option_function<std::string>(
         "part", set_part,
         "parity: small shapes, for counts that the CPU executor must equal; hardware: large ones, "
         "for what only hardware knows")
      ->type_name("parity|hardware")
      ->required();
  app.add_option("--out", options.out, "where the JSON goes: the launches, in order")
      ->type_name("FILE")
      ->required();
  app.add_option_function<std::string>(
         "--type", [&](const std::string& name) { options.type = worklog::dtype_from_name(name); },
         "only this storage type")
      ->type_name("f32|f16|bf16");
  app.add_option("--steps", options.steps,
                 "only steps and variants whose label contains TEXT, such as 06 or 07_topk")
      ->type_name("TEXT");
  app.add_flag("--by-line", options.with_lines,
               "on the CPU executor: also what each line of a kernel counted, and how often each "
               "warp came to it");
  if (!worklog::wants_help(app, argc, argv)) return options;
  std::cout << app.help();
  return std::nullopt;
}

// On the logits that steps are verified on, so that both machines see the same: which columns enter
// a list of the best depends on them.
std::vector<ProfiledLaunch> launches_of(const ProfileCase& profiled, bool with_lines) {
  const auto [step, dtype, rows, cols, k] = profiled;
  const worklog::Case a_case{dtype, rows, cols, k, worklog::Input::kRandom};
  return worklog::with_type(dtype, [&]<typename T>(T) {
    auto buffers = worklog::buffers_of<T>(*profiled.step, a_case);
    return worklog::bench::run_and_list(
        [&](cudaStream_t stream) { worklog::run(*profiled.step, buffers.problem(), stream); },
        with_lines);
  });
}

ordered_json to_json(const ProfiledLaunch& launch) {
  ordered_json json = {{"grid", launch.grid},
                       {"block", launch.block},
                       {"dynamic_shared_bytes", launch.dynamic_shared_bytes}};
  if (!launch.kernel.empty()) json["kernel"] = launch.kernel;
  for (const auto& [name, value] : launch.counters)
    json["counters"][name] = value;
  if (!launch.by_line.empty()) json["by_line"] = launch.by_line;
  for (const WarpsAlike& alike : launch.by_warp)
    json["by_warp"].push_back({{"warps", alike.warps}, {"requests", alike.requests}});
  return json;
}

ordered_json to_json(const ProfileCase& a_case, const std::vector<ProfiledLaunch>& launches) {
  ordered_json json = {{"step", a_case.step->name},
                       {"variant", a_case.step->variant},
                       {"dtype", name_of(a_case.dtype)},
                       {"rows", a_case.rows},
                       {"cols", a_case.cols},
                       {"k", a_case.k}};
  json["launches"] = ordered_json::array();
  for (const ProfiledLaunch& launch : launches)
    json["launches"].push_back(to_json(launch));
  return json;
}

ordered_json profile(const std::vector<ProfileCase>& cases, bool with_lines) {
  ordered_json list = ordered_json::array();
  for (const ProfileCase& next : cases) {
    std::cerr << "[" << list.size() + 1 << "/" << cases.size() << "] " << next.step->label() << " "
              << name_of(next.dtype) << " " << next.rows << " x " << next.cols << std::endl;
    list.push_back(to_json(next, launches_of(next, with_lines)));
  }
  return list;
}

std::string now() {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

void run(const Options& options) {
  const worklog::Device device = worklog::current_device();
  auto cases = worklog::bench::profile_cases(worklog::all_steps(), options.part, options.type);
  std::erase_if(cases, [&](const ProfileCase& next) {
    return next.step->label().find(options.steps) == std::string::npos;
  });
  if (cases.empty()) throw std::runtime_error("--steps " + options.steps + ": no such step");
  ordered_json document = {{"part", name_of(options.part)},
                           {"machine", worklog::machine_name()},
                           {"date", now()},
                           {"cuda_driver", device.driver_version},
                           {"cuda_runtime", device.runtime_version}};
  document["cases"] = profile(cases, options.with_lines);
  worklog::write_whole(options.out, document.dump(1) + '\n');
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::optional<Options> options = parse(argc, argv);
    if (options) run(*options);
    return 0;
  } catch (const std::invalid_argument& error) {  // of the command line
    std::cerr << "worklog_profile: " << error.what() << "\nsee worklog_profile --help\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "worklog_profile: " << error.what() << '\n';
    return 1;
  }
}
