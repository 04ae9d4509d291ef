// Calls that are recorded into a graph, and streams of another device.

#include <cmath>
#include <string>

#include "common/cuda/stream.h"
#include "library/include/softmax_worklog/softmax_worklog.h"
#include "tests/library/support.h"

using namespace worklog;
using namespace worklog::library::tests;
namespace sw = softmax_worklog;

namespace {

constexpr std::int64_t kRows = 3;

// What `call` records on a stream, as a graph that is launched twice.
template <typename Call>
void launch_recorded(const Call& call) {
  const Stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  const sw::Status status = call(stream.get());
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE_MESSAGE(status.ok(), status.message());
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  for (int launch = 0; launch < 2; ++launch)
    REQUIRE(cudaGraphLaunch(executable, stream.get()) == cudaSuccess);
  stream.synchronize();
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

template <typename T>
DeviceBuffer<std::uint64_t> workspace_for(sw::Operation operation, std::int64_t cols,
                                          sw::Workspace& workspace, int k = 0) {
  REQUIRE(sw::workspace_bytes<T>(operation, kRows, cols, &workspace.bytes, k).ok());
  DeviceBuffer<std::uint64_t> memory(static_cast<std::int64_t>(workspace.bytes / 8));
  workspace.data = memory.data();
  return memory;
}

}  // namespace

TEST_SUITE("streams") {
  // By every step of the table: what they do on a stream must be allowed there.
  TEST_CASE("a graph of a softmax") {
    for (const std::int64_t cols : {64, 2000, 20000, 100000}) {
      CAPTURE(cols);
      const auto logits = on_device(random_array<float>(kRows * cols));
      DeviceBuffer<float> recorded(kRows * cols);
      DeviceBuffer<float> direct(kRows * cols);
      sw::Workspace workspace;
      const auto memory = workspace_for<float>(sw::Operation::kSoftmax, cols, workspace);
      launch_recorded([&](cudaStream_t stream) {
        return sw::softmax<float>(logits.data(), recorded.data(), kRows, cols, workspace, stream);
      });
      REQUIRE(sw::softmax<float>(logits.data(), direct.data(), kRows, cols, workspace).ok());
      CHECK(recorded.download() == direct.download());
    }
  }

  TEST_CASE("graphs of the other operations") {
    constexpr std::int64_t kCols = 3000;
    const auto x = on_device(random_array<float>(kRows * kCols));
    const auto dy = on_device(random_array<float>(kRows * kCols, 2));
    const auto labels = on_device(std::vector<std::int64_t>{5, 0, kCols - 1});
    DeviceBuffer<float> y(kRows * kCols);
    DeviceBuffer<float> values(kRows * 5);
    DeviceBuffer<std::int64_t> indices(kRows * 5);
    DeviceBuffer<float> loss(1);
    const auto recorded = [&](sw::Operation operation, int k, const auto& call) {
      sw::Workspace workspace;
      const auto memory = workspace_for<float>(operation, kCols, workspace, k);
      launch_recorded([&](cudaStream_t stream) { return call(workspace, stream); });
    };
    recorded(sw::Operation::kLogSoftmax, 0, [&](sw::Workspace workspace, cudaStream_t stream) {
      return sw::log_softmax<float>(x.data(), y.data(), kRows, kCols, workspace, stream);
    });
    CHECK(y.download()[0] < 0.0f);
    recorded(sw::Operation::kTopK, 5, [&](sw::Workspace workspace, cudaStream_t stream) {
      return sw::top_k<float>(x.data(), values.data(), indices.data(), kRows, kCols, 5, workspace,
                              stream);
    });
    CHECK(values.download()[0] >= values.download()[1]);
    recorded(sw::Operation::kSoftmaxBackward, 0, [&](sw::Workspace workspace, cudaStream_t stream) {
      return sw::softmax_backward<float>(x.data(), dy.data(), y.data(), kRows, kCols, workspace,
                                         stream);
    });
    sw::CrossEntropyOptions options;
    options.reduction = sw::Reduction::kMean;
    recorded(sw::Operation::kCrossEntropy, 0, [&](sw::Workspace workspace, cudaStream_t stream) {
      return sw::cross_entropy<float>(x.data(), labels.data(), {nullptr, loss.data(), y.data()},
                                      kRows, kCols, options, workspace, stream);
    });
    CHECK(loss.download()[0] > 0.0f);
    launch_recorded([&](cudaStream_t stream) {
      return sw::scale_mask_softmax<float, float>(x.data(), y.data(), kRows, kCols, {}, stream);
    });
    CHECK(y.download()[0] > 0.0f);
  }

  TEST_CASE("a stream of another device is refused") {
    int devices = 0;
    REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
    if (devices < 2) return;  // library.streams has two
    DeviceBuffer<float> x(10);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    {
      const Stream stream;
      REQUIRE(cudaSetDevice(0) == cudaSuccess);
      const sw::Status status = sw::softmax<float>(x.data(), x.data(), 1, 10, {}, stream.get());
      CHECK(status.code() == SOFTMAX_WORKLOG_WRONG_DEVICE);
      CHECK(status.message() ==
            "stream: must be of the current device, device 0, but is device 1's");
    }
  }
}
