// A maximum that starts from a finite number. Of a row in which nothing is larger, that number
// comes out, though the row does not hold it.
#include <cfloat>

#include "trial.cuh"

namespace {

constexpr float kLowestHalf = -65504.0f;

__global__ void softmax(const float* x, float* y, int cols, float start, float* maximum) {
  float m = start;
  for (int col = 0; col < cols; ++col)
    m = fmaxf(m, x[col]);
  float d = 0.0f;
  for (int col = 0; col < cols; ++col)
    d += expf(x[col] - m);
  for (int col = 0; col < cols; ++col)
    y[col] = expf(x[col] - m) / d;
  *maximum = m;
}

int try_row(const std::vector<float>& row, float start, const char* maximum,
            const char* probabilities) {
  const DeviceArray<float> x(row), y(row.size()), m(1);
  softmax<<<1, 1>>>(x.data(), y.data(), static_cast<int>(row.size()), start, m.data());
  const std::string what = "row " + text(row) + ", from " + text(start);
  return compare(what + ": maximum", text(m.values()), maximum) |
         compare(what + ": probabilities", text(y.values()), probabilities);
}

template <bool kMistake>
int run() {
  const float lowest = kMistake ? -FLT_MAX : -INFINITY;
  const float lowest_half = kMistake ? kLowestHalf : -INFINITY;
  return try_row({-INFINITY, -INFINITY}, lowest, "-inf", "NaN, NaN") |
         try_row({-100000, -100000}, lowest_half, "-100000", "0.5, 0.5");
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
