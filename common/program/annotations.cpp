#include "common/program/annotations.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/measure/cases.h"
#include "common/measure/measure.h"

namespace worklog {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const simt::TracedRequest& request) {
  Json json = {{"launch", request.launch},
               {"kernel", request.kernel},
               {"block", request.block},
               {"warp", request.warp},
               {"file", request.file},
               {"line", request.line},
               {"kind", simt::name_of(request.kind)},
               {"bytes", request.bytes},
               {"number", request.number},
               {"of", request.of},
               {"sectors", request.sectors},
               {"wavefronts", request.wavefronts}};
  for (const simt::TracedLane& lane : request.lanes)
    json["lanes"].push_back({lane.lane, lane.array, lane.offset});
  return json;
}

// Steps choose different block sizes: one size for all, for which the pages predict, so that only
// what the idea moves does move.
constexpr int kBlockSize = 256;

Json lines_of(const Step& step, const Case& a_case) {
  const Record record = measure(step, a_case, {.block_size = kBlockSize});
  if (!record.ok()) {
    throw std::runtime_error(step.label() + " is not verified: " + record.verdict.failure);
  }
  Json lines = Json::array();
  for (const simt::LineCounters& line : simt::counters_by_line()) {
    Json json = to_json(line);
    if (!json["counters"].empty()) lines.push_back(std::move(json));
  }
  return lines;
}

// What pages show times of, and is too large to count here.
constexpr struct {
  std::int64_t rows, cols;
} kTimedShapes[] = {{4000, 4000}, {4000, 25000}, {1, 1 << 24}};

// Loads and stores at these shapes, in the blocks that the step takes for them: by the formula that
// every count must meet to the last element.
Json predictions_of(const Step& step, DType dtype) {
  Json predictions = Json::array();
  for (const auto& [rows, cols] : kTimedShapes) {
    const std::size_t bytes = size_of(dtype);
    const int k = default_k(step, cols);
    if (!step.info.takes_shape(rows, cols, bytes, k)) continue;
    Json prediction = {{"rows", rows}, {"cols", cols}};
    if (step.is_top_k()) prediction["k"] = k;
    prediction["loads"] = step.info.total(step.info.loads, rows, cols, k, bytes, 0);
    prediction["stores"] = step.info.total(step.info.stores, rows, cols, k, bytes, 0);
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

Json annotation_of(const Step& step) {
  const DType dtype = DType::kFloat32;
  const Case counted = quick_cases(step, dtype).front();
  Json json = {{"step", step.name},    {"variant", step.variant}, {"dtype", name_of(dtype)},
               {"rows", counted.rows}, {"cols", counted.cols},    {"block_size", kBlockSize}};
  if (step.is_top_k()) json["k"] = counted.k;
  json["predictions"] = predictions_of(step, dtype);
  json["lines"] = lines_of(step, counted);
  json["trace"] = to_json(traced_run(step, small_case(step, dtype), kSmallBlock));
  return json;
}

}  // namespace

Json to_json(const simt::LineCounters& line) {
  Json json = {{"file", line.file}, {"line", line.line}, {"counters", Json::object()}};
  for (const auto& [name, value] : simt::named(line.counters)) {
    if (value != 0) json["counters"][std::string(name)] = value;
  }
  return json;
}

Json to_json(const TracedRun& run) {
  Json json = {{"rows", run.a_case.rows},
               {"cols", run.a_case.cols},
               {"block_size", run.block_size},
               {"arrays", Json::array()},
               {"requests", Json::array()}};
  for (std::size_t i = 0; i < run.names.size(); ++i) {
    const simt::TracedArray& array = run.trace.arrays[i];
    json["arrays"].push_back(
        {{"name", run.names[i]}, {"bytes", array.bytes}, {"element_bytes", array.element_bytes}});
  }
  for (const simt::TracedRequest& request : run.trace.requests)
    json["requests"].push_back(json_of(request));
  return json;
}

Json annotations(const std::vector<const Step*>& steps) {
  Json json = {{"annotations", Json::array()}};
  for (const Step* step : steps)
    json["annotations"].push_back(annotation_of(*step));
  return json;
}

}  // namespace worklog
