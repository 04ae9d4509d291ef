// Softmax and log-softmax of some rows, on a stream, with a workspace.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <softmax_worklog/softmax_worklog.h>
#include <vector>

namespace sw = softmax_worklog;

namespace {

void check(const sw::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", softmax_worklog_status_name(status.code()),
               status.message().c_str());
  std::exit(1);
}

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(1);
}

}  // namespace

int main() {
  constexpr std::int64_t kRows = 4;
  constexpr std::int64_t kCols = 1000;
  std::vector<float> host(kRows * kCols);
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = std::sin(static_cast<float>(i));

  float* logits = nullptr;
  float* probabilities = nullptr;
  check(cudaMalloc(&logits, host.size() * sizeof(float)));
  check(cudaMalloc(&probabilities, host.size() * sizeof(float)));
  check(cudaMemcpy(logits, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));

  sw::Workspace workspace;
  check(sw::workspace_bytes<float>(sw::Operation::kSoftmax, kRows, kCols, &workspace.bytes));
  if (workspace.bytes > 0) check(cudaMalloc(&workspace.data, workspace.bytes));
  check(sw::softmax(logits, probabilities, kRows, kCols, workspace, stream));
  check(cudaStreamSynchronize(stream));

  check(
      cudaMemcpy(host.data(), probabilities, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double largest_error = 0.0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    double sum = 0.0;
    for (std::int64_t col = 0; col < kCols; ++col)
      sum += host[static_cast<std::size_t>(row * kCols + col)];
    largest_error = std::fmax(largest_error, std::fabs(sum - 1.0));
  }
  std::printf("%s: %lld rows add up to 1%s\n", softmax_worklog_architectures(),
              static_cast<long long>(kRows), largest_error < 1e-5 ? "" : ", but not within 1e-5");

  // What is wrong is said in words.
  const sw::Status refused = sw::softmax<float>(nullptr, probabilities, kRows, kCols);
  std::printf("%s: %s\n", softmax_worklog_status_name(refused.code()), refused.message().c_str());
  check(cudaFree(workspace.data));
  check(cudaFree(probabilities));
  check(cudaFree(logits));
  check(cudaStreamDestroy(stream));
  return largest_error < 1e-5 && !refused.ok() ? 0 : 1;
}
