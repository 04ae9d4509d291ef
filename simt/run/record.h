/// \file
/// What a program that runs tells of itself: a file with a JSON object in each line, which
/// recorder.cpp writes in the program and report.cpp reads.
///
///     {"launch": {"kernel", "grid", "block", "cluster", "dynamic_shared_bytes", "counters",
///      "lines": [{"file", "line", "counters"}]}}
///     {"finding": {"kind", "message"}}
#pragma once

namespace simt::run {

/// The environment variable with that file's name.
inline constexpr char kRecordVariable[] = "SIMT_RUN_RECORD";

}  // namespace simt::run
