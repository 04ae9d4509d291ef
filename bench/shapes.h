/// \file
/// The shapes that the bench times, and where each comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "common/step/dtype.h"

namespace worklog::bench {

/// The k at which top-k steps and their variants are compared, as in the paper.
inline constexpr int kUsualK = 5;

struct Shape {
  DType dtype;
  std::int64_t rows;
  std::int64_t cols;
  std::vector<int> ks;    ///< of the top-k steps; empty: softmax only
  bool warm_too = false;  ///< timed with a warm L2 cache as well as with a cold one
  /// Large, or of very short rows: where a row read once pays. Of steps that read more than once,
  /// only softmax without its variants is timed there.
  bool pays_once = false;
  /// Timed with an L2 cache full of another kernel's stores, too: the ladder's own kernels that
  /// read once, and the copy and the read.
  bool written_too = false;
  /// Timed by what training wants of a step: backward passes, cross-entropy, and losses.
  bool trains = false;
  /// Timed by attention, of as many queries and keys.
  bool attends = false;
  /// Timed by all others.
  bool infers = true;
  /// The k that are timed with values that may be hard for a top-k (bench/values.h), too.
  std::vector<int> hard_ks{};
};

/// Those of all_shapes() where a row read once pays.
std::vector<Shape> shapes_that_pay_once();

/// Those of all_shapes() that training is timed at.
std::vector<Shape> shapes_that_train();

/// No shape twice.
std::vector<Shape> all_shapes();

}  // namespace worklog::bench
