// worklog_profile: runs every step once at each shape of a profile, in a fixed order, and writes
// which launches that made. On a GPU it is run under Nsight Compute (bench/profile_on_gpu.sh),
// whose rows come in the same order; worklog_profile_cpu adds what the CPU executor counted.

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/launches.h"
#include "bench/profile_cases.h"
#include "common/cuda/device.h"
#include "common/cuda/device_buffer.h"
#include "common/harness/measure.h"
#include "common/step/run.h"
#include "common/verify/inputs.h"
#include "common/verify/labels.h"
#include "common/verify/rows_in_parallel.h"

namespace {

using nlohmann::ordered_json;
using worklog::DeviceBuffer;
using worklog::DType;
using worklog::bench::ProfileCase;
using worklog::bench::ProfiledLaunch;
using worklog::bench::ProfilePart;

constexpr char kUsage[] =
    "usage: PROGRAM parity|hardware --out FILE [--type f32|f16|bf16] [--steps TEXT]\n"
    "  parity        small shapes, for counts that the CPU executor must equal\n"
    "  hardware      large shapes, for what only hardware knows\n"
    "  --out FILE    where the JSON goes: the launches, in order\n"
    "  --type T      only this storage type\n"
    "  --steps TEXT  only steps and variants whose label contains TEXT, such as 06 or 07_topk\n";

struct Options {
  ProfilePart part = {};
  std::string out;
  std::optional<DType> type;
  std::string steps;
};

Options parse(int argc, char** argv) {
  if (argc < 2) throw std::invalid_argument("parity or hardware is missing");
  Options options;
  options.part = worklog::bench::profile_part_from_name(argv[1]);
  for (int i = 2; i < argc; i += 2) {
    const std::string flag = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(flag + ": a value is missing");
    const std::string value = argv[i + 1];
    if (flag == "--out") {
      options.out = value;
    } else if (flag == "--type") {
      options.type = worklog::dtype_from_name(value);
    } else if (flag == "--steps") {
      options.steps = value;
    } else {
      throw std::invalid_argument("unknown option '" + flag + "'");
    }
  }
  if (options.out.empty()) throw std::invalid_argument("--out FILE is missing");
  return options;
}

// The logits that steps are verified on, so that both machines see the same: which columns enter
// a list of the best depends on them.
template <typename T>
DeviceBuffer<T> random_logits(const ProfileCase& a_case) {
  const worklog::RowSource row_of =
      worklog::make_rows(worklog::Input::kRandom, a_case.dtype, a_case.rows, a_case.cols);
  const auto cols = static_cast<std::size_t>(a_case.cols);
  std::vector<T> logits(static_cast<std::size_t>(a_case.rows) * cols);
  worklog::for_rows_in_parallel(
      a_case.rows, a_case.cols, [&](std::int64_t first, std::int64_t end) {
        std::vector<float> row(cols);
        for (std::int64_t i = first; i < end; ++i) {
          row_of(i, row);
          for (std::size_t col = 0; col < cols; ++col)
            logits[static_cast<std::size_t>(i) * cols + col] = static_cast<T>(row[col]);
        }
      });
  return DeviceBuffer<T>(logits);
}

template <typename T>
std::vector<ProfiledLaunch> launches_of(const ProfileCase& a_case, const DeviceBuffer<T>& logits) {
  const auto [step, dtype, rows, cols, k] = a_case;
  DeviceBuffer<std::byte> scratch(worklog::scratch_bytes(*step, rows, cols, dtype));
  const bool has_labels = step->takes<worklog::NegativeLogLikelihood>();
  const DeviceBuffer<std::int64_t> labels(worklog::labels_of(has_labels ? rows : 0, cols));
  DeviceBuffer<T> columns(step->keeps_columns() ? rows * cols : 0);
  DeviceBuffer<float> values(has_labels ? rows : rows * k);
  DeviceBuffer<std::int64_t> indices(rows * k);
  const worklog::AnyProblem<T> problem{.logits = logits.data(),
                                       .labels = labels.data(),
                                       .columns = columns.data(),
                                       .values = values.data(),
                                       .indices = indices.data(),
                                       .rows = rows,
                                       .cols = cols,
                                       .k = k,
                                       .scratch = {scratch.data(), scratch.size()}};
  return worklog::bench::run_and_list(
      [&](cudaStream_t stream) { worklog::run(*a_case.step, problem, stream); });
}

ordered_json to_json(const ProfiledLaunch& launch) {
  ordered_json json = {{"grid", launch.grid},
                       {"block", launch.block},
                       {"dynamic_shared_bytes", launch.dynamic_shared_bytes}};
  if (!launch.kernel.empty()) json["kernel"] = launch.kernel;
  for (const auto& [name, value] : launch.counters)
    json["counters"][name] = value;
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

// Consecutive cases of one type and shape share their logits.
ordered_json profile(const std::vector<ProfileCase>& cases) {
  ordered_json list = ordered_json::array();
  for (std::size_t first = 0; first < cases.size();) {
    worklog::with_type(cases[first].dtype, [&]<typename T>(T) {
      const ProfileCase& shape = cases[first];
      const DeviceBuffer<T> logits = random_logits<T>(shape);
      for (; first < cases.size(); ++first) {
        const ProfileCase& next = cases[first];
        if (next.dtype != shape.dtype || next.rows != shape.rows || next.cols != shape.cols) break;
        std::cerr << "[" << first + 1 << "/" << cases.size() << "] " << next.step->label() << " "
                  << name_of(next.dtype) << " " << next.rows << " x " << next.cols << std::endl;
        list.push_back(to_json(next, launches_of(next, logits)));
      }
    });
  }
  return list;
}

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof text, "%FT%TZ", std::gmtime(&time));
  return text;
}

// Through a temporary file, so that an interrupted run leaves no half of one.
void write(const std::string& path, const ordered_json& document) {
  const std::string temporary = path + ".part";
  std::ofstream file(temporary);
  file << document.dump(1) << '\n';
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    throw std::runtime_error("--out " + path + ": cannot be written");
  }
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
  document["cases"] = profile(cases);
  write(options.out, document);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  try {
    options = parse(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "worklog_profile: " << error.what() << '\n' << kUsage;
    return 2;
  }
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "worklog_profile: " << error.what() << '\n';
    return 1;
  }
}
