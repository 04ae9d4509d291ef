// Streams and events. Work is done when the call that orders it returns, so they are mere handles;
// but a wrong handle is the error that it is on a GPU. A stream that is captured does nothing.

#include <limits>
#include <vector>

#include "simt/executor/devices.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/handles.h"
#include "simt/runtime/result.h"
#include "simt/runtime/stream_attributes.h"
#include "simt/runtime/stream_capture.h"
#include "simt/runtime/stream_device.h"

struct CUstream_st {
  int device;  ///< that it belongs to
  simt::StreamAttributes attributes;
};

namespace {

using simt::Handles;
using simt::is_stream;
using simt::result;

// Never destroyed: static objects of the program may own some, and destroy them at the very end.
Handles<CUstream_st>& streams() {
  static auto& handles = *new Handles<CUstream_st>;
  return handles;
}
Handles<CUevent_st>& events() {
  static auto& handles = *new Handles<CUevent_st>;
  return handles;
}

// Nothing happens in a stream that is captured: nobody may wait for it.
cudaError_t wait_for(cudaStream_t stream) {
  if (simt::is_capturing(stream)) return result(cudaErrorStreamCaptureUnsupported);
  return is_stream(stream) ? simt::kernel_failure() : result(cudaErrorInvalidResourceHandle);
}

cudaError_t wait_result(bool valid_handle) {
  return valid_handle ? simt::kernel_failure() : result(cudaErrorInvalidResourceHandle);
}

}  // namespace

namespace simt {

bool is_stream(cudaStream_t stream) {
  const bool predefined =
      stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  return predefined || streams().contains(stream);
}

// A stream without a handle has one set of attributes on each device.
StreamAttributes& attributes_of(cudaStream_t stream) {
  static auto& of_devices =
      *new std::vector<StreamAttributes>(static_cast<std::size_t>(device_count()));
  if (streams().contains(stream)) return stream->attributes;
  return of_devices[static_cast<std::size_t>(current_device())];
}

int device_of_stream(cudaStream_t stream) {
  return streams().contains(stream) ? stream->device : current_device();
}

bool runs_here(const void* stream) {
  const auto handle = static_cast<cudaStream_t>(const_cast<void*>(stream));
  if (handle == nullptr || device_of_stream(handle) == current_device()) return true;
  set_error(cudaErrorInvalidResourceHandle);
  return false;
}

}  // namespace simt

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) return result(cudaErrorInvalidValue);
  CUstream_st created = {simt::current_device(), {}};
  created.attributes.priority = simt::nearest_priority(priority);
  *stream = streams().create(created);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return result(streams().destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return wait_for(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return wait_for(stream);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  if (!is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (device == nullptr) return result(cudaErrorInvalidValue);
  if (simt::is_capturing(stream)) return result(cudaErrorStreamCaptureUnsupported);
  *device = simt::device_of_stream(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const bool valid = is_stream(stream) && events().contains(event);
  if (valid && event->captured != nullptr) simt::join_capture(stream, *event);
  return result(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (!is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (function == nullptr) return result(cudaErrorInvalidValue);
  const auto call = [=] {
    function(data);
    return cudaSuccess;
  };
  if (simt::capture_call(stream, cudaGraphNodeTypeHost, call)) return cudaSuccess;
  call();
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  if (!is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (callback == nullptr || flags != 0) return result(cudaErrorInvalidValue);
  if (simt::is_capturing(stream)) return result(cudaErrorStreamCaptureUnsupported);
  callback(stream, simt::kernel_failure(), data);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
  if (event == nullptr || (flags & ~kKnown) != 0) return result(cudaErrorInvalidValue);
  CUevent_st created;
  created.device = simt::current_device();
  created.timed = (flags & cudaEventDisableTiming) == 0;
  *event = events().create(created);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return result(events().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const bool valid = events().contains(event) && is_stream(stream) &&
                     event->device == simt::device_of_stream(stream);
  if (!valid) return result(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  simt::record_in_capture(stream, *event);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return wait_result(events().contains(event));
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return wait_result(events().contains(event));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (milliseconds == nullptr) return result(cudaErrorInvalidValue);
  const bool valid = events().contains(start) && events().contains(end);
  const bool usable = valid && start->device == end->device && start->timed && end->timed &&
                      start->recorded && end->recorded;
  if (!usable) return result(cudaErrorInvalidResourceHandle);
  *milliseconds = std::numeric_limits<float>::quiet_NaN();
  return cudaSuccess;
}
