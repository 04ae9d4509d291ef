/// \file
/// Adds to link_counters().
#pragma once

#include "simt/nccl/operation.h"

namespace simt::nccl {

/// A rank's call has ended well.
void count_on_link(const Operation& operation, int rank, int ranks);

}  // namespace simt::nccl
