/// \file
/// One call at a time works on the executor, whose counts are those of the last one. Whoever waits
/// for its turn or its end may be interrupted, and the process may be copied in between.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace worklog::python {

/// What the executor counted, by name.
using Counts = std::map<std::string, std::uint64_t>;

/// Does the work once no other call does, and keeps what was counted. Called with the GIL, which is
/// released meanwhile. `elements` says how much there is to do: what takes a moment is not
/// interrupted. Rethrows what `work` throws; where a signal's handler raised an exception in Python
/// instead, ends the work and throws that. On a GPU the work is a launch, and nothing is counted:
/// there calls of several threads do not wait for each other.
void take_turn(std::int64_t elements, const std::function<void()>& work);

/// From now on the process is copied while no call is under way: whoever forks waits for its end,
/// for which nobody needs the GIL. To be called once, after static objects are initialized: those
/// of the executor, which does the same for its launches, must come later in a fork. On a GPU,
/// whose work a copy cannot go on with, nobody waits.
void make_forks_safe();

/// Of the last call that ended well. Waits for one that is under way, and may be interrupted;
/// called with the GIL. Throws std::runtime_error where there is none, after one that failed, and
/// on a GPU.
Counts counts_of_last_turn();

}  // namespace worklog::python
