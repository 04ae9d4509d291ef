/// \file
/// What the library's tests share.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "library/include/softmax_worklog/c.h"
#include "library/recorded_table.h"

namespace worklog::library::tests {

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
