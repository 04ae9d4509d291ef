#include "common/verify/attention_inputs.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "common/step/problem.h"

namespace worklog {

namespace {

constexpr float kSqrtOfHeadDim = 8.0f;
static_assert(kSqrtOfHeadDim * kSqrtOfHeadDim == kHeadDim);

// Bell-shaped numbers, others for each `array`.
RowSource bell(DType dtype, std::uint64_t seed, std::uint64_t array) {
  constexpr std::uint64_t kArrays = 3;
  return make_gradients(Input::kRandom, dtype, kArrays * seed + array);
}

// In every fifth value one element, and in every seventh another.
void spoil(std::int64_t col, std::span<float> value) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (col % 5 == 3) value[7] = std::numeric_limits<float>::quiet_NaN();
  if (col % 7 == 2) value[40] = col % 2 == 0 ? kInfinity : -kInfinity;
}

}  // namespace

AttentionInputs attention_inputs(const RowSource& logits, Input input, DType dtype,
                                 std::int64_t cols, std::uint64_t seed) {
  const auto scores = std::make_shared<std::vector<float>>(static_cast<std::size_t>(cols));
  logits(0, *scores);
  const auto queries = [fill = bell(dtype, seed, 0)](std::int64_t row, std::span<float> query) {
    fill(row, query);
    if (row == 0) std::fill(query.begin(), query.end(), 0.0f);
    query[0] = kSqrtOfHeadDim;
  };
  const auto keys = [fill = bell(dtype, seed, 1), scores](std::int64_t col, std::span<float> key) {
    fill(col, key);
    key[0] = (*scores)[static_cast<std::size_t>(col)];
  };
  const auto values = [fill = bell(dtype, seed, 2), input](std::int64_t col,
                                                           std::span<float> value) {
    fill(col, value);
    if (input == Input::kSpecial) spoil(col, value);
  };
  return {queries, keys, values};
}

}  // namespace worklog
