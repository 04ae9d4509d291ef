// Streams and events. Work is done when the call that orders it returns, so they are mere handles;
// but a wrong handle is the error that it is on a GPU.

#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "simt/executor/findings/findings.h"
#include "simt/executor/findings/host_call.h"
#include "simt/include/cuda_standin/runtime_api.h"
#include "simt/runtime/result.h"

struct CUstream_st {};

struct CUevent_st {
  bool timed = true;
  bool recorded = false;
};

namespace {

using simt::result;

/// The handles of one kind that exist.
template <typename Object>
class Handles {
 public:
  Object* create(const Object& object) {
    const std::lock_guard lock(mutex_);
    auto created = std::make_unique<Object>(object);
    Object* handle = created.get();
    objects_.emplace(handle, std::move(created));
    return handle;
  }
  bool destroy(Object* handle) {
    const std::lock_guard lock(mutex_);
    return objects_.erase(handle) > 0;
  }
  bool contains(Object* handle) {
    const std::lock_guard lock(mutex_);
    return objects_.count(handle) > 0;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Object*, std::unique_ptr<Object>> objects_;
};

// Never destroyed: static objects of the program may own some, and destroy them at the very end.
Handles<CUstream_st>& streams() {
  static auto& handles = *new Handles<CUstream_st>;
  return handles;
}
Handles<CUevent_st>& events() {
  static auto& handles = *new Handles<CUevent_st>;
  return handles;
}

bool is_stream(cudaStream_t stream) {
  const bool predefined =
      stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  return predefined || streams().contains(stream);
}

cudaError_t wait_result(bool valid_handle) {
  return valid_handle ? simt::kernel_failure() : result(cudaErrorInvalidResourceHandle);
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) return result(cudaErrorInvalidValue);
  *stream = streams().create({});
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return result(streams().destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return wait_result(is_stream(stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return wait_result(is_stream(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const bool valid = is_stream(stream) && events().contains(event);
  return result(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (!is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (function == nullptr) return result(cudaErrorInvalidValue);
  function(data);
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  if (!is_stream(stream)) return result(cudaErrorInvalidResourceHandle);
  if (callback == nullptr || flags != 0) return result(cudaErrorInvalidValue);
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
  *event = events().create({(flags & cudaEventDisableTiming) == 0, false});
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return result(events().destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const bool valid = events().contains(event) && is_stream(stream);
  if (!valid) return result(cudaErrorInvalidResourceHandle);
  event->recorded = true;
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
  const bool usable = valid && start->timed && end->timed && start->recorded && end->recorded;
  if (!usable) return result(cudaErrorInvalidResourceHandle);
  *milliseconds = std::numeric_limits<float>::quiet_NaN();
  return cudaSuccess;
}

// ---- graphs -----------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  SIMT_HOST_CALL;
  simt::report("not-available", {},
               "cudaStreamBeginCapture: not available on the CPU executor (graphs)");
  return result(cudaErrorNotSupported);
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
  return result(cudaErrorNotSupported);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return result(cudaErrorNotSupported);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return result(cudaErrorNotSupported);
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return result(cudaErrorNotSupported);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  return result(cudaErrorNotSupported);
}
