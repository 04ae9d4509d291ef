/// \file
/// What library/recorded_choices.h is made of.
#pragma once

#include <string_view>

#include "library/include/softmax_worklog/c.h"

namespace worklog::library {

/// Lines of a table, by rows: up to 1, 2, 4, ... 2^22, and of a line the columns likewise, up to
/// 2^26. The last line and the last column are for all that is beyond, too.
inline constexpr int kTableLines = 23;
/// Letters in a line.
inline constexpr int kTableColumns = 27;

/// Which of some steps was the fastest, for elements of one size.
struct RecordedTable {
  softmax_worklog_operation operation;    ///< what was computed
  int element_bytes;                      ///< 2 or 4
  int generation;                         ///< of the device: compute capabilities from 9.0 have 9
  std::string_view steps[8];              ///< labels; a, b, c, ... in the lines
  std::string_view by_rows[kTableLines];  ///< a letter for each range of columns
};

}  // namespace worklog::library
