/// \file
/// Which memory a device can use.
#pragma once

namespace simt {

/// Whether kernels may access it: device, managed, pinned, registered or mapped memory, or a
/// variable of the device. Of several devices, whether any may.
bool device_reaches(const void* address);

}  // namespace simt
