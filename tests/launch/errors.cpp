// What CUDA refuses becomes an exception that names what was asked for, and changes nothing.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/cuda/check.h"
#include "common/cuda/device_buffer.h"
#include "common/step/check_launch.h"
#include "tests/launch/refused.h"

using worklog::CudaError;
using worklog::DeviceBuffer;

namespace {

constexpr int kUntouched = -7;
constexpr std::size_t kMegabyte = std::size_t{1} << 20;

struct RefusedLaunch {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  const char* message;  // how what() begins, up to CUDA's own words
};

const RefusedLaunch kRefused[] = {
    {dim3(1), dim3(2048), 0,
     "launch of write_one with a grid of 1 x 1 x 1 blocks of 2048 x 1 x 1 threads and 0 bytes of "
     "dynamic shared memory: "},
    {dim3(5), dim3(32, 64), 0,
     "launch of write_one with a grid of 5 x 1 x 1 blocks of 32 x 64 x 1 threads and 0 bytes of "
     "dynamic shared memory: "},
    {dim3(1, 65536), dim3(32), 0,
     "launch of write_one with a grid of 1 x 65536 x 1 blocks of 32 x 1 x 1 threads and 0 bytes of "
     "dynamic shared memory: "},
    {dim3(0), dim3(32), 0,
     "launch of write_one with a grid of 0 x 1 x 1 blocks of 32 x 1 x 1 threads and 0 bytes of "
     "dynamic shared memory: "},
    {dim3(1), dim3(32), kMegabyte,
     "launch of write_one with a grid of 1 x 1 x 1 blocks of 32 x 1 x 1 threads and 1048576 bytes "
     "of dynamic shared memory: "},
};

template <typename Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "(no exception)";
}

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

}  // namespace

TEST_SUITE("errors") {
  TEST_CASE("a refused launch throws, names kernel and shape, and writes nothing") {
    DeviceBuffer<int> result(std::vector<int>{kUntouched});
    for (const RefusedLaunch& refused : kRefused) {
      CAPTURE(refused.message);
      const auto launch = [&] {
        launch_checked(result.data(), refused.grid, refused.block, refused.shared_bytes);
      };
      CHECK_THROWS_AS(launch(), CudaError);
      const std::string message = message_of(launch);
      CAPTURE(message);
      CHECK(begins_with(message, refused.message));
      CHECK(message.find("(cudaErrorInvalid") != std::string::npos);
      CHECK(message.find("refused.cu:") != std::string::npos);
      CHECK(cudaDeviceSynchronize() == cudaSuccess);
      CHECK(result.download().front() == kUntouched);
    }
  }

  TEST_CASE("a good launch after a refused one is not blamed for it") {
    DeviceBuffer<int> result(std::vector<int>{kUntouched});
    CHECK_THROWS_AS(launch_checked(result.data(), dim3(1), dim3(2048), 0), CudaError);
    CHECK_NOTHROW(launch_checked(result.data(), dim3(1), dim3(1), 0));
    CHECK(result.download().front() == 1);
  }

  TEST_CASE("shared memory of more than 48 KB must be allowed before a launch") {
    constexpr int kMuch = 64 * 1024;
    DeviceBuffer<int> result(std::vector<int>{kUntouched});
    CHECK_THROWS_AS(launch_checked(result.data(), dim3(1), dim3(1), kMuch), CudaError);
    CHECK(result.download().front() == kUntouched);
    allow_bytes(kMuch);
    CHECK_NOTHROW(launch_checked(result.data(), dim3(1), dim3(1), kMuch));
    CHECK(result.download().front() == 1);
  }

  TEST_CASE("more shared memory than a block can have: the message names kernel and bytes") {
    for (const int bytes : {static_cast<int>(kMegabyte), -1}) {
      CHECK_THROWS_AS(allow_bytes(bytes), CudaError);
      const std::string message = message_of([&] { allow_bytes(bytes); });
      CAPTURE(message);
      CHECK(begins_with(message, "allowing write_one " + std::to_string(bytes) +
                                     " bytes of dynamic shared memory: "));
      CHECK(message.find("(cudaErrorInvalidValue) at ") != std::string::npos);
      CHECK(message.find("refused.cu:") != std::string::npos);
    }
    DeviceBuffer<int> result(std::vector<int>{kUntouched});
    CHECK_NOTHROW(launch_checked(result.data(), dim3(1), dim3(1), 0));
    CHECK(result.download().front() == 1);
  }

  TEST_CASE("large clusters of what is no kernel: the message names it") {
    const std::string message = message_of([] {
      worklog::allow_large_clusters_of(nullptr, "no_kernel", std::source_location::current());
    });
    CAPTURE(message);
    CHECK(begins_with(message, "allowing no_kernel clusters of more than 8 blocks: "));
    CHECK(message.find("errors.cpp:") != std::string::npos);
    DeviceBuffer<int> result(std::vector<int>{kUntouched});
    CHECK_NOTHROW(launch_checked(result.data(), dim3(1), dim3(1), 0));
  }

  TEST_CASE("out of device memory: the message names the bytes, and the device goes on working") {
    std::size_t free_bytes = 0, total_bytes = 0;
    worklog::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    const auto too_many = static_cast<std::int64_t>(total_bytes) + 4096;
    const std::string message = message_of([&] { DeviceBuffer<char> buffer(too_many); });
    CAPTURE(message);
    CHECK(begins_with(message, "cudaMalloc of " + std::to_string(too_many) +
                                   " bytes: out of memory (cudaErrorMemoryAllocation) at "));

    CHECK(cudaGetLastError() == cudaSuccess);
    DeviceBuffer<int> result(1);
    CHECK_NOTHROW(launch_checked(result.data(), dim3(1), dim3(1), 0));
    CHECK(result.download().front() == 1);
  }

  TEST_CASE("a size that no memory has: the message names it and the limit") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
    CHECK(message_of([] { DeviceBuffer<float> buffer(-1); }) ==
          "device buffer of -1 elements: must be between 0 and " + std::to_string(kMost));
    CHECK(message_of([] { DeviceBuffer<float> buffer(kMost + 1); }) ==
          "device buffer of " + std::to_string(kMost + 1) + " elements: must be between 0 and " +
              std::to_string(kMost));
  }

  TEST_CASE("an empty buffer is no error, and holds nothing") {
    const DeviceBuffer<float> empty(0);
    CHECK(empty.data() == nullptr);
    CHECK(empty.download().empty());
  }

  TEST_CASE("a copy of the wrong length is refused before it starts") {
    DeviceBuffer<int> two(2);
    CHECK(message_of([&] {
            two.upload({1, 2, 3});
          }) == "upload of 3 elements to a device buffer of 2");
  }
}
