/// \file
/// PyTorch's tensors, by DLPack's exchange interface: C functions that a type of tensors carries,
/// which tell in a tenth of a microsecond what as many looks in Python take ten times as long for.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <nanobind/nanobind.h>
#include <optional>
#include <span>

#include "library/include/softmax_worklog/c.h"
#include "python/untuned.h"

namespace worklog::python {

/// A tensor as kernels take it: of the library's types, on the module's kind of device, with its
/// elements in C's order, and not empty. Without a hold on it: whoever calls keeps it.
struct Tensor {
  void* data;
  softmax_worklog_dtype dtype;
  /// One dimension or more, in the tensor's own memory: until Python runs, which may change it.
  std::span<const std::int64_t> shape;
  int device;

  /// Rows are along the last dimension.
  Extent extent() const;
  /// Whether both have the same type, shape and device.
  bool is_like(const Tensor& other) const;
};

/// What new tensors are made with: PyTorch's function, and its names of types.
struct Makers {
  nanobind::object empty_like;
  nanobind::object float32;
  nanobind::object uint8;
};

/// Tensors are of exactly this type from here on, and looked at by the functions in the capsule
/// that it carries (`__dlpack_c_exchange_api__`). False, and nothing changes, where these are of
/// another major version than 1 or lack what is needed.
bool set_tensor_exchange(nanobind::type_object type, const nanobind::capsule& exchange,
                         Makers makers);

/// A tensor of that type, if kernels can take it as it lies, and its bits stand for its elements
/// and not for negated ones. Raises nothing.
std::optional<Tensor> plain_tensor(nanobind::handle tensor);

/// Where labels for a plain tensor's rows begin: a tensor of that type, of int64, that has the
/// shape of those rows and lies as they do, on the same device. On the CPU, where the host sees
/// them, each must name a class or be `ignored`. Else nothing. Raises nothing.
std::optional<const std::int64_t*> labels_of_rows(nanobind::handle labels, const Tensor& rows,
                                                  std::int64_t ignored);

/// A new tensor and where its elements are.
struct Made {
  nanobind::object tensor;
  void* data;
};

/// Like one that is plain. Throws nanobind::python_error, as where memory is short.
Made empty_like(nanobind::handle tensor);

/// A float on the device of a plain tensor. Throws as above.
Made new_float(nanobind::handle tensor, const Tensor& plain);

/// One for each label there.
Made new_floats(nanobind::handle tensor, nanobind::handle labels);

/// Memory for a while, on a tensor's device: PyTorch has it again when this ends, for what comes
/// next on its stream.
class TensorMemory {
 public:
  /// So many bytes, which begin where a workspace of the library's may. Throws as above.
  TensorMemory(nanobind::handle tensor, const Tensor& plain, std::size_t bytes);
  ~TensorMemory();
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;

  /// Where they are.
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  void* managed_ = nullptr;  // of DLPack's, or else
  nanobind::object tensor_;
};

/// The stream on which the caller works with such a device. Throws nanobind::python_error.
cudaStream_t current_stream(const Tensor& tensor);

}  // namespace worklog::python
