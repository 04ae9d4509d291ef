/// \file
/// A step on a small case, with every request of its first warps.
#pragma once

#include <string>
#include <vector>

#include "common/step/step.h"
#include "common/verify/case.h"
#include "simt/executor/trace.h"

namespace worklog {

/// What traced_run() did, and all that it recorded.
struct TracedRun {
  const Step* step = nullptr;  ///< not null
  Case a_case;                 ///< what `step` ran on
  int block_size = 0;          ///< threads per block
  simt::Trace trace;           ///< every request of the first warps
  /// What the arrays of the trace are: "logits", "probabilities", "log-probabilities",
  /// "gradients", "logit gradients", "labels", "losses", "queries", "keys", "outputs", "values",
  /// "indices", "scratch"; numbered if there are several of one name.
  std::vector<std::string> names;
};

/// The case that the access pictures show: 32 rows of 128 columns, so that a warp of a thread per
/// row has all its lanes, and a warp that shares a row makes four requests of 4 bytes per lane.
Case small_case(const Step& step, DType dtype);

/// A block of the small case is one warp.
constexpr int kSmallBlock = 32;

/// Runs `step` on the case and records its requests; `block_size` 0 is the step's own choice.
/// Throws as run() does, and CudaError if a kernel fails.
TracedRun traced_run(const Step& step, const Case& a_case, int block_size,
                     const simt::TraceLimits& limits = {});

}  // namespace worklog
