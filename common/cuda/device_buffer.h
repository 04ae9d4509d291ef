/// \file
/// Device memory that frees itself.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda/check.h"

namespace worklog {

/// An array of `size` elements in device memory; its contents are undefined at first.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;

  /// Throws std::length_error for a negative or overflowing size, CudaError when the device is out
  /// of memory; both name the size.
  explicit DeviceBuffer(std::int64_t size) : size_(size) {
    constexpr std::int64_t kLargest =
        std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
    if (size < 0 || size > kLargest) {
      throw std::length_error("device buffer of " + std::to_string(size) +
                              " elements: must be between 0 and " + std::to_string(kLargest));
    }
    if (size == 0) return;
    const cudaError_t code = cudaMalloc(&data_, bytes());
    if (code != cudaSuccess) cudaGetLastError();  // not sticky: leave nothing for the next check
    check(code, "cudaMalloc of " + std::to_string(bytes()) + " bytes");
  }

  /// A copy of `host`, of the same size. Throws as upload() and the constructor above do.
  explicit DeviceBuffer(const std::vector<T>& host)
      : DeviceBuffer(static_cast<std::int64_t>(host.size())) {
    upload(host);
  }

  /// Takes the memory over and leaves `other` empty.
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  /// Exchanges the memory of the two.
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  /// The first element's address on the device; null if size() is 0. Not to be dereferenced by the
  /// host.
  T* data() { return data_; }
  /// The same, to read from.
  const T* data() const { return data_; }
  /// Elements.
  std::int64_t size() const { return size_; }
  /// size() in bytes.
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  /// Copies size() elements from the host; the vector must have exactly as many.
  void upload(const std::vector<T>& host) {
    if (static_cast<std::int64_t>(host.size()) != size_) {
      throw std::length_error("upload of " + std::to_string(host.size()) +
                              " elements to a device buffer of " + std::to_string(size_));
    }
    if (size_ == 0) return;
    check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "copy to the device");
    // From pageable memory the copy may still be under way, and a non-blocking stream does not
    // wait.
    check(cudaStreamSynchronize(nullptr), "copy to the device");
  }

  /// A copy of all elements. Waits for the work of the default stream; throws CudaError.
  std::vector<T> download() const {
    std::vector<T> host(static_cast<std::size_t>(size_));
    if (size_ > 0) {
      check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost),
            "copy from the device");
    }
    return host;
  }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace worklog
