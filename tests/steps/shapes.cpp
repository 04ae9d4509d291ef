// Shapes, alignments, block sizes, in place, and nothing at all.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/cuda/device_buffer.h"
#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "tests/steps/contract.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

using namespace worklog;
using namespace contract;

namespace {

#ifdef SIMT_EXECUTOR
constexpr bool kOnExecutor = true;
#else
constexpr bool kOnExecutor = false;
#endif

// The launches so far where they are counted, else 0.
std::uint64_t launches() {
#ifdef SIMT_EXECUTOR
  return simt::counters().launches;
#else
  return 0;
#endif
}

// Runs a problem without elements on memory that must stay as it is.
template <typename T>
void check_nothing_happens(const Step& step, std::int64_t rows, std::int64_t cols) {
  CAPTURE(step.label());
  CAPTURE(rows);
  CAPTURE(cols);
  DeviceBuffer<float> output(std::vector<float>{-7.0f, -7.0f});
  DeviceBuffer<std::int64_t> indices(std::vector<std::int64_t>{-7});
  const DeviceBuffer<std::int64_t> labels(5);
  const std::uint64_t before = launches();
  CHECK_NOTHROW(run(step,
                    AnyProblem<T>{.logits = nullptr,
                                  .labels = labels.data(),
                                  .columns = reinterpret_cast<T*>(output.data()),
                                  .values = output.data(),
                                  .indices = indices.data(),
                                  .rows = rows,
                                  .cols = cols,
                                  .k = 1},
                    nullptr));
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(launches() == before);
  CHECK(output.download() == std::vector<float>{-7.0f, -7.0f});
  CHECK(indices.download() == std::vector<std::int64_t>{-7});
}

// A variant is as long as its step, unless it says otherwise.
bool has_a_limit_of_its_own(const Step& step) {
  if (step.info.max_cols == nullptr) return false;
  const Step& ladder_step = registered_step(step.name, "");
  return step.variant.empty() || ladder_step.info.max_cols == nullptr ||
         step.info.most_cols(sizeof(float), 0) != ladder_step.info.most_cols(sizeof(float), 0);
}

}  // namespace

TEST_SUITE("shapes") {
  TEST_CASE("long rows: multiples of the block sizes and one beside, and the paper's widths") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const std::int64_t cols : {8191, 8192, 8193, 16383, 16384, 16385, 25000, 32001}) {
        for (const DType dtype : kAllDTypes) {
          if (is_left_out(step, dtype, cols)) continue;
          check_verified(step, {dtype, 3, cols, some_k(step, cols), Input::kRandom});
        }
      }
      for (const Input input : {Input::kRandom, Input::kEqual, Input::kDominant}) {
        check_verified(step, {DType::kFloat32, 2, 100000, some_k(step, 100000), input});
      }
    }
  }

  TEST_CASE("rows of logits and of the output start at any element") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const DType dtype : kAllDTypes) {
        for (const std::int64_t cols : {1, 5, 8, 16, 39, 256, 1001}) {
          if (is_left_out(step, dtype, cols)) continue;
          for (const std::int64_t logits_shift : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
            for (const std::int64_t output_shift : {0, 1, 4, 7}) {
              // From width to width the other half of them.
              const bool is_turn = (logits_shift + output_shift + cols) % 2 == 0;
              if (!is_turn && !wants_every_case()) continue;
              check_verified(step, {dtype, 3, cols, some_k(step, cols), Input::kRandom},
                             {.logits_shift = logits_shift, .output_shift = output_shift});
            }
          }
        }
      }
    }
  }

  TEST_CASE("rows of gradients start at any element, wherever the others do") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.is_backward()) continue;
      for (const DType dtype : kAllDTypes) {
        for (const std::int64_t cols : {1, 5, 16, 39, 1001}) {
          for (const std::int64_t shift : {1, 2, 4, 7, 8}) {
            check_verified(step, {dtype, 3, cols}, {.gradients_shift = shift});
            check_verified(step, {dtype, 3, cols},
                           {.logits_shift = 3, .output_shift = 3, .gradients_shift = shift});
            check_verified(step, {dtype, 3, cols}, {.in_place = true, .logits_shift = shift});
          }
        }
      }
    }
  }

  TEST_CASE("every block size: multiples of a warp from 32 to 1024") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const int block_size : block_sizes(step)) {
        for (const std::int64_t cols : {1, 31, 100, 1000, 4097}) {
          check_verified(step, {DType::kFloat32, kRows, cols, some_k(step, cols), Input::kRandom},
                         {.block_size = block_size});
        }
        check_verified(step, {DType::kFloat16, kRows, 333, some_k(step, 333), Input::kSpecial},
                       {.block_size = block_size});
        check_verified(step, {DType::kBFloat16, kRows, 333, some_k(step, 333), Input::kMasked},
                       {.block_size = block_size});
      }
    }
  }

  TEST_CASE("softmax and log-softmax work in place, and so do their backward passes") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!step.keeps_columns()) continue;
      for (const DType dtype : kAllDTypes) {
        for (const Input input : {Input::kRandom, Input::kSpecial, Input::kMasked}) {
          for (const std::int64_t cols : {1, 2, 3, 7, 16, 33, 64, 127, 257, 1000, 1025, 4099}) {
            if (is_left_out(step, dtype, cols)) continue;
            check_verified(step, {dtype, kRows, cols, 0, input}, {.in_place = true});
            if (!step.is_backward()) continue;
            check_verified(step, {dtype, kRows, cols, 0, input}, {.over_results = true});
          }
        }
      }
    }
  }

  TEST_CASE("more rows than a grid has blocks in y and z") {
    const CountingOff counting_off;
    constexpr std::int64_t kRowsBeyond16Bits = 65541;
    for (const Step& step : all_steps()) {
      if (step.info.max_rows < kRowsBeyond16Bits || (kOnExecutor && !step.variant.empty()))
        continue;
      check_verified(step, {DType::kFloat32, kRowsBeyond16Bits, 3, some_k(step, 3)},
                     {.block_size = 32});
    }
  }

  // Some give a lane or a warp more where rows are so many that all of a GPU is busy.
  TEST_CASE("many short rows") {
    const CountingOff counting_off;
    constexpr std::int64_t kManyRows = 17000;  // 132 multiprocessors have 8,448 warps at once
    for (const Step& step : all_steps()) {
      if (!step.info.several_rows_a_block) continue;
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
        for (const std::int64_t cols : {5, 16, 64, 77, 128}) {
          check_verified(step, {dtype, kManyRows, cols, some_k(step, cols)});
        }
      }
    }
  }

  // Tests leave out what a step does not take: a limit that is too low would hide all above it.
  TEST_CASE("the longest row that a step takes, in its own blocks and in the smallest") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!has_a_limit_of_its_own(step)) continue;
      for (const DType dtype : kAllDTypes) {
        for (const int block_size : {0, 32}) {
          const std::int64_t most = step.info.most_cols(size_of(dtype), block_size);
          if (block_size == 32 && is_left_out(step, dtype, most)) continue;
          if (step.variant.empty()) CHECK(most >= 1024);  // some variants are for short rows
          const int k = step.is_top_k() ? step.info.max_k : 0;
          check_verified(step, {dtype, 1, most, k}, {.block_size = block_size});
          // The second row begins in the middle of a line, and then the only one with its last
          // vector.
          check_verified(step, {dtype, 2, most - 1, some_k(step, most)},
                         {.block_size = block_size});
          const std::int64_t shift = (128 - 16) / static_cast<std::int64_t>(size_of(dtype));
          check_verified(step, {dtype, 1, most, some_k(step, most)},
                         {.block_size = block_size, .logits_shift = shift, .output_shift = shift});
        }
      }
    }
  }

  // Where a row has several blocks, their number may change with its length and with how many rows
  // there are, and each of them must hold its share.
  TEST_CASE("long rows, one, a few and more, in the largest blocks and a step's own") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      if (!has_a_limit_of_its_own(step)) continue;
      const int largest = block_sizes(step).back();
      const std::int64_t most = step.info.most_cols(sizeof(float), largest);
      for (const std::int64_t cols : {most / 4 + 1, most / 2, most / 2 + 1, most / 4 * 3, most}) {
        for (const std::int64_t rows : {1, 3, 5}) {
          if (rows > step.info.max_rows) continue;
          for (const int block_size : {largest, 0}) {
            check_verified(step, {DType::kFloat32, rows, cols, some_k(step, cols)},
                           {.block_size = block_size});
          }
        }
      }
    }
  }

  TEST_CASE("a step's own blocks hold every row that it takes") {
    for (const Step& step : all_steps()) {
      if (step.info.max_cols == nullptr) continue;
      for (const std::size_t element_bytes : {sizeof(float), sizeof(__half)}) {
        const std::int64_t most = step.info.most_cols(element_bytes, 0);
        for (std::int64_t cols = 1; cols <= most; cols += 100) {
          for (const std::int64_t rows : {1, 4000}) {
            const int threads = step.info.block_size_for(rows, cols, element_bytes);
            CHECK(cols <= step.info.most_cols(element_bytes, threads));
          }
        }
      }
    }
  }

  TEST_CASE("0 rows or 0 columns: success, nothing launched, nothing written") {
    constexpr std::int64_t kMany = std::int64_t{1} << 40;
    for (const Step& step : all_steps()) {
      for (const std::int64_t size : {std::int64_t{1}, std::int64_t{5}, kMany}) {
        if (size > step.info.max_rows) continue;
        check_nothing_happens<float>(step, 0, size);
        check_nothing_happens<__half>(step, 0, size);
        check_nothing_happens<__nv_bfloat16>(step, 0, size);
        if (step.is_top_k()) continue;  // no k is allowed for 0 columns
        if (step.takes<NegativeLogLikelihood>() && size == kMany) continue;  // labels for all
        check_nothing_happens<float>(step, size, 0);
        check_nothing_happens<__half>(step, size, 0);
        check_nothing_happens<__nv_bfloat16>(step, size, 0);
      }
      if (!step.is_top_k()) check_nothing_happens<float>(step, 0, 0);
    }
  }

  // Worked out by hand, so that not everything rests on the reference.
  TEST_CASE("softmax of a few rows that are known") {
    for (const Step& step : all_steps()) {
      if (!step.takes<Softmax>() || step.takes_one_row()) continue;
      CAPTURE(step.label());
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      auto buffers = problem_buffers<float>(step, 3, 4);
      buffers.logits.upload({1, 2, 3, 4,  //
                             5, 5, 5, 5,  //
                             0, -kInfinity, -kInfinity, 0});
      run(step, buffers.problem(), nullptr);
      if (!step.info.expected_failure.empty()) continue;  // -inf may be outside of its domain
      const std::vector<float> result = buffers.columns.download();
      // 1, e, e^2, e^3 over their sum.
      const float expected[] = {0.0320586033f, 0.0871443187f, 0.236882818f, 0.643914260f};
      for (int col = 0; col < 4; ++col) {
        CHECK(result[col] == doctest::Approx(expected[col]).epsilon(1e-6));
        CHECK(result[4 + col] == 0.25f);
      }
      CHECK(result[8] == 0.5f);
      CHECK(result[9] == 0.0f);
      CHECK(result[10] == 0.0f);
      CHECK(result[11] == 0.5f);
    }
  }

  TEST_CASE("softmax of one row that is known") {
    for (const Step& step : all_steps()) {
      if (!step.takes_one_row()) continue;
      CAPTURE(step.label());
      auto buffers = problem_buffers<float>(step, 1, 4);
      buffers.logits.upload({1, 2, 3, 4});
      run(step, buffers.problem(), nullptr);
      const std::vector<float> result = buffers.columns.download();
      // 1, e, e^2, e^3 over their sum.
      const float expected[] = {0.0320586033f, 0.0871443187f, 0.236882818f, 0.643914260f};
      for (int col = 0; col < 4; ++col) {
        CHECK(result[col] == doctest::Approx(expected[col]).epsilon(1e-6));
      }
    }
  }

  // dx = y (dy - sum(y dy)), and dx = dy - exp(y) sum(dy) where one column has all of its row.
  // Whether y is a softmax is not looked at.
  TEST_CASE("gradients of a few rows that are known") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const Step& step : all_steps()) {
      if (!step.is_backward()) continue;
      CAPTURE(step.label());
      auto buffers = problem_buffers<float>(step, 3, 4);
      const bool of_logarithms = step.takes<LogSoftmaxBackward>();
      buffers.results.upload(
          of_logarithms ? std::vector<float>{0, -kInfinity, -kInfinity, -kInfinity, -kInfinity, 0,
                                             -kInfinity, -kInfinity, 0, 0, -kInfinity, -kInfinity}
                        : std::vector<float>{0.5f, 0.25f, 0.125f, 0.125f,  //
                                             1, 0, 0, 0,                   //
                                             2, -1, 0.5f, 0});
      buffers.gradients.upload({8, -4, 16, 0,  //
                                3, 5, -7, 1,   //
                                1, 2, 4, 8});
      run(step, buffers.problem(), nullptr);
      const std::vector<float> expected =
          of_logarithms ? std::vector<float>{8 - 20, -4,     16, 0,  //
                                             3,      5 - 2,  -7, 1,  //
                                             1 - 15, 2 - 15, 4,  8}
                        : std::vector<float>{1.5f, -2.25f, 1.375f, -0.625f,  // the sum is 5
                                             0,    0,      0,      0,        // 3
                                             -2,   0,      1,      0};       // 2
      CHECK(buffers.columns.download() == expected);
    }
  }

  TEST_CASE("log-softmax and losses of a few rows that are known") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    // 1, e, e^2, e^3 over their sum; a quarter; a half: their logarithms.
    const float expected[] = {-3.4401897f, -2.4401897f, -1.4401897f, -0.4401897f};
    constexpr float kLogOf4 = 1.3862944f;
    constexpr float kLogOf2 = 0.6931472f;
    for (const Step& step : all_steps()) {
      if (!step.info.expected_failure.empty()) continue;  // -inf may be outside of its domain
      if (step.is_backward() || step.takes<Attention>()) continue;  // it takes no logits
      CAPTURE(step.label());
      auto buffers = problem_buffers<float>(step, 3, 4);
      buffers.logits.upload({1, 2, 3, 4,  //
                             5, 5, 5, 5,  //
                             0, -kInfinity, -kInfinity, 0});
      if (step.takes<LogSoftmax>()) {
        run(step, buffers.problem(), nullptr);
        const std::vector<float> result = buffers.columns.download();
        for (int col = 0; col < 4; ++col) {
          CHECK(result[col] == doctest::Approx(expected[col]).epsilon(1e-6));
          CHECK(result[4 + col] == doctest::Approx(-kLogOf4).epsilon(1e-6));
        }
        CHECK(result[8] == doctest::Approx(-kLogOf2).epsilon(1e-6));
        CHECK(result[9] == -kInfinity);
        CHECK(result[10] == -kInfinity);
        CHECK(result[11] == doctest::Approx(-kLogOf2).epsilon(1e-6));
      } else if (step.takes<NegativeLogLikelihood>()) {
        for (const std::int64_t label : {0, 1, 2, 3, 4, -1}) {
          buffers.labels.upload({label, label, label});
          run(step, buffers.problem(), nullptr);
          const std::vector<float> losses = buffers.values.download();
          if (label < 0 || label > 3) {
            for (int row = 0; row < 3; ++row)
              CHECK(std::isnan(losses[row]));
            continue;
          }
          CHECK(losses[0] == doctest::Approx(-expected[label]).epsilon(1e-6));
          CHECK(losses[1] == doctest::Approx(kLogOf4).epsilon(1e-6));
          if (label == 1 || label == 2) {
            CHECK(losses[2] == kInfinity);
          } else {
            CHECK(losses[2] == doctest::Approx(kLogOf2).epsilon(1e-6));
          }
        }
      }
    }
  }
}
