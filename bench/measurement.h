/// \file
/// What the bench times: one name per step, variant, type, shape and state of the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/values.h"
#include "common/measure/cache.h"
#include "common/step/dtype.h"
#include "common/step/problem.h"
#include "common/step/step.h"

namespace worklog::bench {

/// What is timed: a step, another's way to do the same, or moving the bytes that a step must move
/// and nothing else.
enum class Subject {
  kCopy,     ///< each element read and written: the ceiling of softmax
  kRead,     ///< each element read: the ceiling of top-k and of losses, whose results are small
  kCombine,  ///< the elements of two arrays read, as many written: the ceiling of backward passes
  kStep,
  kCudnn,
  kLibrary,  ///< what the library picks among the steps
};

/// One row of the bench.
struct Measurement {
  Subject subject = Subject::kStep;
  const Step* step = nullptr;  ///< of kStep, kCudnn and kLibrary
  DType dtype = DType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int k = 0;  ///< of top-k steps
  Cache cache = Cache::kCold;
  Values values = Values::kNormal;
  /// Of a cross-entropy: by default what training asks for.
  Reduction reduction = Reduction::kMean;

  /// Such as "07_topk_fusion/safe_fused/f32/4000x25000/k5/cold", "copy/f32/4000x25000/cold" or
  /// "cudnn/softmax_fast/f32/4000x25000/cold"; "18_topk_by_threshold/f32/4000x25000/k5/equal/cold"
  /// where the values are not Values::kNormal, and "20_cross_entropy/f32/64x32000/rows/cold" where
  /// nothing is reduced.
  std::string name() const;

  /// The name's first part: a step with its variant, "copy", "combine", "cudnn/softmax_fast" and so
  /// on.
  std::string subject_name() const;

  /// Bytes that must cross the memory bus: all that is given read once, each result written once.
  /// What a step reads or writes beyond that is its own doing.
  std::int64_t bytes() const;

  /// The transfer that no implementation can beat: kCopy where as much is written as is read,
  /// kRead where next to nothing is, kCombine where half as much is. None for an attention, whose
  /// limit is arithmetic.
  std::optional<Subject> ceiling() const;
};

/// All measurements of `steps` and of `cudnn_steps`, those of one type and shape next to each
/// other. The steps must outlive them.
///
/// At one row only softmax is timed, by the ladder's own kernels, by cuDNN, and by variants of
/// steps whose blocks share a row. What training wants is timed at the shapes of training, and
/// nothing else is at those that are for training alone. Attention has shapes of its own. A thread
/// that takes a row alone is left out where the row is longer than kLongestRowOfOneThread, and a
/// step where there are more rows, or longer ones, than it takes. Values that may be hard for a
/// top-k are timed with the ladder's own kernels, at the shapes and K that say so.
std::vector<Measurement> all_measurements(const std::vector<Step>& steps,
                                          const std::vector<Step>& cudnn_steps = {});

/// One thread takes a quarter of a microsecond a column on an H200 (the recorded run): 33
/// milliseconds for this row, and 17 seconds for the bench's longest.
inline constexpr std::int64_t kLongestRowOfOneThread = 131072;

}  // namespace worklog::bench
