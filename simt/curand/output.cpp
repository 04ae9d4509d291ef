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
  const auto out_of_reach = why_out_of_reach(generator.device, output);
  if (!out_of_reach) return;
  throw Failure{CURAND_STATUS_LAUNCH_FAILURE, out_of_reach->kind,
                "the generator is of device " + std::to_string(generator.device) +
                    ", and writes to " + out_of_reach->memory};
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
