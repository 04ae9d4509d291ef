#include "simt/nccl/communicator.h"

#include <map>
#include <utility>

namespace simt::nccl {
namespace {

// Never destroyed: static objects of the program may end communicators at the very end.
struct Communicators {
  std::mutex mutex;
  std::map<ncclComm_t, std::shared_ptr<ncclComm>> all;
};
Communicators& communicators() {
  static Communicators& instance = *new Communicators;
  return instance;
}

thread_local std::string last_error_of_thread;

}  // namespace

std::shared_ptr<ncclComm> find_communicator(ncclComm_t comm) {
  const std::lock_guard lock(communicators().mutex);
  const auto found = communicators().all.find(comm);
  return found == communicators().all.end() ? nullptr : found->second;
}

ncclComm_t create_communicator(std::shared_ptr<Room> room, int rank, int device) {
  auto created = std::make_shared<ncclComm>();
  created->room = std::move(room);
  created->rank = rank;
  created->device = device;
  const ncclComm_t comm = created.get();
  const std::lock_guard lock(communicators().mutex);
  communicators().all.emplace(comm, std::move(created));
  return comm;
}

void destroy_communicator(ncclComm_t comm) {
  const std::lock_guard lock(communicators().mutex);
  communicators().all.erase(comm);
}

ncclResult_t failed(ncclComm_t comm, const std::string& call, const Failure& failure) {
  last_error_of_thread = call + ": " + failure.text;
  if (comm != nullptr) {
    const std::lock_guard lock(comm->mutex);
    if (comm->async_error == ncclSuccess) comm->last_error = last_error_of_thread;
  }
  return failure.result;
}

const char* last_error_of(ncclComm_t comm) {
  const std::shared_ptr<ncclComm> known = find_communicator(comm);
  if (known == nullptr) return last_error_of_thread.c_str();
  const std::lock_guard lock(known->mutex);
  return known->last_error.c_str();
}

}  // namespace simt::nccl
