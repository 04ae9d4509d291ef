/// \file
/// Records as report.json holds them.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "common/measure/record.h"
#include "common/step/step.h"

namespace worklog {

/// "softmax", "softmax_top_k", "softmax_then_top_k" or "top_k_of_values".
std::string_view name_of(Operation operation);

/// The record as it stands in report.json. A count that is not known is null or absent.
nlohmann::ordered_json to_json(const Record& record);

/// Writes {"records": [...]} to `path`, whole or not at all. Throws std::runtime_error that names
/// the file.
void write_records(const std::filesystem::path& path, const std::vector<Record>& records);

}  // namespace worklog
