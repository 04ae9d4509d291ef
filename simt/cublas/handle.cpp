#include "simt/cublas/handle.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "simt/executor/devices.h"
#include "simt/executor/system/fork_lock.h"

namespace simt::cublas {
namespace {

// Never destroyed: static objects of the program may end handles at the very end.
struct State {
  ForkLock<std::mutex> mutex;
  std::map<cublasHandle_t, std::unique_ptr<cublasContext>> all;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

}  // namespace

cublasHandle_t create_context() {
  std::unique_ptr<cublasContext> created(new cublasContext{.device = current_device()});
  const cublasHandle_t handle = created.get();
  const std::lock_guard lock(state().mutex);
  state().all.emplace(handle, std::move(created));
  return handle;
}

cublasContext& find_context(cublasHandle_t handle) {
  const std::lock_guard lock(state().mutex);
  if (state().all.count(handle) == 0) throw Failure{CUBLAS_STATUS_NOT_INITIALIZED};
  return *handle;
}

void destroy_context(cublasHandle_t handle) {
  const std::lock_guard lock(state().mutex);
  if (state().all.erase(handle) == 0) throw Failure{CUBLAS_STATUS_NOT_INITIALIZED};
}

}  // namespace simt::cublas
