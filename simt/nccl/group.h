/// \file
/// Calls between ncclGroupStart() and ncclGroupEnd() begin together at the end; any other call is a
/// group of its own. All that a group's calls send is sent before anything is waited for, so one
/// thread can make the calls of all ranks.
#pragma once

#include <functional>
#include <string>

#include "simt/nccl/communicator.h"
#include "simt/nccl/operation.h"

namespace simt::nccl {

/// A call of the calling thread's group, if it has begun one, has failed: none of the group's calls
/// is made, and its end returns this.
void give_up_group(ncclResult_t result);

/// Adds a call that moves data to the calling thread's group, or makes it.
ncclResult_t add_to_group(ncclComm_t comm, const Operation& operation);
/// The same of a communicator that is to be made: `comm` is written when all ranks are there.
ncclResult_t add_to_group(ncclComm_t* comm, std::shared_ptr<Room> room, int rank, int device);

}  // namespace simt::nccl
