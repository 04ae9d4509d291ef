/// \file
/// Which memory a device can use.
#pragma once

#include <optional>
#include <string>

namespace simt {

/// Whether kernels may access it: device, managed, pinned, registered or mapped memory, or a
/// variable of the device. Of several devices, whether any may.
bool device_reaches(const void* address);

/// Why a device cannot use memory.
struct OutOfReach {
  const char* kind;    ///< of the finding that it is
  std::string memory;  ///< "memory of device 1, to which that has no access"
};
/// The same of one device for a library's calls; nothing where it can.
std::optional<OutOfReach> why_out_of_reach(int device, const void* address);

}  // namespace simt
