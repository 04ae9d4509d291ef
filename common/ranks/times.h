/// \file
/// Times of the ranks' work on GPUs.
#pragma once

#include <filesystem>

#include "common/ranks/communicator.h"
#include "common/ranks/group.h"

namespace worklog {

/// How times are taken.
struct TimesOptions {
  std::filesystem::path file;  ///< what rank 0 writes: JSON, as bench/README.md describes
  int block_size = 0;          ///< 0: each kernel's own choice
};

/// Times every registered kernel at the shapes of the page, with a copy of a slice, a softmax of a
/// slice alone and NCCL's calls alone beside them. All ranks of the group call it. A time is the
/// slowest rank's, from the moment at which all have come, with nothing in the L2 cache; the median
/// of some samples. Throws std::runtime_error on the CPU executor, which has no times.
void write_times(Group& group, Communicator& communicator, const TimesOptions& options);

}  // namespace worklog
