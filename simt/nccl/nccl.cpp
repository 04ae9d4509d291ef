// NCCL's functions: their arguments are checked here, in the words of its manual.

#include "simt/include/nccl.h"

#include <cstdint>
#include <memory>
#include <string>

#include "simt/executor/devices.h"
#include "simt/executor/findings/host_call.h"
#include "simt/nccl/communicator.h"
#include "simt/nccl/exchange.h"
#include "simt/nccl/group.h"
#include "simt/nccl/unique_id.h"
#include "simt/runtime/stream_device.h"

namespace {

using namespace simt::nccl;

Failure invalid(const std::string& text) {
  return {ncclInvalidArgument, text};
}

std::string range_text(int number, int end) {
  return std::to_string(number) + ", which is not in 0.." + std::to_string(end - 1);
}

/// What `run` throws is what the function returns.
template <typename Run>
ncclResult_t checked(const char* function, ncclComm_t comm, Run run) {
  const std::shared_ptr<ncclComm> held = find_communicator(comm);  // while another thread aborts it
  if (comm != nullptr && held == nullptr) {
    return failed(nullptr, function, invalid("comm has been destroyed, or was never made"));
  }
  try {
    return run();
  } catch (const Failure& failure) {
    const std::string who = comm != nullptr ? ", " + comm->name() : "";
    return failed(comm, function + who, failure);
  }
}

/// The same of what a group may hold.
template <typename Run>
ncclResult_t checked_in_group(const char* function, ncclComm_t comm, Run run) {
  const ncclResult_t result = checked(function, comm, run);
  if (result != ncclSuccess) give_up_group(result);
  return result;
}

void need(const void* pointer, const char* name) {
  if (pointer == nullptr) throw invalid(std::string(name) + " is null");
}

void check_usable(ncclComm& comm) {
  const std::lock_guard lock(comm.mutex);
  if (comm.is_finalized) throw invalid("comm has been finalized");
  if (comm.async_error == ncclSuccess) return;
  throw Failure{comm.async_error, "the communicator has failed before: " + comm.last_error};
}

// ---- calls that move data ----

bool uses_operator(Call call) {
  return call == Call::kAllReduce || call == Call::kReduce || call == Call::kReduceScatter;
}

void check_terms(const Operation& operation, const ncclComm& comm) {
  const Terms& terms = operation.terms;
  const int ranks = comm.room->ranks();
  if (terms.type < 0 || terms.type >= ncclNumTypes) {
    throw invalid("datatype is " + std::to_string(terms.type) + ", which is no ncclDataType_t");
  }
  const std::size_t bytes = bytes_of(terms.type);
  if (bytes == 0) throw invalid("datatype is of 8 bits of floating point: not available here");
  if (uses_operator(terms.call) && (terms.op < 0 || terms.op >= ncclNumOps)) {
    throw invalid("op is " + std::to_string(terms.op) + ", which is no ncclRedOp_t");
  }
  const bool is_direct = terms.call == Call::kSend || terms.call == Call::kRecv;
  if (is_direct && (operation.peer < 0 || operation.peer >= ranks)) {
    throw invalid("peer is " + range_text(operation.peer, ranks));
  }
  if (terms.root < 0 || terms.root >= ranks)
    throw invalid("root is " + range_text(terms.root, ranks));
  const std::size_t most = PTRDIFF_MAX / bytes / static_cast<std::size_t>(ranks);
  if (terms.count > most) throw invalid("count is " + std::to_string(terms.count));
}

// Either the ranges have nothing in common, or they lie as NCCL's manual has it for calls in place.
void check_overlap(const Operation& operation, const ncclComm& comm, const Sizes& sizes) {
  if (sizes.send == 0 || sizes.receive == 0) return;
  const auto send = reinterpret_cast<std::uintptr_t>(operation.send);
  const auto receive = reinterpret_cast<std::uintptr_t>(operation.receive);
  if (send + sizes.send <= receive || receive + sizes.receive <= send) return;
  const auto rank = static_cast<std::size_t>(comm.rank);
  const bool gathers = operation.terms.call == Call::kAllGather;
  const bool scatters = operation.terms.call == Call::kReduceScatter;
  const bool in_place =
      send + (scatters ? rank * sizes.receive : 0) == receive + (gathers ? rank * sizes.send : 0);
  if (!in_place) throw invalid("sendbuff and recvbuff overlap, and not as in a call in place");
}

ncclResult_t call(ncclComm_t comm, const Operation& operation) {
  const char* const function = name_of(operation.terms.call);
  return checked_in_group(function, comm, [&] {
    need(comm, "comm");
    check_usable(*comm);
    check_terms(operation, *comm);
    const Sizes sizes = sizes_of(operation, comm->rank, comm->room->ranks());
    const simt::OnDevice on(comm->device);
    check_buffer(*comm, "sendbuff", operation.send, sizes.send);
    check_buffer(*comm, "recvbuff", operation.receive, sizes.receive);
    check_overlap(operation, *comm, sizes);
    const int device = simt::device_of_stream(operation.stream);
    if (device != comm->device) {
      throw invalid("stream is of device " + std::to_string(device) +
                    ", and the communicator of device " + std::to_string(comm->device));
    }
    if (simt::is_capturing(operation.stream)) {
      throw Failure{ncclInvalidUsage, "in a stream that is captured: not available here"};
    }
    return add_to_group(comm, operation);
  });
}

// ---- communicators ----

ncclResult_t init_rank(const char* function, ncclComm_t* comm, int ranks, const ncclUniqueId& id,
                       int rank, int device) {
  const std::string who =
      function + std::string(", rank ") + std::to_string(rank) + " of " + std::to_string(ranks);
  return checked_in_group(who.c_str(), nullptr, [&] {
    need(comm, "comm");
    *comm = nullptr;
    if (ranks < 1) throw invalid("nranks is " + std::to_string(ranks));
    if (rank < 0 || rank >= ranks) throw invalid("rank is " + range_text(rank, ranks));
    return add_to_group(comm, room_of(id, ranks), rank, device);
  });
}

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
  return checked("ncclGetVersion", nullptr, [&] {
    need(version, "version");
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
  });
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* uniqueId) {
  return checked("ncclGetUniqueId", nullptr, [&] {
    need(uniqueId, "uniqueId");
    *uniqueId = make_unique_id();
    return ncclSuccess;
  });
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t comm) {
  return last_error_of(comm);
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank) {
  return init_rank("ncclCommInitRank", comm, nranks, commId, rank, simt::current_device());
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank,
                                    ncclConfig_t* config) {
  const bool blocks = config == nullptr || config->blocking != 0;
  if (!blocks) {
    return failed(nullptr, "ncclCommInitRankConfig",
                  invalid("config.blocking is 0: calls that return before they are done are not "
                          "available here"));
  }
  return init_rank("ncclCommInitRankConfig", comm, nranks, commId, rank, simt::current_device());
}

ncclResult_t ncclCommInitAll(ncclComm_t* comm, int ndev, const int* devlist) {
  return checked("ncclCommInitAll", nullptr, [&] {
    need(comm, "comm");
    if (ndev < 1) throw invalid("ndev is " + std::to_string(ndev));
    const auto device_of = [=](int rank) { return devlist == nullptr ? rank : devlist[rank]; };
    for (int rank = 0; rank < ndev; ++rank) {
      if (simt::is_device(device_of(rank))) continue;
      throw Failure{ncclUnhandledCudaError, "rank " + std::to_string(rank) + " is on device " +
                                                range_text(device_of(rank), simt::device_count())};
    }
    const ncclUniqueId id = make_unique_id();
    ncclGroupStart();
    for (int rank = 0; rank < ndev; ++rank)
      init_rank("ncclCommInitAll", comm + rank, ndev, id, rank, device_of(rank));
    return ncclGroupEnd();
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return checked("ncclCommFinalize", comm, [&] {
    need(comm, "comm");
    const std::lock_guard lock(comm->mutex);
    comm->is_finalized = true;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (comm == nullptr) return ncclSuccess;
  return checked("ncclCommDestroy", comm, [&] {
    destroy_communicator(comm);
    comm->room->leave(comm->rank);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (comm == nullptr) return ncclSuccess;
  return checked("ncclCommAbort", comm, [&] {
    destroy_communicator(comm);
    const std::lock_guard lock(comm->mutex);
    comm->room->abort(comm->rank, comm->async_error != ncclSuccess ? comm->last_error : "");
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* asyncError) {
  return checked("ncclCommGetAsyncError", comm, [&] {
    need(comm, "comm");
    need(asyncError, "asyncError");
    const std::lock_guard lock(comm->mutex);
    *asyncError = comm->async_error;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  return checked("ncclCommCount", comm, [&] {
    need(comm, "comm");
    need(count, "count");
    *count = comm->room->ranks();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* device) {
  return checked("ncclCommCuDevice", comm, [&] {
    need(comm, "comm");
    need(device, "device");
    *device = comm->device;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  return checked("ncclCommUserRank", comm, [&] {
    need(comm, "comm");
    need(rank, "rank");
    *rank = comm->rank;
    return ncclSuccess;
  });
}

ncclResult_t ncclAllReduce(const void* sendbuff, void* recvbuff, std::size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  SIMT_HOST_CALL;
  return call(comm, {{Call::kAllReduce, datatype, op, 0, count}, sendbuff, recvbuff, -1, stream});
}

ncclResult_t ncclReduce(const void* sendbuff, void* recvbuff, std::size_t count,
                        ncclDataType_t datatype, ncclRedOp_t op, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  SIMT_HOST_CALL;
  return call(comm, {{Call::kReduce, datatype, op, root, count}, sendbuff, recvbuff, -1, stream});
}

ncclResult_t ncclBroadcast(const void* sendbuff, void* recvbuff, std::size_t count,
                           ncclDataType_t datatype, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  SIMT_HOST_CALL;
  return call(comm,
              {{Call::kBroadcast, datatype, ncclSum, root, count}, sendbuff, recvbuff, -1, stream});
}

ncclResult_t ncclBcast(void* buff, std::size_t count, ncclDataType_t datatype, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return ncclBroadcast(buff, buff, count, datatype, root, comm, stream);
}

ncclResult_t ncclAllGather(const void* sendbuff, void* recvbuff, std::size_t sendcount,
                           ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return call(
      comm, {{Call::kAllGather, datatype, ncclSum, 0, sendcount}, sendbuff, recvbuff, -1, stream});
}

ncclResult_t ncclReduceScatter(const void* sendbuff, void* recvbuff, std::size_t recvcount,
                               ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  SIMT_HOST_CALL;
  return call(comm,
              {{Call::kReduceScatter, datatype, op, 0, recvcount}, sendbuff, recvbuff, -1, stream});
}

ncclResult_t ncclSend(const void* sendbuff, std::size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return call(comm, {{Call::kSend, datatype, ncclSum, 0, count}, sendbuff, nullptr, peer, stream});
}

ncclResult_t ncclRecv(void* recvbuff, std::size_t count, ncclDataType_t datatype, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  SIMT_HOST_CALL;
  return call(comm, {{Call::kRecv, datatype, ncclSum, 0, count}, nullptr, recvbuff, peer, stream});
}
