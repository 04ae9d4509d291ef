/// \file
/// Collects what is wrong with a kernel while it runs; counters.h publishes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simt/executor/executor.h"

namespace simt {

/// Where in the source something went wrong: a known line, or an address in the code of which the
/// line is looked up.
struct Place {
  Location line = {};
  std::uintptr_t code_address = 0;
};

/// CUDA's error codes for what ends a launch.
constexpr int kErrorInvalidValue = 1;
constexpr int kErrorMemoryAllocation = 2;
constexpr int kErrorInvalidConfiguration = 9;
constexpr int kErrorIllegalAddress = 700;
constexpr int kErrorMisalignedAddress = 716;
constexpr int kErrorLaunchFailure = 719;
constexpr int kErrorInvalidClusterSize = 912;

/// Notes a finding of the running thread, or of host code. The launch goes on. Of findings of one
/// kind at one place only the one of the first block is kept.
void report(const char* kind, const Place& place, const std::string& message);

/// Notes the finding and ends the launch with this error; does not return to the kernel.
[[noreturn]] void report_and_end_launch(const char* kind, const Place& place,
                                        const std::string& message, int error);

/// Makes the findings of a launch public, in the order of their blocks.
void publish_findings();

}  // namespace simt
