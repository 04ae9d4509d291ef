/// \file
/// What a program that runs tells of itself: a file with a JSON object in each line, which
/// recorder.cpp writes in the program and report.cpp reads.
///
///     {"launch": {"kernel", "grid", "block", "cluster", "dynamic_shared_bytes", "counters",
///      "lines": [{"file", "line", "counters"}], "recorded", "plain"}}
///     {"library_call": {"function", "launch"}}
///     {"finding": {"kind", "message", "kernel", "launch", "lines": [{"place", "message"}]}}
///     {"note": as a finding}
///     {"timed_out": true}
///
/// A finding's launch is numbered from 1, and 0 in host code; it comes before its launch. That of a
/// library's call is the one that comes next. A note is of something that is no mistake.
#pragma once

#include <cstddef>

namespace simt::run {

/// The environment variable with that file's name.
inline constexpr char kRecordVariable[] = "SIMT_RUN_RECORD";

/// The environment variable that asks for `recorded`, what the first warps did, if it is not empty.
inline constexpr char kWarpsVariable[] = "SIMT_RUN_WARPS";

/// The environment variable that says for how many seconds all launches are counted; later ones of
/// a kernel and shape that was counted run plain.
inline constexpr char kCountVariable[] = "SIMT_RUN_COUNT";

/// After so many events of all launches, no further launch is recorded: a page that has more of
/// them takes long to open.
inline constexpr std::size_t kMaxRecordedEvents = 20000;

}  // namespace simt::run
