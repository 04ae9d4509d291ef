#include "python/fast_calls.h"

#include <cstdint>
#include <utility>

#include "python/calls.h"
#include "python/tensors.h"

namespace nb = nanobind;

namespace worklog::python {
namespace {

// 0 stands for no array.
template <typename T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

void columns_at(int operation, int dtype, std::uintptr_t x, std::uintptr_t gradients,
                std::uintptr_t columns, std::int64_t rows, std::int64_t cols, int device,
                std::uintptr_t stream) {
  call_library(
      {.operation = static_cast<softmax_worklog_operation>(operation),
       .dtype = static_cast<softmax_worklog_dtype>(dtype),
       .extent = {rows, cols},
       .at = {.x = at<void>(x), .gradients = at<void>(gradients), .columns = at<void>(columns)},
       .device = device,
       .stream = stream});
}

// What an operation makes of x, and of gradients alike for one that goes backward. None where a
// tensor is not plain, or they are not alike.
nb::object columns_of(int operation, nb::handle x, nb::handle gradients) {
  const auto of_x = plain_tensor(x);
  if (!of_x) return nb::none();
  void* of_gradients = nullptr;
  if (!gradients.is_none()) {
    const auto given = plain_tensor(gradients);
    if (!given || !given->is_like(*of_x)) return nb::none();
    of_gradients = given->data;
  }
  const Extent extent = of_x->extent();
  const Made columns = empty_like(x);
  call_library({.operation = static_cast<softmax_worklog_operation>(operation),
                .dtype = of_x->dtype,
                .extent = extent,
                .at = {.x = of_x->data, .gradients = of_gradients, .columns = columns.data},
                .device = of_x->device,
                .stream = reinterpret_cast<std::uintptr_t>(current_stream(*of_x))});
  return columns.tensor;
}

void topk_at(int dtype, std::uintptr_t x, std::uintptr_t values, std::uintptr_t indices,
             std::int64_t rows, std::int64_t cols, int k, int device, std::uintptr_t stream) {
  call_library(
      {.operation = SOFTMAX_WORKLOG_TOP_K,
       .dtype = static_cast<softmax_worklog_dtype>(dtype),
       .extent = {rows, cols},
       .at = {.x = at<void>(x), .values = at<float>(values), .indices = at<std::int64_t>(indices)},
       .k = k,
       .device = device,
       .stream = stream});
}

void cross_entropy_at(int dtype, std::uintptr_t x, std::uintptr_t labels, std::uintptr_t losses,
                      std::uintptr_t loss, std::uintptr_t gradients, std::int64_t rows,
                      std::int64_t cols, std::int64_t ignore_index, float label_smoothing,
                      int reduction, std::uintptr_t workspace, std::size_t workspace_bytes,
                      int device, std::uintptr_t stream) {
  call_library({.operation = gradients == 0 ? SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS
                                            : SOFTMAX_WORKLOG_CROSS_ENTROPY,
                .dtype = static_cast<softmax_worklog_dtype>(dtype),
                .extent = {rows, cols},
                .at = {.x = at<void>(x),
                       .labels = at<std::int64_t>(labels),
                       .columns = at<void>(gradients),
                       .values = at<float>(losses),
                       .loss = at<float>(loss)},
                .options = {.ignore_index = ignore_index,
                            .label_smoothing = label_smoothing,
                            .z_loss = 0.0F,
                            .reduction = static_cast<softmax_worklog_reduction>(reduction)},
                .workspace = {at<void>(workspace), workspace_bytes},
                .device = device,
                .stream = stream});
}

// The loss and gradients as cross_entropy_at makes them, as new tensors. None where x is not plain
// or these are no labels for it.
nb::object cross_entropy_of(nb::handle x, nb::handle labels, std::int64_t ignore_index,
                            double label_smoothing, int reduction) {
  const auto of_x = plain_tensor(x);
  if (!of_x) return nb::none();
  const auto of_labels = labels_of_rows(labels, *of_x, ignore_index);
  if (!of_labels) return nb::none();
  const Extent extent = of_x->extent();
  const std::size_t bytes =
      workspace_bytes_of(SOFTMAX_WORKLOG_CROSS_ENTROPY, of_x->dtype, extent, of_x->device);
  const Made gradients = empty_like(x);
  const bool is_one = reduction != SOFTMAX_WORKLOG_NO_REDUCTION;
  const Made loss = is_one ? new_float(x, *of_x) : new_floats(x, labels);
  // From the memory that PyTorch has at hand: to ask CUDA takes longer. The next tensor on the
  // stream may have it.
  const TensorMemory workspace(x, *of_x, bytes);
  call_library({.operation = SOFTMAX_WORKLOG_CROSS_ENTROPY,
                .dtype = of_x->dtype,
                .extent = extent,
                // Nobody asks for the losses of a sum or mean, which are kept in the workspace.
                .at = {.x = of_x->data,
                       .labels = *of_labels,
                       .columns = gradients.data,
                       .values = is_one ? nullptr : static_cast<float*>(loss.data),
                       .loss = is_one ? static_cast<float*>(loss.data) : nullptr},
                .options = {.ignore_index = ignore_index,
                            .label_smoothing = static_cast<float>(label_smoothing),
                            .z_loss = 0.0F,
                            .reduction = static_cast<softmax_worklog_reduction>(reduction)},
                .workspace = {workspace.data(), bytes},
                .device = of_x->device,
                .stream = reinterpret_cast<std::uintptr_t>(current_stream(*of_x))});
  return nb::make_tuple(loss.tensor, gradients.tensor);
}

std::size_t workspace_bytes(int operation, int dtype, std::int64_t rows, std::int64_t cols,
                            int device) {
  return workspace_bytes_of(static_cast<softmax_worklog_operation>(operation),
                            static_cast<softmax_worklog_dtype>(dtype), {rows, cols}, device);
}

}  // namespace

void bind_fast_calls(nb::module_& m) {
  m.def("columns_at", &columns_at, nb::arg("operation"), nb::arg("dtype"), nb::arg("x"),
        nb::arg("gradients"), nb::arg("columns"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("device"), nb::arg("stream"),
        "What forward and backward do, at addresses; operation and dtype are the library's "
        "numbers.");
  m.def("columns_of", &columns_of, nb::arg("operation"), nb::arg("x"), nb::arg("gradients").none(),
        nb::sig("def columns_of(operation: int, x: object, gradients: object) -> object"),
        "The same of tensors of the type that set_tensor_exchange was told of, as a new one: None, "
        "and nothing done, where one is not plain or they are not alike.");
  m.def(
      "set_tensor_exchange",
      [](nb::type_object type, const nb::capsule& exchange, nb::object empty_like,
         nb::object float32, nb::object uint8) {
        return set_tensor_exchange(std::move(type), exchange,
                                   {std::move(empty_like), std::move(float32), std::move(uint8)});
      },
      nb::arg("type"), nb::arg("exchange"), nb::arg("empty_like"), nb::arg("float32"),
      nb::arg("uint8"),
      nb::sig("def set_tensor_exchange(type: type, exchange: object, empty_like: object, "
              "float32: object, uint8: object) -> bool"),
      "Has tensors of that type looked at by DLPack's exchange interface, a capsule, and made by "
      "empty_like and a method new_empty, which knows those types: whether it can be.");
  m.def(
      "is_plain_tensor", [](nb::handle x) { return plain_tensor(x).has_value(); }, nb::arg("x"),
      nb::sig("def is_plain_tensor(x: object) -> bool"),
      "Whether it is of that type, and kernels can take it as it lies.");
  m.def("topk_at", &topk_at, nb::arg("dtype"), nb::arg("x"), nb::arg("values"), nb::arg("indices"),
        nb::arg("rows"), nb::arg("cols"), nb::arg("k"), nb::arg("device"), nb::arg("stream"),
        "What topk does, at addresses.");
  m.def("cross_entropy_at", &cross_entropy_at, nb::arg("dtype"), nb::arg("x"), nb::arg("labels"),
        nb::arg("losses"), nb::arg("loss"), nb::arg("gradients"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("ignore_index"), nb::arg("label_smoothing"), nb::arg("reduction"),
        nb::arg("workspace"), nb::arg("workspace_bytes"), nb::arg("device"), nb::arg("stream"),
        "What cross_entropy does, at addresses, of which 0 stands for no array.");
  m.def("cross_entropy_of", &cross_entropy_of, nb::arg("x"), nb::arg("labels"),
        nb::arg("ignore_index").noconvert(), nb::arg("label_smoothing").noconvert(),
        nb::arg("reduction"),
        nb::sig("def cross_entropy_of(x: object, labels: object, ignore_index: int, "
                "label_smoothing: float, reduction: int) -> tuple[object, object] | None"),
        "The same of tensors, as new ones: the loss, or all losses, and gradients. None, and "
        "nothing done, where x is not plain, or labels are none for it; on the CPU also where one "
        "of them names no class.");
  m.def("workspace_bytes", &workspace_bytes, nb::arg("operation"), nb::arg("dtype"),
        nb::arg("rows"), nb::arg("cols"), nb::arg("device"),
        "What a call at addresses needs beside its arrays.");
}

}  // namespace worklog::python
