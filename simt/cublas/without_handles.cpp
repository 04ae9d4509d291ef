// The one handle of programs that include <cublas.h>, and the error that they ask for.

#include <mutex>
#include <utility>

#include "simt/cublas/failure.h"
#include "simt/executor/executor.h"
#include "simt/executor/system/fork_lock.h"
#include "simt/include/cublas.h"

namespace {

// Never destroyed: static objects of the program may call at the very end.
struct State {
  simt::ForkLock<std::mutex> mutex;
  cublasHandle_t handle = nullptr;
  cublasStatus_t error = CUBLAS_STATUS_SUCCESS;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

}  // namespace

namespace simt::cublas_without_handles {

cublasHandle_t handle() {
  const std::lock_guard lock(state().mutex);
  return state().handle;
}

void keep_error(cublasStatus_t status) {
  const std::lock_guard lock(state().mutex);
  if (status != CUBLAS_STATUS_SUCCESS) state().error = status;
}

}  // namespace simt::cublas_without_handles

cublasStatus_t cublasInit() {
  const std::lock_guard lock(state().mutex);
  return state().handle != nullptr ? CUBLAS_STATUS_SUCCESS : cublasCreate(&state().handle);
}

cublasStatus_t cublasShutdown() {
  const std::lock_guard lock(state().mutex);
  return cublasDestroy(std::exchange(state().handle, nullptr));
}

cublasStatus_t cublasGetError() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().error, CUBLAS_STATUS_SUCCESS);
}
