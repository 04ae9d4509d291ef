/// \file
/// Whether the files and folders that a command line names go together.
#pragma once

#include "simt/run/options.h"

namespace simt::run {

/// Throws std::invalid_argument where a source is named twice, a folder of -I does not exist, or
/// what is to be written would replace a source or something else that is to be written.
void check_named_files(const Options& options);

}  // namespace simt::run
