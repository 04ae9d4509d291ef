/// \file
/// The other processes of a program that was started as several, such as by mpirun. Without MPI
/// there are none.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>

#include "simt/nccl/room.h"

namespace simt::nccl {

/// By which processes know a communicator before it exists.
struct RoomName {
  std::uint64_t process = 0;  ///< a number by which the process that made it knows itself
  std::uint64_t number = 0;   ///< of the names of that process
  std::int64_t host = -1;     ///< the number of that process among the program's, -1 if it is alone
  /// In some order.
  auto operator<=>(const RoomName&) const = default;
};

/// The number of this process among the program's, from 0; none where it is alone, or where
/// MPI_Init has not been called, or MPI_Finalize has.
std::optional<int> process_number();

/// A carrier for a room that is called so; `process_number()` must be known.
std::unique_ptr<Carrier> make_carrier(const RoomName& name, Room& room);

}  // namespace simt::nccl
