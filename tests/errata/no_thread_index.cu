// A kernel that never asks which thread it is: all of them compute the first row, and store it to
// the same place.
#include "trial.cuh"

namespace {

constexpr int kRows = 4;
constexpr int kCols = 8;

template <bool kMistake>
__global__ void log_softmax(const float* logits, float* log_probabilities) {
  const int row = kMistake ? 0 : threadIdx.x;
  const float* x = logits + row * kCols;
  float* y = log_probabilities + row * kCols;
  float m = x[0];
  for (int col = 1; col < kCols; ++col)
    m = fmaxf(m, x[col]);
  float d = 0.0f;
  for (int col = 0; col < kCols; ++col)
    d += expf(x[col] - m);
  for (int col = 0; col < kCols; ++col)
    y[col] = x[col] - m - logf(d);
}

template <bool kMistake>
int run() {
  std::vector<float> logits(kRows * kCols);
  for (int i = 0; i < kRows * kCols; ++i)
    logits[i] = static_cast<float>(i % 7);
  const DeviceArray<float> x(logits), y(kRows * kCols);
  log_softmax<kMistake><<<1, kRows>>>(x.data(), y.data());
  int rows_of_probabilities = 0;
  const std::vector<float> computed = y.values();
  for (int row = 0; row < kRows; ++row) {
    double sum = 0.0;
    for (int col = 0; col < kCols; ++col)
      sum += std::exp(computed[row * kCols + col]);
    rows_of_probabilities += std::fabs(sum - 1.0) < 1e-6 ? 1 : 0;
  }
  return compare("rows whose probabilities sum to 1", text(rows_of_probabilities), text(kRows));
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
