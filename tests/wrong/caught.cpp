// Tests of the tests: kernels with the mistakes that real repositories shipped. Each must be caught
// by ordinary verification on ordinary cases, and for the reason that is stated here; its corrected
// twin must pass all of them.
#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "common/step/step.h"
#include "common/verify/case.h"
#include "common/verify/verify.h"
#include "simt/executor/counters.h"
#include "tests/wrong/kernels/wrong_kernel.h"

using namespace worklog;

namespace {

// What verification says of each kernel: a part of its message that tells the reason. A kernel that
// computes something wrong is told by the element; one that breaks CUDA's rules by a finding of the
// CPU executor, whether or not its results came out right this time.
struct Expectation {
  const char* kernel;
  const char* says;
};

constexpr char kInaccurate[] = "the error is";  // and a number at that: a NaN is caught by anyone

constexpr Expectation kExpectations[] = {
    {"barrier_in_one_warp", "divergent-barrier"},
    {"block_dim_as_block_index", "global-out-of-bounds"},
    {"drops_the_reduction", kInaccurate},
    {"flushes_small_probabilities", kInaccurate},
    {"float4_on_unaligned_rows", "misaligned-access"},
    {"forgets_a_nan", "expected nan"},
    {"forgets_the_tail", "never written"},
    {"forgets_to_rescale", kInaccurate},
    {"full_mask_in_a_partial_warp", "__shfl_xor_sync"},
    {"index_of_minus_one", "-1"},
    {"keeps_the_row_before", kInaccurate},
    {"launch_not_checked", "refused-launch"},
    {"loads_one_column_too_many", "global-out-of-bounds"},
    {"lowest_half_as_identity", "nan"},
    {"missing_barrier_between_uses", "shared-race"},
    {"nan_never_enters", "column"},
    {"no_guard_for_minus_infinity", "nan"},
    {"no_maximum_subtracted", "nan"},
    {"reads_a_third_time", "loads counted"},
    {"reads_scratch_nobody_wrote", "nan, made of scratch that was never written"},
    {"reads_slots_of_absent_warps", "shared"},
    {"reads_what_it_overwrote", kInaccurate},
    {"reduces_half_the_warp", kInaccurate},
    {"reset_races_with_atomics", "shared-race"},
    {"returns_before_the_barrier", "skipped it and returned from the kernel"},
    {"rounds_the_grid_down", "never written"},
    {"row_index_in_16_bits", "never written"},
    {"scales_before_subtracting", kInaccurate},
    {"scratch_too_small", "scratch: an array of"},
    {"sign_from_the_wrong_copy", "column"},
    {"sums_in_half", kInaccurate},
    {"ties_to_the_last_column", "column"},
    {"writes_past_the_row", "global-race"},
    {"zero_as_identity_of_max", "nan"},
};

struct Trial {
  Case a_case;
  VerifyOptions options;
};

DType dtype_of(const Step& step) {
  const auto has_half = [](const auto& launches) { return std::get<1>(launches) != nullptr; };
  return std::visit(has_half, step.launches) ? DType::kFloat16 : DType::kFloat32;
}

// The cases that every kernel meets here: a small part of what a step meets.
std::vector<Trial> trials_for(const Step& step) {
  constexpr std::int64_t kRows = 9;
  const DType dtype = dtype_of(step);
  const auto k = [&](std::int64_t cols) {
    return step.is_top_k() ? static_cast<int>(std::min<std::int64_t>(cols, 7)) : 0;
  };
  std::vector<Trial> trials;
  for (const std::int64_t cols : {1, 3, 31, 256, 333, 1000}) {
    for (const Input input : kAllInputs) {
      if (!is_real(input)) trials.push_back({{dtype, kRows, cols, k(cols), input}, {}});
    }
  }
  for (const std::int64_t cols : {33, 300}) {
    if (!step.is_top_k()) trials.push_back({{dtype, kRows, cols}, {.in_place = true}});
  }
  trials.push_back({{dtype, 3, 5000, k(5000), Input::kEqual}, {}});
  if (step.info.summation == Summation::kSerial) {  // a thread per row: many are cheap
    trials.push_back({{dtype, 65536 + 3, 2, k(2)}, {}});
  }
  return trials;
}

std::string describe(const Trial& trial) {
  return std::string(name_of(trial.a_case.dtype)) + " " + std::to_string(trial.a_case.rows) +
         " x " + std::to_string(trial.a_case.cols) + " " +
         std::string(name_of(trial.a_case.input)) + (trial.options.in_place ? ", in place" : "");
}

// What verification says, else whether the step's prediction of its accesses holds; "" if all is
// well.
std::string failure_of(const Step& step, const Trial& trial) {
  try {
    simt::reset_counters();
    const Verdict verdict = verify(step, trial.a_case, trial.options);
    if (!verdict.ok) return verdict.failure;
    const auto counted = static_cast<std::int64_t>(simt::counters().global_loads.elements);
    const auto& [dtype, rows, cols, k, input] = trial.a_case;
    const std::int64_t predicted =
        step.info.total(step.info.loads, rows, cols, k, sizeof(float), trial.options.block_size);
    if (counted == predicted) return "";
    return std::to_string(counted) + " loads counted, " + std::to_string(predicted) + " predicted";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::vector<Step> registered_as(const char* name) {
  std::vector<Step> steps;
  for (const Step& step : all_steps()) {
    if (step.name == name) steps.push_back(step);
  }
  return steps;
}

bool states(const std::string& failure, const std::string& reason) {
  if (reason == kInaccurate && failure.find("nan") != std::string::npos) return false;
  return failure.find(reason) != std::string::npos;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_SUITE("caught") {
  TEST_CASE("every wrong kernel is caught, for the reason that is stated") {
    simt::set_findings_printed(false);
    for (const Step& step : registered_as(kWrong)) {
      CAPTURE(step.variant);
      const auto expectation =
          std::find_if(std::begin(kExpectations), std::end(kExpectations),
                       [&](const Expectation& e) { return e.kernel == step.variant; });
      REQUIRE(expectation != std::end(kExpectations));

      int caught = 0;
      bool said = false;
      std::string by = "NOT CAUGHT";
      for (const Trial& trial : trials_for(step)) {
        const std::string failure = failure_of(step, trial);
        if (failure.empty()) continue;
        ++caught;
        if (said) continue;
        said = states(failure, expectation->says);
        if (said || caught == 1) by = describe(trial) + ": " + first_line(failure);
      }
      std::cout << step.variant << "\n    " << by << '\n';
      CAPTURE(by);
      INFO("expected: " << std::string(expectation->says));
      CHECK(caught > 0);
      CHECK(said);
    }
  }

  TEST_CASE("nothing is expected of a kernel that is not there") {
    const std::vector<Step> wrong = registered_as(kWrong);
    CHECK(wrong.size() == std::size(kExpectations));
    for (const Expectation& expectation : kExpectations) {
      CAPTURE(expectation.kernel);
      CHECK(std::any_of(wrong.begin(), wrong.end(),
                        [&](const Step& step) { return step.variant == expectation.kernel; }));
    }
  }

  // A right result that is still in memory from the run before must not pass for a new one.
  TEST_CASE("a stale result does not pass") {
    simt::set_findings_printed(false);
    const auto find = [](const char* name) {
      for (const Step& step : registered_as(name)) {
        if (step.variant == "launch_not_checked") return step;
      }
      return Step{};
    };
    const Case a_case{DType::kFloat32, 9, 100};
    CHECK(verify(find(kCorrected), a_case).ok);
    const Verdict verdict = verify(find(kWrong), a_case);
    CHECK_FALSE(verdict.ok);
    CHECK(verdict.wrong_elements == a_case.rows * a_case.cols);
  }
}

TEST_SUITE("corrected") {
  TEST_CASE("every corrected twin passes what its wrong one is tried on") {
    for (const Step& step : registered_as(kCorrected)) {
      for (const Trial& trial : trials_for(step)) {
        INFO(step.variant << ", " << describe(trial));
        const std::string failure = failure_of(step, trial);
        CAPTURE(failure);
        CHECK(failure.empty());
      }
    }
    CHECK(registered_as(kCorrected).size() == std::size(kExpectations));
  }
}
