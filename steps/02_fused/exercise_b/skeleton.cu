// Exercise 02b: from an empty file
//
// The contract. Everything else is yours.
//
// - problem.logits and problem.probabilities are arrays of rows x cols floats in the GPU's memory,
//   one row behind the other. They may be the same array; otherwise they do not overlap.
// - problem.rows and problem.cols are 1 or more.
// - problem.block_size is how many threads a block shall have, a multiple of 32. The check tries
//   several. The number of rows need not be a multiple of it.
// - All launches go to `stream`. After each, worklog::check_launch("name", grid, block) says what
//   CUDA refused.
// - Every row becomes its softmax: probabilities[i] = exp(x[i] - m) / sum of all exp(x[j] - m),
//   with m, the largest of the row's logits x.
// - A -inf gives exactly 0. A row with a NaN, with +inf, or with nothing but -inf becomes NaN
//   throughout.
// - One launch, 3 loads and 1 store per logit, at most.

#include <cmath>
#include <cstdint>

#include "common/exercise/exercise.h"

namespace {

// ---- your part begins ----

void launch(const worklog::Softmax<float>& problem, cudaStream_t stream) {}

// ---- your part ends ----

}  // namespace

WORKLOG_EXERCISE(launch, {.rows = 64,
                          .cols = 1000,
                          .counters = {"launches", "loads_per_element", "stores_per_element"},
                          .block_size = 32,
                          .serial_sum = true});
