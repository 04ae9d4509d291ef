/// \file
/// Builds a program from CUDA sources. What has not changed is not compiled again.
#pragma once

#include <filesystem>
#include <vector>

#include "simt/run/options.h"
#include "simt/run/toolchain.h"

namespace simt::run {

/// What build_program() has made.
struct BuiltProgram {
  std::filesystem::path path;  ///< empty if some source was refused or does not compile
  std::vector<std::filesystem::path> files;  ///< its sources, and those of its own headers
};

/// Where a source is refused or does not compile, the messages have been printed. `folder` is for
/// all that is made. Throws std::runtime_error for files that cannot be read or written.
BuiltProgram build_program(const Options& options, const Toolchain& toolchain,
                           const std::filesystem::path& folder);

}  // namespace simt::run
