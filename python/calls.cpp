#include "python/calls.h"

#include <cuda_runtime.h>

#include <functional>
#include <new>
#include <string_view>
#include <utility>

#include "common/cuda/check.h"
#include "common/step/run.h"
#include "library/known_places.h"
#include "python/stream_scratch.h"
#include "python/turns.h"

namespace worklog::python {
namespace {

constexpr std::string_view kDoubles = "f64";

cudaStream_t stream_of(std::uintptr_t handle) {
  return reinterpret_cast<cudaStream_t>(handle);
}

/// Makes the arrays' GPU the current one, for as long as this lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : device_(device) {
    check(cudaGetDevice(&before_), "asking for the current GPU");
    if (before_ == device) return;
    check(cudaSetDevice(device), "choosing GPU " + std::to_string(device));
  }
  ~CurrentDevice() {
    if (before_ != device_) cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int device_;
  int before_ = 0;
};

// `launch` is all that happens on the device.
template <typename Launch>
void on_device(const Places& places, Extent extent, const Launch& launch) {
  const auto work = [&] {
    const CurrentDevice device(places.device());
    MappedArrays mapped;
    places.map_into(mapped);
    launch();
#ifdef SIMT_EXECUTOR
    check(cudaDeviceSynchronize(), "the end of a kernel");
#endif
  };
  take_turn(extent.rows * extent.cols, std::ref(work));
}

Places places_of(const Call& call) {
  Places places;
  for (const Input* array : {call.x, call.gradients, call.labels}) {
    if (array != nullptr) places.add(*array);
  }
  for (const MaybeOutput* array : {call.columns, call.values, call.indices, call.loss}) {
    if (array != nullptr) places.add(*array);
  }
  return places;
}

const void* data_of(const Input* array) {
  return array == nullptr ? nullptr : array->data();
}
void* data_of(const MaybeOutput* array) {
  return array == nullptr ? nullptr : elements_of<void>(*array);
}

Addresses addresses_of(const Call& call) {
  return {.x = call.x->data(),
          .gradients = data_of(call.gradients),
          .labels = static_cast<const std::int64_t*>(data_of(call.labels)),
          .columns = data_of(call.columns),
          .values = static_cast<float*>(data_of(call.values)),
          .indices = static_cast<std::int64_t*>(data_of(call.indices)),
          .loss = static_cast<float*>(data_of(call.loss))};
}

// In the order of the arrays above.
Places places_of(const PlainCall& call) {
  const auto rows = static_cast<std::size_t>(call.extent.rows);
  const std::size_t elements = rows * static_cast<std::size_t>(call.extent.cols);
  const std::size_t size =
      call.dtype == SOFTMAX_WORKLOG_FLOAT32 ? sizeof(float) : sizeof(std::uint16_t);
  const std::size_t found =
      call.operation == SOFTMAX_WORKLOG_TOP_K ? rows * static_cast<std::size_t>(call.k) : rows;
  Places places(call.device);
  places.add(call.at.x, elements * size, size);
  places.add(call.at.gradients, elements * size, size);
  places.add(call.at.labels, rows * sizeof(std::int64_t), sizeof(std::int64_t));
  places.add(call.at.columns, elements * size, size);
  places.add(call.at.values, found * sizeof(float), sizeof(float));
  places.add(call.at.indices, found * sizeof(std::int64_t), sizeof(std::int64_t));
  places.add(call.at.loss, sizeof(float), sizeof(float));
  places.add(call.workspace.data, call.workspace.bytes, sizeof(float));
  return places;
}

// ---- the library ----

// The library has no status of its own for this.
class NoHostMemory : public std::bad_alloc {
 public:
  explicit NoHostMemory(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

void require(softmax_worklog_status status) {
  if (status == SOFTMAX_WORKLOG_SUCCESS) return;
  const std::string text = softmax_worklog_last_error();
  if (text.starts_with("the host has no memory left")) throw NoHostMemory(text);
  throw LibraryError(status, text);
}

softmax_worklog_dtype library_dtype(const std::string& name) {
  switch (dtype_from_name(name)) {
    case DType::kFloat16:
      return SOFTMAX_WORKLOG_FLOAT16;
    case DType::kBFloat16:
      return SOFTMAX_WORKLOG_BFLOAT16;
    case DType::kFloat32:
      break;
  }
  return SOFTMAX_WORKLOG_FLOAT32;
}

softmax_worklog_status in_library(const PlainCall& call) {
  const softmax_worklog_dtype dtype = call.dtype;
  const Addresses& at = call.at;
  const auto [rows, cols] = call.extent;
  const auto [data, bytes] = call.workspace;
  const cudaStream_t stream = stream_of(call.stream);
  switch (call.operation) {
    case SOFTMAX_WORKLOG_SOFTMAX:
      return softmax_worklog_softmax(dtype, at.x, at.columns, rows, cols, data, bytes, stream);
    case SOFTMAX_WORKLOG_LOG_SOFTMAX:
      return softmax_worklog_log_softmax(dtype, at.x, at.columns, rows, cols, data, bytes, stream);
    case SOFTMAX_WORKLOG_TOP_K:
      return softmax_worklog_top_k(dtype, at.x, at.values, at.indices, rows, cols, call.k, data,
                                   bytes, stream);
    case SOFTMAX_WORKLOG_SOFTMAX_BACKWARD:
      return softmax_worklog_softmax_backward(dtype, at.x, at.gradients, at.columns, rows, cols,
                                              data, bytes, stream);
    case SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD:
      return softmax_worklog_log_softmax_backward(dtype, at.x, at.gradients, at.columns, rows, cols,
                                                  data, bytes, stream);
    case SOFTMAX_WORKLOG_CROSS_ENTROPY:
      return softmax_worklog_cross_entropy(dtype, at.x, at.labels, SOFTMAX_WORKLOG_INT64, at.values,
                                           at.loss, at.columns, rows, cols, &call.options, data,
                                           bytes, stream);
    case SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS:
      break;
  }
  return softmax_worklog_cross_entropy_loss(dtype, at.x, at.labels, at.values, rows, cols, data,
                                            bytes, stream);
}

std::size_t needed_bytes(const PlainCall& call) {
  std::size_t bytes = 0;
  require(softmax_worklog_workspace_bytes(call.operation, call.dtype, call.extent.rows,
                                          call.extent.cols, call.k, &bytes));
  return bytes;
}

void launch_in_library(PlainCall call) {
  if (call.workspace.data != nullptr) return require(in_library(call));
  call.workspace.bytes = needed_bytes(call);
  const StreamScratch scratch(static_cast<std::int64_t>(call.workspace.bytes),
                              stream_of(call.stream));
  call.workspace.data = scratch.data();
  require(in_library(call));
}

// ---- fp64 ----

void launch_of_doubles(const Call& call, Extent extent, const Addresses& at, cudaStream_t stream) {
  if (extent.rows == 0 || extent.cols == 0) return;
  const auto* x = static_cast<const double*>(at.x);
  const auto* gradients = static_cast<const double*>(at.gradients);
  auto* columns = static_cast<double*>(at.columns);
  switch (call.operation) {
    case SOFTMAX_WORKLOG_SOFTMAX:
      return softmax_of_doubles(x, columns, extent, stream);
    case SOFTMAX_WORKLOG_LOG_SOFTMAX:
      return log_softmax_of_doubles(x, columns, extent, stream);
    case SOFTMAX_WORKLOG_SOFTMAX_BACKWARD:
      return softmax_backward_of_doubles(x, gradients, columns, extent, stream);
    case SOFTMAX_WORKLOG_LOG_SOFTMAX_BACKWARD:
      return log_softmax_backward_of_doubles(x, gradients, columns, extent, stream);
    case SOFTMAX_WORKLOG_CROSS_ENTROPY:
    case SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS:
      return cross_entropy_of_doubles({.logits = x,
                                       .labels = at.labels,
                                       .losses = reinterpret_cast<double*>(at.values),
                                       .gradients = columns,
                                       .ignore_index = call.options.ignore_index,
                                       .label_smoothing = call.label_smoothing},
                                      extent, stream);
    case SOFTMAX_WORKLOG_TOP_K:
      break;  // a sort
  }
}

// ---- a step that is named ----

template <typename T>
void run_step(const Step& step, const Call& call, Extent extent, const Addresses& at,
              cudaStream_t stream) {
  const StreamScratch scratch(scratch_bytes(step, extent.rows, extent.cols, dtype_of<T>()), stream);
  run(step,
      AnyProblem<T>{.logits = static_cast<const T*>(at.x),
                    .columns = static_cast<T*>(at.columns),
                    .values = at.values,
                    .indices = at.indices,
                    .rows = extent.rows,
                    .cols = extent.cols,
                    .k = call.k,
                    .scratch = scratch.get()},
      stream);
}

template <typename Key>
void launch_sort(const SortCall& call, Extent extent) {
  const cudaStream_t stream = stream_of(call.stream);
  const StreamScratch scratch(sort_scratch_bytes(extent), stream);
  sort_rows(Sorted<Key>{.keys = elements_of<Key>(*call.keys),
                        .values = elements_of<Key>(*call.values),
                        .indices = elements_of<std::int64_t>(*call.indices),
                        .k = call.k,
                        .largest = call.largest,
                        .probabilities = call.probabilities,
                        .scale = call.scale},
            extent, scratch.get(), stream);
}

}  // namespace

void call_library(const Call& call) {
  const Extent extent = extent_of(*call.x);
  const Addresses at = addresses_of(call);
  on_device(places_of(call), extent, [&] {
    if (call.dtype == kDoubles) {
      return launch_of_doubles(call, extent, at, stream_of(call.stream));
    }
    launch_in_library({.operation = call.operation,
                       .dtype = library_dtype(call.dtype),
                       .extent = extent,
                       .at = at,
                       .k = call.k,
                       .options = call.options,
                       .stream = call.stream});
  });
}

void call_library(const PlainCall& call) {
  on_device(places_of(call), call.extent, [&] {
    const library::PlacesAreKnown known;
    launch_in_library(call);
  });
}

std::size_t workspace_bytes_of(softmax_worklog_operation operation, softmax_worklog_dtype dtype,
                               Extent extent, int device) {
  const CurrentDevice current(device);
  return needed_bytes({.operation = operation, .dtype = dtype, .extent = extent});
}

void call_step(const Step& step, const Call& call) {
  const Extent extent = extent_of(*call.x);
  const Addresses at = addresses_of(call);
  const DType dtype = dtype_from_name(call.dtype);
  on_device(places_of(call), extent, [&] {
    with_type(dtype,
              [&]<typename T>(T) { run_step<T>(step, call, extent, at, stream_of(call.stream)); });
  });
}

void call_sort(const SortCall& call) {
  const Extent extent = extent_of(*call.keys);
  Places places;
  places.add(*call.keys);
  places.add(*call.values);
  places.add(*call.indices);
  on_device(places, extent, [&] {
    if (extent.rows == 0 || call.k == 0) return;
    if (call.dtype == kDoubles) return launch_sort<double>(call, extent);
    launch_sort<std::int64_t>(call, extent);
  });
}

void call_scale_mask(const ScaleMaskCall& call) {
  const Extent extent = extent_of(*call.logits);
  softmax_worklog_scale_mask_options options = call.options;
  Places places;
  if (call.mask != nullptr) {
    places.add_rows(*call.mask, options.mask_stride);
    options.mask = call.mask->data();
  }
  places.add_rows(*call.logits, options.logits_stride);
  places.add_rows(*call.results, options.results_stride);
  const auto launch = call.logarithm ? &softmax_worklog_scale_mask_log_softmax
                                     : &softmax_worklog_scale_mask_softmax;
  on_device(places, extent, [&, logits = call.logits->data(), results = call.results->data()] {
    require(launch(library_dtype(call.dtype), logits, library_dtype(call.results_dtype), results,
                   extent.rows, extent.cols, &options, stream_of(call.stream)));
  });
}

void call_scale_backward(const ScaleBackwardCall& call) {
  const Extent extent = extent_of(*call.results);
  softmax_worklog_scale_backward_options options = SOFTMAX_WORKLOG_SCALE_BACKWARD_DEFAULTS;
  options.scale = call.scale;
  Places places;
  places.add(*call.results);
  places.add(*call.gradients);
  places.add(*call.logit_gradients);
  const auto launch = call.logarithm ? &softmax_worklog_scale_log_softmax_backward
                                     : &softmax_worklog_scale_softmax_backward;
  on_device(places, extent, [&] {
    require(launch(library_dtype(call.dtype), call.results->data(), call.gradients->data(),
                   library_dtype(call.logits_dtype), data_of(call.logit_gradients), extent.rows,
                   extent.cols, &options, stream_of(call.stream)));
  });
}

namespace {

softmax_worklog_status in_library(const ScaleCall& call, Extent extent, Workspace workspace) {
  const softmax_worklog_dtype dtype = library_dtype(call.dtype);
  const auto [rows, cols] = extent;
  const auto [data, bytes] = workspace;
  const cudaStream_t stream = stream_of(call.stream);
  const void* logits = call.logits->data();
  auto* values = static_cast<float*>(data_of(call.values));
  const auto* labels = static_cast<const std::int64_t*>(data_of(call.labels));
  switch (call.operation) {
    case SOFTMAX_WORKLOG_TOP_K:
      return softmax_worklog_scale_top_k(dtype, logits, values,
                                         static_cast<std::int64_t*>(data_of(call.indices)), rows,
                                         cols, call.k, &call.scaling, data, bytes, stream);
    case SOFTMAX_WORKLOG_CROSS_ENTROPY:
      return softmax_worklog_scale_cross_entropy(dtype, logits, labels, SOFTMAX_WORKLOG_INT64,
                                                 values, static_cast<float*>(data_of(call.loss)),
                                                 data_of(call.gradients), rows, cols, &call.options,
                                                 &call.scaling, data, bytes, stream);
    default:
      return softmax_worklog_scale_cross_entropy_loss(dtype, logits, labels, values, rows, cols,
                                                      &call.scaling, data, bytes, stream);
  }
}

}  // namespace

void call_scale(const ScaleCall& call) {
  const Extent extent = extent_of(*call.logits);
  const softmax_worklog_scale_options& lie = call.scaling;
  Places places;
  places.add_rows(*call.logits, lie.logits_stride, lie.matrix_rows, lie.logits_matrix_stride);
  if (call.labels != nullptr) places.add(*call.labels);
  for (const MaybeOutput* array : {call.gradients, call.values, call.indices, call.loss}) {
    if (array != nullptr) places.add(*array);
  }
  on_device(places, extent, [&] {
    const std::size_t bytes = needed_bytes({.operation = call.operation,
                                            .dtype = library_dtype(call.dtype),
                                            .extent = extent,
                                            .k = call.k});
    const StreamScratch scratch(static_cast<std::int64_t>(bytes), stream_of(call.stream));
    require(in_library(call, extent, {scratch.data(), bytes}));
  });
}

const Step& picked_step(softmax_worklog_operation operation, const std::string& dtype,
                        Extent extent, int k) {
  const char* label = nullptr;
  require(
      softmax_worklog_step(operation, library_dtype(dtype), extent.rows, extent.cols, k, &label));
  const std::string_view all = label;
  const std::size_t slash = all.find('/');
  return registered_step(all.substr(0, slash),
                         slash == std::string_view::npos ? "" : all.substr(slash + 1));
}

}  // namespace worklog::python
