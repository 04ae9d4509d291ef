/// \file
/// Cross-entropy and its gradients in double precision on the host, a row at a time.
#pragma once

#include <cstdint>
#include <span>

#include "common/reference/softmax_row.h"

namespace worklog {

/// What a row's loss is made of.
struct CrossEntropyRow {
  SoftmaxRow softmax;            ///< m and d of the row
  double log_sum_exp = 0.0;      ///< m + log(d)
  double mean = 0.0;             ///< of the logits: -inf if one is
  double loss = 0.0;             ///< before any reduction
  double label_smoothing = 0.0;  ///< what was asked for
  double z_loss = 0.0;           ///< likewise
};

/// Of `logits` and a label among 0 .. columns - 1, or -1 for one that is none: then the loss is
/// NaN. `exponentials` has as many elements as `logits`, and gets exp(x - m); see softmax_row().
CrossEntropyRow cross_entropy_row(std::span<const double> logits, std::int64_t label,
                                  double label_smoothing, double z_loss,
                                  std::span<double> exponentials);

/// The gradient of the row's loss by a logit whose exp(x - m) is given.
double cross_entropy_gradient(const CrossEntropyRow& row, double exponential, bool is_label,
                              std::int64_t cols);

}  // namespace worklog
