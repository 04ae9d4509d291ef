/// \file
/// From where host code called the CUDA runtime.
#pragma once

#include <cstdint>

#include "simt/executor/executor.h"

namespace simt {

/// While it lives, findings of host code lie where this call returns to. Of calls within calls the
/// outermost counts.
class HostCall {
 public:
  /// `code_address`: where the call returns to.
  explicit HostCall(std::uintptr_t code_address) : outer_(place_) {
    if (outer_ == 0) place_ = code_address;
  }
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall() { place_ = outer_; }

  /// 0 when there is none.
  static std::uintptr_t place() { return place_; }

 private:
  friend class LibraryCall;
  inline static thread_local std::uintptr_t place_ = 0;
  std::uintptr_t outer_;
};

}  // namespace simt

/// For the first line of a function of the runtime.
#define SIMT_HOST_CALL const simt::HostCall host_call(SIMT_CODE_ADDRESS)
