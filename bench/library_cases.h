/// \file
/// What the library is timed with, beside its own candidates and others' implementations.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/library_steps.h"
#include "bench/measurement.h"
#include "common/measure/cache.h"
#include "common/step/dtype.h"
#include "common/step/problem.h"
#include "library/include/softmax_worklog/c.h"

namespace worklog::bench {

/// One operation at one shape.
struct LibraryCase {
  softmax_worklog_operation operation = SOFTMAX_WORKLOG_SOFTMAX;
  DType dtype = DType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Cache cache = Cache::kCold;
  Reduction reduction = Reduction::kMean;  ///< of a cross-entropy kMean or kNone, else kMean
  int largest = kSampledK;                 ///< of a top-k, how many

  /// "softmax", "log_softmax", "top_k", "softmax_backward", "cross_entropy" of the mean loss and
  /// its gradients, or "cross_entropy_rows" of each row's loss and the gradients by these.
  std::string_view operation_name() const;
  /// `largest` of a top-k, else 0.
  int k() const;
  /// Of the arrays that are as long as the logits.
  std::int64_t bytes() const;
  /// Such as "softmax/f32/4096x32000/cold", or "top_k/f32/4096x32000/k50/cold".
  std::string name() const;
  /// Operation, type, rows, columns, k and cache.
  nlohmann::ordered_json fields() const;
};

/// Vocabularies of language models and short rows, with 1 row to millions, in fp32 and bf16, as far
/// as the arrays have no more than 24 GB; with a warm cache only where they have no more than three
/// quarters of `l2_bytes`, the device's L2 cache, beyond which it does not hold them. Cold ones
/// first, softmax and cross-entropy before the others: when time is over, the rest is lost.
std::vector<LibraryCase> library_cases(std::int64_t l2_bytes);

/// The library's own measurement of a case.
Measurement measurement_of(const LibraryCase& a_case);

/// The label of the step that the library picks for it on the current device.
std::string picked_step(const LibraryCase& a_case);

/// Those of the steps that the library may pick for the case, on the current device.
std::vector<Measurement> candidates_for(const LibraryCase& a_case);

/// Those of cuDNN that do the same.
std::vector<Measurement> cudnn_for(const LibraryCase& a_case);

}  // namespace worklog::bench
