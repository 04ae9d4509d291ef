// Bad input is refused before any launch, with a message that names argument, value and limit.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/step/run.h"
#include "common/step/validate.h"
#include "tests/steps/contract.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

using namespace worklog;

namespace {

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kCols = 5;
constexpr int kK = 2;
constexpr std::int64_t kTwoTo40 = std::int64_t{1} << 40;
constexpr float kUntouched = -7.0f;

std::string text_of(const void* pointer) {
  std::ostringstream text;
  text << "0x" << std::hex << reinterpret_cast<std::uintptr_t>(pointer);
  return text.str();
}

template <typename T>
T* moved(T* pointer, std::ptrdiff_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) +
                              static_cast<std::uintptr_t>(bytes));
}

std::uint64_t launches() {
#ifdef SIMT_EXECUTOR
  return simt::counters().launches;
#else
  return 0;
#endif
}

// A right problem, to be spoilt; there is room for twice its elements.
template <typename T>
struct Memory {
  explicit Memory(const Step& step) : rows(std::min(kRows, step.info.max_rows)) {}

  std::int64_t rows;
  DeviceBuffer<T> logits{std::vector<T>(2 * kRows * kCols, static_cast<T>(1.0f))};
  DeviceBuffer<T> gradients{std::vector<T>(2 * kRows * kCols, static_cast<T>(1.0f))};
  DeviceBuffer<T> probabilities{std::vector<T>(2 * kRows * kCols, static_cast<T>(kUntouched))};
  DeviceBuffer<float> values{std::vector<float>(2 * kRows * kK, kUntouched)};
  DeviceBuffer<std::int64_t> indices{std::vector<std::int64_t>(2 * kRows * kK, -7)};
  DeviceBuffer<std::int64_t> labels{std::vector<std::int64_t>(2 * kRows, 1)};
  DeviceBuffer<T> heads{std::vector<T>(2 * kCols * kHeadDim, static_cast<T>(1.0f))};
  DeviceBuffer<T> outputs{std::vector<T>(2 * kRows * kHeadDim, static_cast<T>(kUntouched))};

  Softmax<T> softmax() {
    return {.logits = logits.data(),
            .probabilities = probabilities.data(),
            .rows = rows,
            .cols = kCols};
  }
  TopK<T> top_k() {
    return {.logits = logits.data(),
            .values = values.data(),
            .indices = indices.data(),
            .rows = rows,
            .cols = kCols,
            .k = kK};
  }
  LogSoftmax<T> log_softmax() {
    return {.logits = logits.data(),
            .log_probabilities = probabilities.data(),
            .rows = rows,
            .cols = kCols};
  }
  NegativeLogLikelihood<T> losses() {
    return {.logits = logits.data(),
            .labels = labels.data(),
            .losses = values.data(),
            .rows = rows,
            .cols = kCols};
  }
  SoftmaxBackward<T> backward() {
    return {.probabilities = logits.data(),
            .gradients = gradients.data(),
            .logit_gradients = probabilities.data(),
            .rows = rows,
            .cols = kCols};
  }
  LogSoftmaxBackward<T> log_backward() {
    return {.log_probabilities = logits.data(),
            .gradients = gradients.data(),
            .logit_gradients = probabilities.data(),
            .rows = rows,
            .cols = kCols};
  }
  CrossEntropy<T> cross_entropy() {
    return {.logits = logits.data(),
            .labels = {labels.data()},
            .losses = values.data(),
            .log_sum_exps = values.data() + kRows,
            .loss = values.data() + 2 * kRows,
            .gradients = probabilities.data(),
            .rows = rows,
            .cols = kCols};
  }
  Attention<T> attention() {
    return {.queries = heads.data(),
            .keys = heads.data(),
            .values = heads.data(),
            .outputs = outputs.data(),
            .rows = rows,
            .cols = kCols};
  }
  bool is_untouched() const {
    for (const DeviceBuffer<T>* given : {&logits, &gradients, &heads})
      for (const T value : given->download())
        if (static_cast<float>(value) != 1.0f) return false;
    for (const DeviceBuffer<T>* results : {&probabilities, &outputs})
      for (const T value : results->download())
        if (static_cast<float>(value) != kUntouched) return false;
    for (const float value : values.download())
      if (value != kUntouched) return false;
    for (const std::int64_t value : indices.download())
      if (value != -7) return false;
    return true;
  }
};

// Runs the spoilt problem; it must throw exactly this, and leave memory and device alone.
template <typename T, typename Problem>
void check_refused(const Step& step, Memory<T>& memory, const Problem& problem,
                   const std::string& message) {
  CAPTURE(step.label());
  CAPTURE(message);
  const std::uint64_t before = launches();
  std::string what = "(nothing thrown)";
  try {
    run(step, problem, nullptr);
  } catch (const ArgumentError& error) {
    what = error.what();
  }
  CHECK(what == message);
  CHECK(launches() == before);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(memory.is_untouched());
}

// A row that is one column longer than the step takes, even in the largest blocks.
template <typename T, typename Refused>
void check_too_long(const Step& step, const Refused& refused) {
  constexpr int kLargestBlock = 1024;
  const std::int64_t most = step.info.most_cols(sizeof(T), kLargestBlock);
  refused([&](auto& p) { p.rows = 1, p.cols = most + 1, p.block_size = kLargestBlock; },
          "cols = " + std::to_string(most + 1) + ": must be at most " + std::to_string(most) +
              ", the limit of " + step.label() + " in blocks of 1024 threads; " +
              step.info.longer_rows + " takes longer rows");
}

// What is refused of the shape and the blocks, whatever the arrays are. `refused` spoils a problem.
template <typename T, typename Refused>
void check_shape(const Step& step, const Refused& refused) {
  refused([](auto& p) { p.rows = -1; }, "rows = -1: must be 0 or more");
  refused([](auto& p) { p.cols = -3; }, "cols = -3: must be 0 or more");
  if (step.info.max_rows < kTwoTo40) {
    const std::int64_t most = step.info.max_rows;
    const std::string message = "rows = " + std::to_string(most + 1) + ": must be at most " +
                                std::to_string(most) + ", the limit of " + step.label();
    refused([&](auto& p) { p.rows = most + 1; }, message);
    refused([&](auto& p) { p.rows = most + 1, p.cols = 0; }, message);
  } else {
    refused([](auto& p) { p.rows = p.cols = kTwoTo40; },
            "rows * cols = 1099511627776 * 1099511627776: must be at most " +
                std::string(sizeof(T) == 4 ? "2305843009213693951" : "4611686018427387903") +
                " elements of " + std::to_string(sizeof(T)) + " bytes");
  }
  if (step.info.max_cols != nullptr) check_too_long<T>(step, refused);
  for (const int block_size : {-32, 1, 33, 1025, 1056}) {
    refused([&](auto& p) { p.block_size = block_size; },
            "block_size = " + std::to_string(block_size) +
                ": must be a multiple of 32 from 32 to 1024");
  }
}

// What is refused of two arrays of the same shape, an input and a result that may be the same.
// `memory_of_input` and `memory_of_result` are twice as long.
template <typename T, typename Problem, typename Refused>
void check_pair(const Problem& right, const T* Problem::*input, T* Problem::*result,
                const std::string& input_name, const std::string& name, T* memory_of_input,
                T* memory_of_result, const Refused& refused) {
  const std::int64_t elements = right.rows * kCols;
  const std::string bytes = std::to_string(elements * std::int64_t{sizeof(T)}) + " bytes";
  refused([&](auto& p) { p.*input = nullptr; },
          input_name + " = null: must be device memory of " + bytes);
  refused([&](auto& p) { p.*result = nullptr; },
          name + " = null: must be device memory of " + bytes);

  const std::string alignment =
      ": must be a multiple of " + std::to_string(sizeof(T)) + ", its type's alignment";
  const T* odd_input = moved(memory_of_input, 1);
  T* odd_result = moved(memory_of_result, 1);
  refused([&](auto& p) { p.*input = odd_input; },
          input_name + " = " + text_of(odd_input) + alignment);
  refused([&](auto& p) { p.*result = odd_result; }, name + " = " + text_of(odd_result) + alignment);

  const std::string overlap =
      ": must be equal to " + input_name + " or clear of " + input_name + ", " + bytes + " from ";
  for (const std::int64_t shift : {std::int64_t{1}, elements - 1}) {
    T* after = memory_of_input + shift;
    refused([&](auto& p) { p.*result = after; },
            name + " = " + text_of(after) + overlap + text_of(memory_of_input));
    T* before = memory_of_result + shift;
    refused([&](auto& p) { p.*input = before; },
            name + " = " + text_of(memory_of_result) + overlap + text_of(before));
  }
}

// Softmax and log-softmax, of which `result` is the member that holds the result.
template <typename T, typename Problem>
void check_columns(const Step& step, const Problem& right, T* Problem::*result,
                   const std::string& name, Memory<T>& memory) {
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const std::string& text) {
    Problem problem = right;
    spoil(problem);
    check_refused(step, memory, problem, text);
  };
  check_shape<T>(step, refused);
  check_pair(right, &Problem::logits, result, "logits", name, memory.logits.data(),
             memory.probabilities.data(), refused);
}

// Their backward passes, of which `results` is the member that holds what the forward pass gave.
template <typename T, typename Problem>
void check_backward(const Step& step, const Problem& right, const T* Problem::*results,
                    const std::string& name_of_results, Memory<T>& memory) {
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const std::string& text) {
    Problem problem = right;
    spoil(problem);
    check_refused(step, memory, problem, text);
  };
  check_shape<T>(step, refused);
  check_pair(right, results, &Problem::logit_gradients, name_of_results, "logit_gradients",
             memory.logits.data(), memory.probabilities.data(), refused);
  check_pair(right, &Problem::gradients, &Problem::logit_gradients, "gradients", "logit_gradients",
             memory.gradients.data(), memory.probabilities.data(), refused);
}

template <typename T>
void check_losses(const Step& step) {
  Memory<T> memory(step);
  using Problem = NegativeLogLikelihood<T>;
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const std::string& text) {
    Problem problem = memory.losses();
    spoil(problem);
    check_refused(step, memory, problem, text);
  };
  refused([](auto& p) { p.rows = -1; }, "rows = -1: must be 0 or more");
  refused([](auto& p) { p.cols = -3; }, "cols = -3: must be 0 or more");
  refused([](auto& p) { p.logits = nullptr; },
          "logits = null: must be device memory of " +
              std::to_string(kRows * kCols * std::int64_t{sizeof(T)}) + " bytes");
  refused([](auto& p) { p.labels = nullptr; }, "labels = null: must be device memory of 24 bytes");
  refused([](auto& p) { p.losses = nullptr; }, "losses = null: must be device memory of 12 bytes");
  const std::int64_t* odd_labels = moved(memory.labels.data(), 4);
  float* odd_losses = moved(memory.values.data(), 2);
  refused([&](auto& p) { p.labels = odd_labels; },
          "labels = " + text_of(odd_labels) + ": must be a multiple of 8, its type's alignment");
  refused([&](auto& p) { p.losses = odd_losses; },
          "losses = " + text_of(odd_losses) + ": must be a multiple of 4, its type's alignment");
  auto* in_logits = reinterpret_cast<float*>(memory.logits.data());
  auto* in_labels = reinterpret_cast<float*>(memory.labels.data());
  refused([&](auto& p) { p.losses = in_logits; },
          "losses = " + text_of(in_logits) + ": must be clear of logits, " +
              std::to_string(kRows * kCols * std::int64_t{sizeof(T)}) + " bytes from " +
              text_of(memory.logits.data()));
  refused([&](auto& p) { p.losses = in_labels; }, "losses = " + text_of(in_labels) +
                                                      ": must be clear of labels, 24 bytes from " +
                                                      text_of(memory.labels.data()));
  refused([](auto& p) { p.block_size = 48; },
          "block_size = 48: must be a multiple of 32 from 32 to 1024");
}

template <typename T>
void check_cross_entropy(const Step& step) {
  Memory<T> memory(step);
  using Problem = CrossEntropy<T>;
  const Problem right = memory.cross_entropy();
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const std::string& text) {
    Problem problem = right;
    spoil(problem);
    check_refused(step, memory, problem, text);
  };
  check_shape<T>(step, refused);
  check_pair(right, &Problem::logits, &Problem::gradients, "logits", "gradients",
             memory.logits.data(), memory.probabilities.data(), refused);
  refused([](auto& p) { p.labels = {}; }, "labels = null: must be device memory of 24 bytes");
  refused([](auto& p) { p.losses = nullptr; }, "losses = null: must be device memory of 12 bytes");
  refused([](auto& p) { p.log_sum_exps = nullptr; },
          "log_sum_exps = null: must be device memory of 12 bytes");
  refused([](auto& p) { p.loss = nullptr, p.options.reduction = Reduction::kMean; },
          "loss = null: must be device memory of 4 bytes");
  const std::int64_t* odd_labels = moved(memory.labels.data(), 4);
  refused([&](auto& p) { p.labels = {odd_labels}; },
          "labels = " + text_of(odd_labels) + ": must be a multiple of 8, its type's alignment");
  const auto* odd_short = moved(reinterpret_cast<const std::int32_t*>(memory.labels.data()), 2);
  refused([&](auto& p) { p.labels = {.of_32_bits = odd_short}; },
          "labels = " + text_of(odd_short) + ": must be a multiple of 4, its type's alignment");
  auto* in_logits = reinterpret_cast<float*>(memory.logits.data());
  refused([&](auto& p) { p.losses = in_logits; },
          "losses = " + text_of(in_logits) + ": must be clear of logits, " +
              std::to_string(kRows * kCols * std::int64_t{sizeof(T)}) + " bytes from " +
              text_of(memory.logits.data()));
  float* losses = memory.values.data();
  refused([&](auto& p) { p.log_sum_exps = losses + 1; },
          "log_sum_exps = " + text_of(losses + 1) + ": must be clear of losses, 12 bytes from " +
              text_of(losses));
  refused([](auto& p) { p.options.label_smoothing = -0.5f; },
          "label_smoothing = -0.5: must be from 0 to 1");
  refused([](auto& p) { p.options.label_smoothing = 1.25f; },
          "label_smoothing = 1.25: must be from 0 to 1");
  refused([](auto& p) { p.options.z_loss = -1.0f; }, "z_loss = -1: must be 0 or more, and finite");
  refused([](auto& p) { p.options.z_loss = std::numeric_limits<float>::infinity(); },
          "z_loss = inf: must be 0 or more, and finite");
  refused(
      [](auto& p) {
        p.rows = std::int64_t{1} << 31, p.cols = 1, p.options.reduction = Reduction::kSum;
      },
      "rows = 2147483648: must be at most 2147483647, the limit of a sum or mean of losses");
}

template <typename T>
void check_attention(const Step& step) {
  Memory<T> memory(step);
  using Problem = Attention<T>;
  const auto refused = [&](const std::function<void(Problem&)>& spoil, const std::string& text) {
    Problem problem = memory.attention();
    spoil(problem);
    check_refused(step, memory, problem, text);
  };
  check_shape<T>(step, refused);
  const auto bytes_of = [](std::int64_t rows) {
    return std::to_string(rows * kHeadDim * std::int64_t{sizeof(T)}) + " bytes";
  };
  struct Given {
    const T* Problem::*array;
    std::string name;
    std::int64_t rows;
  };
  const std::string alignment =
      ": must be a multiple of " + std::to_string(sizeof(T)) + ", its type's alignment";
  const T* odd = moved(memory.heads.data(), 1);
  T* odd_outputs = moved(memory.outputs.data(), 1);
  for (const auto& [array, name, rows] :
       {Given{&Problem::queries, "queries", kRows}, Given{&Problem::keys, "keys", kCols},
        Given{&Problem::values, "values", kCols}}) {
    refused([&](auto& p) { p.*array = nullptr; },
            name + " = null: must be device memory of " + bytes_of(rows));
    refused([&](auto& p) { p.*array = odd; }, name + " = " + text_of(odd) + alignment);
    refused(
        [&](auto& p) {
          p.queries = p.keys = p.values = memory.heads.data() + kCols * kHeadDim;
          p.*array = memory.heads.data();
          p.outputs = memory.heads.data() + 1;
          p.rows = 1;  // so that outputs end before the others begin
        },
        "outputs = " + text_of(memory.heads.data() + 1) + ": must be clear of " + name + ", " +
            bytes_of(rows == kRows ? 1 : rows) + " from " + text_of(memory.heads.data()));
  }
  refused([](auto& p) { p.outputs = nullptr; },
          "outputs = null: must be device memory of " + bytes_of(kRows));
  refused([&](auto& p) { p.outputs = odd_outputs; },
          "outputs = " + text_of(odd_outputs) + alignment);
}

template <typename T>
void check_top_k(const Step& step) {
  Memory<T> memory(step);
  const auto refused = [&](const std::function<void(TopK<T>&)>& spoil, const std::string& text) {
    TopK<T> problem = memory.top_k();
    spoil(problem);
    check_refused(step, memory, problem, text);
  };

  refused([](auto& p) { p.rows = -1; }, "rows = -1: must be 0 or more");
  refused([](auto& p) { p.cols = -3; }, "cols = -3: must be 0 or more");
  refused([](auto& p) { p.rows = p.cols = kTwoTo40; },
          "rows * cols = 1099511627776 * 1099511627776: must be at most " +
              std::string(sizeof(T) == 4 ? "2305843009213693951" : "4611686018427387903") +
              " elements of " + std::to_string(sizeof(T)) + " bytes");

  const std::string limit =
      ": must be from 1 to " + std::to_string(step.info.max_k) + ", the limit of " + step.label();
  for (const int k : {-1, 0}) {
    refused([&](auto& p) { p.k = k; }, "k = " + std::to_string(k) + limit);
  }
  const int too_large = step.info.max_k + 1;
  const std::string& larger = step.info.larger_k;
  refused([&](auto& p) { p.k = too_large; },
          "k = " + std::to_string(too_large) + limit +
              (larger.empty() ? "" : "; " + larger + " takes a larger one"));
  if (step.info.max_cols == nullptr) {
    refused([](auto& p) { p.cols = (std::int64_t{1} << 32) + 1; },
            "cols = 4294967297: must be at most 4294967296, the limit of " + step.label());
  } else {
    check_too_long<T>(step, refused);
  }
  refused([](auto& p) { p.k = kCols + 1; }, "k = 6: must be at most cols = 5");
  refused([](auto& p) { p.cols = 0; }, "k = 2: must be at most cols = 0");
  refused([](auto& p) { p.rows = 0, p.k = 0; }, "k = 0" + limit);

  refused([](auto& p) { p.logits = nullptr; },
          "logits = null: must be device memory of " +
              std::to_string(kRows * kCols * std::int64_t{sizeof(T)}) + " bytes");
  refused([](auto& p) { p.values = nullptr; }, "values = null: must be device memory of 24 bytes");
  refused([](auto& p) { p.indices = nullptr; },
          "indices = null: must be device memory of 48 bytes");

  const T* odd_logits = moved(memory.logits.data(), 1);
  float* odd_values = moved(memory.values.data(), 2);
  std::int64_t* odd_indices = moved(memory.indices.data(), 4);
  refused([&](auto& p) { p.logits = odd_logits; },
          "logits = " + text_of(odd_logits) + ": must be a multiple of " +
              std::to_string(sizeof(T)) + ", its type's alignment");
  refused([&](auto& p) { p.values = odd_values; },
          "values = " + text_of(odd_values) + ": must be a multiple of 4, its type's alignment");
  refused([&](auto& p) { p.indices = odd_indices; },
          "indices = " + text_of(odd_indices) + ": must be a multiple of 8, its type's alignment");

  auto* values_in_logits = reinterpret_cast<float*>(memory.logits.data());
  auto* indices_in_logits = reinterpret_cast<std::int64_t*>(memory.logits.data());
  auto* indices_in_values = reinterpret_cast<std::int64_t*>(memory.values.data());
  const std::string clear_of_logits = ": must be clear of logits, " +
                                      std::to_string(kRows * kCols * std::int64_t{sizeof(T)}) +
                                      " bytes from " + text_of(memory.logits.data());
  refused([&](auto& p) { p.values = values_in_logits; },
          "values = " + text_of(values_in_logits) + clear_of_logits);
  refused([&](auto& p) { p.indices = indices_in_logits; },
          "indices = " + text_of(indices_in_logits) + clear_of_logits);
  refused([&](auto& p) { p.indices = indices_in_values; },
          "indices = " + text_of(indices_in_values) + ": must be clear of values, 24 bytes from " +
              text_of(memory.values.data()));

  refused([](auto& p) { p.block_size = 48; },
          "block_size = 48: must be a multiple of 32 from 32 to 1024");
}

// Runs the step on a problem of this kind, which must be refused if it is not the step's own.
template <template <typename> class Problem, typename T>
void check_wrong_kind(const Step& step, Memory<T>& memory, const Problem<T>& problem) {
  if (step.takes<Problem>()) return;
  CAPTURE(step.label());
  std::string what = "(nothing thrown)";
  try {
    run(step, problem, nullptr);
  } catch (const std::invalid_argument& error) {
    what = error.what();
  }
  const char* own = step.is_top_k()                    ? "a TopK problem"
                    : step.takes<LogSoftmax>()         ? "a LogSoftmax problem"
                    : step.takes<Softmax>()            ? "a Softmax problem"
                    : step.takes<SoftmaxBackward>()    ? "a SoftmaxBackward problem"
                    : step.takes<LogSoftmaxBackward>() ? "a LogSoftmaxBackward problem"
                    : step.takes<CrossEntropy>()       ? "a CrossEntropy problem"
                    : step.takes<Attention>()          ? "an Attention problem"
                                                       : "a NegativeLogLikelihood problem";
  CHECK(what == step.label() + " takes " + own);
  CHECK(memory.is_untouched());
}

template <typename T>
void check_wrong_kinds(const Step& step) {
  Memory<T> memory(step);
  check_wrong_kind(step, memory, memory.softmax());
  check_wrong_kind(step, memory, memory.log_softmax());
  check_wrong_kind(step, memory, memory.losses());
  check_wrong_kind(step, memory, memory.backward());
  check_wrong_kind(step, memory, memory.log_backward());
  check_wrong_kind(step, memory, memory.cross_entropy());
  check_wrong_kind(step, memory, memory.attention());
  check_wrong_kind(step, memory, memory.top_k());
}

template <typename T>
void check_arguments(const Step& step) {
  Memory<T> memory(step);
  if (step.is_top_k()) {
    check_top_k<T>(step);
  } else if (step.takes<NegativeLogLikelihood>()) {
    check_losses<T>(step);
  } else if (step.takes<CrossEntropy>()) {
    check_cross_entropy<T>(step);
  } else if (step.takes<Attention>()) {
    check_attention<T>(step);
  } else if (step.takes<SoftmaxBackward>()) {
    check_backward(step, memory.backward(), &SoftmaxBackward<T>::probabilities, "probabilities",
                   memory);
  } else if (step.takes<LogSoftmaxBackward>()) {
    check_backward(step, memory.log_backward(), &LogSoftmaxBackward<T>::log_probabilities,
                   "log_probabilities", memory);
  } else if (step.takes<LogSoftmax>()) {
    check_columns(step, memory.log_softmax(), &LogSoftmax<T>::log_probabilities,
                  "log_probabilities", memory);
  } else {
    check_columns(step, memory.softmax(), &Softmax<T>::probabilities, "probabilities", memory);
  }
}

}  // namespace

TEST_SUITE("bad_input") {
  TEST_CASE("bad arguments are named with their value and limit, and nothing is launched") {
    for (const Step& step : all_steps()) {
      check_arguments<float>(step);
      check_arguments<__half>(step);
      check_arguments<__nv_bfloat16>(step);
    }
  }

  TEST_CASE("a problem of another kind is refused") {
    for (const Step& step : all_steps()) {
      check_wrong_kinds<float>(step);
      check_wrong_kinds<__half>(step);
      check_wrong_kinds<__nv_bfloat16>(step);
    }
  }

  TEST_CASE("a step that needs scratch refuses to run without") {
    for (const Step& step : all_steps()) {
      if (scratch_bytes(step, 1, kCols, DType::kFloat32) == 0) continue;
      CAPTURE(step.label());
      Memory<float> memory(step);
      if (step.takes<CrossEntropy>()) {
        CrossEntropy<float> mean = memory.cross_entropy();
        mean.options.reduction = Reduction::kMean;
        CHECK_THROWS_AS(run(step, mean, nullptr), std::length_error);
      } else if (step.takes<Attention>()) {
        CHECK_THROWS_AS(run(step, memory.attention(), nullptr), std::length_error);
      } else if (step.is_top_k()) {
        CHECK_THROWS_AS(run(step, memory.top_k(), nullptr), std::length_error);
      } else if (step.takes<LogSoftmax>()) {
        CHECK_THROWS_AS(run(step, memory.log_softmax(), nullptr), std::length_error);
      } else {
        CHECK_THROWS_AS(run(step, memory.softmax(), nullptr), std::length_error);
      }
      CHECK(memory.is_untouched());
    }
  }

  // A petabyte, which passes validation: no device has it.
  TEST_CASE("more than the device's memory is a failure that names the bytes") {
    for (const Step& step : all_steps()) {
      CAPTURE(step.label());
      const int power = step.takes<Attention>() ? 42 : 24;  // its arrays are of rows or of columns
      const std::int64_t rows = std::min(std::int64_t{1} << power, step.info.max_rows);
      const std::int64_t cols =
          std::min((std::int64_t{1} << 48) / rows, step.info.most_cols(sizeof(float), 0));
      const Case too_large{DType::kFloat32, (std::int64_t{1} << 48) / cols, cols,
                           step.is_top_k() ? 1 : 0, Input::kEqual};
      const Verdict verdict = verify(step, too_large);
      CHECK_FALSE(verdict.ok);
      CAPTURE(verdict.failure);
      CHECK(verdict.failure.find("cudaMalloc of ") != std::string::npos);
      CHECK(verdict.failure.find("out of memory") != std::string::npos);
      CHECK(cudaGetLastError() == cudaSuccess);
    }
  }
}
