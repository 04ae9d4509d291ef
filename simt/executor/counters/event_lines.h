/// \file
/// From an event of the log to its line of the source.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "simt/executor/log/access_log.h"

namespace simt {

/// A line of a file.
struct SourceLine {
  std::string file;  ///< its name, without directories
  int line = 0;      ///< from 1; 0 where it is not known
};

/// Of text such as "softmax.cu:42".
SourceLine split_line(const std::string& place);

/// The line of an event of the kernel whose code lies near that address.
SourceLine line_of(Event event, std::uintptr_t near_kernel);

/// The address for look_up_source_lines() by which line_of() will ask for this event; adds none
/// where the line is known already.
void add_code_address(Event event, std::uintptr_t near_kernel, std::set<std::uintptr_t>& addresses);

}  // namespace simt
