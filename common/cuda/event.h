/// \file
/// A CUDA event that destroys itself.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "common/cuda/check.h"

namespace worklog {

/// A point in a stream's work, with the time at which the GPU reached it.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "creating an event"); }
  /// Takes the event over; `other` has none then.
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  /// Exchanges the events of the two.
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  /// Marks this point behind all that the stream has been given. Throws CudaError.
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }

  /// Whether the GPU has got here; does not wait.
  bool reached() const {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) {
      cudaGetLastError();  // an answer, not an error: leave nothing for the next check
      return false;
    }
    check(code, "asking for an event");
    return true;
  }

  /// Microseconds from `start` to here; both must have been reached.
  double microseconds_since(const Event& start) const {
    float milliseconds = 0.0f;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "time between events");
    return 1000.0 * milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace worklog
