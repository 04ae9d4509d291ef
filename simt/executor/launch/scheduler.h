/// \file
/// Which thread of a cluster of blocks runs, as far as its warps do not settle that among their
/// lanes (worker/switch.h).
#pragma once

#include <cstdint>

#include "simt/executor/worker/worker.h"

namespace simt {

/// Runs cluster number `number` of the launch's grid, which has `count` blocks, until all their
/// threads have returned.
void run_cluster(Worker& worker, std::uint64_t number, unsigned count);

}  // namespace simt
