#include "common/harness/record.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

namespace worklog {

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::kSoftmax:
      return "softmax";
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

  std::filesystem::path temporary = path;
  temporary += ".part";
  {
    std::ofstream file(temporary);
    file << json.dump(1) << '\n';
    file.close();
    if (!file) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      throw std::runtime_error(temporary.string() + ": cannot be written");
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) {
    std::filesystem::remove(temporary);
    throw std::runtime_error(path.string() + ": cannot be written: " + error.message());
  }
}

}  // namespace worklog
