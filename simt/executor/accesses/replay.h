/// \file
/// Turns the logs of a warp's lanes into what the hardware would have done: one request for all
/// lanes that execute an access together.
#pragma once

#include "simt/executor/worker/worker.h"

namespace simt {

/// Replays all that the lanes logged, counts it, and empties the logs.
void replay(Worker& worker, Warp& warp);

/// A log is full: replays as much as all lanes have in common and keeps the rest.
void replay_front(Worker& worker, Warp& warp);

}  // namespace simt
