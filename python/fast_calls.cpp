#include "python/fast_calls.h"

#include <cstdint>

#include "python/calls.h"

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
  m.def("topk_at", &topk_at, nb::arg("dtype"), nb::arg("x"), nb::arg("values"), nb::arg("indices"),
        nb::arg("rows"), nb::arg("cols"), nb::arg("k"), nb::arg("device"), nb::arg("stream"),
        "What topk does, at addresses.");
  m.def("cross_entropy_at", &cross_entropy_at, nb::arg("dtype"), nb::arg("x"), nb::arg("labels"),
        nb::arg("losses"), nb::arg("loss"), nb::arg("gradients"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("ignore_index"), nb::arg("label_smoothing"), nb::arg("reduction"),
        nb::arg("workspace"), nb::arg("workspace_bytes"), nb::arg("device"), nb::arg("stream"),
        "What cross_entropy does, at addresses, of which 0 stands for no array.");
  m.def("workspace_bytes", &workspace_bytes, nb::arg("operation"), nb::arg("dtype"),
        nb::arg("rows"), nb::arg("cols"), nb::arg("device"),
        "What a call at addresses needs beside its arrays.");
}

}  // namespace worklog::python
