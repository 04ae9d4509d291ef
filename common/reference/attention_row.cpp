#include "common/reference/attention_row.h"

#include <algorithm>
#include <cmath>

#include "common/step/problem.h"

namespace worklog {

void attention_scores(std::span<const double> query, std::span<const double> keys,
                      std::span<double> scores) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(kHeadDim));
  const double* key = keys.data();
  for (double& score : scores) {
    score = 0.0;
    for (const double element : query)
      score += scale * element * *key++;
  }
}

void attention_output(const SoftmaxRow& softmax, std::span<const double> exponentials,
                      std::span<const double> values, std::span<double> output) {
  std::fill(output.begin(), output.end(), softmax.is_nan ? std::nan("") : 0.0);
  if (softmax.is_nan) return;
  const double* value = values.data();
  for (const double e : exponentials) {
    for (double& element : output)
      element += e / softmax.d * *value++;
  }
}

}  // namespace worklog
