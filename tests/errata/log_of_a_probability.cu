// The logarithm of softmax, taken in that order: a small probability has lost its digits, or is 0,
// before its logarithm is taken.
#include "trial.cuh"

namespace {

template <bool kMistake>
__global__ void log_softmax(const float* x, float* y, int cols) {
  float m = -INFINITY;
  for (int col = 0; col < cols; ++col)
    m = fmaxf(m, x[col]);
  float d = 0.0f;
  for (int col = 0; col < cols; ++col)
    d += expf(x[col] - m);
  for (int col = 0; col < cols; ++col) {
    y[col] = kMistake ? logf(expf(x[col] - m) / d) : (x[col] - m) - logf(d);
  }
}

template <bool kMistake>
int try_row(const std::vector<float>& row, const char* expected) {
  const DeviceArray<float> x(row), y(row.size());
  log_softmax<kMistake><<<1, 1>>>(x.data(), y.data(), static_cast<int>(row.size()));
  return compare("log-softmax of " + text(row), text(y.values()), expected);
}

template <bool kMistake>
int run() {
  return try_row<kMistake>({0, -80}, "0, -80") | try_row<kMistake>({0, -103}, "0, -103") |
         try_row<kMistake>({0, -105}, "0, -105");
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
