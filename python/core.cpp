/// \file
/// softmax_worklog._core: the registered steps, for Python. What users call is beside it, in
/// softmax_worklog/__init__.py: it looks at the arguments and makes the results' arrays.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/cuda/check.h"
#include "common/cuda/device.h"
#include "common/step/run.h"
#include "common/step/step.h"
#include "common/step/validate.h"
#include "python/mapped_arrays.h"
#include "python/stream_scratch.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

namespace nb = nanobind;

namespace worklog::python {
namespace {

using Logits = nb::ndarray<nb::ro, nb::c_contig>;
using Result = nb::ndarray<nb::c_contig>;
using Counts = std::map<std::string, std::uint64_t>;

#ifdef SIMT_EXECUTOR
constexpr int kDeviceType = nb::device::cpu::value;
constexpr const char* kDevice = "cpu";
#else
constexpr int kDeviceType = nb::device::cuda::value;
constexpr const char* kDevice = "cuda";
#endif

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
                       std::int64_t cols, std::int64_t k, const std::string& dtype) {
  const std::size_t element_bytes = size_of(dtype_from_name(dtype));
  validate_shape(rows, cols, element_bytes);
  return rows == 0 || cols == 0 ? 0 : step.info.total(accesses, rows, cols, k, element_bytes, 0);
}

std::vector<const Step*> steps() {
  std::vector<const Step*> all;
  for (const Step& step : all_steps())
    all.push_back(&step);
  return all;
}

// ---- one launch at a time ----

struct LastLaunch {
  std::mutex mutex;
  std::optional<Counts> counts;
};
LastLaunch& last_launch() {
  static LastLaunch instance;
  return instance;
}

#ifdef SIMT_EXECUTOR
Counts counted() {
  Counts counts;
  for (const auto& [name, value] : simt::named(simt::counters()))
    counts.emplace(name, value);
  return counts;
}
#endif

/// Makes the arrays' GPU the current one, for as long as this lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(cudaGetDevice(&before_), "asking for the current GPU");
    check(cudaSetDevice(device), "choosing GPU " + std::to_string(device));
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

template <typename T>
T* data_of(const std::optional<Result>& result) {
  return result ? static_cast<T*>(result->data()) : nullptr;
}

struct Arguments {
  const Step* step;
  const Logits* logits;
  const std::optional<Result>* columns;
  const std::optional<Result>* values;
  const std::optional<Result>* indices;
  int k;
  cudaStream_t stream;
};

template <typename T>
AnyProblem<T> problem_of(const Arguments& given) {
  const Logits& logits = *given.logits;
  const auto cols = static_cast<std::int64_t>(logits.shape(logits.ndim() - 1));
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < logits.ndim(); ++i)
    rows *= static_cast<std::int64_t>(logits.shape(i));
  return {.logits = static_cast<const T*>(logits.data()),
          .labels = nullptr,
          .columns = data_of<T>(*given.columns),
          .values = data_of<float>(*given.values),
          .indices = data_of<std::int64_t>(*given.indices),
          .rows = rows,
          .cols = cols,
          .k = given.k,
          .block_size = 0,
          .scratch = {}};
}

template <typename T>
void run_problem(const Arguments& given) {
  AnyProblem<T> problem = problem_of<T>(given);
  const StreamScratch scratch(scratch_bytes(*given.step, problem.rows, problem.cols, dtype_of<T>()),
                              given.stream);
  problem.scratch = scratch.get();
  worklog::run(*given.step, problem, given.stream);
}

void map(MappedArrays& mapped, const Arguments& given, DType dtype) {
  mapped.add(given.logits->data(), given.logits->nbytes(), size_of(dtype));
  for (const auto& [result, element_bytes] :
       {std::pair(given.columns, size_of(dtype)), std::pair(given.values, sizeof(float)),
        std::pair(given.indices, sizeof(std::int64_t))}) {
    if (*result) mapped.add((*result)->data(), (*result)->nbytes(), element_bytes);
  }
}

// On the executor the work is done when this returns; on a GPU it is on the stream.
void run_and_count(const Arguments& given, DType dtype) {
  LastLaunch& last = last_launch();
  const std::lock_guard lock(last.mutex);
  last.counts.reset();  // a call that fails leaves none
  const CurrentDevice device(kDeviceType == nb::device::cpu::value ? 0 : given.logits->device_id());
  MappedArrays mapped;
  map(mapped, given, dtype);
#ifdef SIMT_EXECUTOR
  simt::reset_counters();
#endif
  with_type(dtype, [&]<typename T>(T) { run_problem<T>(given); });
#ifdef SIMT_EXECUTOR
  check(cudaDeviceSynchronize(), given.step->label());
  last.counts = counted();
#endif
}

void require_device(const Logits& logits) {
  if (logits.device_type() == kDeviceType) return;
  throw std::invalid_argument("logits are on a device of DLPack's type " +
                              std::to_string(logits.device_type()) + ": must be on '" + kDevice +
                              "', type " + std::to_string(kDeviceType));
}

void run(const Step& step, const std::string& dtype_name, const Logits& logits,
         const std::optional<Result>& columns, const std::optional<Result>& values,
         const std::optional<Result>& indices, int k, std::uintptr_t stream) {
  if (logits.ndim() == 0) throw std::invalid_argument("logits have 0 dimensions: must have 1");
  require_device(logits);
  const DType dtype = dtype_from_name(dtype_name);
  const Arguments given{
      &step, &logits, &columns, &values, &indices, k, reinterpret_cast<cudaStream_t>(stream)};
  const nb::gil_scoped_release others_may_run;
  run_and_count(given, dtype);
}

Counts counts() {
#ifdef SIMT_EXECUTOR
  LastLaunch& last = last_launch();
  const std::lock_guard lock(last.mutex);
  if (last.counts) return *last.counts;
  throw std::runtime_error(
      "nothing was launched yet, or the last call failed: call softmax, log_softmax or topk");
#else
  throw std::runtime_error(
      "a GPU counts nothing by itself: counts() needs the module built for the CPU executor");
#endif
}

std::string machine() {
#ifdef SIMT_EXECUTOR
  return "cpu";
#else
  return current_device().name;
#endif
}

void throw_as_python_does(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CudaError& error) {
    const bool no_memory = error.code() == cudaErrorMemoryAllocation;
    PyErr_SetString(no_memory ? PyExc_MemoryError : PyExc_RuntimeError, error.what());
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
             const std::string& dtype) {
            return predicted(step, step.info.loads, rows, cols, k, dtype);
          },
          nb::arg("rows"), nb::arg("cols"), nb::arg("k") = 0, nb::arg("dtype") = "f32",
          "Elements of global memory that the step says it reads for a shape, exactly; of elements "
          "of a type, 'f32', 'f16' or 'bf16'.")
      .def(
          "predicted_stores",
          [](const Step& step, std::int64_t rows, std::int64_t cols, std::int64_t k,
             const std::string& dtype) {
            return predicted(step, step.info.stores, rows, cols, k, dtype);
          },
          nb::arg("rows"), nb::arg("cols"), nb::arg("k") = 0, nb::arg("dtype") = "f32",
          "Elements of global memory that the step says it writes for a shape, exactly; of "
          "elements of a type, 'f32', 'f16' or 'bf16'.")
      .def("__repr__", [](const Step& step) {
        return "<Step " + step.label() + ": " + function_of(step) + ">";
      });
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
  m.attr("DEVICE") = kDevice;
  m.attr("MAX_K") = largest_k();
  m.def("steps", &steps, nb::rv_policy::reference,
        "All steps in the ladder's order, each followed by its variants.");
  m.def("run", &run, nb::arg("step"), nb::arg("dtype"), nb::arg("logits").noconvert(),
        nb::arg("columns").noconvert().none(), nb::arg("values").noconvert().none(),
        nb::arg("indices").noconvert().none(), nb::arg("k"), nb::arg("stream"),
        // Arrays of any library: the stub would say NumPy's.
        nb::sig("def run(step: Step, dtype: str, logits: object, columns: object, values: object, "
                "indices: object, k: int, stream: int) -> None"),
        "Launches a step over the last axis of C-contiguous arrays; nothing is copied.");
  // Without the GIL: it waits for a launch that another thread has under way.
  m.def(
      "counts", &counts, nb::call_guard<nb::gil_scoped_release>(),
      "What the CPU executor counted in the last call of softmax, log_softmax or topk, in whatever "
      "thread, by name. Waits for a call that another thread has under way. RuntimeError before "
      "any call, after one that failed with MemoryError or RuntimeError, and on a GPU.");
  m.def("machine", &machine, "'cpu' for the executor, else the name of the current GPU.");
}
