// Draws a language model's next tokens from the K most probable ones of each row.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <softmax_worklog/softmax_worklog.h>
#include <vector>

namespace sw = softmax_worklog;

namespace {

constexpr std::int64_t kRows = 8;
constexpr std::int64_t kVocabulary = 5000;
constexpr int kBest = 40;

void check(bool is_fine, const char* what) {
  if (is_fine) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

template <typename T>
T* device_array(std::size_t count) {
  T* array = nullptr;
  check(cudaMalloc(&array, count * sizeof(T)) == cudaSuccess, "no device memory is left");
  return array;
}

}  // namespace

int main() {
  // A row's logits, of which some stand out.
  std::mt19937 random(1);
  std::normal_distribution<float> logit;
  std::vector<float> host(kRows * kVocabulary);
  for (float& x : host)
    x = logit(random);
  for (std::int64_t row = 0; row < kRows; ++row)
    host[static_cast<std::size_t>(row * kVocabulary + 7 * row)] = 20.0f;

  float* logits = device_array<float>(host.size());
  float* values = device_array<float>(kRows * kBest);
  auto* indices = device_array<std::int64_t>(kRows * kBest);
  cudaMemcpy(logits, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);

  sw::Workspace workspace;
  sw::Status status =
      sw::workspace_bytes<float>(sw::Operation::kTopK, kRows, kVocabulary, &workspace.bytes, kBest);
  check(status.ok(), status.message().c_str());
  if (workspace.bytes > 0) workspace.data = device_array<std::byte>(workspace.bytes);
  status = sw::top_k(logits, values, indices, kRows, kVocabulary, kBest, workspace);
  check(status.ok(), status.message().c_str());

  std::vector<float> probabilities(kRows * kBest);
  std::vector<std::int64_t> tokens(kRows * kBest);
  cudaMemcpy(probabilities.data(), values, probabilities.size() * sizeof(float),
             cudaMemcpyDeviceToHost);
  cudaMemcpy(tokens.data(), indices, tokens.size() * sizeof(std::int64_t), cudaMemcpyDeviceToHost);

  // What stands out is drawn; discrete_distribution makes the K probabilities add up to 1 again.
  int expected = 0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row * kBest);
    std::discrete_distribution<int> draw(probabilities.begin() + first,
                                         probabilities.begin() + first + kBest);
    const std::int64_t token = tokens[static_cast<std::size_t>(first + draw(random))];
    std::printf("row %lld: token %lld\n", static_cast<long long>(row),
                static_cast<long long>(token));
    expected += token == 7 * row ? 1 : 0;
  }
  for (void* array : {static_cast<void*>(logits), static_cast<void*>(values),
                      static_cast<void*>(indices), workspace.data})
    cudaFree(array);
  return expected == kRows ? 0 : 1;
}
