/// \file
/// Where the program finds what it needs, and where it keeps what it makes.
#pragma once

#include <filesystem>

namespace simt::run {

/// The folder of the program that runs, with no link in its path. Throws std::runtime_error.
std::filesystem::path program_folder();

/// Where compiled programs are kept: the environment's SIMT_CACHE; else simt below its
/// XDG_CACHE_HOME, or below ~/.cache. Throws std::runtime_error if the environment names none of
/// them.
std::filesystem::path cache_folder();

}  // namespace simt::run
