// list_candidates: the steps that may serve each of the library's operations on a device like an
// H200, in the order in which they take over from each other, and the most rows and columns that
// each takes; as JSON, null where there is no limit. ./worklog tables keeps it as
// library/candidates.json, for the report, which does not know the registry.
#include <cstdint>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "library/candidates.h"

namespace {

using namespace worklog;
using namespace worklog::library;
using Json = nlohmann::ordered_json;

constexpr DeviceTraits kH200 = {90, 132, 232448, 62914560, true, false};

// In the enumeration's order.
constexpr const char* kNames[] = {"softmax",           "log_softmax",          "top_k",
                                  "softmax_backward",  "log_softmax_backward", "cross_entropy",
                                  "cross_entropy_loss"};
static_assert(std::size(kNames) == kOperations, "each of the library's operations has a name");

Json limit(std::int64_t most) {
  return most == std::numeric_limits<std::int64_t>::max() ? Json() : Json(most);
}

Json described(const Candidate& candidate) {
  const StepInfo& info = candidate.step->info;
  return {{"step", candidate.label},
          {"max_rows", limit(info.max_rows)},
          {"max_cols_of_4_bytes", limit(info.most_cols(4, 0))},
          {"max_cols_of_2_bytes", limit(info.most_cols(2, 0))}};
}

Json candidates_as_json() {
  Json all;
  for (int i = 0; i < kOperations; ++i) {
    const auto operation = static_cast<softmax_worklog_operation>(i);
    Json& of_operation = all[kNames[i]] = Json::array();
    for (const Candidate& candidate : candidates_of(operation))
      if (runs_on(candidate.need, kH200)) of_operation.push_back(described(candidate));
  }
  return all;
}

}  // namespace

int main() {
  std::cout << candidates_as_json().dump(2) << '\n';
}
