#include "simt/cublas/call.h"

#include "simt/executor/launch_observer.h"
#include "simt/runtime/device_reach.h"

namespace simt::cublas {
namespace {

// OpenBLAS has locks of its own, which have to be free in a process that fork() copies. Never
// destroyed: static objects of the program may call at the very end.
ForkLock<std::mutex>& one_at_a_time() {
  static auto& mutex = *new ForkLock<std::mutex>;
  return mutex;
}

}  // namespace

Call::Call(const char* function, cublasHandle_t handle)
    : function_(function),
      context_(find_context(handle)),
      turn_(one_at_a_time()),
      on_(context_.device) {
  if (is_capturing(context_.stream)) throw not_available("in a stream that is captured");
}

void Call::check_reach(const void* address) const {
  require(address != nullptr);
  const auto out_of_reach = why_out_of_reach(context_.device, address);
  if (!out_of_reach) return;
  throw Failure{CUBLAS_STATUS_EXECUTION_FAILED, out_of_reach->kind,
                "the handle is of device " + std::to_string(context_.device) +
                    ", and an operand is " + out_of_reach->memory};
}

void Call::check_read(const MemoryPieces& pieces) {
  used_device_ = true;
  if (check_library_read(pieces, function_) != 0) throw Failure{CUBLAS_STATUS_EXECUTION_FAILED};
}

void Call::check_write(const MemoryPieces& pieces) {
  used_device_ = true;
  if (check_library_write(pieces, function_) != 0) throw Failure{CUBLAS_STATUS_EXECUTION_FAILED};
}

void Call::check_scalar(const void* address, std::size_t bytes, bool is_written) {
  require(address != nullptr);
  if (context_.pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
    check_reach(address);
    is_written ? check_write({address, bytes}) : check_read({address, bytes});
    return;
  }
  if (!is_device_pointer(address) || is_managed_pointer(address)) return;
  throw Failure{CUBLAS_STATUS_INTERNAL_ERROR, "host-access",
                "a scalar is memory of the device, and the pointer mode is "
                "CUBLAS_POINTER_MODE_HOST"};
}

void Call::end() const {
  if (used_device_) note_library_call(function_);
}

}  // namespace simt::cublas
