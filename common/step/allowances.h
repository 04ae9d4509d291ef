/// \file
/// What kernels were allowed before: to ask CUDA again costs the host a part of a launch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace worklog {

/// The attributes that this process has set for kernels. Any number of threads may use it.
class Allowances {
 public:
  /// Calls `ask`, which sets `attribute` of `kernel` to `value` and returns CUDA's code, and
  /// returns its code; but where the attribute is as large already, it returns cudaSuccess and asks
  /// nothing: so a launch that wants less takes nothing from one that wants more.
  ///
  /// Attributes are a context's own. `context` tells which it is (common/cuda/context.h), before
  /// and after, since to ask may give a thread its first. Where it tells nothing, nothing is known.
  template <typename Context, typename Ask>
  cudaError_t allow(const void* kernel, cudaFuncAttribute attribute, int value,
                    const Context& context, const Ask& ask) {
    const std::lock_guard lock(mutex_);
    const std::optional<std::uint64_t> before = context();
    if (before) {
      const auto known = values_.find({*before, kernel, attribute});
      if (known != values_.end() && value >= 0 && value <= known->second) return cudaSuccess;
    }
    const cudaError_t code = ask();
    if (code != cudaSuccess) return code;
    if (const auto after = context()) values_[{*after, kernel, attribute}] = value;
    return cudaSuccess;
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<std::uint64_t, const void*, cudaFuncAttribute>, int> values_;
};

}  // namespace worklog
