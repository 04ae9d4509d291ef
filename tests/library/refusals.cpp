// What a caller may get wrong is refused in words that name the argument and its limit.

#include <string>
#include <thread>
#include <vector>

#include "library/device.h"
#include "library/include/softmax_worklog/softmax_worklog.h"
#include "library/known_places.h"
#include "library/status.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

TEST_SUITE("refusals") {
  TEST_CASE("sizes") {
    DeviceBuffer<float> x(100);
    check_invalid(sw::softmax<float>(x.data(), x.data(), -1, 10), "rows = -1: must be 0 or more");
    check_invalid(sw::softmax<float>(x.data(), x.data(), 1, -10), "cols = -10: must be 0 or more");
    check_invalid(sw::softmax<float>(x.data(), x.data(), 2147483648, 1),
                  "rows = 2147483648: must be at most 2147483647");
    check_invalid(sw::softmax<float>(x.data(), x.data(), 2147483647, std::int64_t{1} << 40),
                  "rows * cols = ");
    check_invalid(sw::log_softmax_backward<float>(x.data(), x.data(), x.data(), 1, 10000000),
                  "cols = 10000000: must be at most ");
    CHECK(sw::softmax<float>(nullptr, nullptr, 0, 10).ok());
    CHECK(sw::softmax<float>(nullptr, nullptr, 10, 0).ok());
  }

  TEST_CASE("arrays") {
    DeviceBuffer<float> x(100);
    check_invalid(sw::softmax<float>(nullptr, x.data(), 1, 10), "logits = null: must be device");
    check_invalid(sw::softmax<float>(x.data(), nullptr, 1, 10), "probabilities = null: must be");
    auto* askew = reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 2);
    check_invalid(sw::softmax<float>(askew, x.data(), 1, 10), "must be a multiple of 4");
    check_invalid(sw::softmax<float>(x.data(), x.data() + 5, 1, 10),
                  "must be equal to logits or clear of logits");
    std::vector<float> host(10);
    check_refused(sw::softmax<float>(host.data(), x.data(), 1, 10), SOFTMAX_WORKLOG_WRONG_DEVICE,
                  "must be in memory of the current device, device 0, but is the host's");
  }

  TEST_CASE("who knows where arrays are is not asked, for as long as he says so") {
    const std::vector<float> host(10);
    const auto look = [&] { library::require_on_device({"logits", host.data()}, 0); };
    CHECK_THROWS_AS(look(), library::Refusal);
    {
      const library::PlacesAreKnown known;
      {
        const library::PlacesAreKnown known_twice;
        CHECK_NOTHROW(look());
      }
      CHECK_NOTHROW(look());
      std::thread([&] { CHECK_THROWS_AS(look(), library::Refusal); }).join();
    }
    CHECK_THROWS_AS(look(), library::Refusal);
  }

  TEST_CASE("k") {
    DeviceBuffer<float> x(100);
    DeviceBuffer<std::int64_t> i(100);
    float* values = x.data() + 50;
    for (const int k : {-1, 0, 11}) {
      check_invalid(sw::top_k<float>(x.data(), values, i.data(), 1, 10, k),
                    "k = " + std::to_string(k) + ": must be from 1 to 2048, and at most cols = 10");
    }
    check_invalid(sw::top_k<float>(x.data(), values, i.data(), 1, 5000, 2049), "k = 2049: must");
    check_invalid(sw::top_k<float>(x.data(), values, i.data(), 1, 1000000, 129),
                  "cols = 1000000: must be at most 442368 for k = 129");
  }

  TEST_CASE("the workspace") {
    std::size_t bytes = 0;
    REQUIRE(sw::workspace_bytes<float>(sw::Operation::kSoftmax, 1, 1000000, &bytes).ok());
    REQUIRE(bytes > 0);
    DeviceBuffer<float> x(random_array<float>(1000000));
    DeviceBuffer<char> memory(static_cast<std::int64_t>(bytes) + 256);
    const auto with = [&](void* data, std::size_t size) {
      return sw::softmax<float>(x.data(), x.data(), 1, 1000000, {data, size});
    };
    const auto code = SOFTMAX_WORKLOG_INVALID_WORKSPACE;
    const std::string needed = std::to_string(bytes);
    check_refused(with(nullptr, bytes), code,
                  "workspace = null: must be device memory of " + needed);
    check_refused(with(memory.data(), bytes - 1), code, ": must be " + needed + " or more");
    check_refused(with(memory.data() + 128, bytes), code, ": must be a multiple of 256");
    CHECK(with(memory.data(), bytes).ok());
    std::vector<char> host(bytes + 256);
    void* aligned = host.data() + 256 - reinterpret_cast<std::uintptr_t>(host.data()) % 256;
    check_refused(with(aligned, bytes), SOFTMAX_WORKLOG_WRONG_DEVICE, "but is the host's");
    check_invalid(sw::workspace_bytes<float>(sw::Operation::kSoftmax, 1, 1, nullptr),
                  "bytes = null");
  }

  TEST_CASE("a workspace that shares memory with an array") {
    constexpr std::int64_t kCols = 1000000;
    std::size_t bytes = 0;
    REQUIRE(sw::workspace_bytes<float>(sw::Operation::kSoftmax, 1, kCols, &bytes).ok());
    const auto floats = static_cast<std::int64_t>(bytes / sizeof(float));
    DeviceBuffer<float> x(random_array<float>(2 * kCols + floats));
    float* const y = x.data() + kCols;
    const auto with = [&](float* workspace) {
      return sw::softmax<float>(x.data(), y, 1, kCols, {workspace, bytes});
    };
    const auto code = SOFTMAX_WORKLOG_INVALID_WORKSPACE;
    for (float* const within : {x.data(), y - 64, y, y + kCols - 64})
      check_refused(with(within), code, "workspace = 0x");
    check_refused(with(y + kCols - 64), code,
                  "must be clear of probabilities, 4000000 bytes from ");
    CHECK(with(y + kCols).ok());

    DeviceBuffer<std::int64_t> labels(std::vector<std::int64_t>(64));
    const auto gradients = [&](float* workspace) {
      return sw::cross_entropy<float>(x.data(), labels.data(), {nullptr, y, x.data()}, 64, 100,
                                      {-100, 0.0f, 0.0f, sw::Reduction::kSum},
                                      {workspace, sizeof(float) * 512});
    };
    check_refused(gradients(x.data()), code, "must be clear of logits, 25600 bytes from ");
    check_refused(gradients(y), code, "must be clear of loss, 4 bytes from ");
    CHECK(gradients(y + 64).ok());
  }

  // As a cache's that asked for more memory than there was.
  TEST_CASE("an error that another call has left is not taken for this one's") {
    DeviceBuffer<float> x(random_array<float>(1000));
    DeviceBuffer<float> y(1000);
    DeviceBuffer<float> loss(1);
    DeviceBuffer<std::int64_t> indices(10);
    DeviceBuffer<std::int64_t> labels(std::vector<std::int64_t>(10));
    DeviceBuffer<char> memory(4096);
    const auto leave_error = [] {
      void* none = nullptr;
      REQUIRE(cudaMalloc(&none, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
      REQUIRE(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
    };
    const auto check_fine = [](const sw::Status& status) {
      CHECK_MESSAGE(status.ok(), status.message());
    };
    leave_error();
    check_fine(sw::softmax<float>(x.data(), y.data(), 10, 100));
    leave_error();
    check_fine(sw::log_softmax<float>(x.data(), y.data(), 10, 100));
    leave_error();
    check_fine(sw::scale_mask_softmax<float, float>(x.data(), y.data(), 10, 100, {}));
    leave_error();
    check_fine(sw::top_k<float>(x.data(), y.data(), indices.data(), 10, 100, 1));
    leave_error();
    check_fine(sw::softmax_backward<float>(x.data(), x.data(), y.data(), 10, 100));
    leave_error();
    check_fine(sw::log_softmax_backward<float>(x.data(), x.data(), y.data(), 10, 100));
    leave_error();
    check_fine(sw::cross_entropy<float>(x.data(), labels.data(), {nullptr, loss.data(), y.data()},
                                        10, 100, {-100, 0.0f, 0.0f, sw::Reduction::kMean},
                                        {memory.data(), 4096}));
    CHECK(cudaGetLastError() == cudaSuccess);
  }

  TEST_CASE("what has a number in C") {
    DeviceBuffer<float> x(100);
    const auto dtype = static_cast<softmax_worklog_dtype>(3);
    check_invalid(
        sw::Status(softmax_worklog_softmax(dtype, x.data(), x.data(), 1, 10, nullptr, 0, nullptr)),
        "dtype = 3: must be 0 (float32), 1 (float16) or 2 (bfloat16)");
    std::size_t bytes = 0;
    check_invalid(sw::workspace_bytes<float>(static_cast<sw::Operation>(7), 1, 1, &bytes),
                  "operation = 7: must be 0 to 6");
    CHECK(std::string(softmax_worklog_status_name(static_cast<softmax_worklog_status>(99))) ==
          "unknown status");
  }

  TEST_CASE("a cross-entropy's options") {
    DeviceBuffer<float> x(10);
    DeviceBuffer<float> losses(1);
    DeviceBuffer<std::int64_t> labels(std::vector<std::int64_t>{3});
    DeviceBuffer<char> memory(4096);
    const auto with = [&](const sw::CrossEntropyOptions& options) {
      return sw::cross_entropy<float>(x.data(), labels.data(), {losses.data(), nullptr, x.data()},
                                      1, 10, options, {memory.data(), 4096});
    };
    check_invalid(with({-100, 1.5f}), "options->label_smoothing = 1.5: must be from 0 to 1");
    check_invalid(with({-100, 0.0f, -1.0f}), "options->z_loss = -1: must be 0 or more");
    check_invalid(with({-100, 0.0f, 0.0f, sw::Reduction::kSum}), "loss = null: must be");
    check_invalid(with({-100, 0.0f, 0.0f, static_cast<sw::Reduction>(5)}),
                  "options->reduction = 5: must be 0 (none), 1 (sum) or 2 (mean)");
  }
}
