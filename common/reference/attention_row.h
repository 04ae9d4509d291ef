/// \file
/// Attention of one head in double precision on the host, a query at a time.
#pragma once

#include <span>

#include "common/reference/softmax_row.h"

namespace worklog {

/// A query's score against each of its `scores.size()` keys: the products of the query, divided by
/// the square root of kHeadDim, and the key.
void attention_scores(std::span<const double> query, std::span<const double> keys,
                      std::span<double> scores);

/// The query's output: the values, weighed by the softmax of its scores, of which `exponentials`
/// are exp(score - m). NaN throughout where the softmax is.
void attention_output(const SoftmaxRow& softmax, std::span<const double> exponentials,
                      std::span<const double> values, std::span<double> output);

}  // namespace worklog
