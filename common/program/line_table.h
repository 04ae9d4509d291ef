/// \file
/// A step's source with what each line asked of the memory system, in a terminal.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "common/program/source_text.h"
#include "simt/executor/counters.h"

namespace worklog {

/// One kind of thing that a line did: a row of the table.
struct LineAction {
  std::string_view what;         ///< "global load", "shuffle" and so on
  std::uint64_t count = 0;       ///< requests, or how often
  std::uint64_t sectors = 0;     ///< global memory
  std::uint64_t wavefronts = 0;  ///< shared memory
  std::uint64_t conflicts = 0;   ///< of its banks
};

/// What happened at least once, memory first.
std::vector<LineAction> actions_of(const simt::Counters& counters);

/// In lines of at most 100 characters, but for numbers that need more.
void print_line_table(std::ostream& out, const std::vector<simt::LineCounters>& lines,
                      const SourceText& source);

}  // namespace worklog
