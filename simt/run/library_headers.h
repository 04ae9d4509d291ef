/// \file
/// Headers of NVIDIA's libraries that run here as they are, or nearly: Thrust's and CUB's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace simt::run {

/// Where packages put headers.
const std::vector<std::filesystem::path>& system_folders();

/// Which of these folders a file is in; empty for files of the program's.
std::filesystem::path system_folder_of(const std::filesystem::path& file);

/// A header of CUB's as a host's compiler takes it, each line where it was: without the functions
/// that are written in PTX, which are overloads for types of which the hardware has an instruction
/// (a template does the same for all types); with `typedef Name<int> Name;` in a class, where C++
/// wants the first to be qualified; and with the names of kernels where they are launched.
std::string for_host_compiler(std::string source);

/// A translation of such a header, in which the names of the kernels that it launches say that they
/// are CUB's.
std::string with_names_of_library(std::string translation);

}  // namespace simt::run
