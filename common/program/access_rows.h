/// \file
/// The access picture in a terminal: a row for each request, its lanes as characters over the
/// sectors that they touch.
#pragma once

#include <iosfwd>
#include <string>

#include "common/measure/traced_run.h"

namespace worklog {

/// The sectors of a request in the order of their addresses, as "|0...|" with a place for every
/// element: the lane that touches it (0 to 9, then a to v), '*' for several lanes, '.' for none. A
/// blank stands where sectors are not neighbours. Of shared memory, the same by 32 bytes. At most
/// `width` characters; what does not fit is counted at the end.
std::string sectors_picture(const simt::TracedRequest& request, std::size_t width);

/// All requests of the run, by launch and warp, in lines of at most 100 characters.
void print_access_rows(std::ostream& out, const TracedRun& run);

}  // namespace worklog
