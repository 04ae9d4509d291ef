/// \file
/// What the contract's tests share. They run on every step of the program that they are linked
/// into: a step and its variants.
///
/// A test of top-k does nothing in the program of a softmax step, and the reverse: which of the two
/// a step is, it says itself. What needs many rows at once is not for the steps that take one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "common/step/step.h"
#include "common/verify/case.h"
#include "common/verify/inputs.h"
#include "common/verify/verify.h"

namespace contract {

/// Whether every case is wanted: on a GPU, and on the executor with WORKLOG_THOROUGH in the
/// environment, which `.ci/run thorough` and the mutants' last round set. Without, `./worklog test`
/// has a part of those that take the executor longest.
bool wants_every_case();

/// Rows of most cases: more than 8, so that with an odd width the rows start at every alignment.
inline constexpr std::int64_t kRows = 9;

/// A k for this width: all of the columns up to 16 of them, and then 1 to 7 in turn. Long lists
/// cost the CPU executor a rendezvous for every shuffle; they have tests of their own (top_k.cpp).
/// 0 for a softmax step.
inline int some_k(const worklog::Step& step, std::int64_t cols) {
  constexpr std::int64_t kFew = 16;
  if (!step.is_top_k()) return 0;
  return static_cast<int>(cols <= kFew ? cols : 1 + cols % 7);
}

/// The block sizes to go through: all multiples of a warp, or a few of them: powers of two, odd
/// numbers of warps, and one warp below the most.
inline std::vector<int> block_sizes(const worklog::Step& step) {
  if (!step.variant.empty()) return {32, 96, 256, 1024};
  if (!wants_every_case()) return {32, 64, 96, 128, 160, 224, 256, 352, 512, 736, 992, 1024};
  std::vector<int> sizes;
  for (int size = 32; size <= 1024; size += 32)
    sizes.push_back(size);
  return sizes;
}

/// Whether it is a width's turn, which comes to half of them in no pattern that alignment or a warp
/// could have: the top bit of a product with a large prime decides (Knuth, volume 3, section 6.4).
constexpr bool is_turn_of(std::int64_t cols) {
  constexpr std::uint32_t kPrime = 0x9E3779B1;
  return static_cast<std::uint32_t>(cols) * kPrime >> 31 == 0;
}

/// A variant takes the types in turn, from width to width. Unless every case is wanted, it takes
/// half of the widths, and a step takes fp32 and one of the half types, which differ in arithmetic,
/// not in what a width makes of a row.
inline bool is_left_out(const worklog::Step& step, worklog::DType dtype, std::int64_t cols) {
  using enum worklog::DType;
  if (!step.variant.empty()) {
    const bool is_its_type = dtype == worklog::kAllDTypes[cols % std::ssize(worklog::kAllDTypes)];
    return !is_its_type || !(is_turn_of(cols) || wants_every_case());
  }
  return !wants_every_case() && dtype == (is_turn_of(cols) ? kFloat16 : kBFloat16);
}

/// And every other input, so that two neighbouring widths have all of them.
inline bool is_left_out(const worklog::Step& step, worklog::Input input, std::int64_t cols) {
  return !step.variant.empty() && (static_cast<int>(input) + cols) % 2 != 0;
}

inline std::string describe(const worklog::Step& step, const worklog::Case& a_case,
                            const worklog::VerifyOptions& options) {
  std::string text = step.label() + ", " + std::string(name_of(a_case.dtype)) + ", " +
                     std::to_string(a_case.rows) + " x " + std::to_string(a_case.cols) + ", " +
                     std::string(name_of(a_case.input));
  if (a_case.k > 0) text += ", k = " + std::to_string(a_case.k);
  if (options.in_place) text += ", in place";
  if (options.over_results) text += ", over the forward pass's result";
  if (options.block_size > 0) text += ", blocks of " + std::to_string(options.block_size);
  if (options.logits_shift > 0) text += ", logits off by " + std::to_string(options.logits_shift);
  if (options.output_shift > 0) text += ", output off by " + std::to_string(options.output_shift);
  if (options.gradients_shift > 0)
    text += ", gradients off by " + std::to_string(options.gradients_shift);
  return text;
}

/// Values and indices of a top-k, and the probabilities that it was taken from if they are stored;
/// the losses; of a cross-entropy the losses, log(sum(exp)) and gradients; the outputs of an
/// attention; else the probabilities,
/// their logarithms or the logits' gradients.
inline std::int64_t elements_to_check(const worklog::Step& step, const worklog::Case& a_case) {
  if (step.takes<worklog::NegativeLogLikelihood>()) return a_case.rows;
  if (step.takes<worklog::CrossEntropy>()) return a_case.rows * (a_case.cols + 2);
  if (step.takes<worklog::Attention>()) return a_case.rows * worklog::kHeadDim;
  if (!step.is_top_k()) return a_case.rows * a_case.cols;
  const bool stores = step.operation() == worklog::Operation::kSoftmaxThenTopK;
  return a_case.rows * (2 * a_case.k + (stores ? a_case.cols : 0));
}

/// Checks the verdict, and returns whether it is good: a sweep stops at a step's first failure.
inline bool check_verdict(const worklog::Step& step, const worklog::Case& a_case,
                          const worklog::VerifyOptions& options, const worklog::Verdict& verdict) {
  INFO(describe(step, a_case, options));
  CHECK_MESSAGE(verdict.ok, verdict.failure);
  CHECK(verdict.checked_elements == elements_to_check(step, a_case));
  return verdict.ok;
}

/// Whether the step takes rows as long as the case's; that it refuses others, bad_input.cpp tests.
inline bool takes_width(const worklog::Step& step, const worklog::Case& a_case,
                        const worklog::VerifyOptions& options = {}) {
  return a_case.cols <= step.info.most_cols(worklog::size_of(a_case.dtype), options.block_size);
}

/// Verifies a test's own rows, if the step takes such long ones. A step that takes fewer is given
/// them one after the other. Attention has tests of its own, in attention.cpp.
inline bool check_verified(const worklog::Step& step, const worklog::Case& a_case,
                           const worklog::RowSource& rows,
                           const worklog::VerifyOptions& options = {}) {
  if (step.takes<worklog::Attention>() || !takes_width(step, a_case, options)) return true;
  if (a_case.rows <= step.info.max_rows) {
    return check_verdict(step, a_case, options, worklog::verify(step, a_case, rows, options));
  }
  worklog::Case one = a_case;
  one.rows = 1;
  for (std::int64_t row = 0; row < a_case.rows; ++row) {
    const auto this_row = [&](std::int64_t, std::span<float> logits) { rows(row, logits); };
    CAPTURE(row);
    if (!check_verdict(step, one, options, worklog::verify(step, one, this_row, options))) {
      return false;
    }
  }
  return true;
}

/// The same for the rows of an input that has a name.
inline bool check_verified(const worklog::Step& step, const worklog::Case& a_case,
                           const worklog::VerifyOptions& options = {}) {
  return check_verified(
      step, a_case,
      worklog::make_rows(a_case.input, a_case.dtype, a_case.rows, a_case.cols, options.seed),
      options);
}

/// While it lives, the CPU executor counts nothing, which is faster. On a GPU it does nothing.
class CountingOff {
 public:
  CountingOff() { set(false); }
  ~CountingOff() { set(true); }
  CountingOff(const CountingOff&) = delete;
  CountingOff& operator=(const CountingOff&) = delete;

 private:
  static void set(bool on);
};

}  // namespace contract
