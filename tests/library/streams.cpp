// Calls that are recorded into a graph, and streams of another device.

#include <cmath>
#include <string>
#include <utility>

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
  // Of a warp, a block, a cluster and the whole grid: what they do on a stream must be allowed.
  TEST_CASE("a graph of a softmax") {
    for (const auto& [cols, step] : {std::pair<std::int64_t, std::string>{64, "13_row_in_a_warp"},
                                     {2000, "14_row_in_registers"},
                                     {20000, "16_cluster"},
                                     {1500000, "17_long_row_one_launch"}}) {
      CAPTURE(cols);
      const char* label = nullptr;
      REQUIRE(softmax_worklog_step(SOFTMAX_WORKLOG_SOFTMAX, SOFTMAX_WORKLOG_FLOAT32, kRows, cols, 0,
                                   &label) == SOFTMAX_WORKLOG_SUCCESS);
      REQUIRE(std::string(label).starts_with(step));
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

  // Into arrays of NaN, and once more by a call that no graph records.
  TEST_CASE("graphs of the other operations") {
    constexpr std::int64_t kCols = 3000;
    constexpr int kK = 5;
    const auto x = on_device(random_array<float>(kRows * kCols));
    const auto dy = on_device(random_array<float>(kRows * kCols, 2));
    const auto labels = on_device(std::vector<std::int64_t>{5, 0, kCols - 1});
    const auto check_recorded = [&](sw::Operation operation, std::int64_t results,
                                    const auto& call) {
      CAPTURE(static_cast<int>(operation));
      const std::vector<float> nothing(static_cast<std::size_t>(results), std::nanf(""));
      const auto of_graph = on_device(nothing);
      const auto direct = on_device(nothing);
      sw::Workspace workspace;
      const auto memory = workspace_for<float>(operation, kCols, workspace, kK);
      launch_recorded([&](cudaStream_t stream) {
        return call(const_cast<float*>(of_graph.data()), workspace, stream);
      });
      REQUIRE(call(const_cast<float*>(direct.data()), workspace, nullptr).ok());
      CHECK(of_graph.download() == direct.download());
    };
    using enum sw::Operation;
    check_recorded(kLogSoftmax, kRows * kCols, [&](float* y, sw::Workspace w, cudaStream_t s) {
      return sw::log_softmax<float>(x.data(), y, kRows, kCols, w, s);
    });
    check_recorded(
        kSoftmaxBackward, kRows * kCols, [&](float* dx, sw::Workspace w, cudaStream_t s) {
          return sw::softmax_backward<float>(x.data(), dy.data(), dx, kRows, kCols, w, s);
        });
    check_recorded(
        kLogSoftmaxBackward, kRows * kCols, [&](float* dx, sw::Workspace w, cudaStream_t s) {
          return sw::log_softmax_backward<float>(x.data(), dy.data(), dx, kRows, kCols, w, s);
        });
    check_recorded(kCrossEntropyLoss, kRows, [&](float* losses, sw::Workspace w, cudaStream_t s) {
      return sw::cross_entropy_loss<float>(x.data(), labels.data(), losses, kRows, kCols, w, s);
    });
    DeviceBuffer<std::int64_t> indices(kRows * kK);
    DeviceBuffer<float> gradients(kRows * kCols);
    check_recorded(kTopK, kRows * kK, [&](float* values, sw::Workspace w, cudaStream_t s) {
      return sw::top_k<float>(x.data(), values, indices.data(), kRows, kCols, kK, w, s);
    });
    DeviceBuffer<float> loss(1);
    sw::CrossEntropyOptions options;
    options.reduction = sw::Reduction::kMean;
    check_recorded(kCrossEntropy, 1, [&](float* mean, sw::Workspace w, cudaStream_t s) {
      return sw::cross_entropy<float>(x.data(), labels.data(), {nullptr, mean, gradients.data()},
                                      kRows, kCols, options, w, s);
    });
    check_recorded(kCrossEntropy, kRows * kCols, [&](float* dx, sw::Workspace w, cudaStream_t s) {
      return sw::cross_entropy<float>(x.data(), labels.data(), {nullptr, loss.data(), dx}, kRows,
                                      kCols, options, w, s);
    });
    check_recorded(kSoftmax, kRows * kCols, [&](float* y, sw::Workspace, cudaStream_t s) {
      return sw::scale_mask_softmax<float, float>(x.data(), y, kRows, kCols, {}, s);
    });
    check_recorded(kLogSoftmax, kRows * kCols, [&](float* y, sw::Workspace, cudaStream_t s) {
      return sw::scale_mask_log_softmax<float, float>(x.data(), y, kRows, kCols, {}, s);
    });
    sw::ScaleOptions scaling;
    scaling.scale = 0.5f;
    check_recorded(kTopK, kRows * kK, [&](float* values, sw::Workspace w, cudaStream_t s) {
      return sw::scale_top_k<float>(x.data(), values, indices.data(), kRows, kCols, kK, scaling, w,
                                    s);
    });
    check_recorded(kCrossEntropyLoss, kRows, [&](float* losses, sw::Workspace w, cudaStream_t s) {
      return sw::scale_cross_entropy_loss<float>(x.data(), labels.data(), losses, kRows, kCols,
                                                 scaling, w, s);
    });
    sw::ScaleBackwardOptions backward;
    backward.scale = 0.5f;
    check_recorded(kSoftmaxBackward, kRows * kCols, [&](float* dx, sw::Workspace, cudaStream_t s) {
      return sw::scale_softmax_backward(x.data(), dy.data(), dx, kRows, kCols, backward, s);
    });
    check_recorded(
        kLogSoftmaxBackward, kRows * kCols, [&](float* dx, sw::Workspace, cudaStream_t s) {
          return sw::scale_log_softmax_backward(x.data(), dy.data(), dx, kRows, kCols, backward, s);
        });
  }

  TEST_CASE("arrays of another device are refused") {
    int devices = 0;
    REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
    if (devices < 2) return;  // library.streams has two
    DeviceBuffer<float> here(100);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    {
      DeviceBuffer<float> there(100);
      DeviceBuffer<std::int64_t> indices(10);
      REQUIRE(cudaSetDevice(0) == cudaSuccess);
      const auto check_refused_of = [](const std::string& name, const sw::Status& status) {
        CHECK(status.code() == SOFTMAX_WORKLOG_WRONG_DEVICE);
        CHECK_MESSAGE(status.message().starts_with(name + " = "), status.message());
        CHECK(status.message().find("device 0, but is device 1's") != std::string::npos);
      };
      float* const a = here.data();
      float* const b = there.data();
      check_refused_of("logits", sw::softmax<float>(b, a, 1, 10));
      check_refused_of("probabilities", sw::softmax<float>(a, b, 1, 10));
      check_refused_of("results", sw::scale_mask_softmax<float, float>(a, b, 1, 10, {}));
      check_refused_of("logits", sw::scale_mask_softmax<float, float>(b, a, 1, 10, {}));
      check_refused_of("indices", sw::top_k<float>(a, a + 50, indices.data(), 1, 10, 2));
    }
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
