/// \file
/// Whole files, read and written.
#pragma once

#include <filesystem>
#include <string>

namespace simt::run {

/// Throws std::runtime_error that names the file.
std::string read_file(const std::filesystem::path& path);

/// Through a neighbour and a rename, so that nobody ever sees half a file.
void write_file(const std::filesystem::path& path, const std::string& text);

/// Makes the folder as well; leaves a file alone that has this text already.
void write_if_changed(const std::filesystem::path& path, const std::string& text);

}  // namespace simt::run
