/// \file
/// PyTorch's tensors, by DLPack's exchange interface: C functions that a type of tensors carries,
/// which tell in a tenth of a microsecond what as many looks in Python take ten times as long for.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <nanobind/nanobind.h>
#include <optional>
#include <vector>

#include "library/include/softmax_worklog/c.h"
#include "python/untuned.h"

namespace worklog::python {

/// A tensor as kernels take it: of the library's types, on the module's kind of device, with its
/// elements in C's order, and not empty.
struct Tensor {
  void* data;
  softmax_worklog_dtype dtype;
  std::vector<std::int64_t> shape;  ///< one dimension or more
  int device;

  /// Rows are along the last dimension.
  Extent extent() const;
  /// Whether both have the same type, shape and device.
  bool is_like(const Tensor& other) const;
};

/// Tensors are of exactly this type from here on, and looked at by the functions in the capsule
/// that it carries (`__dlpack_c_exchange_api__`). `empty_like` is PyTorch's function. False, and
/// nothing changes, where these are of another major version than 1 or lack what is needed.
bool set_tensor_exchange(nanobind::type_object type, const nanobind::capsule& exchange,
                         nanobind::object empty_like);

/// A tensor of that type, if kernels can take it as it lies, and its bits stand for its elements
/// and not for negated ones. Raises nothing.
std::optional<Tensor> plain_tensor(nanobind::handle tensor);

/// A new tensor like one that is plain. Throws nanobind::python_error, as where memory is short.
nanobind::object empty_like(nanobind::handle tensor);

/// The stream on which the caller works with such a device. Throws nanobind::python_error.
cudaStream_t current_stream(const Tensor& tensor);

}  // namespace worklog::python
