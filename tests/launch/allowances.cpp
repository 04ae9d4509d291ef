// Kernels are allowed what they want once for each context, and never less than before.

#include "common/step/allowances.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <vector>

using worklog::Allowances;

namespace {

constexpr cudaFuncAttribute kBytes = cudaFuncAttributeMaxDynamicSharedMemorySize;
constexpr cudaFuncAttribute kClusters = cudaFuncAttributeNonPortableClusterSizeAllowed;
const int kOneKernel = 0;
const int kOtherKernel = 0;

// Stands in for CUDA: keeps what it was asked.
struct Asked {
  Allowances allowances;
  std::optional<std::uint64_t> context = 1;
  cudaError_t answer = cudaSuccess;
  std::vector<int> values = {};

  cudaError_t allow(const void* kernel, cudaFuncAttribute attribute, int value) {
    return allowances.allow(
        kernel, attribute, value, [&] { return context; },
        [&] {
          values.push_back(value);
          return answer;
        });
  }
};

}  // namespace

TEST_SUITE("allowances") {
  TEST_CASE("what is allowed is not asked for again, nor is less") {
    Asked cuda;
    for (const int bytes : {100, 100, 50, 0})
      CHECK(cuda.allow(&kOneKernel, kBytes, bytes) == cudaSuccess);
    CHECK(cuda.values == std::vector<int>{100});
    cuda.allow(&kOneKernel, kBytes, 101);
    CHECK(cuda.values == std::vector<int>{100, 101});
  }

  TEST_CASE("each kernel and each attribute is asked for") {
    Asked cuda;
    cuda.allow(&kOneKernel, kBytes, 1);
    cuda.allow(&kOtherKernel, kBytes, 1);
    cuda.allow(&kOneKernel, kClusters, 1);
    CHECK(cuda.values == std::vector<int>{1, 1, 1});
  }

  TEST_CASE("another context, as after a reset, has not been asked") {
    Asked cuda;
    cuda.allow(&kOneKernel, kBytes, 100);
    cuda.context = 2;
    cuda.allow(&kOneKernel, kBytes, 100);
    cuda.context = 1;
    cuda.allow(&kOneKernel, kBytes, 100);
    CHECK(cuda.values == std::vector<int>{100, 100});
  }

  TEST_CASE("without a context nothing is known, and what is set last counts") {
    Asked cuda;
    cuda.context.reset();
    cuda.allow(&kOneKernel, kBytes, 100);
    cuda.allow(&kOneKernel, kBytes, 100);
    CHECK(cuda.values == std::vector<int>{100, 100});
    // A thread gets its first context while it asks, and sets less than another thread did.
    cuda.context = 1;
    cuda.allow(&kOneKernel, kBytes, 100);
    bool had_none = true;
    cuda.allowances.allow(
        &kOneKernel, kBytes, 50,
        [&] { return had_none ? std::nullopt : std::optional<std::uint64_t>(1); },
        [&] {
          had_none = false;
          return cudaSuccess;
        });
    cuda.allow(&kOneKernel, kBytes, 100);
    CHECK(cuda.values == std::vector<int>{100, 100, 100, 100});
  }

  TEST_CASE("a refusal is passed on, and asked for again") {
    Asked cuda;
    cuda.answer = cudaErrorInvalidValue;
    CHECK(cuda.allow(&kOneKernel, kBytes, 100) == cudaErrorInvalidValue);
    CHECK(cuda.allow(&kOneKernel, kBytes, 100) == cudaErrorInvalidValue);
    cuda.answer = cudaSuccess;
    CHECK(cuda.allow(&kOneKernel, kBytes, -1) == cudaSuccess);
    CHECK(cuda.allow(&kOneKernel, kBytes, -1) == cudaSuccess);
    CHECK(cuda.values == std::vector<int>{100, 100, -1, -1});
  }
}
