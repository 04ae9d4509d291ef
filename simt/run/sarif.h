/// \file
/// Findings in the form that code hosts and editors read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "simt/run/options.h"
#include "simt/run/process.h"

namespace simt::run {

/// What --sarif writes: a log of SARIF 2.1.0 (OASIS) with one run, and in it a rule for each kind
/// of finding and a result for each finding of `record` (read_record() of report.h). `version` is
/// that of simt. A finding's file is named as the command line did, where it is one of the sources.
nlohmann::ordered_json to_sarif(const nlohmann::ordered_json& record, const Ending& ending,
                                const Options& options, const std::string& version);

}  // namespace simt::run
