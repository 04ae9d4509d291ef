/// \file
/// Builds a program from CUDA sources. What has not changed is not compiled again.
#pragma once

#include <filesystem>

#include "simt/run/options.h"
#include "simt/run/toolchain.h"

namespace simt::run {

/// The program's path, or an empty one if some source was refused or does not compile: the messages
/// have been printed. `folder` is for all that is made. Throws std::runtime_error for files that
/// cannot be read or written.
std::filesystem::path build_program(const Options& options, const Toolchain& toolchain,
                                    const std::filesystem::path& folder);

}  // namespace simt::run
