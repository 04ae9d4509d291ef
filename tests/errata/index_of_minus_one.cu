// The K best so far start as -inf at index -1. A masked column, -inf itself, never enters, and
// where fewer than K columns are left, -1 comes out as an index.
#include "trial.cuh"

namespace {

constexpr int kBest = 3;

template <bool kMistake>
__global__ void top_k(const float* x, int cols, float* indices) {
  float best[kBest + 1];
  int from[kBest + 1];
  for (int k = 0; k <= kBest; ++k) {
    best[k] = -INFINITY;
    from[k] = -1;
  }
  for (int col = 0; col < cols; ++col) {
    best[kBest] = x[col];
    from[kBest] = col;
    for (int k = kBest; k > 0; --k) {
      const bool empty = !kMistake && from[k - 1] == -1;
      if (!(best[k - 1] < best[k]) && !empty) break;
      const float value = best[k];
      const int index = from[k];
      best[k] = best[k - 1];
      from[k] = from[k - 1];
      best[k - 1] = value;
      from[k - 1] = index;
    }
  }
  for (int k = 0; k < kBest; ++k)
    indices[k] = static_cast<float>(from[k]);
}

template <bool kMistake>
int run() {
  const std::vector<float> row = {-INFINITY, 3, -INFINITY, 1};
  const DeviceArray<float> x(row), indices(kBest);
  top_k<kMistake><<<1, 1>>>(x.data(), static_cast<int>(row.size()), indices.data());
  return compare("the 3 best of " + text(row), text(indices.values()), "1, 3, 0");
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
