/// \file
/// What the arrays that a kernel reaches are to its step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/step/step.h"
#include "common/verify/case_buffers.h"

namespace worklog {

/// An array that a step was given.
struct GivenArray {
  const void* begin;  ///< its first byte
  std::size_t bytes;  ///< of all of it
  const char* name;   ///< such as "logits"
};

/// All that `step` was given with these buffers.
template <typename T>
std::vector<GivenArray> arrays_given(const Step& step, const ProblemBuffers<T>& buffers) {
  const auto given = [](const auto& buffer, const char* name) {
    return GivenArray{buffer.data(), buffer.bytes(), name};
  };
  const bool has_labels = step.takes<NegativeLogLikelihood>() || step.takes<CrossEntropy>();
  const bool has_logarithms = step.takes<LogSoftmax>() || step.takes<LogSoftmaxBackward>();
  const char* columns = step.takes<Attention>() ? "outputs"
                        : has_logarithms        ? "log-probabilities"
                                                : "probabilities";
  return {given(buffers.logits, "logits"),
          given(buffers.results, columns),
          given(buffers.gradients, "gradients"),
          given(buffers.labels, "labels"),
          given(buffers.queries, "queries"),
          given(buffers.keys, "keys"),
          given(buffers.key_values, "values"),
          given(buffers.columns, step.trains() ? "logit gradients" : columns),
          given(buffers.values, has_labels ? "losses" : "values"),
          given(buffers.indices, "indices"),
          given(buffers.scratch, "scratch")};
}

/// The name of each array, whose type has `begin`; "other" for what was not given. A step may cut
/// its scratch into several arrays: they are numbered.
template <typename Array>
std::vector<std::string> names_of(const std::vector<Array>& arrays,
                                  const std::vector<GivenArray>& all) {
  const auto contains = [](const GivenArray& given, const Array& array) {
    const auto begin = static_cast<const std::byte*>(given.begin);
    const auto at = static_cast<const std::byte*>(array.begin);
    return begin <= at && at < begin + given.bytes;
  };
  std::vector<std::string> names(arrays.size(), "other");
  for (const GivenArray& given : all) {
    const auto parts = std::count_if(arrays.begin(), arrays.end(),
                                     [&](const Array& array) { return contains(given, array); });
    int part = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!contains(given, arrays[i])) continue;
      names[i] = given.name;
      if (parts > 1) names[i] += " " + std::to_string(++part);
    }
  }
  return names;
}

}  // namespace worklog
