/// \file
/// A top-k that means something: which entries of Python's library answer a question.
#pragma once

#include <ostream>

#include "common/step/step.h"

namespace worklog {

/// Runs a top-k step on the search scores, stored as `dtype`, and prints each question with the
/// entries found and their values.
void print_search_results(std::ostream& out, const Step& step, DType dtype, int k);

}  // namespace worklog
