/// \file
/// softmax_worklog._core: the registered steps, for Python. What users call is beside it, in
/// softmax_worklog/__init__.py: it looks at the arguments and makes the results' arrays.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/cuda/check.h"
#include "common/cuda/device.h"
#include "common/step/step.h"
#include "common/step/validate.h"
#include "python/arrays.h"
#include "python/calls.h"
#include "python/dtypes.h"
#include "python/fast_calls.h"
#include "python/turns.h"

namespace nb = nanobind;

namespace worklog::python {
namespace {

// ---- steps ----

/// The function of the module that a step is for; others are named, too, and none takes them.
const char* function_of(const Step& step) {
  switch (step.operation()) {
    case Operation::kSoftmax:
      return "softmax";
    case Operation::kLogSoftmax:
      return "log_softmax";
    case Operation::kSoftmaxTopK:
    case Operation::kSoftmaxThenTopK:
      return "topk";
    case Operation::kTopKOfValues:
      return "topk_of_values";
    case Operation::kNegativeLogLikelihood:
      return "negative_log_likelihood";
    case Operation::kSoftmaxBackward:
      return "softmax_backward";
    case Operation::kLogSoftmaxBackward:
      return "log_softmax_backward";
    case Operation::kCrossEntropy:
      return "cross_entropy";
    case Operation::kAttention:
      return "attention";
  }
  return "";
}

std::optional<std::int64_t> max_rows_of(const Step& step) {
  if (step.info.max_rows == StepInfo{}.max_rows) return std::nullopt;
  return step.info.max_rows;
}

std::optional<std::int64_t> max_cols_of(const Step& step) {
  if (step.info.max_cols == nullptr) return std::nullopt;
  return step.info.most_cols(sizeof(float), 0);
}

/// That any step takes.
int largest_k() {
  int largest = 0;
  for (const Step& step : all_steps())
    largest = std::max(largest, step.info.max_k);
  return largest;
}

std::int64_t predicted(const Step& step, const Accesses& accesses, std::int64_t rows,
                       std::int64_t cols, std::int64_t k, nb::handle dtype) {
  const std::size_t element_bytes = size_of(dtype_from_name(step_dtype_of(dtype)));
  validate_shape(rows, cols, element_bytes);
  return rows == 0 || cols == 0 ? 0 : step.info.total(accesses, rows, cols, k, element_bytes, 0);
}

std::vector<const Step*> steps() {
  std::vector<const Step*> all;
  for (const Step& step : all_steps())
    all.push_back(&step);
  return all;
}

// ---- calls ----

softmax_worklog_operation operation_from(const std::string& name) {
  const std::pair<const char*, softmax_worklog_operation> named[] = {
      {"softmax", SOFTMAX_WORKLOG_SOFTMAX},
      {"log_softmax", SOFTMAX_WORKLOG_LOG_SOFTMAX},
      {"topk", SOFTMAX_WORKLOG_TOP_K},
      {"softmax_backward", SOFTMAX_WORKLOG_SOFTMAX_BACKWARD},
      {"log_softmax_backward", SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD},
      {"cross_entropy", SOFTMAX_WORKLOG_CROSS_ENTROPY},
      {"cross_entropy_loss", SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS}};
  std::string names;
  for (const auto& [text, operation] : named) {
    if (name == text) return operation;
    names += (names.empty() ? "" : ", ") + std::string(text);
  }
  throw std::invalid_argument("operation '" + name + "': must be one of " + names);
}

void run(const Step& step, const std::string& dtype, const Input& logits,
         const MaybeOutput& columns, const MaybeOutput& values, const MaybeOutput& indices, int k,
         std::uintptr_t stream) {
  call_step(step, {.operation = SOFTMAX_WORKLOG_SOFTMAX,
                   .dtype = dtype,
                   .x = &logits,
                   .columns = &columns,
                   .values = &values,
                   .indices = &indices,
                   .k = k,
                   .stream = stream});
}

void forward(const std::string& operation, const std::string& dtype, const Input& logits,
             const MaybeOutput& columns, std::uintptr_t stream) {
  call_library({.operation = operation_from(operation),
                .dtype = dtype,
                .x = &logits,
                .columns = &columns,
                .stream = stream});
}

void backward(const std::string& operation, const std::string& dtype, const Input& results,
              const Input& gradients, const MaybeOutput& logit_gradients, std::uintptr_t stream) {
  call_library({.operation = operation_from(operation),
                .dtype = dtype,
                .x = &results,
                .gradients = &gradients,
                .columns = &logit_gradients,
                .stream = stream});
}

void scale_backward(const std::string& operation, const std::string& dtype, const Input& results,
                    const Input& gradients, const std::string& logits_dtype,
                    const MaybeOutput& logit_gradients, float scale, std::uintptr_t stream) {
  call_scale_backward(
      {.logarithm = operation_from(operation) == SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD,
       .dtype = dtype,
       .logits_dtype = logits_dtype,
       .results = &results,
       .gradients = &gradients,
       .logit_gradients = &logit_gradients,
       .scale = scale,
       .stream = stream});
}

void topk(const std::string& dtype, const Input& logits, const MaybeOutput& values,
          const MaybeOutput& indices, int k, std::uintptr_t stream) {
  call_library({.operation = SOFTMAX_WORKLOG_TOP_K,
                .dtype = dtype,
                .x = &logits,
                .values = &values,
                .indices = &indices,
                .k = k,
                .stream = stream});
}

void sort(const std::string& dtype, const Input& keys, const MaybeOutput& values,
          const MaybeOutput& indices, std::int64_t k, bool largest, bool probabilities,
          double scale, std::uintptr_t stream) {
  call_sort({dtype, &keys, &values, &indices, k, largest, probabilities, scale, stream});
}

void cross_entropy(const std::string& dtype, const Input& logits, const Input& labels,
                   const MaybeOutput& losses, const MaybeOutput& loss, const MaybeOutput& gradients,
                   std::int64_t ignore_index, double label_smoothing, int reduction,
                   std::uintptr_t stream) {
  call_library(
      {.operation = gradients ? SOFTMAX_WORKLOG_CROSS_ENTROPY : SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS,
       .dtype = dtype,
       .x = &logits,
       .labels = &labels,
       .columns = &gradients,
       .values = &losses,
       .loss = &loss,
       .options = {.ignore_index = ignore_index,
                   .label_smoothing = static_cast<float>(label_smoothing),
                   .z_loss = 0.0f,
                   .reduction = static_cast<softmax_worklog_reduction>(reduction)},
       .label_smoothing = label_smoothing,
       .stream = stream});
}

void scale_mask(const std::string& operation, const std::string& dtype, const StridedInput& logits,
                std::int64_t logits_stride, const std::string& results_dtype,
                const StridedOutput& results, std::int64_t results_stride, float scale,
                const std::optional<StridedInput>& mask, std::int64_t mask_rows,
                std::int64_t mask_stride, std::int64_t mask_matrices, std::int64_t mask_matrix_rows,
                bool is_causal, std::int64_t queries, std::int64_t causal_offset,
                std::uintptr_t stream) {
  call_scale_mask({.logarithm = operation_from(operation) == SOFTMAX_WORKLOG_LOG_SOFTMAX,
                   .dtype = dtype,
                   .results_dtype = results_dtype,
                   .logits = &logits,
                   .mask = mask ? &*mask : nullptr,
                   .results = &results,
                   .options = {.scale = scale,
                               .mask = nullptr,
                               .mask_rows = mask_rows,
                               .mask_stride = mask_stride,
                               .mask_matrices = mask_matrices,
                               .mask_matrix_rows = mask_matrix_rows,
                               .is_causal = is_causal ? 1 : 0,
                               .queries = queries,
                               .causal_offset = causal_offset,
                               .logits_stride = logits_stride,
                               .results_stride = results_stride},
                   .stream = stream});
}

// How rows lie: elements from a row to the next, how many are a matrix or 0 for all, and elements
// from a matrix to the next.
using RowLayout = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

softmax_worklog_scale_options scaling_of(float scale, const RowLayout& layout) {
  const auto [stride, matrix_rows, matrix_stride] = layout;
  return {.scale = scale,
          .logits_stride = stride,
          .gradients_stride = 0,
          .matrix_rows = matrix_rows,
          .logits_matrix_stride = matrix_stride,
          .gradients_matrix_stride = 0};
}

void scale_topk(const std::string& dtype, const StridedInput& logits, const RowLayout& layout,
                const MaybeOutput& values, const MaybeOutput& indices, int k, float scale,
                std::uintptr_t stream) {
  call_scale({.operation = SOFTMAX_WORKLOG_TOP_K,
              .dtype = dtype,
              .logits = &logits,
              .values = &values,
              .indices = &indices,
              .k = k,
              .scaling = scaling_of(scale, layout),
              .stream = stream});
}

void scale_cross_entropy(const std::string& dtype, const StridedInput& logits,
                         const RowLayout& layout, const Input& labels, const MaybeOutput& losses,
                         const MaybeOutput& loss, const MaybeOutput& gradients,
                         std::int64_t ignore_index, float label_smoothing, int reduction,
                         std::uintptr_t stream) {
  call_scale(
      {.operation = gradients ? SOFTMAX_WORKLOG_CROSS_ENTROPY : SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS,
       .dtype = dtype,
       .logits = &logits,
       .labels = &labels,
       .gradients = &gradients,
       .values = &losses,
       .loss = &loss,
       .options = {.ignore_index = ignore_index,
                   .label_smoothing = label_smoothing,
                   .z_loss = 0.0f,
                   .reduction = static_cast<softmax_worklog_reduction>(reduction)},
       .scaling = scaling_of(1.0f, layout),
       .stream = stream});
}

const Step& step_for(const std::string& operation, std::int64_t rows, std::int64_t cols, int k,
                     nb::handle dtype) {
  return picked_step(operation_from(operation), step_dtype_of(dtype), {rows, cols}, k);
}

std::string machine() {
#ifdef SIMT_EXECUTOR
  return "cpu";
#else
  return current_device().name;
#endif
}

PyObject* exception_for(softmax_worklog_status status) {
  switch (status) {
    case SOFTMAX_WORKLOG_INVALID_ARGUMENT:
    case SOFTMAX_WORKLOG_INVALID_WORKSPACE:
      return PyExc_ValueError;
    case SOFTMAX_WORKLOG_WRONG_DEVICE:
      return PyExc_BufferError;
    default:
      return PyExc_RuntimeError;
  }
}

void throw_as_python_does(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CudaError& error) {
    const bool no_memory = error.code() == cudaErrorMemoryAllocation;
    PyErr_SetString(no_memory ? PyExc_MemoryError : PyExc_RuntimeError, error.what());
  } catch (const LibraryError& error) {
    PyErr_SetString(exception_for(error.status()), error.what());
  }
}

void bind_step(nb::module_& m) {
  nb::class_<Step>(m, "Step", "One step of the ladder, or a variant of one.")
      .def_ro("name", &Step::name, "The step's directory, such as '05_warp_shuffle'.")
      .def_ro("variant", &Step::variant,
              "'' for the ladder's own kernel, else what differs in it, such as 'safe'.")
      .def_prop_ro("label", &Step::label, "The name, and '/' and the variant where there is one.")
      .def_prop_ro("operation", &function_of,
                   "The function of this module that takes the step: 'softmax', 'log_softmax' or "
                   "'topk'. Any other name is of an operation that the module has no function for.")
      .def_prop_ro(
          "builds_on", [](const Step& step) { return step.info.builds_on; },
          "The label of the step that this one is compared with; '' for the first.")
      .def_prop_ro("max_rows", &max_rows_of,
                   "The most rows that the step takes; None where there is no limit.")
      .def_prop_ro("max_cols", &max_cols_of,
                   "The longest row of float32 that the step takes; None where there is no limit. "
                   "Rows of the other types may be as long, or longer.")
      .def_prop_ro(
          "max_k", [](const Step& step) { return step.is_top_k() ? step.info.max_k : 0; },
          "The largest k that the step takes; 0 where there is no top-k.")
      .def_prop_ro(
          "stores_exponentials", [](const Step& step) { return step.info.stores_exponentials; },
          "Whether exponentials pass through a buffer of x's type, which rounds them once more.")
      .def_prop_ro(
          "storage_arithmetic", [](const Step& step) { return step.info.storage_arithmetic; },
          "Whether the step computes in x's type, where all others do in float32.")
      .def_prop_ro(
          "expected_failure", [](const Step& step) { return step.info.expected_failure; },
          "Where and why a variant that is wrong by design fails; '' for one that is right.")
      .def(
          "predicted_loads",
          [](const Step& step, std::int64_t rows, std::int64_t cols, std::int64_t k,
             nb::handle dtype) { return predicted(step, step.info.loads, rows, cols, k, dtype); },
          nb::arg("rows"), nb::arg("cols"), nb::arg("k") = 0, nb::arg("dtype").none() = "float32",
          "Elements of global memory that the step says it reads for a shape, exactly; of elements "
          "of float32, float16 or bfloat16: such a name, or the type of NumPy or PyTorch.")
      .def(
          "predicted_stores",
          [](const Step& step, std::int64_t rows, std::int64_t cols, std::int64_t k,
             nb::handle dtype) { return predicted(step, step.info.stores, rows, cols, k, dtype); },
          nb::arg("rows"), nb::arg("cols"), nb::arg("k") = 0, nb::arg("dtype").none() = "float32",
          "Elements of global memory that the step says it writes for a shape, exactly; of "
          "elements of float32, float16 or bfloat16: such a name, or the type of NumPy or PyTorch.")
      .def("__repr__", [](const Step& step) {
        return "<Step " + step.label() + ": " + function_of(step) + ">";
      });
}

// Arrays of any library: the stubs would say NumPy's.
void bind_calls(nb::module_& m) {
  m.def("run", &run, nb::arg("step"), nb::arg("dtype"), nb::arg("logits").noconvert(),
        nb::arg("columns").noconvert().none(), nb::arg("values").noconvert().none(),
        nb::arg("indices").noconvert().none(), nb::arg("k"), nb::arg("stream"),
        nb::sig("def run(step: Step, dtype: str, logits: object, columns: object, values: object, "
                "indices: object, k: int, stream: int) -> None"),
        "Launches a step over the last axis of C-contiguous arrays; nothing is copied.");
  m.def("forward", &forward, nb::arg("operation"), nb::arg("dtype"), nb::arg("logits").noconvert(),
        nb::arg("columns").noconvert(), nb::arg("stream"),
        nb::sig("def forward(operation: str, dtype: str, logits: object, columns: object, stream: "
                "int) -> None"),
        "The same of 'softmax' or 'log_softmax', by the step that the library picks.");
  m.def("scale_mask", &scale_mask, nb::arg("operation"), nb::arg("dtype"),
        nb::arg("logits").noconvert(), nb::arg("logits_stride"), nb::arg("results_dtype"),
        nb::arg("results").noconvert(), nb::arg("results_stride"), nb::arg("scale"),
        nb::arg("mask").noconvert().none(), nb::arg("mask_rows"), nb::arg("mask_stride"),
        nb::arg("mask_matrices"), nb::arg("mask_matrix_rows"), nb::arg("is_causal"),
        nb::arg("queries"), nb::arg("causal_offset"), nb::arg("stream"),
        nb::sig("def scale_mask(operation: str, dtype: str, logits: object, logits_stride: int, "
                "results_dtype: str, results: object, results_stride: int, scale: float, "
                "mask: object, mask_rows: int, mask_stride: int, mask_matrices: int, "
                "mask_matrix_rows: int, is_causal: bool, queries: int, "
                "causal_offset: int, stream: int) -> None"),
        "'softmax' or 'log_softmax' of scale * logits + mask, of rows that may lie apart, strides "
        "in elements; nothing is copied.");
  m.def("backward", &backward, nb::arg("operation"), nb::arg("dtype"),
        nb::arg("results").noconvert(), nb::arg("gradients").noconvert(),
        nb::arg("logit_gradients").noconvert(), nb::arg("stream"),
        nb::sig("def backward(operation: str, dtype: str, results: object, gradients: object, "
                "logit_gradients: object, stream: int) -> None"),
        "'softmax_backward' or 'log_softmax_backward'.");
  m.def("scale_backward", &scale_backward, nb::arg("operation"), nb::arg("dtype"),
        nb::arg("results").noconvert(), nb::arg("gradients").noconvert(), nb::arg("logits_dtype"),
        nb::arg("logit_gradients").noconvert(), nb::arg("scale"), nb::arg("stream"),
        nb::sig("def scale_backward(operation: str, dtype: str, results: object, gradients: "
                "object, logits_dtype: str, logit_gradients: object, scale: float, stream: int) "
                "-> None"),
        "The same for logits that were scaled, whose gradients may be of another type.");
  m.def("topk", &topk, nb::arg("dtype"), nb::arg("logits").noconvert(),
        nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("k"),
        nb::arg("stream"),
        nb::sig("def topk(dtype: str, logits: object, values: object, indices: object, k: int, "
                "stream: int) -> None"),
        "The k largest probabilities, by the step that the library picks.");
  m.def("sort", &sort, nb::arg("dtype"), nb::arg("keys").noconvert(), nb::arg("values").noconvert(),
        nb::arg("indices").noconvert(), nb::arg("k"), nb::arg("largest"), nb::arg("probabilities"),
        nb::arg("scale"), nb::arg("stream"),
        nb::sig("def sort(dtype: str, keys: object, values: object, indices: object, k: int, "
                "largest: bool, probabilities: bool, scale: float, stream: int) -> None"),
        "The first k of each row, sorted by a kernel that nobody has tuned; of scale * keys where "
        "probabilities are meant.");
  m.def("cross_entropy", &cross_entropy, nb::arg("dtype"), nb::arg("logits").noconvert(),
        nb::arg("labels").noconvert(), nb::arg("losses").noconvert().none(),
        nb::arg("loss").noconvert().none(), nb::arg("gradients").noconvert().none(),
        nb::arg("ignore_index"), nb::arg("label_smoothing"), nb::arg("reduction"),
        nb::arg("stream"),
        nb::sig("def cross_entropy(dtype: str, logits: object, labels: object, losses: object, "
                "loss: object, gradients: object, ignore_index: int, label_smoothing: float, "
                "reduction: int, stream: int) -> None"),
        "Losses and gradients; without gradients the losses alone, and no option.");
  m.def("scale_topk", &scale_topk, nb::arg("dtype"), nb::arg("logits").noconvert(),
        nb::arg("layout"), nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("k"), nb::arg("scale"), nb::arg("stream"),
        nb::sig("def scale_topk(dtype: str, logits: object, layout: tuple[int, int, int], "
                "values: object, indices: object, k: int, scale: float, stream: int) -> None"),
        "The k largest probabilities of scale * logits, of rows that may lie apart: elements from "
        "a row to the next, how many are a matrix or 0 for all, and elements from a matrix to the "
        "next; nothing is copied.");
  m.def("scale_cross_entropy", &scale_cross_entropy, nb::arg("dtype"),
        nb::arg("logits").noconvert(), nb::arg("layout"), nb::arg("labels").noconvert(),
        nb::arg("losses").noconvert().none(), nb::arg("loss").noconvert().none(),
        nb::arg("gradients").noconvert().none(), nb::arg("ignore_index"),
        nb::arg("label_smoothing"), nb::arg("reduction"), nb::arg("stream"),
        nb::sig("def scale_cross_entropy(dtype: str, logits: object, "
                "layout: tuple[int, int, int], labels: object, losses: object, loss: object, "
                "gradients: object, ignore_index: int, label_smoothing: float, reduction: int, "
                "stream: int) -> None"),
        "As cross_entropy, of rows that may lie apart, as scale_topk has them. Gradients have no "
        "gap between their rows.");
  m.def("step_for", &step_for, nb::arg("operation"), nb::arg("rows"), nb::arg("cols"),
        nb::arg("k") = 0, nb::arg("dtype").none() = "float32", nb::rv_policy::reference,
        "The step that serves a call without step=, of 'softmax', 'log_softmax', 'topk' or another "
        "operation of the library's, on the current device; of elements of float32, float16 or "
        "bfloat16: such a name, or the type of NumPy or PyTorch. ValueError for a shape that no "
        "step takes, TypeError for another type.");
}

}  // namespace
}  // namespace worklog::python

NB_MODULE(_core, m) {
  using namespace worklog::python;
  m.doc() = "The steps, bound to Python. Use softmax_worklog, which looks at the arguments first.";
  // Steps that a program still holds at its end are no leak: they are static.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(throw_as_python_does);
  bind_step(m);
  make_forks_safe();
  m.attr("DEVICE") = kDevice;
  m.attr("MAX_K") = largest_k();
  m.def("steps", &steps, nb::rv_policy::reference,
        "All steps in the ladder's order, each followed by its variants.");
  bind_calls(m);
  bind_fast_calls(m);
  m.def(
      "counts", &counts_of_last_turn,
      "What the CPU executor counted in the last call of a function, in whatever thread, by name. "
      "Waits for a call that another thread has under way. RuntimeError before any call, after one "
      "that failed with MemoryError or RuntimeError or was interrupted, and on a GPU.");
  m.def("machine", &machine, "'cpu' for the executor, else the name of the current GPU.");
}
