#include "common/step/validate.h"

#include <limits>
#include <sstream>
#include <string>

namespace worklog {

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxBlockSize = 1024;

[[noreturn]] void refuse(const std::string& argument, const std::string& value,
                         const std::string& limit) {
  throw ArgumentError(argument + " = " + value + ": must be " + limit);
}

std::string to_text(float value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string to_text(const void* pointer) {
  if (pointer == nullptr) return "null";
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (auto rest = reinterpret_cast<std::uintptr_t>(pointer); rest != 0; rest /= 16) {
    text.insert(text.begin(), kDigits[rest % 16]);
  }
  return "0x" + text;
}

// An argument that is an array in device memory.
struct Array {
  const char* name;
  const void* data;
  std::int64_t bytes;
  std::size_t alignment;

  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(data); }
  std::uintptr_t end() const { return begin() + static_cast<std::uintptr_t>(bytes); }
};

void validate_array(const Array& array) {
  if (array.bytes == 0) return;
  if (array.data == nullptr) {
    refuse(array.name, "null", "device memory of " + std::to_string(array.bytes) + " bytes");
  }
  if (array.begin() % array.alignment != 0) {
    refuse(array.name, to_text(array.data),
           "a multiple of " + std::to_string(array.alignment) + ", its type's alignment");
  }
}

bool overlap(const Array& a, const Array& b) {
  return a.bytes > 0 && b.bytes > 0 && a.end() > b.begin() && b.end() > a.begin();
}

std::string clear_of(const Array& a) {
  return std::string("clear of ") + a.name + ", " + std::to_string(a.bytes) + " bytes from " +
         to_text(a.data);
}

void refuse_overlap(const Array& a, const Array& b) {
  if (overlap(a, b)) refuse(b.name, to_text(b.data), clear_of(a));
}

// The same of a result that may take the place of `a`.
void refuse_partial_overlap(const Array& a, const Array& b) {
  if (a.data == b.data || !overlap(a, b)) return;
  refuse(b.name, to_text(b.data), std::string("equal to ") + a.name + " or " + clear_of(a));
}

void validate_rows(const Step& step, std::int64_t rows) {
  if (rows <= step.info.max_rows) return;
  refuse("rows", std::to_string(rows),
         "at most " + std::to_string(step.info.max_rows) + ", the limit of " + step.label());
}

void validate_cols(const Step& step, std::int64_t rows, std::int64_t cols,
                   std::size_t element_bytes, int block_size) {
  const std::int64_t most = step.info.most_cols(element_bytes, block_size);
  if (rows == 0 || cols <= most) return;
  const bool larger_blocks = cols <= step.info.most_cols(element_bytes, kMaxBlockSize);
  refuse("cols", std::to_string(cols),
         "at most " + std::to_string(most) + ", the limit of " + step.label() + " in blocks of " +
             std::to_string(block_size) + " threads; " +
             (larger_blocks ? "larger blocks take" : step.info.longer_rows + " takes") +
             " longer rows");
}

void validate_k(const Step& step, int k) {
  if (k >= 1 && k <= step.info.max_k) return;
  const bool has_larger = k > step.info.max_k && !step.info.larger_k.empty();
  refuse("k", std::to_string(k),
         "from 1 to " + std::to_string(step.info.max_k) + ", the limit of " + step.label() +
             (has_larger ? "; " + step.info.larger_k + " takes a larger one" : ""));
}

void validate_block_size(int block_size) {
  if (block_size >= kWarpSize && block_size <= kMaxBlockSize && block_size % kWarpSize == 0) return;
  refuse("block_size", std::to_string(block_size), "a multiple of 32 from 32 to 1024");
}

}  // namespace

void validate_shape(std::int64_t rows, std::int64_t cols, std::size_t element_bytes) {
  if (rows < 0) refuse("rows", std::to_string(rows), "0 or more");
  if (cols < 0) refuse("cols", std::to_string(cols), "0 or more");
  const std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_bytes);
  if (cols > 0 && rows > most / cols) {
    refuse("rows * cols", std::to_string(rows) + " * " + std::to_string(cols),
           "at most " + std::to_string(most) + " elements of " + std::to_string(element_bytes) +
               " bytes");
  }
}

namespace {

// A result of the logits' own shape, which may be in their place.
template <typename T>
void validate_columns(const T* logits, const T* result, const char* name, std::int64_t rows,
                      std::int64_t cols) {
  validate_shape(rows, cols, sizeof(T));
  const std::int64_t bytes = rows * cols * static_cast<std::int64_t>(sizeof(T));
  const Array from{"logits", logits, bytes, alignof(T)};
  const Array to{name, result, bytes, alignof(T)};
  validate_array(from);
  validate_array(to);
  refuse_partial_overlap(from, to);
}

}  // namespace

template <typename T>
void validate(const Step& step, const Softmax<T>& problem) {
  validate_rows(step, problem.rows);
  validate_block_size(problem.block_size);
  validate_shape(problem.rows, problem.cols, sizeof(T));
  validate_cols(step, problem.rows, problem.cols, sizeof(T), problem.block_size);
  validate_columns(problem.logits, problem.probabilities, "probabilities", problem.rows,
                   problem.cols);
}

template <typename T>
void validate(const Step& step, const LogSoftmax<T>& problem) {
  validate_rows(step, problem.rows);
  validate_block_size(problem.block_size);
  validate_shape(problem.rows, problem.cols, sizeof(T));
  validate_cols(step, problem.rows, problem.cols, sizeof(T), problem.block_size);
  validate_columns(problem.logits, problem.log_probabilities, "log_probabilities", problem.rows,
                   problem.cols);
}

template <typename T>
void validate(const Step& step, const NegativeLogLikelihood<T>& problem) {
  validate_rows(step, problem.rows);
  validate_shape(problem.rows, problem.cols, sizeof(T));
  validate_shape(problem.rows, 1, sizeof(std::int64_t));
  validate_block_size(problem.block_size);
  const Array logits{"logits", problem.logits,
                     problem.rows * problem.cols * static_cast<std::int64_t>(sizeof(T)),
                     alignof(T)};
  const Array labels{"labels", problem.labels,
                     problem.rows * static_cast<std::int64_t>(sizeof(std::int64_t)),
                     alignof(std::int64_t)};
  const Array losses{"losses", problem.losses,
                     problem.rows * static_cast<std::int64_t>(sizeof(float)), alignof(float)};
  for (const Array& array : {logits, labels, losses})
    validate_array(array);
  refuse_overlap(logits, losses);
  refuse_overlap(labels, losses);
}

namespace {

// dx, which may be in the place of y or of dy. The two of these may overlap in any way: they are
// only read.
template <typename T, typename Problem>
void validate_backward(const Step& step, const Problem& problem, const T* results,
                       const char* name_of_results) {
  validate_rows(step, problem.rows);
  validate_block_size(problem.block_size);
  validate_shape(problem.rows, problem.cols, sizeof(T));
  validate_cols(step, problem.rows, problem.cols, sizeof(T), problem.block_size);
  const std::int64_t bytes = problem.rows * problem.cols * static_cast<std::int64_t>(sizeof(T));
  const Array forward{name_of_results, results, bytes, alignof(T)};
  const Array gradients{"gradients", problem.gradients, bytes, alignof(T)};
  const Array to{"logit_gradients", problem.logit_gradients, bytes, alignof(T)};
  for (const Array& array : {forward, gradients, to})
    validate_array(array);
  for (const Array& from : {forward, gradients})
    refuse_partial_overlap(from, to);
}

}  // namespace

template <typename T>
void validate(const Step& step, const SoftmaxBackward<T>& problem) {
  validate_backward(step, problem, problem.probabilities, "probabilities");
}

template <typename T>
void validate(const Step& step, const LogSoftmaxBackward<T>& problem) {
  validate_backward(step, problem, problem.log_probabilities, "log_probabilities");
}

void validate_options(const CrossEntropyOptions& options, std::int64_t rows) {
  if (!(options.label_smoothing >= 0.0f && options.label_smoothing <= 1.0f)) {
    refuse("label_smoothing", to_text(options.label_smoothing), "from 0 to 1");
  }
  if (!(options.z_loss >= 0.0f && options.z_loss <= std::numeric_limits<float>::max())) {
    refuse("z_loss", to_text(options.z_loss), "0 or more, and finite");
  }
  constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();
  if (options.reduction != Reduction::kNone && rows > kMostRows) {
    refuse("rows", std::to_string(rows),
           "at most " + std::to_string(kMostRows) + ", the limit of a sum or mean of losses");
  }
}

namespace {

template <typename T>
Array array_of(const char* name, const T* data, std::int64_t count) {
  return {name, data, count * static_cast<std::int64_t>(sizeof(T)), alignof(T)};
}

}  // namespace

template <typename T>
void validate(const Step& step, const CrossEntropy<T>& problem) {
  validate_rows(step, problem.rows);
  validate_block_size(problem.block_size);
  validate_shape(problem.rows, problem.cols, sizeof(T));
  validate_shape(problem.rows, 1, sizeof(std::int64_t));
  validate_cols(step, problem.rows, problem.cols, sizeof(T), problem.block_size);
  validate_options(problem.options, problem.rows);
  const std::int64_t elements = problem.rows * problem.cols;
  const std::int64_t results = problem.cols > 0 ? problem.rows : 0;  // else nothing is written
  const bool reduces = problem.options.reduction != Reduction::kNone && results > 0;
  const bool are_short =
      problem.labels.of_64_bits == nullptr && problem.labels.of_32_bits != nullptr;
  const Array logits = array_of("logits", problem.logits, elements);
  const Array gradients = array_of("gradients", problem.gradients, elements);
  const Array labels = are_short ? array_of("labels", problem.labels.of_32_bits, problem.rows)
                                 : array_of("labels", problem.labels.of_64_bits, problem.rows);
  const Array losses = array_of("losses", problem.losses, results);
  const Array log_sum_exps = array_of("log_sum_exps", problem.log_sum_exps, results);
  const Array loss = array_of("loss", problem.loss, reduces ? 1 : 0);
  for (const Array& array : {logits, labels, losses, log_sum_exps, loss, gradients})
    validate_array(array);
  refuse_partial_overlap(logits, gradients);
  for (const Array& result : {losses, log_sum_exps, loss}) {
    for (const Array& other : {logits, labels, gradients})
      refuse_overlap(other, result);
  }
  refuse_overlap(labels, gradients);
  refuse_overlap(losses, log_sum_exps);
  refuse_overlap(losses, loss);
  refuse_overlap(log_sum_exps, loss);
}

template <typename T>
void validate(const Step& step, const Attention<T>& problem) {
  validate_rows(step, problem.rows);
  validate_block_size(problem.block_size);
  validate_shape(problem.rows, problem.cols, sizeof(T));
  validate_shape(problem.rows, kHeadDim, sizeof(T));
  validate_shape(problem.cols, kHeadDim, sizeof(T));
  validate_cols(step, problem.rows, problem.cols, sizeof(T), problem.block_size);
  const std::int64_t of_keys = problem.rows > 0 ? problem.cols : 0;  // else nothing is read
  const std::int64_t of_rows = problem.cols > 0 ? problem.rows : 0;  // else nothing is written
  const Array outputs = array_of("outputs", problem.outputs, of_rows * kHeadDim);
  const Array given[] = {array_of("queries", problem.queries, of_rows * kHeadDim),
                         array_of("keys", problem.keys, of_keys * kHeadDim),
                         array_of("values", problem.values, of_keys * kHeadDim)};
  for (const Array& array : given)
    validate_array(array);
  validate_array(outputs);
  for (const Array& array : given)
    refuse_overlap(array, outputs);
}

template <typename T>
void validate(const Step& step, const TopK<T>& problem) {
  validate_rows(step, problem.rows);
  validate_block_size(problem.block_size);
  validate_shape(problem.rows, problem.cols, sizeof(T));
  validate_k(step, problem.k);
  validate_cols(step, problem.rows, problem.cols, sizeof(T), problem.block_size);
  if (problem.rows > 0 && problem.cols > kMaxTopKCols) {
    refuse("cols", std::to_string(problem.cols),
           "at most " + std::to_string(kMaxTopKCols) + ", the limit of " + step.label());
  }
  if (problem.k > problem.cols) {
    refuse("k", std::to_string(problem.k), "at most cols = " + std::to_string(problem.cols));
  }
  validate_shape(problem.rows, problem.k, sizeof(std::int64_t));
  const std::int64_t results = problem.rows * problem.k;
  const Array logits{"logits", problem.logits,
                     problem.rows * problem.cols * static_cast<std::int64_t>(sizeof(T)),
                     alignof(T)};
  const Array values{"values", problem.values, results * static_cast<std::int64_t>(sizeof(float)),
                     alignof(float)};
  const Array indices{"indices", problem.indices,
                      results * static_cast<std::int64_t>(sizeof(std::int64_t)),
                      alignof(std::int64_t)};
  for (const Array& array : {logits, values, indices})
    validate_array(array);
  refuse_overlap(logits, values);
  refuse_overlap(logits, indices);
  refuse_overlap(values, indices);
}

template void validate(const Step&, const Softmax<float>&);
template void validate(const Step&, const Softmax<__half>&);
template void validate(const Step&, const Softmax<__nv_bfloat16>&);
template void validate(const Step&, const LogSoftmax<float>&);
template void validate(const Step&, const LogSoftmax<__half>&);
template void validate(const Step&, const LogSoftmax<__nv_bfloat16>&);
template void validate(const Step&, const NegativeLogLikelihood<float>&);
template void validate(const Step&, const NegativeLogLikelihood<__half>&);
template void validate(const Step&, const NegativeLogLikelihood<__nv_bfloat16>&);
template void validate(const Step&, const SoftmaxBackward<float>&);
template void validate(const Step&, const SoftmaxBackward<__half>&);
template void validate(const Step&, const SoftmaxBackward<__nv_bfloat16>&);
template void validate(const Step&, const LogSoftmaxBackward<float>&);
template void validate(const Step&, const LogSoftmaxBackward<__half>&);
template void validate(const Step&, const LogSoftmaxBackward<__nv_bfloat16>&);
template void validate(const Step&, const CrossEntropy<float>&);
template void validate(const Step&, const CrossEntropy<__half>&);
template void validate(const Step&, const CrossEntropy<__nv_bfloat16>&);
template void validate(const Step&, const Attention<float>&);
template void validate(const Step&, const Attention<__half>&);
template void validate(const Step&, const Attention<__nv_bfloat16>&);
template void validate(const Step&, const TopK<float>&);
template void validate(const Step&, const TopK<__half>&);
template void validate(const Step&, const TopK<__nv_bfloat16>&);

}  // namespace worklog
