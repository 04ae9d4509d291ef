/// \file
/// Which launches run plain: neither counted nor checked, because the same was counted before.
#pragma once

#include "simt/executor/executor.h"

namespace simt {

/// Asked once of each launch, as launch() is given it. False also makes its kernel and shape known
/// as counted.
bool runs_plain(const char* kernel, const LaunchConfig& config, void (*body)(void*));

}  // namespace simt
