/// \file
/// What the report writes beside a step's source: counts by line, and which lane touched what.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "common/measure/traced_run.h"
#include "common/step/step.h"
#include "simt/executor/counters.h"

namespace worklog {

/// {"file", "line", "counters"} with the counters that are not 0.
nlohmann::ordered_json to_json(const simt::LineCounters& line);

/// {"rows", "cols", "arrays", "requests"}; a lane is [its number, index of the array, offset].
nlohmann::ordered_json to_json(const TracedRun& run);

/// {"annotations": [..]}: for each kernel its lines on the shape and block size that the pages
/// predict counts for, and its requests on the small case, both in fp32. Throws std::runtime_error
/// if a kernel is not verified, and as traced_run() does.
nlohmann::ordered_json annotations(const std::vector<const Step*>& steps);

}  // namespace worklog
