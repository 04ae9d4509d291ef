/// \file
/// The labels that losses are verified and timed with.
#pragma once

#include <cstdint>
#include <vector>

namespace worklog {

/// The label of a row: a column that depends on nothing but row and width. -1 if there is none.
std::int64_t label_of(std::int64_t row, std::int64_t cols);

/// Those of rows [0, rows).
std::vector<std::int64_t> labels_of(std::int64_t rows, std::int64_t cols);

}  // namespace worklog
