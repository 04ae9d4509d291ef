#include "simt/nccl/group.h"

#include <map>
#include <utility>
#include <vector>

#include "simt/executor/devices.h"
#include "simt/nccl/exchange.h"
#include "simt/nccl/link_counters.h"
#include "simt/nccl/link_tally.h"

namespace simt::nccl {
namespace {

// What has begun and failed leaves a communicator on which nothing more can be done.
void note_broken(ncclComm& comm, ncclResult_t result) {
  const std::lock_guard lock(comm.mutex);
  if (comm.async_error == ncclSuccess) comm.async_error = result;
}

struct Joining {
  ncclComm_t* comm;
  std::shared_ptr<Room> room;
  int rank;
  int device;
};

struct Group {
  int depth = 0;                     // of calls of ncclGroupStart() within each other
  ncclResult_t error = ncclSuccess;  // of the first call that failed
  std::vector<Joining> joining;
  std::vector<Exchange> exchanges;
};
thread_local Group group;

// The first error of a group is what its end returns.
class FirstError {
 public:
  template <typename Run>
  void of(ncclComm_t comm, const std::string& call, Run run) {
    try {
      run();
    } catch (const Failure& failure) {
      const ncclResult_t result = failed(comm, call, failure);
      if (comm != nullptr) note_broken(*comm, result);
      if (first_ == ncclSuccess) first_ = result;
    }
  }
  ncclResult_t result() const { return first_; }

 private:
  ncclResult_t first_ = ncclSuccess;
};

std::string name_of(const Joining& joining) {
  return "ncclCommInitRank, rank " + std::to_string(joining.rank) + " of " +
         std::to_string(joining.room->ranks());
}

void join_all(std::vector<Joining>& all, FirstError& error) {
  for (Joining& each : all)
    error.of(nullptr, name_of(each), [&] { each.room->join(each.rank, each.device); });
  if (error.result() != ncclSuccess) return;
  for (Joining& each : all) {
    error.of(nullptr, name_of(each), [&] {
      each.room->wait_for_all();
      *each.comm = create_communicator(each.room, each.rank, each.device);
    });
  }
}

std::string name_of(const Exchange& exchange) {
  return nccl::name_of(exchange.operation().terms.call) + std::string(", ") +
         exchange.comm().name();
}

void make_calls(std::vector<Exchange>& all, FirstError& error) {
  for (Exchange& each : all) {
    const OnDevice on(each.comm().device);
    error.of(&each.comm(), name_of(each), [&] { each.begin(); });
  }
  if (error.result() != ncclSuccess) return;
  for (Exchange& each : all) {
    const OnDevice on(each.comm().device);
    error.of(&each.comm(), name_of(each), [&] {
      each.end();
      each.comm().room->flush();
      count_on_link(each.operation(), each.comm().rank, each.comm().room->ranks());
    });
  }
}

ncclResult_t run_if_complete() {
  if (group.depth > 0) return ncclSuccess;
  Group run = std::exchange(group, {});
  if (run.error != ncclSuccess) return run.error;
  FirstError error;
  join_all(run.joining, error);
  if (error.result() == ncclSuccess) make_calls(run.exchanges, error);
  return error.result();
}

}  // namespace

void give_up_group(ncclResult_t result) {
  if (group.depth > 0 && group.error == ncclSuccess) group.error = result;
}

ncclResult_t add_to_group(ncclComm_t comm, const Operation& operation) {
  group.exchanges.emplace_back(find_communicator(comm), operation);
  return run_if_complete();
}

ncclResult_t add_to_group(ncclComm_t* comm, std::shared_ptr<Room> room, int rank, int device) {
  group.joining.push_back({comm, std::move(room), rank, device});
  return run_if_complete();
}

}  // namespace simt::nccl

ncclResult_t ncclGroupStart() {
  ++simt::nccl::group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (simt::nccl::group.depth == 0) {
    return simt::nccl::failed(nullptr, "ncclGroupEnd",
                              {ncclInvalidUsage, "there was no ncclGroupStart"});
  }
  --simt::nccl::group.depth;
  return simt::nccl::run_if_complete();
}
