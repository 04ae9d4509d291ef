/// \file
/// What an OS thread does in a launch.
#pragma once

#include "simt/executor/worker/worker.h"

namespace simt {

/// Takes clusters of blocks from the launch until none are left or it fails.
void take_part(Worker& worker, Launch& launch);

}  // namespace simt
