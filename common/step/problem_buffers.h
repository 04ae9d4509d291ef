/// \file
/// The arrays of a problem: how long each is, and device memory that holds them all.
#pragma once

#include <cstdint>

#include "common/cuda/device_buffer.h"
#include "common/step/problem.h"
#include "common/step/step.h"

namespace worklog {

/// Elements of each array that a step of its kind is given for a shape; 0 for those that the kind
/// does not have.
struct ArrayLengths {
  std::int64_t logits = 0;         ///< rows x cols
  std::int64_t results = 0;        ///< rows x cols, of the forward pass: of a backward step
  std::int64_t gradients = 0;      ///< rows x cols, likewise
  std::int64_t labels = 0;         ///< rows
  std::int64_t queries = 0;        ///< rows x kHeadDim: of an attention
  std::int64_t keys = 0;           ///< cols x kHeadDim, likewise; of their values as many
  std::int64_t columns = 0;        ///< see AnyProblem
  std::int64_t values = 0;         ///< rows x k, or rows losses; see AnyProblem
  std::int64_t indices = 0;        ///< rows x k
  std::int64_t scratch_bytes = 0;  ///< of the step's own memory, in bytes

  /// Bytes of all arrays but the scratch, for logits of `dtype`: what any implementation must
  /// move.
  std::int64_t bytes_to_move(DType dtype) const;

  /// Bytes of all arrays.
  std::int64_t bytes(DType dtype) const { return bytes_to_move(dtype) + scratch_bytes; }
};

/// Throws ArgumentError (common/step/validate.h) for a negative shape, or one that is too large.
ArrayLengths array_lengths(const Step& step, std::int64_t rows, std::int64_t cols, int k,
                           DType dtype);

/// Owns all arrays of a problem of logits of type T, in memory that a Buffer holds.
template <typename T, template <typename> class Buffer = DeviceBuffer>
struct ProblemBuffers {
  std::int64_t rows = 0;         ///< of the problem
  std::int64_t cols = 0;         ///< of the problem
  int k = 0;                     ///< of the problem
  Buffer<T> logits;              ///< see ArrayLengths
  Buffer<T> results;             ///< likewise
  Buffer<T> gradients;           ///< likewise
  Buffer<std::int64_t> labels;   ///< likewise
  Buffer<T> queries;             ///< likewise
  Buffer<T> keys;                ///< likewise
  Buffer<T> key_values;          ///< likewise
  Buffer<T> columns;             ///< likewise
  Buffer<float> values;          ///< likewise
  Buffer<std::int64_t> indices;  ///< likewise
  /// Words, of which a step makes arrays of the types that it wants.
  Buffer<std::uint16_t> scratch;

  /// The problem on these arrays, valid while they live. `block_size` 0 is the step's own choice.
  AnyProblem<T> problem(int block_size = 0) {
    return {.logits = logits.data(),
            .results = results.data(),
            .gradients = gradients.data(),
            .labels = labels.data(),
            .queries = queries.data(),
            .keys = keys.data(),
            .key_values = key_values.data(),
            .columns = columns.data(),
            .values = values.data(),
            .indices = indices.data(),
            .rows = rows,
            .cols = cols,
            .k = k,
            .block_size = block_size,
            .scratch = Scratch(scratch.data(), scratch.size() * kWordBytes)};
  }

  /// Bytes of a word of the scratch.
  static constexpr std::int64_t kWordBytes = sizeof(std::uint16_t);
};

/// Device memory of undefined contents for a problem of `step`. Throws as array_lengths() does, and
/// CudaError when the device is out of memory.
template <typename T>
ProblemBuffers<T> problem_buffers(const Step& step, std::int64_t rows, std::int64_t cols,
                                  int k = 0) {
  const ArrayLengths lengths = array_lengths(step, rows, cols, k, dtype_of<T>());
  return {.rows = rows,
          .cols = cols,
          .k = k,
          .logits = DeviceBuffer<T>(lengths.logits),
          .results = DeviceBuffer<T>(lengths.results),
          .gradients = DeviceBuffer<T>(lengths.gradients),
          .labels = DeviceBuffer<std::int64_t>(lengths.labels),
          .queries = DeviceBuffer<T>(lengths.queries),
          .keys = DeviceBuffer<T>(lengths.keys),
          .key_values = DeviceBuffer<T>(lengths.keys),
          .columns = DeviceBuffer<T>(lengths.columns),
          .values = DeviceBuffer<float>(lengths.values),
          .indices = DeviceBuffer<std::int64_t>(lengths.indices),
          .scratch =
              DeviceBuffer<std::uint16_t>(lengths.scratch_bytes / ProblemBuffers<T>::kWordBytes)};
}

}  // namespace worklog
