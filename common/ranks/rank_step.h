/// \file
/// What a step includes whose rows are split among ranks, and how it makes itself known.
///
/// It is as common/step/step.h, for several GPUs at once. `launch` runs in every rank, each on its
/// own device, and one line registers it:
///
///     WORKLOG_RANK_STEP(launch, {.builds_on = "17_long_row_one_launch"});
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "common/ranks/check_nccl.h"
#include "common/ranks/slice.h"
#include "common/step/check_launch.h"
#include "common/step/dtype.h"

namespace worklog {

/// A shape as all ranks of a step know it.
struct SliceShape {
  SliceResult result = SliceResult::kSoftmax;  ///< what they compute
  std::int64_t rows = 0;                       ///< of all
  std::int64_t widest = 0;                     ///< columns of the widest slice
  int ranks = 1;                               ///< that share a row
  std::size_t element_bytes = 0;               ///< of a logit
  int block_size = 0;                          ///< threads a block; 0: the step's own choice
};

/// What a step says of itself.
struct RankStepInfo {
  std::string builds_on{};  ///< the step before; a variant's: its comparison
  /// What it computes.
  std::vector<SliceResult> results = {SliceResult::kSoftmax, SliceResult::kLogSoftmax,
                                      SliceResult::kCrossEntropy};
  /// Bytes that a rank hands in of each row, for its part of the exchange.
  std::int64_t (*bytes_a_row)(const SliceShape&) = nullptr;
  /// Calls of NCCL in one launch.
  int (*collectives)(const SliceShape&) = nullptr;
  /// ulp of fp32 that the exchange adds to the 3 of steps 13 to 17.
  double (*ulp_of_exchange)(const SliceShape&) = nullptr;
  /// Bytes of scratch.
  std::int64_t (*scratch_bytes)(const SliceShape&) = nullptr;
  /// Words of a part of a rank's mailbox; where given, ranks must reach each other's memory.
  std::int64_t (*mailbox_words)(const SliceShape&) = nullptr;
  /// Rows that it takes at most.
  std::int64_t max_rows = std::numeric_limits<std::int64_t>::max();
  /// Why a variant that is wrong by design fails, and where: a sentence. "" for a correct one.
  std::string expected_failure{};
  /// Such a variant is right for finite logits within +-this, and verified there.
  float largest_logit = std::numeric_limits<float>::infinity();

  /// Whether it computes that.
  bool gives(SliceResult result) const {
    for (const SliceResult each : results) {
      if (each == result) return true;
    }
    return false;
  }
};

/// Launches a rank's kernels on a stream, with what they exchange, and does not wait for them.
template <typename T>
using RankLaunch = void (*)(const Slice<T>&, cudaStream_t);

/// A step or a variant.
struct RankStep {
  std::string name;     ///< "21_many_gpus"
  std::string variant;  ///< "" for the ladder's own
  RankStepInfo info;    ///< what it says of itself
  /// A function for each storage type.
  std::tuple<RankLaunch<float>, RankLaunch<__half>, RankLaunch<__nv_bfloat16>> launches;

  /// That of type T.
  template <typename T>
  void launch(const Slice<T>& slice, cudaStream_t stream) const {
    std::get<RankLaunch<T>>(launches)(slice, stream);
  }
};

/// All that are registered, the step before its variants.
const std::vector<RankStep>& all_rank_steps();

/// Registers at program start; used through WORKLOG_RANK_STEP.
struct RankStepRegistration {
  /// Adds a step to all_rank_steps().
  explicit RankStepRegistration(RankStep step);
};

/// Registers the step or variant that this file is; CMake tells which.
#define WORKLOG_RANK_STEP(launch, ...)                            \
  static const ::worklog::RankStepRegistration worklog_rank_step( \
      {WORKLOG_STEP_NAME,                                         \
       WORKLOG_STEP_VARIANT,                                      \
       ::worklog::RankStepInfo __VA_ARGS__,                       \
       {&launch<float>, &launch<__half>, &launch<__nv_bfloat16>}})

}  // namespace worklog
