// What may stand in a row: every input that has a name, and special values in every position.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// One column, both sides of a warp, of a block of 128, 256 and 1024, and odd widths between.
constexpr std::int64_t kWidths[] = {1,   2,   3,   7,   8,   31,   32,   33,   64,   65,  127,
                                    128, 129, 255, 256, 257, 1000, 1023, 1024, 1025, 2049};

// A row of `others` with `special` in one place.
struct Planted {
  float others;
  float special;
};

constexpr float kOrdinary = 0.0f;  // stands for logits that differ from each other
constexpr Planted kPlanted[] = {
    {kOrdinary, kNan},       {kOrdinary, kInfinity}, {kOrdinary, -kInfinity}, {-kInfinity, kNan},
    {-kInfinity, kInfinity}, {-kInfinity, 1.5f},     {kInfinity, -2.0f},      {kNan, 0.25f},
};
constexpr std::int64_t kPlantedRows = std::size(kPlanted);

// Row r has kPlanted[r % 8] at column r / 8: all positions, one after the other.
void plant(std::int64_t row, std::span<float> logits) {
  const Planted& planted = kPlanted[row % kPlantedRows];
  for (std::size_t col = 0; col < logits.size(); ++col) {
    logits[col] = planted.others == kOrdinary ? static_cast<float>((7 * col + row) % 5) - 2.0f
                                              : planted.others;
  }
  logits[static_cast<std::size_t>(row / kPlantedRows)] = planted.special;
}

}  // namespace

TEST_SUITE("inputs") {
  TEST_CASE("every input that is made, at widths around warps and blocks") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const Input input : kAllInputs) {
        if (is_real(input)) continue;
        for (const DType dtype : kAllDTypes) {
          for (const std::int64_t cols : kWidths) {
            if (is_left_out(step, dtype, cols) || is_left_out(step, input, cols)) continue;
            check_verified(step, {dtype, kRows, cols, some_k(step, cols), input});
          }
        }
      }
    }
  }

  TEST_CASE("NaN, +inf and -inf in every position, among ordinary logits and among each other") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const std::int64_t cols : {1, 2, 5, 32, 33, 70}) {
        for (const DType dtype : kAllDTypes) {
          if (is_left_out(step, dtype, cols)) continue;
          check_verified(
              step, {dtype, kPlantedRows * cols, cols, some_k(step, cols), Input::kSpecial}, plant);
        }
      }
      // Row by row this would be two thousand launches: long_row.cpp has such rows.
      constexpr std::int64_t kWiderThanABlock = 259;
      if (!step.variant.empty() || step.info.max_rows < kPlantedRows * kWiderThanABlock) continue;
      check_verified(step,
                     {DType::kFloat32, kPlantedRows * kWiderThanABlock, kWiderThanABlock,
                      some_k(step, kWiderThanABlock), Input::kSpecial},
                     plant);
    }
  }

  TEST_CASE("rows of nothing but -inf, nothing but +inf, nothing but NaN") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const float value : {-kInfinity, kInfinity, kNan}) {
        for (const std::int64_t cols : kWidths) {
          for (const DType dtype : kAllDTypes) {
            if (is_left_out(step, dtype, cols)) continue;
            check_verified(step, {dtype, kRows, cols, some_k(step, cols), Input::kSpecial},
                           [value](std::int64_t, std::span<float> logits) {
                             std::fill(logits.begin(), logits.end(), value);
                           });
          }
        }
      }
    }
  }

  // Steps that are exact may take exponentials of a part of a row against a maximum of its own, and
  // subtract it only where it is as large as this.
  TEST_CASE("rows of which some parts have logits of more than 2^20, and others do not") {
    const CountingOff counting_off;
    constexpr std::int64_t kCols = 2048;
    for (const float sign : {1.0f, -1.0f}) {
      const auto around_2_to_20 = [sign](std::int64_t row, std::span<float> logits) {
        constexpr float kLarge = 1 << 20;
        const float below = 8.0f * static_cast<float>(row);
        for (std::size_t col = 0; col < logits.size(); ++col) {
          const float in_part = 0.125f * static_cast<float>(7 * col % 11);
          const bool is_second_half = col >= logits.size() / 2;
          logits[col] = sign * kLarge + (is_second_half ? 2.0f : -below) + in_part - 1.0f;
        }
      };
      for (const Step& step : all_steps()) {
        if (!step.info.exact_difference) continue;
        check_verified(step, {DType::kFloat32, kRows, kCols}, around_2_to_20, {.block_size = 32});
        check_verified(step, {DType::kFloat32, kRows, kCols}, around_2_to_20, {.block_size = 128});
      }
    }
  }

  // Where a part has a maximum of its own, its results must not be rounded before they are made
  // those of the row, and then again.
  TEST_CASE("subnormal probabilities, in a part of a row whose maximum is a smaller one") {
    const CountingOff counting_off;
    constexpr std::int64_t kCols = 2048;
    const auto far_below = [](std::int64_t row, std::span<float> logits) {
      const float first = -93.0f - 0.0006f * static_cast<float>(row);
      for (std::size_t col = 0; col < logits.size(); ++col)
        logits[col] = col % 128 == 127 ? -0.7f : first - 0.005f * static_cast<float>(col);
      logits.front() = 0.0f;
    };
    for (const Step& step : all_steps()) {
      if (!step.info.exact_difference) continue;
      check_verified(step, {DType::kFloat32, kRows, kCols}, far_below, {.block_size = 64});
    }
  }

  // Results of two bytes take another base for such logits: parts of a row may have different ones.
  TEST_CASE("bf16 rows of which some parts have logits of 2^20 or more, and others do not") {
    const CountingOff counting_off;
    constexpr std::int64_t kCols = 1000;
    constexpr std::size_t kColsOfWarp = 256;  // a vector a lane
    for (const float sign : {1.0f, -1.0f}) {
      const auto around_2_to_20 = [sign](std::int64_t row, std::span<float> logits) {
        constexpr float kLarge = 1 << 20;
        constexpr std::array<float, 3> kBelow = {4096.0f, 8192.0f, 245760.0f};
        for (std::size_t col = 0; col < logits.size(); ++col) {
          const std::size_t part = col / kColsOfWarp + static_cast<std::size_t>(row);
          const bool is_below = part % 3 != 0;
          logits[col] = sign * (is_below ? kLarge - kBelow[row % kBelow.size()] : kLarge);
        }
      };
      for (const Step& step : all_steps()) {
        if (!step.info.exact_difference) continue;
        for (const int block_size : {32, 128}) {
          check_verified(step, {DType::kBFloat16, kRows, kCols}, around_2_to_20,
                         {.block_size = block_size});
        }
      }
    }
  }

  TEST_CASE("subnormal bf16 probabilities, in a part of a row whose maximum is a smaller one") {
    const CountingOff counting_off;
    constexpr std::int64_t kCols = 1003;  // with edges
    const auto far_below = [](std::int64_t row, std::span<float> logits) {
      for (std::size_t col = 0; col < logits.size(); ++col)
        logits[col] = -88.0f - 0.5f * static_cast<float>((col + static_cast<std::size_t>(row)) % 7);
      logits[static_cast<std::size_t>(row) % 256 + 256] = 0.0f;
    };
    for (const Step& step : all_steps()) {
      if (!step.info.exact_difference) continue;
      check_verified(step, {DType::kBFloat16, kRows, kCols}, far_below, {.block_size = 64});
    }
  }

  // Each is too small to change the sum beside the maximum, and all together are not.
  TEST_CASE("one large logit, and so many small ones that their sum counts") {
    const CountingOff counting_off;
    constexpr std::int64_t kMany = 50000;
    const auto lone = [](std::int64_t, std::span<float> logits) {
      std::fill(logits.begin(), logits.end(), -15.95f);
      logits[logits.size() / 2] = 0.0f;
    };
    for (const Step& step : all_steps()) {
      if (!step.info.exact_difference) continue;
      const std::int64_t cols = std::min(kMany, step.info.most_cols(sizeof(float), 0));
      check_verified(step, {DType::kFloat32, std::min(kRows, step.info.max_rows), cols}, lone);
      check_verified(step, {DType::kFloat32, 1, std::min<std::int64_t>(cols, 1000)}, lone,
                     {.block_size = 32});
    }
  }

  // A row's exponentials may be taken before its maximum is known: against a smaller one, which a
  // later column exceeds by more than may be, once or time and again.
  TEST_CASE("rows that rise behind what registers hold") {
    const CountingOff counting_off;
    constexpr std::int64_t kCols = 4003;  // with edges; blocks of 32 threads hold 1024
    static constexpr float kHeights[] = {1.0f, 30.0f, 400.0f, 3.0e6f};
    const auto rising = [](std::int64_t row, std::span<float> logits) {
      const float height = kHeights[row];
      for (std::size_t col = 0; col < logits.size(); ++col) {
        const float share = static_cast<float>(col) / static_cast<float>(logits.size());
        logits[col] = height * share + static_cast<float>(col % 3);
      }
    };
    const auto masked_first = [](std::int64_t row, std::span<float> logits) {
      std::fill(logits.begin(), logits.end(), -kInfinity);
      for (std::size_t col = 2000; col < logits.size(); col += 7)
        logits[col] = kHeights[row] * static_cast<float>(col % 11) / 11.0f;
    };
    for (const Step& step : all_steps()) {
      if (!step.info.exact_difference || step.info.most_cols(sizeof(float), 32) < kCols) continue;
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
        const Case a_case{dtype, std::ssize(kHeights), kCols};
        check_verified(step, a_case, rising, {.block_size = 32});
        check_verified(step, a_case, masked_first, {.block_size = 32});
      }
    }
  }

  TEST_CASE("attention scores, with their mask") {
    const CountingOff counting_off;
    constexpr std::int64_t kAllRows = 6144;
    for (const Step& step : all_steps()) {
      const int k = step.is_top_k() ? 5 : 0;
      const std::int64_t rows =
          step.variant.empty() && step.info.max_rows >= kAllRows ? kAllRows : 256;
      check_verified(step, {DType::kFloat16, rows, 128, k, Input::kAttention});
      check_verified(step, {DType::kFloat32, 256, 128, k, Input::kAttention});
      check_verified(step, {DType::kBFloat16, 256, 128, k, Input::kAttention});
    }
  }

  TEST_CASE("search scores") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      const int k = step.is_top_k() ? 10 : 0;
      check_verified(step, {DType::kFloat16, 52, 4584, k, Input::kSearch});
      check_verified(step, {DType::kFloat32, 12, 4584, k, Input::kSearch});
      check_verified(step, {DType::kBFloat16, 12, 4584, k, Input::kSearch});
    }
  }

  // A variant that is wrong by design says where it is right. It must be right there (all tests
  // above keep it there), and it must fail elsewhere.
  TEST_CASE("a variant that fails by design does fail outside of its domain") {
    for (const Step& step : all_steps()) {
      if (step.info.expected_failure.empty()) continue;
      CAPTURE(step.label());
      REQUIRE(step.info.largest_logit < kInfinity);
      CHECK(step.info.expected_failure.back() == '.');
      const float outside = 2.0f * step.info.largest_logit;
      for (const DType dtype : kAllDTypes) {
        CAPTURE(name_of(dtype));
        const Case a_case{dtype, kRows, 100, some_k(step, 100), Input::kLargest};
        const auto beyond = [outside](std::int64_t row, std::span<float> logits) {
          for (std::size_t col = 0; col < logits.size(); ++col) {
            const bool is_below = row % 3 == 1 || (row % 3 == 2 && col % 2 == 1);
            logits[col] = is_below ? -outside : outside;
          }
        };
        CHECK(verify(step, a_case, beyond).ok);  // limited to the domain
        const Verdict verdict = verify(step, a_case, beyond, {.stay_in_domain = false});
        CHECK_FALSE(verdict.ok);
        CHECK(verdict.wrong_elements > 0);
      }
    }
  }
}
