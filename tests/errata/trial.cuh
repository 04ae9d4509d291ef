// What the programs here share: which of the two forms runs, arrays on the device, and values as
// text.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/// Whether the program was called as `PROGRAM corrected`; without an argument it makes its mistake.
/// Anything else ends it with exit code 2.
inline bool is_corrected(int count, char** words) {
  if (count == 1) return false;
  if (count == 2 && std::strcmp(words[1], "corrected") == 0) return true;
  std::fprintf(stderr, "usage: %s [corrected]\n", words[0]);
  std::exit(2);
}

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(2);
}

/// An array in global memory, written by the constructor that takes its values, else by nobody.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }

  std::vector<T> values() const {
    check(cudaDeviceSynchronize());
    std::vector<T> copied(size_);
    check(cudaMemcpy(copied.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return copied;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// As a reader writes it; every NaN alike, whose sign depends on the machine.
inline std::string text(double value) {
  if (std::isnan(value)) return "NaN";
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.9g", value);
  return digits;
}

inline std::string text(const std::vector<float>& values) {
  std::string joined;
  for (const float value : values)
    joined += (joined.empty() ? "" : ", ") + text(value);
  return joined;
}

/// Prints both. The exit code that they ask for: 0 if they are the same text, else 1.
inline int compare(const std::string& what, const std::string& got, const std::string& expected) {
  std::printf("%s: %s, expected %s\n", what.c_str(), got.c_str(), expected.c_str());
  return got == expected ? 0 : 1;
}
