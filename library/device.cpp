#include "library/device.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <string>

#include "common/cuda/check.h"
#include "library/known_places.h"
#include "library/status.h"

namespace worklog::library {

namespace {

constexpr int kMostDevices = 64;

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "asking for an attribute of the GPU");
  return value;
}

DeviceTraits asked_traits(int device) {
  DeviceTraits traits;
  traits.compute_capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                              attribute(cudaDevAttrComputeCapabilityMinor, device);
  traits.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
  traits.shared_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  traits.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
  traits.has_clusters = attribute(cudaDevAttrClusterLaunch, device) != 0;
  traits.reaches_pageable_memory = attribute(cudaDevAttrPageableMemoryAccess, device) != 0;
  return traits;
}

struct KnownDevice {
  std::once_flag asked;
  DeviceTraits traits;
};

// The smallest number of a list as "80,90"; 0 where it has anything else, such as "native".
int earliest_of(const char* built) {
  int earliest = INT_MAX;
  for (const char* rest = built; *rest != '\0';) {
    char* end = nullptr;
    const long number = std::strtol(rest, &end, 10);
    if (end == rest || (*end != ',' && *end != '\0')) return 0;
    earliest = std::min(earliest, static_cast<int>(number));
    rest = *end == ',' ? end + 1 : end;
  }
  return earliest == INT_MAX ? 0 : earliest;
}

// Arrays and streams cannot be another device's where there is no other: nobody need ask.
bool has_other_devices() {
  static const int devices = [] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "counting GPUs");
    return count;
  }();
  return devices > 1;
}

std::string number_of_device(int device) {
  return "device " + std::to_string(device);
}

}  // namespace

const char* architectures() {
  return WORKLOG_LIBRARY_ARCHITECTURES;
}

void require_architecture(const DeviceTraits& device, const char* built) {
  if (device.compute_capability >= earliest_of(built)) return;
  throw Refusal(
      SOFTMAX_WORKLOG_UNSUPPORTED_ARCHITECTURE,
      "the current device's compute capability = " + std::to_string(device.compute_capability) +
          ": must be one that this library was built for, or later: " + built);
}

int current_device_index() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current GPU");
  return device;
}

const DeviceTraits& traits_of(int device) {
  static std::array<KnownDevice, kMostDevices> known;
  if (device >= kMostDevices) {
    refuse("the current device", std::to_string(device),
           "at most " + std::to_string(kMostDevices - 1));
  }
  KnownDevice& one = known[static_cast<std::size_t>(device)];
  // A call that throws is made again at the next.
  std::call_once(one.asked, [&] {
    const DeviceTraits traits = asked_traits(device);
    require_architecture(traits, architectures());
    one.traits = traits;
  });
  return one.traits;
}

void require_on_device(const NamedPointer& argument, int device) {
  if (argument.pointer == nullptr || PlacesAreKnown::now()) return;
  if (traits_of(device).reaches_pageable_memory && !has_other_devices()) return;
  cudaPointerAttributes attributes = {};
  const cudaError_t code = cudaPointerGetAttributes(&attributes, argument.pointer);
  if (code != cudaSuccess) check(code, std::string("asking where ") + argument.name + " lies");
  const auto refuse_place = [&](const std::string& place) {
    throw Refusal(SOFTMAX_WORKLOG_WRONG_DEVICE, std::string(argument.name) + " = " +
                                                    address_text(argument.pointer) +
                                                    ": must be in memory of the current device, " +
                                                    number_of_device(device) + ", but is " + place);
  };
  if (attributes.type == cudaMemoryTypeUnregistered && !traits_of(device).reaches_pageable_memory) {
    refuse_place("the host's");
  }
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != device) {
    refuse_place(number_of_device(attributes.device) + "'s");
  }
}

void require_stream_of([[maybe_unused]] cudaStream_t stream, [[maybe_unused]] int device) {
#if defined(CUDART_VERSION) && CUDART_VERSION >= 12080
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return;
  if (PlacesAreKnown::now() || !has_other_devices()) return;
  // To ask a stream that is captured for its device would end the capture.
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &capture), "asking whether the stream is captured");
  if (capture != cudaStreamCaptureStatusNone) return;
  int of_stream = 0;
  check(cudaStreamGetDevice(stream, &of_stream), "asking for the stream's GPU");
  if (of_stream == device) return;
  throw Refusal(SOFTMAX_WORKLOG_WRONG_DEVICE, "stream: must be of the current device, " +
                                                  number_of_device(device) + ", but is " +
                                                  number_of_device(of_stream) + "'s");
#endif
}

}  // namespace worklog::library
