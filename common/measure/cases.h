/// \file
/// Which cases a step is measured on.
#pragma once

#include <vector>

#include "common/step/step.h"
#include "common/verify/case.h"

namespace worklog {

/// The columns of a row where a step takes one long row and nobody chose.
inline constexpr std::int64_t kDefaultLongCols = 1 << 18;

/// The columns of all other rows where nobody chose.
inline constexpr std::int64_t kDefaultCols = 4096;

/// The report's cases: random logits from 1 to 100000 columns, all other inputs at one width, the
/// recorded inputs whole, and for top-k several k. Few rows, so that the CPU executor counts all
/// steps in minutes: counts scale with the rows, exactly. Steps for one long row: up to 2^20
/// columns, and the first rows of the recorded inputs. Attention, whose queries share a row of an
/// input: up to 4096 columns, and nothing recorded. Of a variant the quick cases alone in
/// fp16, and none in bf16, whose accesses are those of fp16.
std::vector<Case> report_cases(const Step& step, DType dtype);

/// A few cases that take seconds: what a step's program runs when it is given no shape. The first
/// is the shape that the pages predict counts for.
std::vector<Case> quick_cases(const Step& step, DType dtype);

/// The shape of a recorded input, of at most `max_rows` rows.
Case real_case(const Step& step, DType dtype, Input input, std::int64_t max_rows);

/// The columns that a step is given where nobody chose: one of the two above, or as many as it
/// takes.
std::int64_t default_cols(const Step& step);

/// The k that is measured where nobody chose one: 5, as in the paper, or all columns if fewer; 0
/// for steps without a top-k.
int default_k(const Step& step, std::int64_t cols);

}  // namespace worklog
