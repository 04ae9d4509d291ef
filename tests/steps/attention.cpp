// Attention: widths and rows, values of every kind, alignments, and what is known by hand. The
// other tests give a step rows of logits; the queries of an attention share one.
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/step/problem_buffers.h"
#include "common/step/run.h"
#include "tests/steps/contract.h"

#ifdef SIMT_EXECUTOR
#include "simt/executor/counters.h"
#endif

using namespace worklog;
using namespace contract;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// More than a warp has, in blocks of one warp: the second block has a query alone.
constexpr std::int64_t kQueries = 9;
constexpr int kOneWarp = 32;

template <typename Check>
void for_attentions(Check check) {
  for (const Step& step : all_steps()) {
    if (step.takes<Attention>()) check(step);
  }
}

bool check_attention(const Step& step, const Case& a_case, const RowSource& logits,
                     const VerifyOptions& options) {
  return check_verdict(step, a_case, options, verify(step, a_case, logits, options));
}

bool check_attention(const Step& step, const Case& a_case, const VerifyOptions& options = {}) {
  return check_verdict(step, a_case, options, verify(step, a_case, options));
}

// Of all rows of an input the one that the queries' scores are like.
RowSource only_row(const Case& a_case, std::int64_t row) {
  return [rows = make_rows(a_case.input, a_case.dtype, row + 1, a_case.cols), row](
             std::int64_t, std::span<float> logits) { rows(row, logits); };
}

// Every order of a number, a NaN, -inf and +inf in four columns, of two tiles and of one.
constexpr std::int64_t kOrders = 4 * 4 * 4 * 4;
void fill_order(std::int64_t order, float elsewhere, std::span<float> logits) {
  const float values[] = {1.5f, order % 3 == 0 ? -kNan : kNan, -kInfinity, kInfinity};
  for (float& x : logits)
    x = elsewhere;
  for (const std::size_t col : {3, 31, 32, 66}) {
    logits[col] = values[order % 4];
    order /= 4;
  }
}

// Tiles that are far from each other, and some in which no key counts.
constexpr std::int64_t kRowsInParts = 6;
void fill_parts(std::int64_t row, std::span<float> logits) {
  constexpr float kFar = 1000.0f;
  constexpr float kParts[kRowsInParts][3] = {
      {kFar, 0.0f, -kFar},        {-kFar, 0.0f, kFar},
      {0.0f, kFar, 0.0f},         {-kInfinity, -kFar, -kInfinity},
      {-kFar, -kInfinity, -kFar}, {-kInfinity, -kInfinity, -kFar}};
  for (std::size_t col = 0; col < logits.size(); ++col)
    logits[col] = kParts[row][3 * col / logits.size()] + static_cast<float>(col % 5);
}

// Rows of a head, of which the first elements are given and the others 0.
std::vector<float> heads(const std::vector<std::vector<float>>& beginnings) {
  std::vector<float> elements;
  for (std::vector<float> row : beginnings) {
    row.resize(kHeadDim, 0.0f);
    elements.insert(elements.end(), row.begin(), row.end());
  }
  return elements;
}

}  // namespace

TEST_SUITE("attention") {
  TEST_CASE("every width to 130, others to 1100, and of half types some of them") {
    const CountingOff counting_off;
    for_attentions([](const Step& step) {
      const std::int64_t stride = step.variant.empty() ? 1 : 13;
      for (std::int64_t cols = 1; cols <= 1100; cols += cols < 130 ? stride : 23 * stride) {
        if (!check_attention(step, {DType::kFloat32, kQueries, cols}, {.block_size = kOneWarp}))
          break;
        if (cols % 3 != 0) continue;
        const DType half = cols % 2 == 0 ? DType::kFloat16 : DType::kBFloat16;
        if (!check_attention(step, {half, kQueries, cols}, {.block_size = kOneWarp})) break;
      }
    });
  }

  TEST_CASE("rows from 1 to more than a block has, and every block size") {
    const CountingOff counting_off;
    for_attentions([](const Step& step) {
      for (const std::int64_t rows : {1, 2, 7, 8, 9, 31, 33, 65, 129})
        check_attention(step, {DType::kFloat32, rows, 70});
      for (const int block_size : block_sizes(step)) {
        check_attention(step, {DType::kFloat32, 67, 40}, {.block_size = block_size});
        check_attention(step, {DType::kFloat16, 3, 33}, {.block_size = block_size});
      }
    });
  }

  TEST_CASE("scores of every input, and every kind of special row") {
    const CountingOff counting_off;
    for_attentions([](const Step& step) {
      for (const Input input : kAllInputs) {
        if (is_real(input)) continue;
        constexpr std::int64_t kKinds = 18;
        const std::int64_t kinds = input == Input::kSpecial || input == Input::kMasked ? kKinds : 3;
        for (std::int64_t row = 0; row < kinds; ++row) {
          for (const std::int64_t cols : {1, 7, 33, 100, 333}) {
            const Case a_case{kAllDTypes[(row + cols) % std::ssize(kAllDTypes)], 3, cols, 0, input};
            check_attention(step, a_case, only_row(a_case, row), {.block_size = kOneWarp});
          }
        }
      }
    });
  }

  TEST_CASE("a number, NaN, -inf and +inf in every order") {
    const CountingOff counting_off;
    for_attentions([](const Step& step) {
      const std::int64_t stride = step.variant.empty() ? 1 : 7;
      for (const float elsewhere : {0.25f, -kInfinity}) {
        for (std::int64_t order = 0; order < kOrders; order += stride) {
          check_attention(
              step, {DType::kFloat32, 2, 67},
              [&](std::int64_t, std::span<float> row) { fill_order(order, elsewhere, row); },
              {.block_size = kOneWarp});
        }
      }
    });
  }

  TEST_CASE("tiles whose scores are far from each other") {
    const CountingOff counting_off;
    for_attentions([](const Step& step) {
      for (std::int64_t row = 0; row < kRowsInParts; ++row) {
        for (const DType dtype : kAllDTypes) {
          check_attention(step, {dtype, 3, 200},
                          [&](std::int64_t, std::span<float> logits) { fill_parts(row, logits); },
                          {.block_size = kOneWarp});
        }
      }
    });
  }

  TEST_CASE("arrays start at any element") {
    const CountingOff counting_off;
    for_attentions([](const Step& step) {
      for (const DType dtype : kAllDTypes) {
        for (const std::int64_t shift : {1, 2, 3, 4, 7}) {
          check_attention(step, {dtype, kQueries, 50},
                          {.block_size = kOneWarp, .logits_shift = shift});
          check_attention(step, {dtype, kQueries, 50},
                          {.block_size = kOneWarp, .output_shift = shift, .gradients_shift = 1});
        }
      }
    });
  }

  // Weights of 1/4 and 3/4, a half each, 3/4 and 1/4; and one key that is masked.
  TEST_CASE("outputs of a few queries that are known") {
    for_attentions([](const Step& step) {
      CAPTURE(step.label());
      const float log_3 = std::log(3.0f);
      auto buffers = problem_buffers<float>(step, 3, 2);
      buffers.queries.upload(heads({{8.0f}, {0.0f, 8.0f}, {-8.0f}}));
      buffers.key_values.upload(heads({{4.0f, -8.0f, 1.0f}, {0.0f, 8.0f, 1.0f}}));
      const auto check_outputs = [&](const std::vector<std::vector<float>>& expected) {
        run(step, buffers.problem(), nullptr);
        const std::vector<float> outputs = buffers.columns.download();
        for (std::size_t row = 0; row < expected.size(); ++row) {
          const float* output = &outputs[row * kHeadDim];
          for (std::size_t i = 0; i < 3; ++i)
            CHECK(output[i] == doctest::Approx(expected[row][i]).epsilon(1e-6));
          for (std::size_t i = 3; i < kHeadDim; ++i)
            CHECK(output[i] == 0.0f);
        }
      };
      buffers.keys.upload(heads({{0.0f, 5.0f}, {log_3, 5.0f}}));
      check_outputs({{1.0f, 4.0f, 1.0f}, {2.0f, 0.0f, 1.0f}, {3.0f, -4.0f, 1.0f}});
      buffers.keys.upload(heads({{0.0f, 5.0f}, {-kInfinity, 5.0f}}));
      run(step, buffers.problem(), nullptr);
      const std::vector<float> outputs = buffers.columns.download();
      CHECK(outputs[0] == 4.0f);
      CHECK(outputs[1] == -8.0f);
      CHECK(outputs[2] == 1.0f);
      CHECK(std::isnan(outputs[kHeadDim]));      // 0 times -inf
      CHECK(std::isnan(outputs[2 * kHeadDim]));  // a score of +inf
    });
  }

#ifdef SIMT_EXECUTOR
  TEST_CASE("loads and stores are as predicted, to the last element") {
    for_attentions([](const Step& step) {
      const auto check_counts = [&](const Case& a_case, const VerifyOptions& options) {
        const auto predicted = [&](const Accesses& accesses) {
          return static_cast<std::uint64_t>(step.info.total(
              accesses, a_case.rows, a_case.cols, 0, size_of(a_case.dtype), options.block_size));
        };
        simt::reset_counters();
        if (!check_attention(step, a_case, options)) return;
        const simt::Counters counted = simt::counters();
        INFO(describe(step, a_case, options));
        CHECK(counted.global_loads.elements == predicted(step.info.loads));
        CHECK(counted.global_stores.elements == predicted(step.info.stores));
      };
      for (const std::int64_t rows : {1, 8, 9, 65}) {
        for (const std::int64_t cols : {1, 31, 32, 33, 257}) {
          for (const int block_size : {0, 32, 96})
            check_counts({DType::kFloat32, rows, cols}, {.block_size = block_size});
        }
      }
      for (const Input input : kAllInputs) {
        if (!is_real(input)) check_counts({DType::kFloat16, kQueries, 77, 0, input}, {});
      }
      check_counts({DType::kBFloat16, kQueries, 77}, {.logits_shift = 3, .output_shift = 1});
    });
  }

  // Its keys would be read for nothing, and the prediction could make the same mistake.
  TEST_CASE("no block is without a query: a warp has eight") {
    for_attentions([](const Step& step) {
      if (!step.variant.empty()) return;  // a variant may have other launches beside
      for (const std::int64_t rows : {1, 31, 32, 33, 64, 65}) {
        simt::reset_counters();
        if (!check_attention(step, {DType::kFloat32, rows, 5}, {.block_size = 128})) return;
        CHECK(simt::counters().blocks == static_cast<std::uint64_t>((rows + 31) / 32));
      }
    });
  }
#endif
}
