/// \file
/// What `simt run` says of a program that has ended.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>

#include "simt/run/options.h"
#include "simt/run/process.h"

namespace simt::run {

/// "launches", "library_calls" and "findings", as the program wrote them down (record.h), in order.
nlohmann::ordered_json read_record(const std::filesystem::path& file);

/// A row for each launch, one for several that follow each other and did the same; then the
/// findings.
void print_report(std::ostream& out, const nlohmann::ordered_json& record, const Ending& ending,
                  const Options& options);

/// What --json writes: simt/docs/run.md describes it.
nlohmann::ordered_json to_json(const nlohmann::ordered_json& record, const Ending& ending,
                               const Options& options);

/// The program's own exit code if it is not 0, else 1 if there is a finding.
int exit_code(const nlohmann::ordered_json& record, const Ending& ending);

}  // namespace simt::run
