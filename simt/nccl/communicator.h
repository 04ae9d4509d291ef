/// \file
/// What a rank holds of its communicator.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "simt/nccl/failure.h"
#include "simt/nccl/room.h"

/// A handle of NCCL's is the address of one of these.
struct ncclComm {
  std::shared_ptr<simt::nccl::Room> room;  ///< where it meets the other ranks
  int rank = 0;                            ///< its number there
  int device = 0;                          ///< that was current when it was made

  std::mutex mutex = {};                   ///< of what follows: another thread may ask
  ncclResult_t async_error = ncclSuccess;  ///< of the call that failed first
  std::string last_error = {};             ///< why
  bool is_finalized = false;               ///< no call may follow

  /// "rank 1 of 4"
  std::string name() const {
    return "rank " + std::to_string(rank) + " of " + std::to_string(room->ranks());
  }
};

namespace simt::nccl {

/// The communicator of a handle; null where it has been destroyed or aborted, or was never made.
/// Who holds it may go on while another thread aborts it.
std::shared_ptr<ncclComm> find_communicator(ncclComm_t comm);
/// Makes a handle.
ncclComm_t create_communicator(std::shared_ptr<Room> room, int rank, int device);
/// Its end. The others are told.
void destroy_communicator(ncclComm_t comm);

/// Remembers why a call failed, and returns what it returns. `comm` may be null.
ncclResult_t failed(ncclComm_t comm, const std::string& call, const Failure& failure);
/// The last error of the communicator, or without one of the calling thread.
const char* last_error_of(ncclComm_t comm);

}  // namespace simt::nccl
