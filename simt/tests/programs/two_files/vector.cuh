// A class that host code and kernels share; the kernels are in vector.cu.
#pragma once

#include <cuda_runtime.h>

#include <vector>

class Vector {
 public:
  explicit Vector(const std::vector<float>& values);
  ~Vector();
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  void scale(float factor);
  float sum() const;

 private:
  float* data_ = nullptr;
  int size_;
};

#ifdef __CUDACC__
template <int kWidth>
__device__ inline float warp_sum(float value) {
  for (int distance = kWidth / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}
#endif
