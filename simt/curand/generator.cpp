#include "simt/curand/generator.h"

#include <map>
#include <mutex>
#include <utility>

#include "simt/executor/devices.h"
#include "simt/executor/system/fork_lock.h"

namespace simt::curand_host {
namespace {

// Never destroyed: static objects of the program may end generators at the very end.
struct State {
  ForkLock<std::mutex> mutex;
  std::map<curandGenerator_t, std::unique_ptr<curandGenerator_st>> all;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

Settings defaults_of(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
      return {CURAND_RNG_PSEUDO_XORWOW};
    case CURAND_RNG_QUASI_DEFAULT:
      return {CURAND_RNG_QUASI_SOBOL32, CURAND_ORDERING_QUASI_DEFAULT};
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
      return {type, CURAND_ORDERING_QUASI_DEFAULT};
    default:
      return {type};
  }
}

}  // namespace

curandGenerator_t create_generator(curandRngType_t type, bool is_of_host) {
  std::unique_ptr<curandGenerator_st> created(
      new curandGenerator_st{.is_of_host = is_of_host, .device = current_device()});
  created->change(defaults_of(type));
  const curandGenerator_t generator = created.get();
  const std::lock_guard lock(state().mutex);
  state().all.emplace(generator, std::move(created));
  return generator;
}

curandGenerator_st& find_generator(curandGenerator_t generator) {
  const std::lock_guard lock(state().mutex);
  if (state().all.count(generator) == 0) throw Failure{CURAND_STATUS_NOT_INITIALIZED};
  return *generator;
}

void destroy_generator(curandGenerator_t generator) {
  find_generator(generator);
  const std::lock_guard lock(state().mutex);
  state().all.erase(generator);
}

}  // namespace simt::curand_host
