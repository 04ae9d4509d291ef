/// \file
/// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace worklog {

/// Writes `text` through a temporary file beside `path`. Throws std::runtime_error that names the
/// file.
void write_whole(const std::filesystem::path& path, std::string_view text);

}  // namespace worklog
