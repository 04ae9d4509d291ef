/// \file
/// Arrays as Python hands them over, and as kernels are given them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nanobind/ndarray.h>
#include <optional>
#include <string>
#include <vector>

#include "python/mapped_arrays.h"
#include "python/untuned.h"

namespace worklog::python {

/// What is read.
using Input = nanobind::ndarray<nanobind::ro, nanobind::c_contig>;
/// What is written.
using Output = nanobind::ndarray<nanobind::c_contig>;
/// What is written where it is asked for.
using MaybeOutput = std::optional<Output>;
/// What is read, of rows that may lie apart.
using StridedInput = nanobind::ndarray<nanobind::ro>;
/// The same of what is written.
using StridedOutput = nanobind::ndarray<>;

/// The type of device that the module was built for, as DLPack numbers them, and its name.
#ifdef SIMT_EXECUTOR
inline constexpr int kDeviceType = nanobind::device::cpu::value;
inline constexpr const char* kDevice = "cpu";
#else
inline constexpr int kDeviceType = nanobind::device::cuda::value;
inline constexpr const char* kDevice = "cuda";
#endif

/// The array's elements, which must be of type T.
template <typename T>
const T* elements_of(const Input& array) {
  return static_cast<const T*>(array.data());
}
/// The same of one that may be absent: then null.
template <typename T>
T* elements_of(const MaybeOutput& array) {
  return array ? static_cast<T*>(array->data()) : nullptr;
}

/// Rows are along the last axis. Throws std::invalid_argument for an array without one.
template <typename Array>
Extent extent_of(const Array& array) {
  if (array.ndim() == 0) throw std::invalid_argument("logits have 0 dimensions: must have 1");
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < array.ndim(); ++i)
    rows *= static_cast<std::int64_t>(array.shape(i));
  return {rows, static_cast<std::int64_t>(array.shape(array.ndim() - 1))};
}

/// Where one array lies, without a hold on it: whoever calls keeps it.
struct Place {
  const std::byte* begin;
  const std::byte* end;
  std::size_t element_bytes;
};

/// All arrays of a call.
class Places {
 public:
  Places() = default;
  /// Of arrays at addresses on that GPU.
  explicit Places(int device) : device_(device) {}

  /// Throws std::invalid_argument where they are not on the device that the module was built for.
  void add(const Input& array) {
    require_device(array.device_type());
    device_ = array.device_id();
    add(array.data(), array.nbytes(), array.itemsize());
  }
  /// The same for a result.
  void add(const MaybeOutput& array) {
    if (array) add(array->data(), array->nbytes(), array->itemsize());
  }
  /// The same for an array whose rows lie `row_stride` elements apart, and after each
  /// `matrix_rows` of them `matrix_stride` from the first of those; 0 rows stand for all.
  template <typename Array>
  void add_rows(const Array& array, std::int64_t row_stride, std::int64_t matrix_rows = 0,
                std::int64_t matrix_stride = 0) {
    require_device(array.device_type());
    device_ = array.device_id();
    const auto [rows, cols] = extent_of(array);
    if (rows == 0 || cols == 0) return;
    if (matrix_rows == 0) matrix_rows = rows;
    const std::int64_t last = rows - 1;
    const std::int64_t elements =
        last / matrix_rows * matrix_stride + last % matrix_rows * row_stride + cols;
    add(array.data(), static_cast<std::size_t>(elements) * array.itemsize(), array.itemsize());
  }

  /// The same for what is at an address, where null stands for no array. A result may take the
  /// place of an input, and two inputs may be parts of one array: what overlaps is mapped as one.
  void add(const void* data, std::size_t bytes, std::size_t element_bytes) {
    // A GPU has its arrays mapped already.
    if (kDeviceType != nanobind::device::cpu::value || data == nullptr) return;
    const auto* begin = static_cast<const std::byte*>(data);
    Place place = {begin, begin + bytes, element_bytes};
    std::erase_if(all_, [&](const Place& other) {
      if (other.end <= place.begin || place.end <= other.begin) return false;
      place.begin = std::min(place.begin, other.begin);
      place.end = std::max(place.end, other.end);
      return true;
    });
    all_.push_back(place);
  }

  /// Their GPU; 0 on the executor.
  int device() const { return kDeviceType == nanobind::device::cpu::value ? 0 : device_; }
  /// Of the executor's kernels' use.
  void map_into(MappedArrays& mapped) const {
    for (const Place& place : all_) {
      mapped.add(place.begin, static_cast<std::size_t>(place.end - place.begin),
                 place.element_bytes);
    }
  }

 private:
  static void require_device(int type) {
    if (type == kDeviceType) return;
    throw std::invalid_argument("an array is on a device of DLPack's type " + std::to_string(type) +
                                ": must be on '" + kDevice + "', type " +
                                std::to_string(kDeviceType));
  }

  std::vector<Place> all_;
  int device_ = 0;
};

}  // namespace worklog::python
