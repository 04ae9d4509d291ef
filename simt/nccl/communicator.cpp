#include "simt/nccl/communicator.h"

#include <map>
#include <utility>

namespace simt::nccl {
namespace {

// Never destroyed: static objects of the program may end communicators at the very end.
struct State {
  std::mutex mutex;
  std::map<ncclComm_t, std::unique_ptr<ncclComm>> all;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

thread_local std::string last_error_of_thread;

}  // namespace

bool is_communicator(ncclComm_t comm) {
  const std::lock_guard lock(state().mutex);
  return state().all.contains(comm);
}

ncclComm_t create_communicator(std::shared_ptr<Room> room, int rank, int device) {
  auto created = std::make_unique<ncclComm>();
  created->room = std::move(room);
  created->rank = rank;
  created->device = device;
  const ncclComm_t comm = created.get();
  const std::lock_guard lock(state().mutex);
  state().all.emplace(comm, std::move(created));
  return comm;
}

void destroy_communicator(ncclComm_t comm) {
  const std::lock_guard lock(state().mutex);
  state().all.erase(comm);
}

ncclResult_t failed(ncclComm_t comm, const std::string& call, const Failure& failure) {
  last_error_of_thread = call + ": " + failure.text;
  if (comm != nullptr) {
    const std::lock_guard lock(comm->mutex);
    comm->last_error = last_error_of_thread;
  }
  return failure.result;
}

const char* last_error_of(ncclComm_t comm) {
  if (comm == nullptr || !is_communicator(comm)) return last_error_of_thread.c_str();
  const std::lock_guard lock(comm->mutex);
  return comm->last_error.c_str();
}

}  // namespace simt::nccl
