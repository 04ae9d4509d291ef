// The prediction: what the CPU executor counts is what the step said, to the last element.
#include <cstdint>

#include "tests/steps/contract.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"

using namespace worklog;
using namespace contract;

namespace {

// Runs the case, and compares what was counted with the step's formula.
void check_counts(const Step& step, Case a_case, const VerifyOptions& options = {}) {
  if (step.takes<Attention>() || !takes_width(step, a_case, options)) return;
  a_case.rows = std::min(a_case.rows, step.info.max_rows);
  const auto predicted = [&](const Accesses& accesses) {
    return static_cast<std::uint64_t>(step.info.total(accesses, a_case.rows, a_case.cols, a_case.k,
                                                      size_of(a_case.dtype), options.block_size));
  };
  simt::reset_counters();
  if (!check_verified(step, a_case, options)) return;
  const simt::Counters counted = simt::counters();
  INFO(describe(step, a_case, options));
  CHECK(counted.global_loads.elements == predicted(step.info.loads));
  CHECK(counted.global_stores.elements == predicted(step.info.stores));
}

}  // namespace

TEST_SUITE("counts") {
  TEST_CASE("loads and stores are as predicted, at odd widths, too") {
    for (const Step& step : all_steps()) {
      for (const DType dtype : kAllDTypes) {
        for (const std::int64_t cols :
             {1,   2,   3,   7,   8,    15,   31,   32,   33,   97,   128,
              255, 256, 257, 511, 1000, 1023, 1025, 2047, 4096, 4099, 10007}) {
          if (is_left_out(step, dtype, cols)) continue;
          check_counts(step, {dtype, kRows, cols, some_k(step, cols), Input::kRandom});
        }
      }
    }
  }

  // Several stages of a reduction, and more shares than blocks.
  TEST_CASE("one long row: loads and stores are as predicted, partial results among them") {
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      for (const std::int64_t cols : {31, 32, 33, 1023, 1024, 1025, 32767, 32769, 1050001}) {
        check_counts(step, {DType::kFloat32, 1, cols}, {.block_size = 32});
      }
      check_counts(step, {DType::kFloat32, 1, 65537}, {.block_size = 256});
    }
  }

  // In blocks of 32 threads, 132 for the row, some of each share is left.
  TEST_CASE("a row that does not fit on the chip: what is read again is as predicted") {
    for (const Step& step : all_steps()) {
      if (!step.info.several_blocks_a_row || !step.variant.empty()) continue;
      check_counts(step, {DType::kFloat32, 1, 8000003}, {.block_size = 32});
    }
  }

  // A prediction that held for friendly values only would be none.
  TEST_CASE("counts are as predicted for all values, k, alignments and block sizes") {
    for (const Step& step : all_steps()) {
      for (const Input input : kAllInputs) {
        if (is_real(input)) continue;
        check_counts(step, {DType::kFloat32, kRows, 301, some_k(step, 301), input});
        check_counts(step, {DType::kFloat16, kRows, 301, some_k(step, 301), input});
      }
      for (const std::int64_t shift : {1, 2, 3, 5, 7}) {
        check_counts(step, {DType::kFloat32, kRows, 301, some_k(step, 301)},
                     {.logits_shift = shift, .output_shift = 2, .gradients_shift = shift});
        check_counts(step, {DType::kFloat16, kRows, 301, some_k(step, 301)},
                     {.logits_shift = shift, .output_shift = 3, .gradients_shift = 1});
      }
      for (const int block_size : {32, 96, 512, 1024}) {
        check_counts(step, {DType::kFloat32, kRows, 777, some_k(step, 777)},
                     {.block_size = block_size});
      }
      if (!step.is_top_k()) continue;
      for (const int k : {1, 5, 32, 33, 64, 100, 128, 300, 777}) {
        if (k <= step.info.max_k) check_counts(step, {DType::kFloat32, kRows, 777, k});
      }
      for (const int k : {256, 2048}) {
        if (k > step.info.max_k) continue;
        check_counts(step, {DType::kFloat32, kRows, 3001, k, Input::kTies});
        check_counts(step, {DType::kBFloat16, kRows, 20003, k, Input::kEqual}, {.block_size = 64});
      }
    }
  }
}

#endif  // SIMT_EXECUTOR
