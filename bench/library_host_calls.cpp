#include "bench/library_host_calls.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/library_steps.h"
#include "common/cuda/device_buffer.h"
#include "common/cuda/stream.h"
#include "common/measure/timing_summary.h"
#include "common/verify/labels.h"
#include "library/include/softmax_worklog/softmax_worklog.h"

namespace worklog::bench {

namespace {

namespace sw = softmax_worklog;
using Clock = std::chrono::steady_clock;

constexpr int kSamples = 51;
// Fewer than a stream takes before the host must wait.
constexpr int kCalls = 200;
constexpr std::int64_t kElements = std::int64_t{kHostCallRows} * kHostCallCols;

void require(const sw::Status& status) {
  if (!status.ok()) throw std::runtime_error("the library: " + status.message());
}

template <typename Call>
double microseconds(const Stream& stream, const Call& call) {
  std::vector<double> samples;
  for (int sample = 0; sample <= kSamples; ++sample) {
    stream.synchronize();
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < kCalls; ++i)
      require(call());
    const std::chrono::duration<double, std::micro> elapsed = Clock::now() - begin;
    if (sample > 0) samples.push_back(elapsed.count() / kCalls);  // the first one loads kernels
  }
  stream.synchronize();
  return summarize(samples).median_us;
}

struct Arrays {
  DeviceBuffer<float> logits{kElements};
  DeviceBuffer<float> gradients{kElements};
  DeviceBuffer<float> results{kElements};
  DeviceBuffer<std::int64_t> labels{kHostCallRows};
  DeviceBuffer<float> values{kHostCallRows * kSampledK};
  DeviceBuffer<std::int64_t> indices{kHostCallRows * kSampledK};
  DeviceBuffer<std::byte> workspace{};
};

sw::Workspace workspace_of(sw::Operation operation, Arrays& arrays) {
  sw::Workspace workspace;
  require(sw::workspace_bytes<float>(operation, kHostCallRows, kHostCallCols, &workspace.bytes,
                                     kSampledK));
  arrays.workspace = DeviceBuffer<std::byte>(static_cast<std::int64_t>(workspace.bytes));
  workspace.data = arrays.workspace.data();
  return workspace;
}

nlohmann::ordered_json row(const char* call, double us) {
  return {{"by", "library"}, {"language", "C++"}, {"call", call}, {"us", us}};
}

}  // namespace

nlohmann::ordered_json library_host_calls() {
  constexpr std::int64_t kRows = kHostCallRows;
  constexpr std::int64_t kCols = kHostCallCols;
  const Stream stream;
  Arrays a;
  check(cudaMemset(a.logits.data(), 0, a.logits.bytes()), "clearing an array");
  check(cudaMemset(a.gradients.data(), 0, a.gradients.bytes()), "clearing an array");
  a.labels.upload(labels_of(kRows, kCols));

  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto add = [&](const char* name, sw::Operation operation, const auto& call) {
    const sw::Workspace workspace = workspace_of(operation, a);
    rows.push_back(row(name, microseconds(stream, [&] { return call(workspace); })));
  };
  add("softmax", sw::Operation::kSoftmax, [&](const sw::Workspace& workspace) {
    return sw::softmax(a.logits.data(), a.results.data(), kRows, kCols, workspace, stream.get());
  });
  add("log_softmax", sw::Operation::kLogSoftmax, [&](const sw::Workspace& workspace) {
    return sw::log_softmax(a.logits.data(), a.results.data(), kRows, kCols, workspace,
                           stream.get());
  });
  add("top_k", sw::Operation::kTopK, [&](const sw::Workspace& workspace) {
    return sw::top_k(a.logits.data(), a.values.data(), a.indices.data(), kRows, kCols, kSampledK,
                     workspace, stream.get());
  });
  add("softmax_backward", sw::Operation::kSoftmaxBackward, [&](const sw::Workspace& workspace) {
    return sw::softmax_backward(a.logits.data(), a.gradients.data(), a.results.data(), kRows, kCols,
                                workspace, stream.get());
  });
  add("cross_entropy", sw::Operation::kCrossEntropy, [&](const sw::Workspace& workspace) {
    const sw::CrossEntropyResults<float> results = {nullptr, a.values.data(), a.results.data()};
    return sw::cross_entropy(a.logits.data(), a.labels.data(), results, kRows, kCols,
                             {.reduction = sw::Reduction::kMean}, workspace, stream.get());
  });
  rows.push_back(row("picking a step", microseconds(stream, [&] {
                       const char* step = nullptr;
                       return sw::Status(softmax_worklog_step(SOFTMAX_WORKLOG_SOFTMAX,
                                                              SOFTMAX_WORKLOG_FLOAT32, kRows, kCols,
                                                              0, &step));
                     })));
  return rows;
}

}  // namespace worklog::bench
