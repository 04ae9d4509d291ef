// What a kernel was allowed goes with its context, and is asked for again in the next.

#include <doctest/doctest.h>

#include "common/cuda/context.h"
#include "common/cuda/device_buffer.h"
#include "tests/launch/refused.h"

TEST_SUITE("reset") {
  TEST_CASE("after cudaDeviceReset() kernels are allowed shared memory anew") {
    constexpr int kMuch = 64 * 1024;
    const auto launches = [] {
      worklog::DeviceBuffer<int> result(1);
      allow_bytes(kMuch);
      allow_bytes(kMuch);  // known by now
      launch_checked(result.data(), dim3(1), dim3(1), kMuch);
      return result.download().front();
    };
    CHECK(launches() == 1);
    const auto context = worklog::current_context();
    CHECK(context.has_value());
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    CHECK(launches() == 1);
    CHECK(worklog::current_context() != context);
  }
}
