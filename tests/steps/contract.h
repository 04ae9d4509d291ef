/// \file
/// What the contract's tests share. They run on every step of the program that they are linked
/// into: a step and its variants.
///
/// A test of top-k does nothing in the program of a softmax step, and the reverse: which of the two
/// a step is, it says itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "common/harness/case.h"
#include "common/step/step.h"
#include "common/verify/verify.h"

namespace contract {

/// Rows of most cases: more than 8, so that with an odd width the rows start at every alignment.
inline constexpr std::int64_t kRows = 9;

/// A k for this width: all of the columns up to 128 of them, and then 1 to 7 in turn. Long lists
/// cost the CPU executor a rendezvous for every insertion; they have tests of their own
/// (top_k.cpp). 0 for a softmax step.
inline int some_k(const worklog::Step& step, std::int64_t cols) {
  if (!step.is_top_k()) return 0;
  return static_cast<int>(cols <= worklog::kMaxK ? cols : 1 + cols % 7);
}

inline std::string describe(const worklog::Step& step, const worklog::Case& a_case,
                            const worklog::VerifyOptions& options) {
  std::string text = step.label() + ", " + std::string(name_of(a_case.dtype)) + ", " +
                     std::to_string(a_case.rows) + " x " + std::to_string(a_case.cols) + ", " +
                     std::string(name_of(a_case.input));
  if (a_case.k > 0) text += ", k = " + std::to_string(a_case.k);
  if (options.in_place) text += ", in place";
  if (options.block_size > 0) text += ", blocks of " + std::to_string(options.block_size);
  if (options.logits_shift > 0) text += ", logits off by " + std::to_string(options.logits_shift);
  if (options.output_shift > 0) text += ", output off by " + std::to_string(options.output_shift);
  return text;
}

/// Values and indices of a top-k, and the probabilities that it was taken from if they are stored;
/// the losses; else the probabilities or their logarithms.
inline std::int64_t elements_to_check(const worklog::Step& step, const worklog::Case& a_case) {
  if (step.takes<worklog::NegativeLogLikelihood>()) return a_case.rows;
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

inline bool check_verified(const worklog::Step& step, const worklog::Case& a_case,
                           const worklog::VerifyOptions& options = {}) {
  return check_verdict(step, a_case, options, worklog::verify(step, a_case, options));
}

/// The same for a test's own rows.
inline bool check_verified(const worklog::Step& step, const worklog::Case& a_case,
                           const worklog::RowSource& rows,
                           const worklog::VerifyOptions& options = {}) {
  return check_verdict(step, a_case, options, worklog::verify(step, a_case, rows, options));
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
