/// \file
/// What library/recorded_choices.h is made of.
#pragma once

#include <string_view>

#include "library/include/softmax_worklog/c.h"

namespace worklog::library {

/// Lines of a table, by rows: up to 1, 2, 4, 8, ... 2^22. The last is for all beyond, too.
inline constexpr int kTableLines = 23;
/// Letters in a line, by columns: up to 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ... 2^24, four
/// for each doubling. The last is for all beyond, too.
inline constexpr int kTableColumns = 92;

/// Which of some steps is the best on one card, for elements of one size.
struct RecordedTable {
  softmax_worklog_operation operation;    ///< what was computed
  int element_bytes;                      ///< 2 or 4
  int generation;                         ///< of the card: compute capabilities from 9.0 have 9
  int l2_bytes;                           ///< of the card: tells it from others of its generation
  std::string_view steps[8];              ///< labels; a, b, c, ... in the lines
  std::string_view by_rows[kTableLines];  ///< a letter for each range of columns
};

}  // namespace worklog::library
