/// \file
/// Which steps may serve which operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/step/dtype.h"
#include "common/step/step.h"
#include "library/device.h"
#include "library/include/softmax_worklog/c.h"

namespace worklog::library {

/// What a step's kernels want of a device, beside what CUDA asks of all.
enum class Need {
  kNothing,          ///< any device runs them
  kLargeShared,      ///< a block has 227 KB of shared memory
  kClusters,         ///< they are compiled for devices with clusters alone
  kClustersOfWhole,  ///< clusters, of up to 16 blocks with as much shared memory
  kWholeGrid,        ///< as much shared memory, and 132 multiprocessors for blocks that all meet
};

/// One step that may serve an operation.
struct Candidate {
  const Step* step;   ///< in the registry
  std::string label;  ///< of the step
  Need need;          ///< of the device
};

/// Number of operations, whose values begin at 0.
inline constexpr int kOperations = SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS + 1;

/// The operation's, in the order in which they take over from each other where one does not take a
/// shape; the last comes after all others, and mostly takes nearly all, more slowly. Looked up in
/// the registry once. Throws std::invalid_argument when a step that is named here is not
/// registered.
const std::vector<Candidate>& candidates_of(softmax_worklog_operation operation);

/// Whether a device has what a candidate needs.
bool runs_on(Need need, const DeviceTraits& device);

}  // namespace worklog::library
