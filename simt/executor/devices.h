/// \file
/// The devices that the executor stands for, which of them a host thread uses, and which reach
/// which.
#pragma once

#include <cstdint>

namespace simt {

/// More devices than this are refused.
constexpr int kMostDevices = 64;

/// How many there are: the environment's SIMT_DEVICES, or 1. A value that is no such number ends
/// the program with a message.
int device_count();

/// Whether a device has this number.
inline bool is_device(int number) {
  return number >= 0 && number < device_count();
}

/// The one that the calling host thread uses: device 0 until set_current_device().
int current_device();
/// Makes it another one; it must exist.
void set_current_device(int device);

/// While it lives, the calling host thread uses this device.
class OnDevice {
 public:
  /// `device` must exist.
  explicit OnDevice(int device) : before_(current_device()) { set_current_device(device); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { set_current_device(before_); }

 private:
  int before_;
};

/// Whether kernels of `device` may access memory of `peer`.
bool has_peer_access(int device, int peer);
/// Allows or forbids it. False if that is how it was.
bool set_peer_access(int device, int peer, bool allowed);

}  // namespace simt
