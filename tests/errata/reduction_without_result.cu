// A reduction that keeps its result to itself: each thread goes on with the value that it had.
#include "trial.cuh"

namespace {

constexpr int kWarpSize = 32;

__device__ void reduce_own_copy(float mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(0xffffffff, mine, distance));
  }
}

__device__ float reduced(float mine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(0xffffffff, mine, distance));
  }
  return mine;
}

template <bool kMistake>
__global__ void row_maximum(const float* x, float* result) {
  float mine = x[threadIdx.x];
  if (kMistake) {
    reduce_own_copy(mine);
  } else {
    mine = reduced(mine);
  }
  if (threadIdx.x == 0) *result = mine;
}

template <bool kMistake>
int run() {
  std::vector<float> logits(kWarpSize);
  for (int i = 0; i < kWarpSize; ++i)
    logits[i] = static_cast<float>(i);
  const DeviceArray<float> x(logits), result(1);
  row_maximum<kMistake><<<1, kWarpSize>>>(x.data(), result.data());
  return compare("maximum of 0 to 31", text(result.values()), "31");
}

}  // namespace

int main(int count, char** words) {
  return is_corrected(count, words) ? run<false>() : run<true>();
}
