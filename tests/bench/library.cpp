// What the library is timed with, and that what is timed computes what it should.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "bench/library_cases.h"
#include "bench/library_steps.h"
#include "bench/times.h"
#include "bench/workload.h"
#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "common/verify/labels.h"
#include "common/verify/verify.h"

using namespace worklog;
using bench::LibraryCase;
using bench::Measurement;

namespace {

constexpr std::int64_t kL2Bytes = 50 << 20;  // an H100's

bool has(const std::vector<LibraryCase>& cases, softmax_worklog_operation operation, DType dtype,
         std::int64_t rows, std::int64_t cols) {
  return std::any_of(cases.begin(), cases.end(), [&](const LibraryCase& one) {
    return one.operation == operation && one.dtype == dtype && one.rows == rows &&
           one.cols == cols && one.cache == Cache::kCold;
  });
}

// The library's step, held to the bounds of that which it picks.
Step judged_as_picked(const LibraryCase& a_case) {
  const Step& library = bench::library_step(a_case.operation);
  for (const Measurement& candidate : bench::candidates_for(a_case)) {
    if (candidate.step->label() != bench::picked_step(a_case)) continue;
    StepInfo info = candidate.step->info;
    info.scratch_bytes = library.info.scratch_bytes;
    return {library.name, "", info, library.launches};
  }
  FAIL("no candidate is picked for " << a_case.name());
  return library;
}

struct CrossEntropyOfRows {
  std::vector<float> losses;
  std::vector<float> gradients;
  float loss = 0.0f;
};

CrossEntropyOfRows cross_entropy_of_rows(const Step& step, const LibraryCase& a_case,
                                         Reduction reduction) {
  const std::int64_t rows = a_case.rows;
  auto buffers = problem_buffers<float>(step, rows, a_case.cols);
  std::vector<float> logits(static_cast<std::size_t>(rows * a_case.cols));
  for (std::size_t i = 0; i < logits.size(); ++i)
    logits[i] = std::sin(static_cast<float>(i)) * 9.0f;
  buffers.logits.upload(logits);
  buffers.labels.upload(labels_of(rows, a_case.cols));
  buffers.values.upload(std::vector<float>(static_cast<std::size_t>(buffers.values.size())));
  AnyProblem<float> problem = buffers.problem();
  problem.cross_entropy.reduction = reduction;
  run(step, problem, nullptr);
  const std::vector<float> values = buffers.values.download();  // losses, log(sum(exp)), the loss
  return {{values.begin(), values.begin() + rows},
          buffers.columns.download(),
          values[static_cast<std::size_t>(2 * rows)]};
}

// Of the last problem that a step was given.
Reduction seen_reduction = Reduction::kSum;

template <typename T>
void note_reduction(const CrossEntropy<T>& problem, cudaStream_t) {
  seen_reduction = problem.options.reduction;
}

}  // namespace

TEST_SUITE("library") {
  TEST_CASE("no case twice, none that is too large, cold ones first") {
    const std::vector<LibraryCase> cases = bench::library_cases(kL2Bytes);
    std::set<std::string> names;
    for (const LibraryCase& one : cases) {
      CHECK_MESSAGE(names.insert(one.name()).second, one.name());
      CHECK_MESSAGE(one.bytes() <= (one.cache == Cache::kWarm ? kL2Bytes : 24'000'000'000),
                    one.name());
    }
    CHECK(std::is_partitioned(cases.begin(), cases.end(),
                              [](const LibraryCase& one) { return one.cache == Cache::kCold; }));
    CHECK(names.contains("top_k/bf16/64x151936/k50/cold"));
    CHECK(names.contains("softmax_backward/f32/4096x32000/cold"));
  }

  TEST_CASE("what is to be warm fits into the device's cache with room to spare") {
    const auto is_warm = [](std::int64_t l2_bytes, std::int64_t rows) {
      const std::vector<LibraryCase> cases = bench::library_cases(l2_bytes);
      return std::any_of(cases.begin(), cases.end(), [&](const LibraryCase& one) {
        return one.cache == Cache::kWarm && one.operation == SOFTMAX_WORKLOG_TOP_K &&
               one.dtype == DType::kFloat32 && one.cols == 32000 && one.rows == rows;
      });
    };
    CHECK(is_warm(kL2Bytes, 64));
    CHECK_FALSE(is_warm(kL2Bytes, 512));  // 65 MB of 52
    CHECK(is_warm(100 << 20, 512));
    CHECK_FALSE(is_warm(80 << 20, 512));  // 65 MB of 84
  }

  TEST_CASE("every vocabulary from 1 row to 32768, as far as they fit") {
    const std::vector<LibraryCase> cases = bench::library_cases(kL2Bytes);
    for (const std::int64_t cols : {32000, 50257, 50304, 128256, 151936, 201088, 256000, 262144}) {
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
        for (const std::int64_t rows : {1, 8, 64, 512, 4096, 32768}) {
          const std::int64_t bytes = 2 * rows * cols * static_cast<std::int64_t>(size_of(dtype));
          CHECK(has(cases, SOFTMAX_WORKLOG_SOFTMAX, dtype, rows, cols) ==
                (bytes <= 24'000'000'000));
        }
      }
    }
    CHECK(has(cases, SOFTMAX_WORKLOG_SOFTMAX, DType::kBFloat16, 4'000'000, 77));
    CHECK(has(cases, SOFTMAX_WORKLOG_CROSS_ENTROPY, DType::kBFloat16, 32768, 128256));
    CHECK_FALSE(has(cases, SOFTMAX_WORKLOG_SOFTMAX, DType::kFloat32, 4'000'000, 1024));
  }

  TEST_CASE("short rows of every operation, of few rows and of many") {
    const std::vector<LibraryCase> cases = bench::library_cases(kL2Bytes);
    for (const softmax_worklog_operation operation :
         {SOFTMAX_WORKLOG_SOFTMAX, SOFTMAX_WORKLOG_LOG_SOFTMAX, SOFTMAX_WORKLOG_SOFTMAX_BACKWARD,
          SOFTMAX_WORKLOG_CROSS_ENTROPY}) {
      for (const std::int64_t cols : {16, 77, 1024}) {
        for (const std::int64_t rows : {512, 32768}) {
          CHECK(has(cases, operation, DType::kFloat32, rows, cols));
          CHECK(has(cases, operation, DType::kBFloat16, rows, cols));
        }
      }
    }
    CHECK(has(cases, SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 32768, 64));
    CHECK_FALSE(has(cases, SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 32768, 50257));
    std::set<std::string> names;
    for (const LibraryCase& one : cases)
      names.insert(one.name());
    CHECK(names.contains("top_k/f32/32768x64/k50/cold"));
    CHECK(names.contains("top_k/f32/32768x64/k8/cold"));
    CHECK(names.contains("top_k/bf16/512x16/k8/warm"));
    CHECK_FALSE(names.contains("top_k/f32/32768x32/k50/cold"));  // fewer columns than K
    CHECK_FALSE(names.contains("top_k/f32/512x32000/k8/cold"));
  }

  TEST_CASE("each row's cross-entropy is timed wherever the mean is, by the same steps") {
    const std::vector<LibraryCase> cases = bench::library_cases(kL2Bytes);
    std::vector<std::string> of_mean;
    std::vector<std::string> of_rows;
    for (const LibraryCase& one : cases) {
      if (one.operation != SOFTMAX_WORKLOG_CROSS_ENTROPY) continue;
      const std::string operation(one.operation_name());
      const bool reduces = operation == "cross_entropy";
      CHECK(one.reduction == (reduces ? Reduction::kMean : Reduction::kNone));
      CHECK(one.fields()["operation"] == operation);
      REQUIRE(one.name().substr(0, operation.size() + 1) == operation + '/');
      (reduces ? of_mean : of_rows).push_back(one.name().substr(operation.size()));
    }
    CHECK(of_mean == of_rows);
    CHECK(std::find(of_rows.begin(), of_rows.end(), "/bf16/64x32000/cold") != of_rows.end());
    CHECK(std::find(of_rows.begin(), of_rows.end(), "/bf16/64x32000/warm") != of_rows.end());
  }

  TEST_CASE("what each row's cross-entropy is timed with is asked for no reduction") {
    LibraryCase one = {SOFTMAX_WORKLOG_CROSS_ENTROPY, DType::kBFloat16, 64, 32000};
    const std::vector<Measurement> of_mean = bench::candidates_for(one);
    CHECK(bench::measurement_of(one).reduction == Reduction::kMean);
    CHECK(bench::measurement_of(one).name() == "library/cross_entropy/bf16/64x32000/cold");
    one.reduction = Reduction::kNone;
    CHECK(one.name() == "cross_entropy_rows/bf16/64x32000/cold");
    CHECK(bench::measurement_of(one).reduction == Reduction::kNone);
    CHECK(bench::measurement_of(one).name() == "library/cross_entropy/bf16/64x32000/rows/cold");
    const std::vector<Measurement> of_rows = bench::candidates_for(one);
    REQUIRE(of_rows.size() == of_mean.size());
    REQUIRE(!of_rows.empty());
    for (std::size_t i = 0; i < of_rows.size(); ++i) {
      CHECK(of_rows[i].step == of_mean[i].step);
      CHECK(of_rows[i].reduction == Reduction::kNone);
    }
  }

  TEST_CASE("a measurement's reduction is in the problem that its step is given") {
    const Step step = {"asked", "", {}, WORKLOG_LAUNCHES(note_reduction)};
    Measurement asked = {bench::Subject::kStep, &step, DType::kFloat32, 2, 8};
    bench::StepWorkload(asked).launches()(nullptr);
    CHECK(seen_reduction == Reduction::kMean);
    asked.reduction = Reduction::kNone;
    bench::StepWorkload(asked).launches()(nullptr);
    CHECK(seen_reduction == Reduction::kNone);
  }

  TEST_CASE("what the library picks is among the candidates") {
    for (const LibraryCase& one : bench::library_cases(kL2Bytes)) {
      const std::string picked = bench::picked_step(one);
      const std::vector<Measurement> candidates = bench::candidates_for(one);
      const bool found =
          std::any_of(candidates.begin(), candidates.end(), [&](const Measurement& candidate) {
            return candidate.subject_name() == picked && candidate.cache == one.cache;
          });
      CHECK_MESSAGE(found, one.name() << ": " << picked);
    }
  }

  TEST_CASE("cuDNN stands beside softmax and its logarithm") {
    LibraryCase one = {SOFTMAX_WORKLOG_SOFTMAX, DType::kFloat32, 8, 1024};
    REQUIRE(bench::cudnn_for(one).size() == 1);
    CHECK(bench::cudnn_for(one).front().name() == "cudnn/softmax_accurate/f32/8x1024/cold");
    one.operation = SOFTMAX_WORKLOG_LOG_SOFTMAX;
    CHECK(bench::cudnn_for(one).size() == 1);
    one.operation = SOFTMAX_WORKLOG_TOP_K;
    CHECK(bench::cudnn_for(one).empty());
    CHECK(bench::measurement_of(one).name() == "library/top_k/f32/8x1024/k50/cold");
  }

  TEST_CASE("the library as a step computes what the step that it picks must") {
    for (const auto operation : {SOFTMAX_WORKLOG_SOFTMAX, SOFTMAX_WORKLOG_LOG_SOFTMAX,
                                 SOFTMAX_WORKLOG_TOP_K, SOFTMAX_WORKLOG_SOFTMAX_BACKWARD}) {
      for (const DType dtype : kAllDTypes) {
        for (const std::int64_t cols : {77, 1030}) {
          const LibraryCase one = {operation, dtype, 9, cols};
          const Step step = judged_as_picked(one);
          const Verdict verdict = verify(step, {dtype, one.rows, cols, one.k()});
          CHECK_MESSAGE(verdict.ok, one.name() << ": " << verdict.failure);
        }
      }
    }
    LibraryCase routed = {SOFTMAX_WORKLOG_TOP_K, DType::kFloat32, 9, 16};
    routed.largest = 8;
    const Verdict verdict = verify(judged_as_picked(routed), {routed.dtype, 9, 16, routed.k()});
    CHECK_MESSAGE(verdict.ok, verdict.failure);
  }

  TEST_CASE("its cross-entropy has the losses and gradients of the step that it picks") {
    const LibraryCase one = {SOFTMAX_WORKLOG_CROSS_ENTROPY, DType::kFloat32, 9, 77};
    const Step& library = bench::library_step(one.operation);
    const std::vector<Measurement> candidates = bench::candidates_for(one);
    const auto found_candidate = std::ranges::find_if(candidates, [&](const Measurement& each) {
      return each.step->label() == bench::picked_step(one);
    });
    REQUIRE(found_candidate != candidates.end());
    const Step& picked = *found_candidate->step;
    for (const Reduction reduction : {Reduction::kNone, Reduction::kSum, Reduction::kMean}) {
      const CrossEntropyOfRows expected = cross_entropy_of_rows(picked, one, reduction);
      const CrossEntropyOfRows found = cross_entropy_of_rows(library, one, reduction);
      CHECK(found.gradients == expected.gradients);
      if (reduction == Reduction::kNone) {
        CHECK(found.losses == expected.losses);
      } else {
        CHECK(found.loss == expected.loss);
        CHECK(found.loss > 0.0f);
      }
    }
  }

  TEST_CASE("a refusal is a result, in the library's words") {
    const Step& step = bench::library_step(SOFTMAX_WORKLOG_CROSS_ENTROPY);
    CHECK_THROWS_AS(scratch_bytes(step, 4, std::int64_t{1} << 40, DType::kFloat32), bench::Refused);
    CHECK_THROWS_AS(bench::library_step(SOFTMAX_WORKLOG_CROSS_ENTROPY_LOSS), std::invalid_argument);
  }
}
