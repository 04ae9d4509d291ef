/// \file
/// What a measurement is, as fields of JSON: results say it beside the name, so that no reader
/// takes names apart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measurement.h"

namespace worklog::bench {

/// name; step and variant ("" for the ladder's own), or baseline, such as copy or
/// cudnn/softmax_fast; dtype, rows, cols, k (0 where there is no top-k) and cache; values where
/// they are not normally distributed.
nlohmann::ordered_json fields_of(const Measurement& measurement);

/// Writes the fields of those with normally distributed values to `path`, as {"measurements":
/// [..]}: what other programs time, too. \throws std::runtime_error that names the file when it
/// cannot be written.
void write_measurements(const std::vector<Measurement>& measurements, const std::string& path);

}  // namespace worklog::bench
