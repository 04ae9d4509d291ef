/// \file
/// What a rank sends for a call, and what it makes of what it receives. Every rank of a collective
/// hears from every other what it calls, so each finds out by itself when they do not agree.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "simt/nccl/communicator.h"
#include "simt/nccl/operation.h"

namespace simt::nccl {

/// One rank's call, under way. Both functions throw a Failure.
class Exchange {
 public:
  /// Of a rank that has made this call.
  Exchange(std::shared_ptr<ncclComm> comm, const Operation& operation)
      : comm_(std::move(comm)), operation_(operation) {}

  ncclComm& comm() const { return *comm_; }                  ///< the rank's
  const Operation& operation() const { return operation_; }  ///< the call

  /// Reads what the rank gives, and sends it.
  void begin();
  /// Waits for the others, and writes the result; nothing is written where something fails.
  void end();

 private:
  using Bytes = std::vector<std::byte>;

  Message message_to(int rank) const;
  Message receive_from(int rank) const;
  void send_to_all() const;
  Bytes result_of_collective() const;
  Bytes from_all(const std::vector<Message>& messages) const;

  std::shared_ptr<ncclComm> comm_;
  Operation operation_;
  Bytes own_;  // what it gives
};

/// Throws a Failure unless these bytes are memory that the communicator's device reaches.
/// `argument` is "sendbuff" or "recvbuff".
void check_buffer(const ncclComm& comm, const char* argument, const void* address,
                  std::size_t bytes);

}  // namespace simt::nccl
