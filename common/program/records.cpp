#include "common/program/records.h"

#include <nlohmann/json.hpp>
#include <string>

#include "common/program/write_whole.h"

namespace worklog {

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::kSoftmax:
      return "softmax";
    case Operation::kLogSoftmax:
      return "log_softmax";
    case Operation::kNegativeLogLikelihood:
      return "negative_log_likelihood";
    case Operation::kSoftmaxBackward:
      return "softmax_backward";
    case Operation::kLogSoftmaxBackward:
      return "log_softmax_backward";
    case Operation::kCrossEntropy:
      return "cross_entropy";
    case Operation::kAttention:
      return "attention";
    case Operation::kSoftmaxTopK:
      return "softmax_top_k";
    case Operation::kSoftmaxThenTopK:
      return "softmax_then_top_k";
    case Operation::kTopKOfValues:
      return "top_k_of_values";
  }
  return "";
}

nlohmann::ordered_json to_json(const Record& record) {
  const Step& step = *record.step;
  nlohmann::ordered_json json = {
      {"step", step.name},
      {"variant", step.variant},
      {"builds_on", step.info.builds_on},
      {"operation", name_of(step.operation())},
      {"dtype", name_of(record.a_case.dtype)},
      {"rows", record.a_case.rows},
      {"cols", record.a_case.cols},
      {"input", name_of(record.a_case.input)},
      {"machine", record.machine},
      {"verified", record.ok()},
      {"expected_failure", step.info.expected_failure},
      {"max_ulp", record.verdict.max_ulp},
      {"max_excess", record.verdict.max_excess},
      {"max_share_of_bound", record.verdict.max_share_of_bound},
      {"max_sum_error", record.verdict.max_sum_error},
      {"launches", nullptr},
  };
  if (step.is_top_k()) json["k"] = record.a_case.k;
  if (!record.verdict.failure.empty()) json["failure"] = record.verdict.failure;
  if (record.counts) {
    const Counts& counts = *record.counts;
    json["launches"] = counts.launches;
    json["loads_per_element"] = counts.loads_per_element;
    json["stores_per_element"] = counts.stores_per_element;
    json["predicted_loads"] = counts.predicted_loads;
    json["predicted_stores"] = counts.predicted_stores;
    json["sectors_per_load_request"] = counts.sectors_per_load_request;
    for (const auto& [name, value] : counts.all)
      json["counters"][name] = value;
    if (!counts.as_predicted() && record.verdict.ok) {
      json["failure"] = "loads or stores are not as predicted";
    }
  }
  return json;
}

void write_records(const std::filesystem::path& path, const std::vector<Record>& records) {
  nlohmann::ordered_json json = {{"records", nlohmann::ordered_json::array()}};
  for (const Record& record : records)
    json["records"].push_back(to_json(record));
  write_whole(path, json.dump(1) + '\n');
}

}  // namespace worklog
