/// \file
/// Errors of the CUDA runtime as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace worklog {

/// A call of the CUDA runtime, or a kernel, has failed. what() names the call or kernel and CUDA's
/// message.
class CudaError : public std::runtime_error {
 public:
  /// `what` is the whole message that what() returns.
  CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
  /// CUDA's own code.
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Throws CudaError if `code` is not cudaSuccess. `what` names the call, as in check(cudaFree(p),
/// "cudaFree").
void check(cudaError_t code, std::string_view what,
           std::source_location where = std::source_location::current());

}  // namespace worklog
