/// \file
/// What the executor tells of its launches while their requests are recorded (trace.h).
#pragma once

#include "simt/executor/counters/traffic.h"
#include "simt/executor/fibers/block.h"
#include "simt/executor/fibers/running_launch.h"
#include "simt/executor/memory/shared_memory.h"

namespace simt {

extern bool tracing;  ///< changes only while no launch runs

/// A launch begins.
void trace_launch(Launch& launch);

/// Whether this warp's requests are recorded, which trace_request() then does until the next call.
/// Its blocks have this shared memory.
bool trace_warp(const SharedMemory& of_blocks, const Warp& warp);
/// Records one request of the warp that trace_warp() was asked about.
void trace_request(const Request& request);

}  // namespace simt
