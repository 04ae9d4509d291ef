// The sum stands inside the loop over the columns: it is taken again for each of them.
#include "trial.cuh"

namespace {

constexpr int kRows = 32;
constexpr int kCols = 64;

__device__ float sum_of_exponentials(const float* x) {
  float d = 0.0f;
  for (int col = 0; col < kCols; ++col)
    d += expf(x[col]);
  return d;
}

__global__ void sum_for_every_column(const float* logits, float* log_probabilities) {
  const float* x = logits + threadIdx.x * kCols;
  float* y = log_probabilities + threadIdx.x * kCols;
  for (int col = 0; col < kCols; ++col)
    y[col] = logf(expf(x[col]) / sum_of_exponentials(x));
}

__global__ void sum_for_every_row(const float* logits, float* log_probabilities) {
  const float* x = logits + threadIdx.x * kCols;
  float* y = log_probabilities + threadIdx.x * kCols;
  const float d = sum_of_exponentials(x);
  for (int col = 0; col < kCols; ++col)
    y[col] = logf(expf(x[col]) / d);
}

}  // namespace

int main(int count, char** words) {
  const bool corrected = is_corrected(count, words);
  const DeviceArray<float> x(std::vector<float>(kRows * kCols, 0.0f)), y(kRows * kCols);
  if (corrected) {
    sum_for_every_row<<<1, kRows>>>(x.data(), y.data());
  } else {
    sum_for_every_column<<<1, kRows>>>(x.data(), y.data());
  }
  return compare("log-softmax of 64 equal logits", text(y.values().back()), "-4.15888309");
}
