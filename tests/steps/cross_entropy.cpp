// Cross-entropy: its options, labels that do not count or name no column, and all of them together.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr Reduction kReductions[] = {Reduction::kNone, Reduction::kSum, Reduction::kMean};

// As check_verified(), whose count of elements has no sum or mean.
void check_options(const Step& step, const Case& a_case, const VerifyOptions& options) {
  if (!takes_width(step, a_case, options)) return;
  INFO(describe(step, a_case, options));
  const CrossEntropyOptions& asked = options.cross_entropy;
  CAPTURE(asked.label_smoothing);
  CAPTURE(asked.z_loss);
  CAPTURE(static_cast<int>(asked.reduction));
  const Verdict verdict = verify(step, a_case, options);
  CHECK_MESSAGE(verdict.ok, verdict.failure);
  const std::int64_t totals = asked.reduction == Reduction::kNone ? 0 : 1;
  CHECK(verdict.checked_elements == elements_to_check(step, a_case) + totals);
}

// The step's results for two rows of three logits.
struct Results {
  std::vector<float> values;
  std::vector<float> gradients;
};

Results run_known(const Step& step, const std::vector<std::int64_t>& labels,
                  const CrossEntropyOptions& options) {
  auto buffers = problem_buffers<float>(step, 2, 3);
  buffers.logits.upload({std::log(1.0f), std::log(2.0f), std::log(5.0f),  // p: 1/8, 2/8, 5/8
                         0.0f, -kInfinity, 0.0f});                        // 1/2, 0, 1/2
  buffers.labels.upload(labels);
  AnyProblem<float> problem = buffers.problem();
  problem.cross_entropy = options;
  run(step, problem, nullptr);
  return {buffers.values.download(), buffers.columns.download()};
}

void check_near(const std::vector<float>& got, const std::vector<float>& expected) {
  REQUIRE(got.size() >= expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    if (std::isfinite(expected[i])) {
      CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-6));
    } else if (std::isnan(expected[i])) {
      CHECK(std::isnan(got[i]));
    } else {
      CHECK(got[i] == expected[i]);
    }
  }
}

}  // namespace

TEST_SUITE("cross_entropy") {
  TEST_CASE("every option with every kind of labels") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.takes<CrossEntropy>()) continue;
      for (const DType dtype : kAllDTypes) {
        for (const float label_smoothing : {0.0f, 0.1f, 1.0f}) {
          for (const float z_loss : {0.0f, 1e-2f}) {
            for (const Reduction reduction : kReductions) {
              for (const LabelKind labels : {LabelKind::kColumns, LabelKind::kMixed}) {
                for (const std::int64_t cols : {1, 5, 64, 1001}) {
                  const VerifyOptions options{.cross_entropy = {.label_smoothing = label_smoothing,
                                                                .z_loss = z_loss,
                                                                .reduction = reduction},
                                              .labels = labels};
                  check_options(step, {dtype, 36, cols, 0, Input::kRandom}, options);
                  check_options(step, {dtype, 36, cols, 0, Input::kSpecial}, options);
                }
              }
            }
          }
        }
      }
    }
  }

  TEST_CASE("labels of 32 bits, another label that is ignored, and in place") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.takes<CrossEntropy>()) continue;
      for (const Reduction reduction : kReductions) {
        for (const std::int64_t ignore_index : {-100, -1, 2}) {
          const VerifyOptions options{.in_place = true,
                                      .cross_entropy = {.ignore_index = ignore_index,
                                                        .label_smoothing = 0.1f,
                                                        .reduction = reduction},
                                      .labels = LabelKind::kMixed,
                                      .short_labels = true};
          for (const std::int64_t more : {0, 1}) {  // rows that are aligned, and others
            check_options(step, {DType::kFloat32, 36, 100 + more, 0, Input::kRandom}, options);
            check_options(step, {DType::kBFloat16, 36, 1000 + more, 0, Input::kMasked}, options);
          }
        }
      }
    }
  }

  // Rows of several blocks, of which a part waits in shared memory; and as many rows as a block has
  // threads, one more and one less.
  TEST_CASE("means of long rows, in place, with every option") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.takes<CrossEntropy>()) continue;
      for (const std::int64_t rows : {31, 32, 33}) {
        for (const bool in_place : {false, true}) {
          const VerifyOptions options{.in_place = in_place,
                                      .block_size = 32,
                                      .cross_entropy = {.label_smoothing = 0.1f,
                                                        .z_loss = 1e-2f,
                                                        .reduction = Reduction::kMean},
                                      .labels = LabelKind::kMixed,
                                      .short_labels = in_place};
          check_options(step, {DType::kFloat32, rows, 9001, 0, Input::kRandom}, options);
          check_options(step, {DType::kBFloat16, rows, 20001, 0, Input::kMasked}, options);
        }
      }
      const VerifyOptions usual{.cross_entropy = {.label_smoothing = 0.1f,
                                                  .z_loss = 1e-2f,
                                                  .reduction = Reduction::kMean},
                                .labels = LabelKind::kMixed};
      check_options(step, {DType::kFloat32, 128, 4099, 0, Input::kRandom}, usual);
      check_options(step, {DType::kFloat32, 3, 150001, 0, Input::kRandom}, usual);
    }
  }

  TEST_CASE("more rows than a block has threads: one sum, and one mean of those that count") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.takes<CrossEntropy>()) continue;
      for (const Reduction reduction : {Reduction::kSum, Reduction::kMean}) {
        for (const int block_size : {32, 256}) {
          check_options(step, {DType::kFloat32, 2500, 7},
                        {.block_size = block_size,
                         .cross_entropy = {.reduction = reduction},
                         .labels = LabelKind::kColumns});
        }
        // Some of the mixed ones make the loss NaN, and some do not count.
        for (const LabelKind labels : {LabelKind::kColumns, LabelKind::kMixed}) {
          check_options(step, {DType::kFloat32, 20000, 3},
                        {.cross_entropy = {.reduction = reduction}, .labels = labels});
        }
      }
    }
  }

  TEST_CASE("all rows ignored: a sum of 0, PyTorch's NaN for the mean, and no gradients") {
    for (const Step& step : all_steps()) {
      if (!step.takes<CrossEntropy>()) continue;
      for (const Reduction reduction : kReductions) {
        check_options(step, {DType::kFloat32, 9, 33},
                      {.cross_entropy = {.reduction = reduction}, .labels = LabelKind::kIgnored});
      }
      const Results mean = run_known(step, {-100, -100}, {.reduction = Reduction::kMean});
      CHECK(std::isnan(mean.values[4]));
      CHECK(mean.gradients == std::vector<float>(6, 0.0f));
      const Results sum = run_known(step, {-100, -100}, {.reduction = Reduction::kSum});
      CHECK(sum.values[4] == 0.0f);
    }
  }

  // What PyTorch 2 gives for the same, to the digits that are checked.
  TEST_CASE("losses and gradients of two rows that are known") {
    const float log_8 = std::log(8.0f);
    const float log_4 = std::log(4.0f);
    const float log_2 = std::log(2.0f);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const Step& step : all_steps()) {
      if (!step.takes<CrossEntropy>()) continue;
      CAPTURE(step.label());
      const Results plain = run_known(step, {1, 0}, {});
      check_near(plain.values, {log_4, log_2, log_8, log_2});
      check_near(plain.gradients, {0.125f, -0.75f, 0.625f, -0.5f, 0.0f, 0.5f});

      const Results mean = run_known(step, {1, 2}, {.reduction = Reduction::kMean});
      check_near(mean.values, {log_4, log_2, log_8, log_2, (log_4 + log_2) / 2});
      check_near(mean.gradients, {0.0625f, -0.375f, 0.3125f, 0.25f, 0.0f, -0.25f});

      const Results ignored = run_known(step, {1, -100}, {.reduction = Reduction::kMean});
      check_near(ignored.values, {log_4, 0.0f, log_8, 0.0f, log_4});
      check_near(ignored.gradients, {0.125f, -0.75f, 0.625f, 0.0f, 0.0f, 0.0f});

      const Results masked = run_known(step, {3, 1}, {.reduction = Reduction::kSum});
      check_near(masked.values, {nan, kInfinity, log_8, log_2, nan});
      check_near(masked.gradients, {nan, nan, nan, 0.5f, -1.0f, 0.5f});

      const Results smooth = run_known(step, {1, 0}, {.label_smoothing = 0.3f});
      const float mean_of_row = std::log(10.0f) / 3;
      check_near(smooth.values, {0.7f * log_4 + 0.3f * (log_8 - mean_of_row), kInfinity});
      check_near(smooth.gradients, {0.125f - 0.1f, 0.25f - 0.8f, 0.625f - 0.1f});

      const Results z = run_known(step, {1, 0}, {.z_loss = 0.5f});
      check_near(z.values, {log_4 + 0.5f * log_8 * log_8, log_2 + 0.5f * log_2 * log_2});
      check_near(z.gradients, {0.125f * (1 + log_8), 0.25f * (1 + log_8) - 1});
    }
  }
}
