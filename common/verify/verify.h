/// \file
/// Runs a step and checks every element that it wrote.
///
/// Outputs lie between guard bands and are poisoned before the run with a NaN that no arithmetic
/// makes, so that an element that was never written is told from a wrong one. The expected values
/// are computed in double precision, a row at a time, on all cores; how far a result may be from
/// them is derived in common/verify/error_bound.h. After the run the guards and, unless the step
/// works in place, the input must be what they were. On the CPU executor a finding is a failure
/// too.
#pragma once

#include <cstdint>
#include <string>

#include "common/step/step.h"
#include "common/verify/case.h"
#include "common/verify/inputs.h"

namespace worklog {

/// The labels of a cross-entropy.
enum class LabelKind {
  kColumns,  ///< a column in each row
  kMixed,    ///< some rows are ignored, and some labels name no column
  kIgnored,  ///< all rows are ignored
};

/// How a step is to be run.
struct VerifyOptions {
  /// The output is the input: the logits, or the gradients that a backward step is given. Of steps
  /// whose results are as many as their logits only.
  bool in_place = false;
  bool over_results = false;  ///< backward only: the output is what the forward pass gave
  int block_size = 0;         ///< 0: the step's own choice
  /// Elements by which the input, of an attention the queries and the keys, is off its 256-byte
  /// alignment.
  std::int64_t logits_shift = 0;
  std::int64_t output_shift = 0;  ///< the same of the probabilities, or of both arrays of a top-k
  /// Backward and attention only: the same of the gradients that are given, or of the values.
  std::int64_t gradients_shift = 0;
  std::uint64_t seed = 0;                  ///< of the input's random numbers
  CrossEntropyOptions cross_entropy{};     ///< of cross-entropy steps
  LabelKind labels = LabelKind::kColumns;  ///< likewise
  bool short_labels = false;               ///< likewise: in 32 bits
  /// A step with an expected failure is given logits within its own limit (StepInfo::largest_logit)
  /// and no infinities or NaN. False: it is given everything, to show that it fails.
  bool stay_in_domain = true;
};

/// What verification found.
struct Verdict {
  bool ok = false;  ///< whether everything was right
  /// "" if ok. Else the first thing that was wrong: row, column, what was there, what was expected,
  /// the error and its bound; or the guard band, the input, or the CUDA error.
  std::string failure;
  std::int64_t wrong_elements = 0;    ///< beyond their bounds, or never written
  std::int64_t checked_elements = 0;  ///< of all outputs
  /// Largest error, in units in the last place of the output's type at the exact value.
  double max_ulp = 0.0;
  /// Largest error beyond what rounding x - m alone may cost, in the same units: see error_bound.h.
  double max_excess = 0.0;
  /// Largest share of its bound that an element's error took: at most 1 if ok.
  double max_share_of_bound = 0.0;
  /// Largest distance of a row's sum of probabilities from 1. That it is small follows from the
  /// elements' bounds.
  double max_sum_error = 0.0;
};

/// Runs `step` on the case's input and checks the result.
///
/// Errors of CUDA, running out of device memory included, are failures. Throws ArgumentError (from
/// run) for a case that the step must refuse, and what make_rows throws.
Verdict verify(const Step& step, const Case& a_case, const VerifyOptions& options = {});

/// The same with any rows: for tests that bring their own. Of `a_case.input` only an attention's
/// values, and the gradients that a backward step is given, are made.
Verdict verify(const Step& step, const Case& a_case, const RowSource& rows,
               const VerifyOptions& options = {});

}  // namespace worklog
