/// \file
/// By which ranks that shall form a communicator find each other.
#pragma once

#include <memory>

#include "simt/nccl/room.h"

namespace simt::nccl {

/// Makes a new one.
ncclUniqueId make_unique_id();

/// The room of a communicator of so many ranks, which one of this process is about to join. Throws
/// a Failure where others have said another number, or where the process that made the id cannot be
/// reached.
std::shared_ptr<Room> room_of(const ncclUniqueId& id, int ranks);

}  // namespace simt::nccl
