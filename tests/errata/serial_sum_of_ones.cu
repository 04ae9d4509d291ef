// d of a row of equal logits, by one thread: a sum of ones. From 2^24 on, adding 1 to a float
// changes nothing.
#include "trial.cuh"

namespace {

constexpr int kCols = 1 << 25;
constexpr int kThreads = 256;

__device__ float sum_of_exponentials(int cols) {
  float d = 0.0f;
  for (int col = 0; col < cols; ++col)
    d += 1.0f;  // exp(x - m), x being m
  return d;
}

__global__ void serial(float* d) {
  *d = sum_of_exponentials(kCols);
}

__global__ void tree(float* d) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = sum_of_exponentials(kCols / kThreads);
  __syncthreads();
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) *d = sums[0];
}

}  // namespace

int main(int count, char** words) {
  const bool corrected = is_corrected(count, words);
  const DeviceArray<float> d(1);
  if (corrected) {
    tree<<<1, kThreads>>>(d.data());
  } else {
    serial<<<1, 1>>>(d.data());
  }
  const std::string what = corrected ? "256 threads and a tree" : "one thread";
  return compare("d of 2^25 equal logits by " + what, text(d.values()), text(kCols));
}
