/// \file
/// Errors of NCCL as exceptions.
#pragma once

#include <nccl.h>
#include <source_location>
#include <stdexcept>
#include <string>

namespace worklog {

/// A call of NCCL has failed, or what it began. what() names the call and NCCL's message.
class NcclError : public std::runtime_error {
 public:
  /// `what` is the whole message that what() returns.
  NcclError(ncclResult_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
  /// NCCL's own code.
  ncclResult_t code() const { return code_; }

 private:
  ncclResult_t code_;
};

/// Throws NcclError if `code` is neither ncclSuccess nor ncclInProgress. `what` names the call, as
/// in check_nccl(ncclAllGather(...), "ncclAllGather").
void check_nccl(ncclResult_t code, const std::string& what,
                std::source_location where = std::source_location::current());

}  // namespace worklog
