/// \file
/// What a step includes, and how it makes itself known.
///
/// A step is a directory. Its `softmax.cu` holds kernels, a function template that launches them,
/// and one line:
///
///     WORKLOG_STEP(launch, {.builds_on = "04_shared_memory", .loads = {2}, .stores = {1}});
///
/// The tests, the bench and the report find it in the registry; nothing else names it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "common/step/accesses.h"
#include "common/step/block_sizes.h"
#include "common/step/check_launch.h"
#include "common/step/dtype.h"
#include "common/step/problem.h"

namespace worklog {

/// What a step computes. Gains are only printed between steps of the same operation.
enum class Operation {
  kSoftmax,                ///< the probabilities of all columns
  kLogSoftmax,             ///< their logarithms
  kNegativeLogLikelihood,  ///< one loss a row
  kSoftmaxBackward,        ///< the gradients of the logits, from those of the probabilities
  kLogSoftmaxBackward,     ///< the same from those of the logarithms
  kCrossEntropy,           ///< one loss a row, and the gradients of the logits
  kAttention,              ///< values, weighed by the softmax of queries times keys
  kSoftmaxTopK,  ///< the k largest probabilities; the logits are ranked (with a NaN as the largest)
  kSoftmaxThenTopK,  ///< softmax stored in the scratch (its first array, rows x cols of T), then
                     ///< top-k of what it stored
  kTopKOfValues,  ///< the k largest of the given values themselves, with a NaN as the largest; no
                  ///< softmax
};

/// How a step adds up a row's exponentials, which decides how rounding errors grow with the width.
enum class Summation {
  kSerial,  ///< one thread adds all columns
  kTree,    ///< many threads add some columns each, and their sums are combined pairwise
};

/// Largest k of a top-k step that says no other (StepInfo::max_k).
inline constexpr int kUsualMaxK = 128;

/// Fewer rows than these want other blocks: larger ones, which make up for their number. An H200
/// has 132 multiprocessors. The recorded sweep has 256 rows, which want them, and 4000, which do
/// not, and nothing between.
inline constexpr std::int64_t kFewRows = 264;

/// What a step says of itself: its prediction and its limits.
struct StepInfo {
  std::string
      builds_on{};    ///< the step or variant before, "" for the first; a variant's: its comparison
  Accesses loads{};   ///< elements of global memory that it reads
  Accesses stores{};  ///< elements of global memory that it writes
  /// Threads a block, by width. Those of a step stand in its block_sizes.json, not here.
  BlockSizes block_sizes = 256;
  /// For fewer rows than kFewRows, where larger blocks must make up for their number; the same as
  /// block_sizes unless given.
  BlockSizes few_rows_block_sizes{};
  /// For as many rows of a half type, of whose elements a thread holds twice as many; the same as
  /// block_sizes unless given.
  BlockSizes half_block_sizes{};
  /// Rows that the step takes at most: 1 where all blocks share a row.
  std::int64_t max_rows = std::numeric_limits<std::int64_t>::max();
  /// Columns that the step takes at most, of elements of so many bytes and in blocks of so many
  /// threads: what it can hold on the chip. No limit by default.
  std::int64_t (*max_cols)(std::size_t element_bytes, int block_size) = nullptr;
  std::string longer_rows{};  ///< the step that takes longer rows; "" where there is no limit
  int max_k = kUsualMaxK;     ///< the largest k that a top-k step takes
  std::string larger_k{};     ///< the step that takes a larger one; "" where there is none
  Summation summation = Summation::kTree;  ///< how it adds, for the error bound
  /// In fp32 rounds no x - m, and keeps what rounding drops of d: results are within 3 ulp (but
  /// see fast_exponential), and within 0.51 ulp in the other types.
  bool exact_difference = false;
  /// Of such a step: in fp32 takes powers of two on the special function units, whose errors, of
  /// the exponential and of d, make that 6 ulp.
  bool fast_exponential = false;
  /// Of a backward step: in fp32 keeps what rounding drops of a row's sum, so that gradients are
  /// within 2.5 ulp, at the largest of the two terms and their difference.
  bool exact_sum = false;
  bool several_blocks_a_row = false;  ///< of the rows of many, as a cluster's share one
  bool several_rows_a_block = false;  ///< a block's threads share themselves out among rows
  /// Arithmetic in the storage type instead of fp32: held to that type's own error bound.
  bool storage_arithmetic = false;
  /// Exponentials pass through a buffer of the storage type, which rounds them once more.
  bool stores_exponentials = false;
  /// Bytes of scratch for a shape (see Scratch::bytes_for); none by default.
  std::function<std::int64_t(std::int64_t rows, std::int64_t cols, std::size_t element_bytes)>
      scratch_bytes{};
  /// Why a variant that is wrong by design fails, and where: a sentence. "" for a correct one.
  std::string expected_failure{};
  /// A variant with an expected failure is right for finite logits within +-this, and verified
  /// there.
  float largest_logit = std::numeric_limits<float>::infinity();
  /// Which operation a top-k variant performs; ignored for the others.
  Operation top_k_operation = Operation::kSoftmaxTopK;

  /// Loads or stores of a shape, in elements; block_size 0 is the step's own choice.
  std::int64_t total(const Accesses& accesses, std::int64_t rows, std::int64_t cols, std::int64_t k,
                     std::size_t element_bytes, int block_size) const {
    const int threads = block_size > 0 ? block_size : block_size_for(rows, cols, element_bytes);
    return rows == 0 ? 0 : accesses.of({rows, cols, threads, element_bytes, k});
  }

  /// max_cols, or the largest number; block_size 0 asks for the largest blocks, which a step
  /// chooses for its longest rows.
  std::int64_t most_cols(std::size_t element_bytes, int block_size) const {
    constexpr int kLargestBlock = 1024;
    if (max_cols == nullptr) return std::numeric_limits<std::int64_t>::max();
    return max_cols(element_bytes, block_size > 0 ? block_size : kLargestBlock);
  }

  /// Whether a problem is neither too long, in blocks as large as it wants, nor of too many rows,
  /// nor wants too many of the largest (k; 0 where there is no top-k).
  bool takes_shape(std::int64_t rows, std::int64_t cols, std::size_t element_bytes,
                   std::int64_t k = 0) const {
    return rows <= max_rows && cols <= most_cols(element_bytes, 0) && k <= max_k;
  }

  /// The step's own choice for a shape, of elements of so many bytes.
  int block_size_for(std::int64_t rows, std::int64_t cols, std::size_t element_bytes) const {
    const bool few = !few_rows_block_sizes.empty() && rows < kFewRows;
    if (few) return few_rows_block_sizes.for_cols(cols);
    const bool half = !half_block_sizes.empty() && element_bytes == sizeof(__half);
    return (half ? half_block_sizes : block_sizes).for_cols(cols);
  }
};

/// Launches a step's kernels for one storage type on a stream and does not wait for them.
template <template <typename> class Problem, typename T>
using Launch = void (*)(const Problem<T>&, cudaStream_t);

/// One launch function a storage type.
template <template <typename> class Problem>
using Launches =
    std::tuple<Launch<Problem, float>, Launch<Problem, __half>, Launch<Problem, __nv_bfloat16>>;

/// Those of a step of any kind.
using AnyLaunches =
    std::variant<Launches<Softmax>, Launches<LogSoftmax>, Launches<NegativeLogLikelihood>,
                 Launches<TopK>, Launches<SoftmaxBackward>, Launches<LogSoftmaxBackward>,
                 Launches<CrossEntropy>, Launches<Attention>>;

/// One registered step or variant.
struct Step {
  std::string name;      ///< the directory, such as "05_warp_shuffle"
  std::string variant;   ///< "" for the ladder's own kernel, else the file's name without .cu
  StepInfo info;         ///< what the registration says
  AnyLaunches launches;  ///< one launch function for each storage type

  /// Which kind of problem the step takes.
  template <template <typename> class Problem>
  bool takes() const {
    return std::holds_alternative<Launches<Problem>>(launches);
  }
  /// Whether it finds the k largest.
  bool is_top_k() const { return takes<TopK>(); }
  /// Whether it takes a forward pass's results and the gradients by them, and no logits.
  bool is_backward() const { return takes<SoftmaxBackward>() || takes<LogSoftmaxBackward>(); }
  /// Whether only training wants what it computes.
  bool trains() const { return is_backward() || takes<CrossEntropy>(); }
  /// Whether a problem is a single long row.
  bool takes_one_row() const { return info.max_rows == 1; }
  /// Whether it computes a softmax for which it reads each logit once, but for what of a row it
  /// cannot hold.
  bool reads_once() const {
    return operation() == Operation::kSoftmax && info.loads.per_column == 1;
  }
  /// Whether a row of results is as long as a row of logits.
  bool keeps_columns() const {
    return takes<Softmax>() || takes<LogSoftmax>() || takes<CrossEntropy>() || is_backward();
  }
  /// What the step computes, which follows from the kind of problem that it takes.
  Operation operation() const {
    if (takes<LogSoftmax>()) return Operation::kLogSoftmax;
    if (takes<NegativeLogLikelihood>()) return Operation::kNegativeLogLikelihood;
    if (takes<SoftmaxBackward>()) return Operation::kSoftmaxBackward;
    if (takes<LogSoftmaxBackward>()) return Operation::kLogSoftmaxBackward;
    if (takes<CrossEntropy>()) return Operation::kCrossEntropy;
    if (takes<Attention>()) return Operation::kAttention;
    return is_top_k() ? info.top_k_operation : Operation::kSoftmax;
  }
  /// "05_warp_shuffle", or "05_warp_shuffle/safe" for a variant.
  std::string label() const { return variant.empty() ? name : name + "/" + variant; }
};

/// All registered steps, in the ladder's order, each followed by its variants.
const std::vector<Step>& all_steps();

/// One of them. Throws std::invalid_argument where it is not registered.
const Step& registered_step(std::string_view name, std::string_view variant);

/// Registers at program start; used through WORKLOG_STEP.
struct StepRegistration {
  /// Adds a step to all_steps().
  StepRegistration(std::string name, std::string variant, StepInfo info, AnyLaunches launches);
};

/// The launch function template `launch` for each storage type. Which kind of problem it takes
/// follows from its parameter.
#define WORKLOG_LAUNCHES(launch) \
  ::worklog::launches_of(&launch<float>, &launch<__half>, &launch<__nv_bfloat16>)

/// The three launch functions of a step, as one value.
template <template <typename> class Problem>
Launches<Problem> launches_of(Launch<Problem, float> f32, Launch<Problem, __half> f16,
                              Launch<Problem, __nv_bfloat16> bf16) {
  return {f32, f16, bf16};
}

/// Registers the step or variant that this file is (CMake tells which), as in the example above.
#define WORKLOG_STEP(launch, ...)                                               \
  static const ::worklog::StepRegistration worklog_step_registration(           \
      WORKLOG_STEP_NAME, WORKLOG_STEP_VARIANT, ::worklog::StepInfo __VA_ARGS__, \
      WORKLOG_LAUNCHES(launch))

}  // namespace worklog
