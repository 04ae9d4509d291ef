/// \file
/// What the bench times: one name per step, variant, type, shape and state of the cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/harness/cache.h"
#include "common/step/dtype.h"
#include "common/step/step.h"

namespace worklog::bench {

/// What is timed: a step, or moving the bytes that a step must move and nothing else.
enum class Subject {
  kCopy,  ///< each element read and written: the ceiling of softmax
  kRead,  ///< each element read: the ceiling of top-k and of losses, whose results are small
  kStep,
};

/// One row of the bench.
struct Measurement {
  Subject subject = Subject::kStep;
  const Step* step = nullptr;  ///< of kStep
  DType dtype = DType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int k = 0;  ///< of top-k steps
  Cache cache = Cache::kCold;

  /// Such as "07_topk_fusion/safe_fused/f32/4000x25000/k5/cold" or "copy/f32/4000x25000/cold".
  std::string name() const;

  /// Bytes that must cross the memory bus: each logit read once, each result written once. What a
  /// step reads or writes beyond that is its own doing.
  std::int64_t bytes() const;
};

/// All measurements of `steps`, those of one type and shape next to each other. The steps must
/// outlive them.
std::vector<Measurement> all_measurements(const std::vector<Step>& steps);

}  // namespace worklog::bench
