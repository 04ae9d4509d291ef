#include "simt/executor/devices.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "simt/executor/system/flush_output.h"

namespace simt {
namespace {

thread_local int current = 0;

/// A bit for each peer whose memory kernels of a device may access.
constinit std::array<std::atomic<std::uint64_t>, kMostDevices> peers = {};

int count_from_environment() {
  const char* text = std::getenv("SIMT_DEVICES");
  if (text == nullptr) return 1;
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (end != text && *end == '\0' && count >= 1 && count <= kMostDevices) {
    return static_cast<int>(count);
  }
  std::fprintf(stderr, "error: SIMT_DEVICES='%s' is no number of devices: 1 to %d\n", text,
               kMostDevices);
  flush_output();
  std::_Exit(1);
}

constexpr std::uint64_t bit_of(int device) {
  return std::uint64_t{1} << device;
}

}  // namespace

int device_count() {
  static const int count = count_from_environment();
  return count;
}

int current_device() {
  return current;
}
void set_current_device(int device) {
  current = device;
}

bool has_peer_access(int device, int peer) {
  return (peers[static_cast<unsigned>(device)] & bit_of(peer)) != 0;
}

bool set_peer_access(int device, int peer, bool allowed) {
  std::atomic<std::uint64_t>& of_device = peers[static_cast<unsigned>(device)];
  const std::uint64_t before =
      allowed ? of_device.fetch_or(bit_of(peer)) : of_device.fetch_and(~bit_of(peer));
  return ((before & bit_of(peer)) != 0) != allowed;
}

}  // namespace simt
