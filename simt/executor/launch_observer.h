/// \file
/// For programs that want to know of each launch by itself; counters() only has their sum.
#pragma once

#include <functional>
#include <string_view>

#include "simt/executor/counters.h"
#include "simt/executor/executor.h"

namespace simt {

/// A launch that has ended.
struct EndedLaunch {
  std::string_view kernel;  ///< as the source of the launch spells it, such as "softmax<T>"
  LaunchConfig config;      ///< its shape
  Counters counters;        ///< of this launch alone
  int device = 0;           ///< that it ran on
  bool is_plain = false;    ///< so that its counters are all 0 (set_counted_time())
  bool was_ended = false;   ///< by a finding, in its middle: its counters are of a part
};

/// Calls `observer` at the end of every launch, when its findings are known already; a launch that
/// is refused is none. An empty one ends that. The observer must not launch.
void observe_launches(std::function<void(const EndedLaunch&)> observer);

/// Tells of a call by which a library has used memory of the device. On a GPU kernels of its own
/// do that; here nothing of it is counted. run_for_library() tells by itself.
void note_library_call(std::string_view function);
/// Calls `observer` at each such call. An empty one ends that.
void observe_library_calls(std::function<void(std::string_view function)> observer);

/// Calls `observer` with every finding as it becomes known: those of a kernel when its launch ends,
/// before the launch is observed. An empty one ends that. The observer must not ask for findings.
void observe_findings(std::function<void(const Finding&)> observer);

}  // namespace simt
