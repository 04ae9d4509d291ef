/// \file
/// What is told of a launch in the middle of which the program is ended.
#pragma once

namespace simt {

struct Launch;

/// Publishes the launch's findings, and tells whoever observes launches of it as if it had ended.
/// What its kernel has done is not known: its counters are 0. May be called from any thread.
void tell_of_unended(const Launch& launch);

}  // namespace simt
