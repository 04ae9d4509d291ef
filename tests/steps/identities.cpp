// What must not change a result: threads, lanes and warps without a column, and what a thread has
// seen before. Both show only where every logit that there is lies far below 0, or far from the
// others.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "tests/steps/contract.h"

using namespace worklog;
using namespace contract;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Far enough for the exponential of every difference from it to be 0 or infinite, and within fp16.
constexpr float kFar = 1000.0f;

// An absent warp that counts as a logit of 0 is the largest of all here.
constexpr std::int64_t kRowsBelowZero = 4;
void fill_below_zero(std::int64_t row, std::span<float> logits) {
  const std::size_t kept = 2 * logits.size() / 3;
  for (std::size_t col = 0; col < logits.size(); ++col) {
    const auto place = static_cast<float>(col % 7);
    const float rows[kRowsBelowZero] = {-kFar - place, col == kept ? -kFar : -kInfinity, -kInfinity,
                                        place - kFar / 4};
    logits[col] = rows[row % kRowsBelowZero];
  }
}

// Rows in three parts, each longer than all that a warp has on its way at once.
constexpr std::int64_t kRowsInParts = 9;
void fill_parts(std::int64_t row, std::span<float> logits) {
  constexpr float kParts[kRowsInParts][3] = {{kFar, 0.0f, -kFar},
                                             {-kFar, 0.0f, kFar},
                                             {0.0f, kFar, 0.0f},
                                             {0.0f, -kFar, 0.0f},
                                             {kFar, -kInfinity, 0.0f},
                                             {-kInfinity, -kFar, -kInfinity},
                                             {-kFar, -kInfinity, -kFar},
                                             {-kInfinity, -kInfinity, -kFar},
                                             {kFar, -kInfinity, -kInfinity}};
  for (std::size_t col = 0; col < logits.size(); ++col) {
    logits[col] = kParts[row % kRowsInParts][3 * col / logits.size()] + static_cast<float>(col % 5);
  }
}

// Four columns of a row, and in which blocks: these decide who meets the values and in which order.
struct Places {
  const char* who;
  std::array<std::size_t, 4> columns;
  std::int64_t cols;
  int block_size;
};
constexpr Places kPlaces[] = {
    {"four lanes, the whole row", {0, 1, 2, 3}, 4, 32},
    {"one thread, one column after the other", {0, 32, 64, 96}, 97, 32},
    {"one load of 16 bytes", {16, 17, 18, 19}, 40, 64},
    {"four warps", {3, 35, 67, 99}, 128, 128},
    {"one thread, a tile after the other; of a long row, four blocks",
     {5, 1029, 2053, 3077},
     3080,
     32},
};

// Every order of a number, a NaN, -inf and +inf, with and without repetition; among numbers and,
// in the second half, among -inf. NaN has a sign, which must mean nothing.
constexpr std::int64_t kOrders = 4 * 4 * 4 * 4;
void fill_order(const Places& places, std::int64_t row, std::span<float> logits) {
  for (std::size_t col = 0; col < logits.size(); ++col) {
    logits[col] = row < kOrders ? static_cast<float>(col * 37 % 101) / 64.0f : -kInfinity;
  }
  const float nan = row % 3 == 0 ? std::copysign(kNan, -1.0f) : kNan;
  const float values[] = {1.5f, nan, -kInfinity, kInfinity};
  std::int64_t order = row % kOrders;
  for (const std::size_t col : places.columns) {
    logits[col] = values[order % 4];
    order /= 4;
  }
}

}  // namespace

TEST_SUITE("identities") {
  TEST_CASE("all logits far below zero, in blocks of one, three and eight warps: widths to 257") {
    const CountingOff counting_off;
    constexpr std::int64_t kWidest = 257;
    for (const Step& step : all_steps()) {
      const std::int64_t stride = step.variant.empty() ? 1 : 23;
      for (const int block_size : {32, 96, 256}) {
        for (std::int64_t cols = 1; cols <= kWidest; cols += stride) {
          const DType dtype = kAllDTypes[cols % std::ssize(kAllDTypes)];
          if (!check_verified(step, {dtype, kRowsBelowZero, cols, some_k(step, cols)},
                              fill_below_zero, {.block_size = block_size})) {
            break;
          }
        }
      }
    }
  }

  TEST_CASE("a row's parts are far from each other, and a thread has columns of each") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const DType dtype : kAllDTypes) {
        for (const std::int64_t cols : {97, 1000, 6151}) {
          if (is_left_out(step, dtype, cols)) continue;
          check_verified(step, {dtype, kRowsInParts, cols, some_k(step, cols)}, fill_parts,
                         {.block_size = 32});
        }
      }
    }
  }

  TEST_CASE("a number, NaN, -inf and +inf in every order") {
    const CountingOff counting_off;
    for (const Step& step : all_steps()) {
      for (const Places& places : kPlaces) {
        CAPTURE(std::string(places.who));
        // Row by row, the second half would double a test of launches.
        const std::int64_t all = step.takes_one_row() ? kOrders : 2 * kOrders;
        // Of a variant every 5th, which is prime to what the values repeat after.
        const std::int64_t stride = step.variant.empty() ? 1 : 5;
        const std::int64_t rows = (all + stride - 1) / stride;
        const auto fill = [&](std::int64_t row, std::span<float> logits) {
          fill_order(places, row * stride, logits);
        };
        for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
          const bool is_long = places.cols > 1000;
          if (dtype == DType::kFloat16 && (is_long || !step.variant.empty())) continue;
          check_verified(step, {dtype, rows, places.cols, some_k(step, places.cols)}, fill,
                         {.block_size = places.block_size});
        }
      }
    }
  }
}
