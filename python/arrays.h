/// \file
/// Arrays as Python hands them over, and as kernels are given them.
#pragma once

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
inline Extent extent_of(const Input& array) {
  if (array.ndim() == 0) throw std::invalid_argument("logits have 0 dimensions: must have 1");
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < array.ndim(); ++i)
    rows *= static_cast<std::int64_t>(array.shape(i));
  return {rows, static_cast<std::int64_t>(array.shape(array.ndim() - 1))};
}

/// Where one array lies, without a hold on it: whoever calls keeps it.
struct Place {
  const void* data;
  std::size_t bytes;
  std::size_t element_bytes;
};

/// All arrays of a call.
class Places {
 public:
  /// Throws std::invalid_argument where they are not on the device that the module was built for.
  void add(const Input& array) {
    if (array.device_type() != kDeviceType) {
      throw std::invalid_argument("an array is on a device of DLPack's type " +
                                  std::to_string(array.device_type()) + ": must be on '" + kDevice +
                                  "', type " + std::to_string(kDeviceType));
    }
    device_ = array.device_id();
    add(Place{array.data(), array.nbytes(), array.itemsize()});
  }
  /// The same for a result.
  void add(const MaybeOutput& array) {
    if (array) add(Place{array->data(), array->nbytes(), array->itemsize()});
  }

  /// Their GPU; 0 on the executor.
  int device() const { return kDeviceType == nanobind::device::cpu::value ? 0 : device_; }
  /// Of the executor's kernels' use.
  void map_into(MappedArrays& mapped) const {
    for (const Place& place : all_)
      mapped.add(place.data, place.bytes, place.element_bytes);
  }

 private:
  // A result may take the place of an input.
  void add(const Place& place) {
    for (const Place& other : all_) {
      if (other.data == place.data) return;
    }
    all_.push_back(place);
  }

  std::vector<Place> all_;
  int device_ = 0;
};

}  // namespace worklog::python
