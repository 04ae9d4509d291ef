/// \file
/// What an exercise includes, and how it makes itself known.
///
/// An exercise is a file like a step's softmax.cu, in fp32 alone: kernels, a function that launches
/// them, and one line, which says on which shape it is counted and which counters matter:
///
///     WORKLOG_EXERCISE(launch, {.rows = 64, .cols = 4096, .counters = {"block_barriers"}});
///
/// Lighter than common/step/step.h, because a learner waits for its compilation.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/step/check_launch.h"
#include "common/step/problem.h"

namespace worklog {

/// What the check must know of an exercise beside its launch function.
struct ExerciseInfo {
  static constexpr int kMostCounters = 8;  ///< that an exercise may name

  std::int64_t rows = 0;  ///< of the case that is counted; 1: a step that takes one row only
  std::int64_t cols = 0;  ///< of the same case
  int k = 0;              ///< of the same case, for a top-k
  /// Those that must not be above the solution's, by their names in simt/docs/counters.md, or
  /// "loads_per_element", "stores_per_element", "sectors_per_load_request".
  const char* counters[kMostCounters] = {};
  int block_size = 256;              ///< threads per block; half and twice as many are tried, too
  bool fixed_block_size = false;     ///< the kernels take no other
  bool serial_sum = false;           ///< one thread adds up a whole row
  bool stores_exponentials = false;  ///< exponentials pass through memory, which rounds them
  /// Bytes of scratch for a shape (see Scratch::bytes_for); null for none.
  std::int64_t (*scratch_bytes)(std::int64_t rows, std::int64_t cols) = nullptr;
};

/// Registers at program start; used through WORKLOG_EXERCISE. The kind of problem follows from the
/// launch function.
struct ExerciseRegistration {
  /// `step` is the directory's name; `role` is "skeleton", "solution" or "yours".
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const Softmax<float>&, cudaStream_t));
  /// The same for log-softmax.
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const LogSoftmax<float>&, cudaStream_t));
  /// The same for the backward pass of softmax.
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const SoftmaxBackward<float>&, cudaStream_t));
  /// The same for a cross-entropy.
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const CrossEntropy<float>&, cudaStream_t));
  /// The same for an attention.
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const Attention<float>&, cudaStream_t));
  /// The same for a top-k.
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const TopK<float>&, cudaStream_t));
};

// nvcc alone, to see where it keeps things, needs no build.
#ifndef WORKLOG_STEP_NAME
/// The step's directory, such as "05_warp_shuffle": the build gives it.
#define WORKLOG_STEP_NAME ""
/// "skeleton", "solution" or "yours": the build gives it.
#define WORKLOG_STEP_VARIANT "yours"
#endif

/// Registers the file as an exercise of a step; the build tells which, and whether it is the
/// skeleton, the solution or a learner's copy.
#define WORKLOG_EXERCISE(launch, ...)                                         \
  static const ::worklog::ExerciseRegistration worklog_exercise_registration( \
      WORKLOG_STEP_NAME, WORKLOG_STEP_VARIANT, ::worklog::ExerciseInfo __VA_ARGS__, &launch)

}  // namespace worklog
