/// \file
/// The queries, keys and values that attention is verified on, made of rows of logits.
#pragma once

#include <cstdint>

#include "common/step/dtype.h"
#include "common/verify/inputs.h"

namespace worklog {

/// Rows of kHeadDim elements each.
struct AttentionInputs {
  RowSource queries;  ///< one for each row
  RowSource keys;     ///< one for each column
  RowSource values;   ///< likewise
};

/// Queries whose scores are like the first row of `logits`, of `cols` columns. The first query has
/// exactly these scores: each key begins with one of them, and all of the query but its first
/// element, which is what a score is divided by, is 0. The rest of the others is bell-shaped, as
/// that of keys and values is, so that their scores are the logits and about 1 more or less.
///
/// For Input::kSpecial a few elements of the values are NaN or infinite.
AttentionInputs attention_inputs(const RowSource& logits, Input input, DType dtype,
                                 std::int64_t cols, std::uint64_t seed = 0);

}  // namespace worklog
