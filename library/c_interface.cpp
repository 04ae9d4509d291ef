// The functions of the C interface. Each checks its arguments, picks a step and runs it.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "common/step/dtype.h"
#include "common/step/problem.h"
#include "common/step/run.h"
#include "common/step/validate.h"
#include "library/device.h"
#include "library/dispatcher.h"
#include "library/include/softmax_worklog/c.h"
#include "library/kernels/row_layout.h"
#include "library/scale.h"
#include "library/scale_backward.h"
#include "library/scale_mask.h"
#include "library/status.h"
#include "library/workspace.h"

namespace worklog::library {
namespace {

// An error that somebody's earlier call of CUDA left must not be taken for this call's.
template <typename Function>
softmax_worklog_status guarded(Function&& function) {
  cudaGetLastError();
  try {
    function();
    return SOFTMAX_WORKLOG_SUCCESS;
  } catch (...) {
    return status_of_thrown();
  }
}

DType dtype_from(softmax_worklog_dtype dtype, const char* name = "dtype") {
  switch (dtype) {
    case SOFTMAX_WORKLOG_FLOAT32:
      return DType::kFloat32;
    case SOFTMAX_WORKLOG_FLOAT16:
      return DType::kFloat16;
    case SOFTMAX_WORKLOG_BFLOAT16:
      return DType::kBFloat16;
  }
  refuse(name, std::to_string(static_cast<int>(dtype)), "0 (float32), 1 (float16) or 2 (bfloat16)");
}

Reduction reduction_from(softmax_worklog_reduction reduction) {
  switch (reduction) {
    case SOFTMAX_WORKLOG_NO_REDUCTION:
      return Reduction::kNone;
    case SOFTMAX_WORKLOG_SUM:
      return Reduction::kSum;
    case SOFTMAX_WORKLOG_MEAN:
      return Reduction::kMean;
  }
  refuse("options->reduction", std::to_string(static_cast<int>(reduction)),
         "0 (none), 1 (sum) or 2 (mean)");
}

Shape shape_of(softmax_worklog_operation operation, softmax_worklog_dtype dtype, std::int64_t rows,
               std::int64_t cols, int k) {
  const auto number = static_cast<int>(operation);
  if (number < 0 || number >= kOperations) {
    refuse("operation", std::to_string(number), "0 to " + std::to_string(kOperations - 1));
  }
  const Shape shape = {operation, dtype_from(dtype), rows, cols,
                       operation == SOFTMAX_WORKLOG_TOP_K ? k : 0};
  require_shape(shape);
  return shape;
}

// Where a call's results and its workspace go.
struct Place {
  void* workspace;
  std::size_t workspace_bytes;
  cudaStream_t stream;
};

// A call of which shape, place and step are known to be right.
struct Call {
  Shape shape;
  Choice choice;
  CallersWorkspace workspace;
  cudaStream_t stream;
};

// An array of the shape, whose rows may lie apart.
CallersArray matrix(const char* name, const void* data, const Shape& shape,
                    const RowLayout& layout) {
  const std::int64_t elements = shape.rows == 0 ? 0 : layout.begin_of(shape.rows - 1) + shape.cols;
  return {name, data, elements, size_of(shape.dtype)};
}

CallersArray matrix(const char* name, const void* data, const Shape& shape) {
  return {name, data, shape.rows * shape.cols, size_of(shape.dtype)};
}

// Without rows or columns nothing will be touched, and arrays may be anywhere.
Call checked(const Shape& shape, const Place& place, std::initializer_list<CallersArray> arrays) {
  const int device = current_device_index();
  const Choice choice = pick(shape, traits_of(device));
  const std::int64_t needed = workspace_bytes_of(shape, choice);
  const CallersWorkspace workspace(place.workspace, place.workspace_bytes, needed);
  if (shape.rows > 0 && shape.cols > 0) {
    for (const CallersArray& array : arrays) {
      require_on_device({array.name, array.data}, device);
      workspace.require_clear_of(array);
    }
    if (needed > 0) require_on_device({"workspace", place.workspace}, device);
  }
  require_stream_of(place.stream, device);
  return {shape, choice, workspace, place.stream};
}

// What all problems have.
template <typename Problem>
void launch(const Call& call, Problem problem) {
  problem.rows = call.shape.rows;
  problem.cols = call.shape.cols;
  problem.block_size = call.choice.block_size;
  problem.scratch = call.workspace.rest();
  run(*call.choice.candidate->step, problem, call.stream);
}

template <typename T>
const T* input(const void* array) {
  return static_cast<const T*>(array);
}

template <typename T>
T* output(void* array) {
  return static_cast<T*>(array);
}

Labels labels_of(const void* labels, softmax_worklog_label_type type) {
  switch (type) {
    case SOFTMAX_WORKLOG_INT64:
      return {.of_64_bits = input<std::int64_t>(labels)};
    case SOFTMAX_WORKLOG_INT32:
      return {.of_32_bits = input<std::int32_t>(labels)};
  }
  refuse("label_type", std::to_string(static_cast<int>(type)), "0 (int64) or 1 (int32)");
}

CrossEntropyOptions options_of(const softmax_worklog_cross_entropy_options* given) {
  if (given == nullptr) return {};
  const CrossEntropyOptions options = {.ignore_index = given->ignore_index,
                                       .label_smoothing = given->label_smoothing,
                                       .z_loss = given->z_loss,
                                       .reduction = reduction_from(given->reduction)};
  try {
    validate_options(options, 0);
  } catch (const ArgumentError& error) {
    throw ArgumentError(std::string("options->") + error.what());  // as the caller wrote it
  }
  return options;
}

struct ScaleMaskArrays {
  const void* logits;
  DType results_type;
  void* results;
};

void scale_mask(bool logarithm, softmax_worklog_dtype dtype, const ScaleMaskArrays& arrays,
                std::int64_t rows, std::int64_t cols,
                const softmax_worklog_scale_mask_options* options, cudaStream_t stream) {
  const int device = current_device_index();
  traits_of(device);  // refuses a device that there is no kernel for
  with_type(dtype_from(dtype), [&]<typename T>(T) {
    ScaleMaskSoftmax<T> problem = checked_scale_mask(input<T>(arrays.logits), arrays.results_type,
                                                     arrays.results, rows, cols, options);
    problem.logarithm = logarithm;
    require_stream_of(stream, device);
    if (rows == 0 || cols == 0) return;
    require_on_device({"logits", problem.logits}, device);
    require_on_device({"results", problem.results}, device);
    require_on_device({"options->mask", problem.mask}, device);
    run(problem, stream);
  });
}

struct ScaleBackwardArrays {
  const char* results_name;
  const void* results;
  const void* gradients;
  DType logit_type;
  void* logit_gradients;
};

void scale_backward(bool logarithm, softmax_worklog_dtype dtype, const ScaleBackwardArrays& arrays,
                    std::int64_t rows, std::int64_t cols,
                    const softmax_worklog_scale_backward_options* options, cudaStream_t stream) {
  const int device = current_device_index();
  traits_of(device);  // refuses a device that there is no kernel for
  with_type(dtype_from(dtype), [&]<typename T>(T) {
    ScaleBackward<T> problem = checked_scale_backward<T>(
        {arrays.results_name, input<T>(arrays.results), input<T>(arrays.gradients),
         arrays.logit_type, arrays.logit_gradients},
        rows, cols, options);
    problem.logarithm = logarithm;
    require_stream_of(stream, device);
    if (rows == 0 || cols == 0) return;
    require_on_device({arrays.results_name, problem.results}, device);
    require_on_device({"gradients", problem.gradients}, device);
    require_on_device({"logit_gradients", problem.logit_gradients}, device);
    run(problem, stream);
  });
}

struct TopKArrays {
  const void* logits;
  float* values;
  std::int64_t* indices;
};

void top_k(softmax_worklog_dtype dtype, const TopKArrays& arrays, std::int64_t rows,
           std::int64_t cols, int k, const softmax_worklog_scale_options* scaling,
           const Place& place) {
  const Shape shape = shape_of(SOFTMAX_WORKLOG_TOP_K, dtype, rows, cols, k);
  const Scaling asked = checked_scaling(shape, scaling);
  const Call call = checked(shape, place,
                            {matrix("logits", arrays.logits, shape, asked.logits),
                             {"values", arrays.values, rows * k, sizeof(float)},
                             {"indices", arrays.indices, rows * k, sizeof(std::int64_t)}});
  with_type(shape.dtype, [&]<typename T>(T) {
    if (asked.changes_nothing) {
      return launch(call, TopK<T>{.logits = input<T>(arrays.logits),
                                  .values = arrays.values,
                                  .indices = arrays.indices,
                                  .k = k});
    }
    const ScaleTopK<T> problem = {.logits = input<T>(arrays.logits),
                                  .values = arrays.values,
                                  .indices = arrays.indices,
                                  .scale = asked.scale,
                                  .rows = rows,
                                  .cols = cols,
                                  .k = k,
                                  .layout = asked.logits};
    if (rows == 0) return;
    require_arrays(problem);
    run(problem, place.stream);
  });
}

struct CrossEntropyArrays {
  const void* logits;
  Labels labels;
  float* losses;
  float* loss = nullptr;
  void* gradients = nullptr;
};

// Without a step: where logits are scaled, or rows lie apart.
void scale_cross_entropy(Call& call, const CrossEntropyArrays& arrays,
                         const CrossEntropyOptions& options, const Scaling& scaling) {
  const auto& [operation, dtype, rows, cols, k] = call.shape;
  validate_options(options, rows);
  if (rows == 0 || cols == 0) return;
  const bool is_mean = options.reduction == Reduction::kMean;
  float* weight = is_mean ? call.workspace.floats(1) : nullptr;
  with_type(dtype, [&]<typename T>(T) {
    const ScaleCrossEntropy<T> problem = {.logits = input<T>(arrays.logits),
                                          .labels = arrays.labels,
                                          .losses = arrays.losses,
                                          .loss = arrays.loss,
                                          .gradients = output<T>(arrays.gradients),
                                          .weight = weight,
                                          .options = options,
                                          .scale = scaling.scale,
                                          .rows = rows,
                                          .cols = cols,
                                          .logits_layout = scaling.logits,
                                          .gradients_layout = scaling.gradients};
    require_arrays(problem, operation == SOFTMAX_WORKLOG_CROSS_ENTROPY);
    run(problem, call.stream);
  });
}

void cross_entropy(softmax_worklog_dtype dtype, CrossEntropyArrays arrays, std::int64_t rows,
                   std::int64_t cols, const CrossEntropyOptions& options,
                   const softmax_worklog_scale_options* scaling, const Place& place) {
  const Shape shape = shape_of(SOFTMAX_WORKLOG_CROSS_ENTROPY, dtype, rows, cols, 0);
  const Scaling asked = checked_scaling(shape, scaling);
  const CallersArray labels =
      arrays.labels.of_64_bits != nullptr
          ? CallersArray{"labels", arrays.labels.of_64_bits, rows, sizeof(std::int64_t)}
          : CallersArray{"labels", arrays.labels.of_32_bits, rows, sizeof(std::int32_t)};
  Call call = checked(shape, place,
                      {matrix("logits", arrays.logits, shape, asked.logits),
                       labels,
                       {"losses", arrays.losses, rows, sizeof(float)},
                       {"loss", arrays.loss, 1, sizeof(float)},
                       matrix("gradients", arrays.gradients, shape, asked.gradients)});
  const bool computes = rows > 0 && cols > 0;
  const bool reduces = options.reduction != Reduction::kNone;
  float* log_sum_exps = computes ? call.workspace.floats(rows) : nullptr;
  if (arrays.losses == nullptr && reduces && computes) arrays.losses = call.workspace.floats(rows);
  if (!asked.changes_nothing) return scale_cross_entropy(call, arrays, options, asked);
  with_type(shape.dtype, [&]<typename T>(T) {
    launch(call, CrossEntropy<T>{.logits = input<T>(arrays.logits),
                                 .labels = arrays.labels,
                                 .losses = arrays.losses,
                                 .log_sum_exps = log_sum_exps,
                                 .loss = arrays.loss,
                                 .gradients = output<T>(arrays.gradients),
                                 .options = options});
  });
}

void cross_entropy_loss(softmax_worklog_dtype dtype, const void* logits, const std::int64_t* labels,
                        float* losses, std::int64_t rows, std::int64_t cols,
                        const softmax_worklog_scale_options* scaling, const Place& place) {
  const Shape shape = shape_of(SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS, dtype, rows, cols, 0);
  const Scaling asked = checked_scaling(shape, scaling);
  Call call = checked(shape, place,
                      {matrix("logits", logits, shape, asked.logits),
                       {"labels", labels, rows, sizeof(std::int64_t)},
                       {"losses", losses, rows, sizeof(float)}});
  if (!asked.changes_nothing) {
    return scale_cross_entropy(call, {logits, {.of_64_bits = labels}, losses}, {}, asked);
  }
  with_type(shape.dtype, [&]<typename T>(T) {
    launch(call, NegativeLogLikelihood<T>{
                     .logits = input<T>(logits), .labels = labels, .losses = losses});
  });
}

}  // namespace
}  // namespace worklog::library

using namespace worklog;           // NOLINT(google-build-using-namespace)
using namespace worklog::library;  // NOLINT(google-build-using-namespace)

extern "C" {

const char* softmax_worklog_status_name(softmax_worklog_status status) {
  switch (status) {
    case SOFTMAX_WORKLOG_SUCCESS:
      return "success";
    case SOFTMAX_WORKLOG_INVALID_ARGUMENT:
      return "invalid argument";
    case SOFTMAX_WORKLOG_INVALID_WORKSPACE:
      return "invalid workspace";
    case SOFTMAX_WORKLOG_WRONG_DEVICE:
      return "wrong device";
    case SOFTMAX_WORKLOG_UNSUPPORTED_ARCHITECTURE:
      return "unsupported architecture";
    case SOFTMAX_WORKLOG_CUDA_ERROR:
      return "CUDA error";
    case SOFTMAX_WORKLOG_INTERNAL_ERROR:
      return "internal error";
  }
  return "unknown status";
}

const char* softmax_worklog_last_error(void) {
  return last_error();
}

const char* softmax_worklog_architectures(void) {
  return architectures();
}

softmax_worklog_status softmax_worklog_workspace_bytes(softmax_worklog_operation operation,
                                                       softmax_worklog_dtype dtype, int64_t rows,
                                                       int64_t cols, int k, size_t* bytes) {
  return guarded([&] {
    if (bytes == nullptr) refuse("bytes", "null", "where the number goes");
    const Shape shape = shape_of(operation, dtype, rows, cols, k);
    const Choice choice = pick(shape, traits_of(current_device_index()));
    *bytes = static_cast<std::size_t>(workspace_bytes_of(shape, choice));
  });
}

softmax_worklog_status softmax_worklog_step(softmax_worklog_operation operation,
                                            softmax_worklog_dtype dtype, int64_t rows, int64_t cols,
                                            int k, const char** step) {
  return guarded([&] {
    if (step == nullptr) refuse("step", "null", "where the name goes");
    const Shape shape = shape_of(operation, dtype, rows, cols, k);
    *step = pick(shape, traits_of(current_device_index())).candidate->label.c_str();
  });
}

softmax_worklog_status softmax_worklog_softmax(softmax_worklog_dtype dtype, const void* logits,
                                               void* probabilities, int64_t rows, int64_t cols,
                                               void* workspace, size_t workspace_bytes,
                                               softmax_worklog_stream stream) {
  return guarded([&] {
    const Shape shape = shape_of(SOFTMAX_WORKLOG_SOFTMAX, dtype, rows, cols, 0);
    const Call call =
        checked(shape, {workspace, workspace_bytes, stream},
                {matrix("logits", logits, shape), matrix("probabilities", probabilities, shape)});
    with_type(shape.dtype, [&]<typename T>(T) {
      launch(call,
             Softmax<T>{.logits = input<T>(logits), .probabilities = output<T>(probabilities)});
    });
  });
}

softmax_worklog_status softmax_worklog_log_softmax(softmax_worklog_dtype dtype, const void* logits,
                                                   void* log_probabilities, int64_t rows,
                                                   int64_t cols, void* workspace,
                                                   size_t workspace_bytes,
                                                   softmax_worklog_stream stream) {
  return guarded([&] {
    const Shape shape = shape_of(SOFTMAX_WORKLOG_LOG_SOFTMAX, dtype, rows, cols, 0);
    const Call call = checked(
        shape, {workspace, workspace_bytes, stream},
        {matrix("logits", logits, shape), matrix("log_probabilities", log_probabilities, shape)});
    with_type(shape.dtype, [&]<typename T>(T) {
      launch(call, LogSoftmax<T>{.logits = input<T>(logits),
                                 .log_probabilities = output<T>(log_probabilities)});
    });
  });
}

softmax_worklog_status softmax_worklog_scale_mask_softmax(
    softmax_worklog_dtype dtype, const void* logits, softmax_worklog_dtype results_dtype,
    void* results, int64_t rows, int64_t cols, const softmax_worklog_scale_mask_options* options,
    softmax_worklog_stream stream) {
  return guarded([&] {
    scale_mask(false, dtype, {logits, dtype_from(results_dtype, "results_dtype"), results}, rows,
               cols, options, stream);
  });
}

softmax_worklog_status softmax_worklog_scale_mask_log_softmax(
    softmax_worklog_dtype dtype, const void* logits, softmax_worklog_dtype results_dtype,
    void* results, int64_t rows, int64_t cols, const softmax_worklog_scale_mask_options* options,
    softmax_worklog_stream stream) {
  return guarded([&] {
    scale_mask(true, dtype, {logits, dtype_from(results_dtype, "results_dtype"), results}, rows,
               cols, options, stream);
  });
}

softmax_worklog_status softmax_worklog_top_k(softmax_worklog_dtype dtype, const void* logits,
                                             float* values, int64_t* indices, int64_t rows,
                                             int64_t cols, int k, void* workspace,
                                             size_t workspace_bytes,
                                             softmax_worklog_stream stream) {
  return softmax_worklog_scale_top_k(dtype, logits, values, indices, rows, cols, k, nullptr,
                                     workspace, workspace_bytes, stream);
}

softmax_worklog_status softmax_worklog_scale_top_k(softmax_worklog_dtype dtype, const void* logits,
                                                   float* values, int64_t* indices, int64_t rows,
                                                   int64_t cols, int k,
                                                   const softmax_worklog_scale_options* scaling,
                                                   void* workspace, size_t workspace_bytes,
                                                   softmax_worklog_stream stream) {
  return guarded([&] {
    top_k(dtype, {logits, values, indices}, rows, cols, k, scaling,
          {workspace, workspace_bytes, stream});
  });
}

softmax_worklog_status softmax_worklog_softmax_backward(
    softmax_worklog_dtype dtype, const void* probabilities, const void* gradients,
    void* logit_gradients, int64_t rows, int64_t cols, void* workspace, size_t workspace_bytes,
    softmax_worklog_stream stream) {
  return guarded([&] {
    const Shape shape = shape_of(SOFTMAX_WORKLOG_SOFTMAX_BACKWARD, dtype, rows, cols, 0);
    const Call call = checked(
        shape, {workspace, workspace_bytes, stream},
        {matrix("probabilities", probabilities, shape), matrix("gradients", gradients, shape),
         matrix("logit_gradients", logit_gradients, shape)});
    with_type(shape.dtype, [&]<typename T>(T) {
      launch(call, SoftmaxBackward<T>{.probabilities = input<T>(probabilities),
                                      .gradients = input<T>(gradients),
                                      .logit_gradients = output<T>(logit_gradients)});
    });
  });
}

softmax_worklog_status softmax_worklog_log_softmax_backward(
    softmax_worklog_dtype dtype, const void* log_probabilities, const void* gradients,
    void* logit_gradients, int64_t rows, int64_t cols, void* workspace, size_t workspace_bytes,
    softmax_worklog_stream stream) {
  return guarded([&] {
    const Shape shape = shape_of(SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD, dtype, rows, cols, 0);
    const Call call = checked(
        shape, {workspace, workspace_bytes, stream},
        {matrix("log_probabilities", log_probabilities, shape),
         matrix("gradients", gradients, shape), matrix("logit_gradients", logit_gradients, shape)});
    with_type(shape.dtype, [&]<typename T>(T) {
      launch(call, LogSoftmaxBackward<T>{.log_probabilities = input<T>(log_probabilities),
                                         .gradients = input<T>(gradients),
                                         .logit_gradients = output<T>(logit_gradients)});
    });
  });
}

softmax_worklog_status softmax_worklog_scale_softmax_backward(
    softmax_worklog_dtype dtype, const void* probabilities, const void* gradients,
    softmax_worklog_dtype logits_dtype, void* logit_gradients, int64_t rows, int64_t cols,
    const softmax_worklog_scale_backward_options* options, softmax_worklog_stream stream) {
  return guarded([&] {
    scale_backward(false, dtype,
                   {"probabilities", probabilities, gradients,
                    dtype_from(logits_dtype, "logits_dtype"), logit_gradients},
                   rows, cols, options, stream);
  });
}

softmax_worklog_status softmax_worklog_scale_log_softmax_backward(
    softmax_worklog_dtype dtype, const void* log_probabilities, const void* gradients,
    softmax_worklog_dtype logits_dtype, void* logit_gradients, int64_t rows, int64_t cols,
    const softmax_worklog_scale_backward_options* options, softmax_worklog_stream stream) {
  return guarded([&] {
    scale_backward(true, dtype,
                   {"log_probabilities", log_probabilities, gradients,
                    dtype_from(logits_dtype, "logits_dtype"), logit_gradients},
                   rows, cols, options, stream);
  });
}

softmax_worklog_status softmax_worklog_cross_entropy(
    softmax_worklog_dtype dtype, const void* logits, const void* labels,
    softmax_worklog_label_type label_type, float* losses, float* loss, void* gradients,
    int64_t rows, int64_t cols, const softmax_worklog_cross_entropy_options* options,
    void* workspace, size_t workspace_bytes, softmax_worklog_stream stream) {
  return softmax_worklog_scale_cross_entropy(dtype, logits, labels, label_type, losses, loss,
                                             gradients, rows, cols, options, nullptr, workspace,
                                             workspace_bytes, stream);
}

softmax_worklog_status softmax_worklog_scale_cross_entropy(
    softmax_worklog_dtype dtype, const void* logits, const void* labels,
    softmax_worklog_label_type label_type, float* losses, float* loss, void* gradients,
    int64_t rows, int64_t cols, const softmax_worklog_cross_entropy_options* options,
    const softmax_worklog_scale_options* scaling, void* workspace, size_t workspace_bytes,
    softmax_worklog_stream stream) {
  return guarded([&] {
    cross_entropy(dtype, {logits, labels_of(labels, label_type), losses, loss, gradients}, rows,
                  cols, options_of(options), scaling, {workspace, workspace_bytes, stream});
  });
}

softmax_worklog_status softmax_worklog_cross_entropy_loss(softmax_worklog_dtype dtype,
                                                          const void* logits, const int64_t* labels,
                                                          float* losses, int64_t rows, int64_t cols,
                                                          void* workspace, size_t workspace_bytes,
                                                          softmax_worklog_stream stream) {
  return softmax_worklog_scale_cross_entropy_loss(dtype, logits, labels, losses, rows, cols,
                                                  nullptr, workspace, workspace_bytes, stream);
}

softmax_worklog_status softmax_worklog_scale_cross_entropy_loss(
    softmax_worklog_dtype dtype, const void* logits, const int64_t* labels, float* losses,
    int64_t rows, int64_t cols, const softmax_worklog_scale_options* scaling, void* workspace,
    size_t workspace_bytes, softmax_worklog_stream stream) {
  return guarded([&] {
    cross_entropy_loss(dtype, logits, labels, losses, rows, cols, scaling,
                       {workspace, workspace_bytes, stream});
  });
}

}  // extern "C"
