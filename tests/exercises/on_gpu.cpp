// The exercises' solutions on a GPU: a learner who has one may take them there.
#include <algorithm>
#include <doctest/doctest.h>

#include "common/exercise/registry.h"
#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

Case case_for(const Exercise& exercise, std::int64_t rows, std::int64_t cols, Input input) {
  const int k = static_cast<int>(std::min<std::int64_t>(exercise.info.k, cols));
  return {DType::kFloat32, std::min(rows, exercise.step.info.max_rows), cols, k, input};
}

}  // namespace

TEST_SUITE("solutions") {
  TEST_CASE("are right at widths around a warp's and a block's") {
    REQUIRE(all_exercises().size() == WORKLOG_EXERCISE_COUNT);
    for (const Exercise& exercise : all_exercises()) {
      for (const std::int64_t cols : {1, 2, 7, 31, 32, 33, 255, 257, 777, 1000})
        check_verified(exercise.step, case_for(exercise, kRows, cols, Input::kRandom));
    }
  }

  TEST_CASE("are right on inputs that are hard") {
    constexpr std::int64_t kRowsOfEveryKind = 18;
    for (const Exercise& exercise : all_exercises()) {
      for (const Input input : kAllInputs) {
        if (is_real(input)) continue;
        check_verified(exercise.step, case_for(exercise, kRowsOfEveryKind, 333, input));
      }
    }
  }

  TEST_CASE("are right on the shape that is counted") {
    for (const Exercise& exercise : all_exercises()) {
      const ExerciseInfo& info = exercise.info;
      check_verified(exercise.step, case_for(exercise, info.rows, info.cols, Input::kRandom));
    }
  }
}
