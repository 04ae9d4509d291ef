/// \file
/// Which accesses leave the device: those to memory of another one cross the link between them.
#pragma once

#include <optional>

#include "simt/executor/counters/traffic.h"

namespace simt {

/// The lanes of a request to global memory that reach memory of another device than the running
/// launch's. Memory that belongs to none of the devices is taken to be near.
std::optional<Request> part_over_link(const Request& request);

}  // namespace simt
