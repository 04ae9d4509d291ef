/// \file
/// Stands in for Thrust's header of this name: errors of CUDA as std::error_code has those of the
/// system.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <thrust/system/error_code.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cuda {
namespace detail {

/// Errors by their numbers.
class Category final : public error_category {
 public:
  const char* name() const override { return "cuda"; }
  std::string message(int error) const override {
    const auto code = static_cast<cudaError_t>(error);
    return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
  }
};

}  // namespace detail
}  // namespace cuda

inline const error_category& cuda_category() {
  static const cuda::detail::Category category;
  return category;
}

}  // namespace system

using system::cuda_category;

THRUST_NAMESPACE_END
