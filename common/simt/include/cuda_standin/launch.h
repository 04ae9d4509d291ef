/// \file
/// What the source translator makes of `kernel<<<grid, block, bytes, stream>>>(arguments)`.
#pragma once

#include <cstddef>

#include "common/simt/executor/executor.h"
#include "common/simt/include/cuda_standin/runtime_types.h"
#include "common/simt/include/cuda_standin/vector_types.h"

namespace simt {

constexpr Dim3 to_dim3(dim3 shape) {
  return {shape.x, shape.y, shape.z};
}

// Code that leads every thread to its kernel but is none of it: what it loads, the hidden pointers
// to the arguments, is not looked at.
#if defined(__clang__)
#define WORKLOG_NOT_INSTRUMENTED __attribute__((no_sanitize("thread", "coverage")))
#else
#define WORKLOG_NOT_INSTRUMENTED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#endif

/// Runs `body()` for every thread of the grid.
template <typename Body>
void launch_body(const char* kernel, const LaunchConfig& config, Body& body) {
  launch(
      kernel, config,
      [](void* pointer) WORKLOG_NOT_INSTRUMENTED { (*static_cast<Body*>(pointer))(); }, &body);
}

/// Called with a kernel, its address.
struct AddressOf {
  template <typename... Parameters>
  const void* operator()(void (*kernel)(Parameters...)) const {
    return reinterpret_cast<const void*>(kernel);
  }
};
/// Null for one of several of a name, which only the arguments will tell.
template <typename Address>
const void* address_of_kernel(const Address& address) {
  if constexpr (requires { address(AddressOf{}); }) {
    return address(AddressOf{});
  } else {
    return nullptr;
  }
}

/// A launch that has its configuration and waits for its arguments.
template <typename Kernel>
class Launcher {
 public:
  Launcher(const char* name, Kernel kernel, const LaunchConfig& config)
      : name_(name), kernel_(kernel), config_(config) {}

  /// The same launch in clusters of that many blocks, as __cluster_dims__ demands.
  Launcher in_clusters(unsigned x, unsigned y = 1, unsigned z = 1) const {
    Launcher clustered = *this;
    clustered.config_.cluster = {x, y, z};
    return clustered;
  }

  /// The arguments are evaluated and copied once, here; every thread gets a copy of its own.
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    auto body = [&]() WORKLOG_NOT_INSTRUMENTED { kernel_(arguments...); };
    launch_body(name_, config_, body);
  }

 private:
  const char* name_;
  Kernel kernel_;
  LaunchConfig config_;
};

/// `name` is the kernel as the source spells it, `address` returns what it is given that. Launches
/// run at once, in whatever stream.
template <typename Kernel, typename Address>
Launcher<Kernel> launcher(const char* name, Kernel kernel, Address address, dim3 grid, dim3 block,
                          std::size_t dynamic_shared_bytes = 0, cudaStream_t = nullptr) {
  return {name,
          kernel,
          {to_dim3(grid), to_dim3(block), dynamic_shared_bytes, {}, address_of_kernel(address)}};
}

}  // namespace simt
