/// \file
/// What the library's tests share.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "library/include/softmax_worklog/c.h"
#include "library/include/softmax_worklog/softmax_worklog.h"
#include "library/recorded_table.h"

namespace worklog::library::tests {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// What arithmetic in fp32 may be off: a difference of up to 64 is rounded by up to 2^-19, and the
/// rest is of that size at most.
constexpr double kArithmetic = 0x1p-18;

/// Of results of a type.
struct Rounding {
  double relative;  ///< half of the gap between two of them, relative to them
  double smallest;  ///< the smallest of them
};
template <typename Result>
constexpr Rounding kRounding = {0x1p-24, 0x1p-126};
template <>
inline constexpr Rounding kRounding<__half> = {0x1p-11, 0x1p-24};
template <>
inline constexpr Rounding kRounding<__nv_bfloat16> = {0x1p-8, 0x1p-126};

/// Of an array.
struct Size {
  std::int64_t rows;
  std::int64_t cols;
};

/// An index of a std::vector.
inline std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// That a call fails so, in words that have these among them.
inline void check_refused(const softmax_worklog::Status& status, softmax_worklog_status code,
                          const std::string& text) {
  CHECK(status.code() == code);
  CHECK_MESSAGE(status.message().find(text) != std::string::npos, status.message());
}

/// The same for an argument that is out of its range.
inline void check_invalid(const softmax_worklog::Status& status, const std::string& text) {
  check_refused(status, SOFTMAX_WORKLOG_INVALID_ARGUMENT, text);
}

/// Logits of deviation 2, rounded to T.
template <typename T>
std::vector<T> random_array(std::int64_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> bell(0.0f, 2.0f);
  std::vector<T> array(static_cast<std::size_t>(count));
  for (T& x : array)
    x = static_cast<T>(bell(random));
  return array;
}

/// In double precision.
template <typename T>
std::vector<double> wide(const std::vector<T>& array, std::int64_t row, std::int64_t cols) {
  std::vector<double> made(static_cast<std::size_t>(cols));
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = static_cast<float>(array[static_cast<std::size_t>(row * cols) + i]);
  return made;
}

/// Where a table's ranges of columns end: four times for each doubling.
inline std::vector<std::int64_t> column_ends() {
  std::vector<std::int64_t> ends = {1, 2, 3};
  for (std::int64_t four = 4; static_cast<int>(ends.size()) < kTableColumns; four *= 2) {
    for (std::int64_t quarter = 0; quarter < 4; ++quarter)
      ends.push_back(four + quarter * four / 4);
  }
  ends.resize(kTableColumns);
  return ends;
}

/// In device memory.
template <typename T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> buffer(static_cast<std::int64_t>(host.size()));
  buffer.upload(host);
  return buffer;
}

}  // namespace worklog::library::tests
