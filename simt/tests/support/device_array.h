/// \file
/// What the executor's tests share: device memory that frees itself, and findings that are
/// expected.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include "simt/executor/counters.h"
#include "simt/executor/executor.h"

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  void zero() { cudaMemset(data_, 0, count_ * sizeof(T)); }
  std::vector<T> host() const {
    std::vector<T> values(count_);
    cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

template <typename T>
DeviceArray<T> zeros(std::size_t count) {
  return DeviceArray<T>(std::vector<T>(count));
}

/// Findings are expected while this lives: they are not printed, and only those of its time are
/// seen.
class ExpectedFindings {
 public:
  ExpectedFindings() {
    simt::clear_findings();
    simt::set_findings_printed(false);
  }
  ~ExpectedFindings() {
    simt::clear_findings();
    simt::set_findings_printed(true);
    simt::take_error();
  }
  /// The kinds, each followed by a blank, in their order.
  std::string kinds() const {
    std::string all;
    for (const simt::Finding& finding : simt::findings())
      all += finding.kind + " ";
    return all;
  }
  std::string message(std::size_t index = 0) const {
    const auto& all = simt::findings();
    return index < all.size() ? all[index].message : "no such finding";
  }
};

/// The workers while this lives.
class Workers {
 public:
  explicit Workers(int count) { simt::set_workers(count); }
  ~Workers() { simt::set_workers(2); }
};
