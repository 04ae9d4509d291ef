/// \file
/// The page that `simt run --html` writes: the sources with their counters, and a player of what
/// the first warps did. It is one file that needs nothing else.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace simt::run {

/// The JSON of a run (report.h) with the text of its sources as `files`, each with `name` (without
/// folders) and `text`. Of headers only those are taken that some line is counted in. A file that
/// can no longer be read is left out.
nlohmann::ordered_json with_files(nlohmann::ordered_json run,
                                  const std::vector<std::filesystem::path>& files);

/// The page that shows what with_files() gave, under the title that it has as `title`; without
/// one, the name of the first source.
std::string player_page(const nlohmann::ordered_json& run);

}  // namespace simt::run
