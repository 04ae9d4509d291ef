// The online update with a shortcut: a new maximum adds 1 to d, because exp(x - x) is 1. Of an
// infinite x it is NaN, which is what the whole row should become.
#include <cfloat>

#include "trial.cuh"

namespace {

template <bool kMistake>
__global__ void softmax(const float* x, float* y, int cols) {
  float m = -FLT_MAX;
  float d = 0.0f;
  for (int col = 0; col < cols; ++col) {
    if (m > x[col]) {
      d += expf(x[col] - m);
    } else {
      d = d * expf(m - x[col]) + (kMistake ? 1.0f : expf(x[col] - x[col]));
      m = x[col];
    }
  }
  for (int col = 0; col < cols; ++col)
    y[col] = expf(x[col] - m) / d;
}

template <bool kMistake>
int run() {
  const DeviceArray<float> x(std::vector<float>{1, INFINITY, 2}), y(3);
  softmax<kMistake><<<1, 1>>>(x.data(), y.data(), 3);
  return compare("softmax of 1, inf, 2", text(y.values()), "NaN, NaN, NaN");
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
