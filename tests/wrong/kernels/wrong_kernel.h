/// \file
/// How a wrong kernel and its corrected twin make themselves known.
///
/// Each file beside this one holds one mistake. Its launch function has a template parameter `bool
/// kMistake`: true is the kernel as somebody wrote it, false the same kernel with that one mistake
/// corrected. Verification must catch the first and accept the second, so that it is the mistake
/// that was caught.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "common/step/step.h"

/// The names under which the two are registered; the variant is the file's name.
inline constexpr char kWrong[] = "wrong";
inline constexpr char kCorrected[] = "corrected";

/// A mistake shows in one storage type; there is no need to build the kernel for all of them.
template <template <typename> class Problem>
worklog::Launches<Problem> only(worklog::Launch<Problem, float> launch) {
  return {launch, nullptr, nullptr};
}
template <template <typename> class Problem>
worklog::Launches<Problem> only(worklog::Launch<Problem, __half> launch) {
  return {nullptr, launch, nullptr};
}

/// Registers launch<true> and launch<false>. The rest is a StepInfo's initializer, as for
/// WORKLOG_STEP.
#define WRONG_KERNEL(launch, ...)                                                     \
  static const worklog::StepRegistration wrong_registration(                          \
      kWrong, WRONG_KERNEL_NAME, worklog::StepInfo __VA_ARGS__, only(&launch<true>)); \
  static const worklog::StepRegistration corrected_registration(                      \
      kCorrected, WRONG_KERNEL_NAME, worklog::StepInfo __VA_ARGS__, only(&launch<false>))
