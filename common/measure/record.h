/// \file
/// What is kept of one measurement of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/step/step.h"
#include "common/verify/case.h"
#include "common/verify/verify.h"

namespace worklog {

/// What the CPU executor counted, beside what the step predicted. All but the ratios are totals.
struct Counts {
  double loads_per_element = 0.0;   ///< elements of global memory read, for each of the input
  double stores_per_element = 0.0;  ///< elements of global memory written, for each of the input
  double predicted_loads = 0.0;     ///< the step's formula for this shape, in the same unit
  double predicted_stores = 0.0;    ///< the same for stores
  double sectors_per_load_request = 0.0;  ///< sectors of 32 bytes, of global memory
  std::int64_t launches = 0;              ///< kernels launched
  /// Every counter by its name, such as ("global_load_requests", 4096).
  std::vector<std::pair<std::string, std::uint64_t>> all;

  /// Whether loads and stores are as predicted, to the last element.
  bool as_predicted() const {
    return loads_per_element == predicted_loads && stores_per_element == predicted_stores;
  }
};

/// One step or variant, on one case.
struct Record {
  const Step* step = nullptr;    ///< not null
  Case a_case;                   ///< what it ran on
  std::string machine;           ///< "cpu" for the executor, else the GPU's name
  Verdict verdict;               ///< whether it was right, and how exact
  std::optional<Counts> counts;  ///< from the executor only

  /// Verified, and as predicted where that was counted.
  bool ok() const { return verdict.ok && (!counts || counts->as_predicted()); }
};

}  // namespace worklog
