/// \file
/// What a step is asked to do: device pointers, a shape, and how to launch.
#pragma once

#include <cstdint>

#include "common/step/scratch.h"

namespace worklog {

/// Softmax over the last dimension of a row-major rows x cols array in device memory.
///
/// A step receives problems that common/step/validate.h has accepted: rows and cols are at least 1,
/// rows fits a grid's x dimension, pointers are aligned to T, and `probabilities` is either
/// `logits` itself or does not overlap it. A row with a NaN, with +inf, or of -inf only gives NaN
/// throughout; any other -inf gives exactly 0.
template <typename T>
struct Softmax {
  const T* logits = nullptr;   ///< rows x cols
  T* probabilities = nullptr;  ///< rows x cols; each row sums to 1 within rounding
  std::int64_t rows = 0;       ///< 1 or more
  std::int64_t cols = 0;       ///< 1 or more
  int block_size = 0;          ///< threads per block: a multiple of 32, at most 1024
  mutable Scratch scratch{};   ///< the device memory that the step's registration asked for
};

/// The logarithms of the softmax of each row: x - logsumexp(x).
///
/// As for Softmax, validate.h has accepted the problem, which may be in place. A row with a NaN,
/// with +inf, or of -inf only gives NaN throughout; any other -inf gives -inf.
template <typename T>
struct LogSoftmax {
  const T* logits = nullptr;       ///< rows x cols
  T* log_probabilities = nullptr;  ///< rows x cols; no element is above 0
  std::int64_t rows = 0;           ///< 1 or more
  std::int64_t cols = 0;           ///< 1 or more
  int block_size = 0;              ///< threads per block: a multiple of 32, at most 1024
  mutable Scratch scratch{};       ///< the device memory that the step's registration asked for
};

/// What each row's label costs a classifier: minus the log-softmax of the label's column.
///
/// As for Softmax, validate.h has accepted the problem. A label outside 0 .. cols - 1 gives NaN in
/// its row, as does a row whose log-softmax is NaN; a label at a -inf gives +inf.
template <typename T>
struct NegativeLogLikelihood {
  const T* logits = nullptr;             ///< rows x cols
  const std::int64_t* labels = nullptr;  ///< rows
  float* losses = nullptr;               ///< rows; 0 or more
  std::int64_t rows = 0;                 ///< 1 or more
  std::int64_t cols = 0;                 ///< 1 or more
  int block_size = 0;                    ///< threads per block: a multiple of 32, at most 1024
  mutable Scratch scratch{};  ///< the device memory that the step's registration asked for
};

/// The k largest probabilities of each row's softmax and their columns, descending, ties to the
/// lowest column.
///
/// As for Softmax, validate.h has accepted the problem: 1 <= k <= cols and k is within the step's
/// limit. The values of a row with a NaN or +inf, or of -inf only, are all NaN.
template <typename T>
struct TopK {
  const T* logits = nullptr;        ///< rows x cols
  float* values = nullptr;          ///< rows x k
  std::int64_t* indices = nullptr;  ///< rows x k, each in 0 .. cols - 1
  std::int64_t rows = 0;            ///< 1 or more
  std::int64_t cols = 0;            ///< 1 or more
  int k = 0;                        ///< how many of the largest, 1 to cols
  int block_size = 0;               ///< threads per block: a multiple of 32, at most 1024
  mutable Scratch scratch{};        ///< the device memory that the step's registration asked for
};

/// The gradient of a loss by the logits, given its gradient by their softmax, row by row:
/// dx = y (dy - sum(y dy)), with y the probabilities and dy the gradients.
///
/// As for Softmax, validate.h has accepted the problem; `logit_gradients` is one of the two arrays
/// that are given, or overlaps neither. That y is a softmax is not looked at: the formula is what
/// counts. A row with a NaN or an infinity in either array gives NaN throughout. So does one whose
/// sum is beyond fp32, and so may one whose terms' magnitudes add up to more than fp32 holds. A
/// gradient may be infinite where dy - sum(y dy) is beyond fp32.
template <typename T>
struct SoftmaxBackward {
  const T* probabilities = nullptr;  ///< rows x cols; y, what the forward pass gave
  const T* gradients = nullptr;      ///< rows x cols; dy, of the loss by each probability
  T* logit_gradients = nullptr;      ///< rows x cols; dx, of the loss by each logit
  std::int64_t rows = 0;             ///< 1 or more
  std::int64_t cols = 0;             ///< 1 or more
  int block_size = 0;                ///< threads a block: a multiple of 32, at most 1024
  mutable Scratch scratch{};         ///< the device memory that the step's registration asked for
};

/// The same, given the gradient by the log-softmax: dx = dy - exp(y) sum(dy), with y the logarithms
/// of the probabilities.
///
/// As for SoftmaxBackward. A row with a NaN or an infinity among its gradients gives NaN
/// throughout, a NaN among the logarithms in its column; where y is -inf, dx is dy.
template <typename T>
struct LogSoftmaxBackward {
  const T* log_probabilities = nullptr;  ///< rows x cols; y, what the forward pass gave
  const T* gradients = nullptr;          ///< rows x cols; dy, of the loss by each logarithm
  T* logit_gradients = nullptr;          ///< rows x cols; dx, of the loss by each logit
  std::int64_t rows = 0;                 ///< 1 or more
  std::int64_t cols = 0;                 ///< 1 or more
  int block_size = 0;                    ///< threads a block: a multiple of 32, at most 1024
  mutable Scratch scratch{};  ///< the device memory that the step's registration asked for
};

/// The labels of a cross-entropy, one a row, in 64 or in 32 bits.
struct Labels {
  const std::int64_t* of_64_bits = nullptr;  ///< rows
  const std::int32_t* of_32_bits = nullptr;  ///< rows; looked at where the other is null
};

/// What becomes of the losses of all rows. (PyTorch's names)
enum class Reduction {
  kNone,  ///< nothing: the gradients are those of the losses' sum
  kSum,   ///< their sum
  kMean,  ///< their sum over the number of rows that are not ignored; NaN if there is none
};

/// What a cross-entropy may be asked for beside the plain loss.
struct CrossEntropyOptions {
  std::int64_t ignore_index = -100;  ///< the label of rows that do not count
  float label_smoothing = 0.0f;      ///< 0 to 1: the share of the target that all columns share
  float z_loss = 0.0f;               ///< 0 or more: what log(sum(exp))^2 adds to a loss, times this
  Reduction reduction = Reduction::kNone;  ///< what becomes of the losses
};

/// What each row's label costs a classifier, and the gradients of that by the logits, in one pass.
/// With s the label smoothing, z the z-loss, N columns and lse = log(sum(exp(x))):
///
///     loss = (1 - s) (lse - x_label) + s (lse - mean(x)) + z lse^2
///     dx_i = p_i (1 + 2 z lse) - (1 - s) [i is the label] - s / N
///
/// and for Reduction::kMean dx over the number of rows that count. As for Softmax, validate.h has
/// accepted the problem; `gradients` is `logits` itself or overlaps no other array. A row whose
/// label is `ignore_index` has loss, lse and gradients 0 and is not looked at. Any other label
/// outside 0 .. cols - 1 gives a NaN loss and NaN gradients in its row, and a NaN mean or sum; a
/// label at a -inf gives +inf. A row with a NaN or +inf, or of -inf only, gives NaN throughout.
template <typename T>
struct CrossEntropy {
  const T* logits = nullptr;      ///< rows x cols
  Labels labels{};                ///< rows
  float* losses = nullptr;        ///< rows
  float* log_sum_exps = nullptr;  ///< rows
  float* loss = nullptr;          ///< 1: the sum or the mean; not looked at if there is none
  T* gradients = nullptr;         ///< rows x cols
  CrossEntropyOptions options{};  ///< what is asked for
  std::int64_t rows = 0;          ///< 1 or more
  std::int64_t cols = 0;          ///< 1 or more
  int block_size = 0;             ///< threads a block: a multiple of 32, at most 1024
  mutable Scratch scratch{};      ///< the device memory that the step's registration asked for
};

/// Elements of a query, of a key, of a value and of an output of an attention.
inline constexpr int kHeadDim = 64;

/// Attention of one head: of each query's scores against all keys the softmax, which weighs the
/// values.
///
///     score(row, col) = sum over i of (queries[row][i] / 8) keys[col][i]      8 is sqrt(kHeadDim)
///     outputs[row] = sum over col of softmax(scores of row)[col] values[col]
///
/// No score is masked. validate.h has accepted the problem: `outputs` overlaps no other array. A
/// query whose scores have a NaN or +inf, or are -inf only, has NaN throughout its output; any
/// other score of -inf weighs nothing. An element of an output is no finite number where one of the
/// values that it is made of is none. An element may be none, too, where the magnitudes of a
/// score's products add up to more than fp32 holds, or those of the weighted values.
template <typename T>
struct Attention {
  const T* queries = nullptr;  ///< rows x kHeadDim
  const T* keys = nullptr;     ///< cols x kHeadDim
  const T* values = nullptr;   ///< cols x kHeadDim
  T* outputs = nullptr;        ///< rows x kHeadDim
  std::int64_t rows = 0;       ///< queries: 1 or more
  std::int64_t cols = 0;       ///< keys: 1 or more
  int block_size = 0;          ///< threads a block: a multiple of 32, at most 1024
  mutable Scratch scratch{};   ///< the device memory that the step's registration asked for
};

/// A problem for a step of any kind: the arrays that its kind does not have are not looked at.
template <typename T>
struct AnyProblem {
  const T* logits = nullptr;             ///< rows x cols
  const T* results = nullptr;            ///< rows x cols, of the forward pass: for a backward step
  const T* gradients = nullptr;          ///< rows x cols, of the loss by these results
  const std::int64_t* labels = nullptr;  ///< rows
  const T* queries = nullptr;            ///< rows x kHeadDim
  const T* keys = nullptr;               ///< cols x kHeadDim
  const T* key_values = nullptr;         ///< cols x kHeadDim
  /// rows x cols: probabilities, logarithms or gradients; of an attention rows x kHeadDim
  T* columns = nullptr;
  /// rows x k, or rows losses; of a cross-entropy with rows log(sum(exp)) and one loss behind them
  float* values = nullptr;
  std::int64_t* indices = nullptr;  ///< rows x k
  std::int64_t rows = 0;            ///< 0 or more
  std::int64_t cols = 0;            ///< 0 or more
  int k = 0;                        ///< how many of the largest; looked at for top-k steps alone
  int block_size = 0;               ///< threads per block; 0: the step's own choice
  Scratch scratch{};                ///< the step's own device memory; run() provides it
  CrossEntropyOptions cross_entropy{};  ///< looked at for cross-entropy steps alone
};

}  // namespace worklog
