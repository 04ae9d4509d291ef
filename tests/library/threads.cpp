// Several threads at once, each on a stream of its own.

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/cuda/stream.h"
#include "library/include/softmax_worklog/softmax_worklog.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

// What a thread calls: a softmax, which needs no workspace here, and a cross-entropy, which does.
class Calls {
 public:
  explicit Calls(std::int64_t cols)
      : cols_(cols),
        logits_(on_device(random_array<float>(kRows * cols))),
        labels_(on_device(std::vector<std::int64_t>{0, cols / 2, cols - 1})) {
    REQUIRE(sw::workspace_bytes<float>(sw::Operation::kCrossEntropy, kRows, cols, &workspace_.bytes)
                .ok());
    memory_.emplace(static_cast<std::int64_t>(workspace_.bytes / 8));
    workspace_.data = memory_->data();
  }

  // Both results, one behind the other; empty where a call failed.
  std::vector<float> results(cudaStream_t stream) {
    DeviceBuffer<float> y(std::vector<float>(static_cast<std::size_t>(kRows * cols_), kNan));
    DeviceBuffer<float> dx(std::vector<float>(static_cast<std::size_t>(kRows * cols_), kNan));
    DeviceBuffer<float> loss(1);
    const bool well =
        sw::softmax<float>(logits_.data(), y.data(), kRows, cols_, {}, stream).ok() &&
        sw::cross_entropy<float>(logits_.data(), labels_.data(), {nullptr, loss.data(), dx.data()},
                                 kRows, cols_, kMean, workspace_, stream)
            .ok();
    if (!well) return {};
    check(cudaStreamSynchronize(stream), "waiting");
    std::vector<float> made = y.download();
    for (const float each : dx.download())
      made.push_back(each);
    made.push_back(loss.download()[0]);
    return made;
  }

 private:
  static constexpr std::int64_t kRows = 3;
  static constexpr sw::CrossEntropyOptions kMean = {.reduction = sw::Reduction::kMean};

  std::int64_t cols_;
  DeviceBuffer<float> logits_;
  DeviceBuffer<std::int64_t> labels_;
  std::optional<DeviceBuffer<std::uint64_t>> memory_;
  sw::Workspace workspace_;
};

// How many of a thread's calls gave other results than alone, or errors that are not its own.
int wrong_calls(std::int64_t cols, Calls& calls, const std::vector<float>& right) {
  const Stream stream;
  int wrong = 0;
  for (int call = 0; call < 10; ++call) {
    const sw::Status refused = sw::softmax<float>(nullptr, nullptr, -cols, cols);
    if (refused.message() != "rows = -" + std::to_string(cols) + ": must be 0 or more") ++wrong;
    if (calls.results(stream.get()) != right) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("two threads on two streams do not disturb each other") {
    Calls of_one(700);
    Calls of_other(900);
    const auto right_of_one = of_one.results(nullptr);
    const auto right_of_other = of_other.results(nullptr);
    REQUIRE(!right_of_one.empty());
    REQUIRE(!right_of_other.empty());
    int wrong[2] = {-1, -1};
    std::thread other([&] { wrong[0] = wrong_calls(900, of_other, right_of_other); });
    wrong[1] = wrong_calls(700, of_one, right_of_one);
    other.join();
    CHECK(wrong[0] == 0);
    CHECK(wrong[1] == 0);
  }
}
