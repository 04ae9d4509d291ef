/// \file
/// Whole files, as the translator and `simt run` read and write them.
#pragma once

#include <filesystem>
#include <string>

namespace simt {

/// Throws std::runtime_error that names the file.
std::string read_file(const std::filesystem::path& path);

/// Through a neighbour and a rename, so that nobody ever sees half a file. Throws
/// std::runtime_error that names the file.
void write_file(const std::filesystem::path& path, const std::string& text);

/// Makes the folder as well; leaves a file alone that has this text already.
void write_if_changed(const std::filesystem::path& path, const std::string& text);

/// That neighbour, of this process alone.
std::filesystem::path partial_of(const std::filesystem::path& path);

}  // namespace simt
