/// \file
/// What an exercise includes, and how it makes itself known.
///
/// An exercise is a file like a step's softmax.cu, in fp32 alone: kernels, a function that launches
/// them, and one line:
///
///     WORKLOG_EXERCISE(launch, {.serial_sum = true});
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
  int block_size = 256;             ///< threads a block
  bool takes_one_row = false;       ///< rows is always 1
  bool serial_sum = false;          ///< one thread adds up a whole row
  bool stores_exponentials = false; ///< exponentials pass through memory, which rounds them
  /// Bytes of scratch for a shape (see Scratch::bytes_for); null for none.
  std::int64_t (*scratch_bytes)(std::int64_t rows, std::int64_t cols) = nullptr;
};

/// Registers at program start; used through WORKLOG_EXERCISE.
struct ExerciseRegistration {
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const Softmax<float>&, cudaStream_t));
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const LogSoftmax<float>&, cudaStream_t));
  ExerciseRegistration(const char* step, const char* role, const ExerciseInfo& info,
                       void (*launch)(const TopK<float>&, cudaStream_t));
};

/// Registers the file as an exercise of a step; the build tells which, and whether it is the
/// skeleton, the solution or a learner's copy.
#define WORKLOG_EXERCISE(launch, ...)                                             \
  static const ::worklog::ExerciseRegistration worklog_exercise_registration(     \
      WORKLOG_STEP_NAME, WORKLOG_STEP_VARIANT, ::worklog::ExerciseInfo __VA_ARGS__, &launch)

}  // namespace worklog
