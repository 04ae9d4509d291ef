/// \file
/// What a problem must satisfy before anything is launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "common/step/problem.h"
#include "common/step/step.h"

namespace worklog {

/// A problem's argument is out of its range. what() names the argument, its value and the limit.
class ArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws ArgumentError unless rows and cols are not negative and the array's bytes fit 63 bits.
void validate_shape(std::int64_t rows, std::int64_t cols, std::size_t element_bytes);

/// The most columns that a top-k step takes: its list has 32 bits for a column.
inline constexpr std::int64_t kMaxTopKCols = std::int64_t{1} << 32;

/// Throws ArgumentError for label smoothing outside of 0 to 1, a z-loss that is negative or no
/// finite number, or more rows than a grid has with a reduction.
void validate_options(const CrossEntropyOptions& options, std::int64_t rows);

/// Throws ArgumentError for a bad shape, more rows than the step takes, k below 1 or above cols or
/// above the step's max_k, rows of more columns than kMaxTopKCols for a top-k step, a block size
/// that is no multiple of 32 in 32 .. 1024, null or misaligned pointers (of arrays that are not
/// empty), or buffers that overlap. Only softmax and log-softmax may work in place, with a result
/// equal to `logits`, their backward passes, with one equal to either input, and a cross-entropy,
/// with gradients equal to `logits`. Labels are not looked at: they are on the device.
template <typename T>
void validate(const Step& step, const Softmax<T>& problem);
/// The same.
template <typename T>
void validate(const Step& step, const LogSoftmax<T>& problem);
/// The same.
template <typename T>
void validate(const Step& step, const NegativeLogLikelihood<T>& problem);
/// The same.
template <typename T>
void validate(const Step& step, const SoftmaxBackward<T>& problem);
/// The same.
template <typename T>
void validate(const Step& step, const LogSoftmaxBackward<T>& problem);
/// The same, of rows of kHeadDim elements; and for so many rows or columns of those that their
/// bytes do not fit 63 bits.
template <typename T>
void validate(const Step& step, const Attention<T>& problem);
/// The same, and as validate_options() does.
template <typename T>
void validate(const Step& step, const CrossEntropy<T>& problem);
/// The same.
template <typename T>
void validate(const Step& step, const TopK<T>& problem);

}  // namespace worklog
