/// \file
/// Device memory that frees itself, and errors of the CUDA runtime as exceptions: of a GPU as of
/// the executor.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

/// Throws if `code` is an error. `what` names the call or the kernel.
inline void check(cudaError_t code, const std::string& what) {
  if (code != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(code));
}

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, bytes()), "cudaMalloc");
  }
  explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size()) {
    check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::vector<T> download() const {
    std::vector<T> host(size_);
    check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copy from the device");
    return host;
  }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};
