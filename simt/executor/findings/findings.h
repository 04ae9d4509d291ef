/// \file
/// Collects what is wrong with a kernel while it runs; counters.h publishes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/executor/executor.h"

namespace simt {

struct Launch;

/// Where in the source something went wrong: a known line, or an address in the code of which the
/// line is looked up. In host code, neither means the line that called the CUDA runtime.
struct Place {
  Location line = {};               ///< no file where it is not known
  std::uintptr_t code_address = 0;  ///< 0 where `line` is known
};

/// CUDA's error codes for what ends a launch.
constexpr int kErrorInvalidValue = 1;
constexpr int kErrorMemoryAllocation = 2;      ///< no room on the device
constexpr int kErrorInvalidConfiguration = 9;  ///< a launch of a shape that no device takes
constexpr int kErrorIllegalAddress = 700;      ///< an address that is no memory
constexpr int kErrorMisalignedAddress = 716;   ///< an address that its type does not allow
constexpr int kErrorLaunchFailure = 719;       ///< a kernel that went wrong in any other way
constexpr int kErrorNotSupported = 801;        ///< what this executor or device lacks
constexpr int kErrorInvalidClusterSize = 912;  ///< more blocks in a cluster than fit

/// The other side of a finding, or what led to it.
struct Note {
  Place place;          ///< where it happened
  std::string message;  ///< what happened there
};
using Notes = std::vector<Note>;  ///< in the order in which they are printed

/// A thread of a launch, by its linear numbers.
struct ThreadOfLaunch {
  std::uint64_t block;  ///< within the grid
  unsigned thread;      ///< within the block
};
/// "block (1,0,0), thread (36,0,0)"
std::string describe(const LaunchConfig& config, const ThreadOfLaunch& thread);

/// Notes a finding of the running thread, or of host code. The launch goes on. Of findings of one
/// kind at one place, with notes at the same places, only the one of the first block is kept.
void report(const char* kind, const Place& place, const std::string& message,
            const Notes& notes = {});

/// How bad it is. Of one kind at the same places the worse one is kept.
enum class Severity : std::uint8_t {
  kError,  ///< a mistake
  kNote,   ///< no mistake, but somebody should know
};

/// The same for a thread that need not be running.
void report_of(const Launch& launch, const ThreadOfLaunch& thread, const char* kind,
               const Place& place, const std::string& message, const Notes& notes,
               Severity severity = Severity::kError);

/// The code address nearest to `near` that ends in these bits: the checkers keep no more of an
/// address than they must.
template <unsigned kBits>
std::uintptr_t code_address_near(std::uintptr_t near, std::uint32_t low_bits) {
  const auto up = static_cast<std::uint32_t>(low_bits - static_cast<std::uint32_t>(near));
  const auto distance = static_cast<std::int32_t>(up << (32 - kBits)) >> (32 - kBits);
  return near + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance));
}

/// Publishes a note of host code at once: nothing is wrong, or the program is told by an error's
/// code, but somebody may wonder.
void publish_note(const char* kind, const std::string& line, const std::string& message);
/// The same at the line of host code that called the CUDA runtime.
void note_in_host_code(const char* kind, const std::string& message);

/// Makes all findings so far public, those of a launch in the order of their blocks.
void publish_findings();
/// The same of the findings of a device, and of host code that used it.
void publish_findings_of(int device);

}  // namespace simt
