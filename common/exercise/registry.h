/// \file
/// The exercises that a program is linked with.
#pragma once

#include <span>
#include <string_view>

#include "common/exercise/exercise.h"
#include "common/step/step.h"

namespace worklog {

/// An exercise as a step that can be verified and counted. Its variant is its role: "skeleton",
/// "solution", or "yours" for a learner's copy.
struct Exercise {
  Step step;          ///< with a launch function for fp32 only
  ExerciseInfo info;  ///< as the file gave it
};

/// All that the program is linked with, in no particular order.
std::span<const Exercise> all_exercises();

/// The exercise of a step, such as "05_warp_shuffle", in a role; null if there is none.
const Exercise* find_exercise(std::string_view step, std::string_view role);

}  // namespace worklog
