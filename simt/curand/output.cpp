#include "simt/curand/output.h"

#include <string>

#include "simt/executor/devices.h"
#include "simt/executor/executor.h"
#include "simt/executor/launch_observer.h"
#include "simt/runtime/device_reach.h"

namespace simt::curand_host {
namespace {

void check_for_host(const void* output) {
  if (!is_device_pointer(output) || is_managed_pointer(output)) return;
  throw Failure{CURAND_STATUS_INTERNAL_ERROR, "host-access",
                "the generator is of the host, and writes to memory of the device"};
}

void check_for_device(const curandGenerator_st& generator, const void* output) {
  if (!device_reaches(output)) {
    throw Failure{CURAND_STATUS_LAUNCH_FAILURE, "host-pointer",
                  "the generator is of a device, and writes to memory of the host that no device "
                  "reaches"};
  }
  if (!is_device_pointer(output) || is_managed_pointer(output)) return;
  const int owner = device_of_memory(output);
  if (owner == generator.device || has_peer_access(generator.device, owner)) return;
  throw Failure{CURAND_STATUS_LAUNCH_FAILURE, "peer-access",
                "the generator is of device " + std::to_string(generator.device) +
                    ", and writes to memory of device " + std::to_string(owner) +
                    ", to which that has no access"};
}

}  // namespace

void check_output(const curandGenerator_st& generator, const void* output) {
  generator.is_of_host ? check_for_host(output) : check_for_device(generator, output);
}

void write_output(const curandGenerator_st& generator, void* output, const void* numbers,
                  std::size_t bytes, const char* function) {
  const OnDevice on(generator.device);
  if (copy(output, numbers, bytes, function) != 0) throw Failure{CURAND_STATUS_LAUNCH_FAILURE};
  if (!generator.is_of_host) note_library_call(function);
}

}  // namespace simt::curand_host
