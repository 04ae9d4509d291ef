#include "common/verify/inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/reference/softmax_row.h"
#include "common/verify/floating_format.h"
#include "common/verify/real_data.h"

namespace worklog {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): the output
// function of SplitMix64. As a hash it gives every element its own number without any state.
constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The random numbers of one row.
class RowRandom {
 public:
  RowRandom(std::uint64_t seed, std::int64_t row)
      : state_(mix(mix(seed) ^ static_cast<std::uint64_t>(row))) {}

  std::uint64_t bits(std::size_t col) const { return mix(state_ + col); }

  // The sum of four uniform numbers: close to a normal distribution of mean 0 and deviation 1
  // between -3.5 and 3.5, and four times as fast as an exact one.
  float bell(std::size_t col) const {
    const std::uint64_t z = bits(col);
    const auto sum =
        static_cast<float>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48));
    constexpr float kMean = 4 * 65535 / 2.0f;
    constexpr float kDeviation = 37837.2f;  // sqrt(4 * (65536^2 - 1) / 12)
    return (sum - kMean) / kDeviation;
  }

 private:
  std::uint64_t state_;
};

// What a filler may look at.
struct Row {
  std::int64_t number;
  RowRandom random;
  FloatingFormat format;
  float largest;  // finite number of the type
};

void fill_bell(const Row& row, std::span<float> logits) {
  for (std::size_t col = 0; col < logits.size(); ++col)
    logits[col] = row.random.bell(col);
}

void plant_outliers(const Row& row, std::span<float> logits) {
  constexpr std::uint64_t kOneInSoMany = 1024;
  constexpr float kOutlier = 10.0f;
  for (std::size_t col = 0; col < logits.size(); ++col) {
    const std::uint64_t chance = mix(row.random.bits(col));
    if (chance % kOneInSoMany != 0) continue;
    logits[col] += chance & kOneInSoMany ? kOutlier : -kOutlier;
  }
}

void fill_random(const Row& row, std::span<float> logits) {
  fill_bell(row, logits);
  if (row.number % 2 == 1) plant_outliers(row, logits);
}

void fill_wide(const Row& row, std::span<float> logits) {
  constexpr float kDeviations[] = {3.0f, 10.0f, 30.0f};
  fill_random(row, logits);
  for (float& x : logits)
    x *= kDeviations[row.number % 3];
}

void fill_dominant(const Row& row, std::span<float> logits) {
  constexpr float kLead = 30.0f;
  for (std::size_t col = 0; col < logits.size(); ++col)
    logits[col] = row.random.bell(col);
  logits[row.random.bits(logits.size()) % logits.size()] = kLead;
}

void fill_equal(const Row& row, std::span<float> logits) {
  std::fill(logits.begin(), logits.end(), 10.0f * row.random.bell(0));
}

void fill_largest(const Row& row, std::span<float> logits) {
  for (std::size_t col = 0; col < logits.size(); ++col) {
    const std::uint64_t z = row.random.bits(col);
    const float magnitude = row.largest - row.largest * 0.25f * static_cast<float>(z % 5);
    logits[col] = z & 1024 ? magnitude : -magnitude;
  }
}

void fill_masked(const Row& row, std::span<float> logits) {
  fill_bell(row, logits);
  const std::size_t kept = row.random.bits(logits.size()) % logits.size();
  for (std::size_t col = 0; col < logits.size(); ++col) {
    const bool masked[] = {row.random.bits(col) % 3 == 0, col > kept, col != kept};
    if (masked[row.number / 3 % 3] && col != kept) logits[col] = -kInfinity;
  }
}

void fill_subnormal(const Row& row, std::span<float> logits) {
  const auto smallest = static_cast<float>(smallest_subnormal(row.format));
  for (std::size_t col = 0; col < logits.size(); ++col) {
    const auto multiple = static_cast<int>(row.random.bits(col) % 2001) - 1000;
    logits[col] = smallest * static_cast<float>(multiple);
  }
}

void fill_ties(const Row& row, std::span<float> logits) {
  const std::uint64_t distinct = 1 + static_cast<std::uint64_t>(row.number % 7);
  for (std::size_t col = 0; col < logits.size(); ++col) {
    logits[col] = static_cast<float>(row.random.bits(col) % distinct);
  }
}

// Gradients differ from each other by up to twice their magnitude: not beyond the type's range.
void fill_quarter_of_largest(const Row& row, std::span<float> gradients) {
  fill_largest(row, gradients);
  for (float& dy : gradients)
    dy *= 0.25f;
}

void fill_special(const Row& row, std::span<float> logits) {
  fill_bell(row, logits);
  const std::size_t places[] = {0, logits.size() / 2, logits.size() - 1};
  const std::size_t place = places[row.number % 3];
  // 0 / 0 of a CPU has a sign, and that of a GPU none.
  const float nan = std::copysign(kNaN, (row.number / 18 + row.number) % 2 == 0 ? 1.0f : -1.0f);
  switch (row.number / 3 % 6) {
    case 0:
      logits[place] = nan;
      break;
    case 1:
      logits[place] = kInfinity;
      break;
    case 2:
      logits[place] = -kInfinity;
      break;
    case 3:
      std::fill(logits.begin(), logits.end(), -kInfinity);
      break;
    case 4:  // -inf everywhere but in one place, so that most threads see no number at all
      std::fill(logits.begin(), logits.end(), -kInfinity);
      logits[place] = row.number % 2 == 0 ? nan : kInfinity;
      break;
    case 5:
      logits[place] = nan;
      logits[logits.size() - 1 - place] = kInfinity;
      break;
  }
}

// Not the special row of the same number again: every kind of it, beside ordinary logits.
void fill_special_gradients(const Row& row, std::span<float> gradients) {
  if (row.number % 2 == 0) {
    fill_bell(row, gradients);
  } else {
    fill_special({row.number / 2, row.random, row.format, row.largest}, gradients);
  }
}

using Filler = void (*)(const Row&, std::span<float>);

struct NamedInput {
  Input input;
  std::string_view name;
  Filler fill;  // null: recorded
  Filler fill_gradients;
};

constexpr NamedInput kInputs[] = {
    {Input::kRandom, "random", fill_random, fill_bell},
    {Input::kWide, "wide", fill_wide, fill_bell},
    {Input::kDominant, "dominant", fill_dominant, fill_bell},
    {Input::kEqual, "equal", fill_equal, fill_equal},
    {Input::kLargest, "largest", fill_largest, fill_quarter_of_largest},
    {Input::kMasked, "masked", fill_masked, fill_bell},
    {Input::kSubnormal, "subnormal", fill_subnormal, fill_subnormal},
    {Input::kTies, "ties", fill_ties, fill_ties},
    {Input::kSpecial, "special", fill_special, fill_special_gradients},
    {Input::kAttention, "attention", nullptr, fill_bell},
    {Input::kSearch, "search", nullptr, fill_bell},
};
static_assert(std::size(kInputs) == std::size(kAllInputs), "every input has a name");

const NamedInput& entry_of(Input input) {
  return *std::find_if(std::begin(kInputs), std::end(kInputs),
                       [input](const NamedInput& entry) { return entry.input == input; });
}

float largest_number(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 65504.0f;
    case DType::kBFloat16:
      return 0x1.fep127f;
    case DType::kFloat32:
      break;
  }
  return std::numeric_limits<float>::max();
}

// Each row's softmax, of which `result` makes what is kept: of x - m, exp(x - m) and d.
template <typename Result>
RowSource forward_pass(RowSource logits, Result result) {
  return [logits = std::move(logits), result](std::int64_t row, std::span<float> results) {
    logits(row, results);
    const std::vector<double> x(results.begin(), results.end());
    std::vector<double> exponentials(x.size());
    const SoftmaxRow softmax = softmax_row(x, exponentials);
    for (std::size_t col = 0; col < x.size(); ++col) {
      results[col] =
          softmax.is_nan
              ? kNaN
              : static_cast<float>(result(x[col] - softmax.m, exponentials[col], softmax.d));
    }
  };
}

RowSource recorded_rows(Input input, std::int64_t rows, std::int64_t cols) {
  const Scores& scores = input == Input::kAttention ? attention_scores() : search_scores();
  if (cols != scores.cols || rows > scores.rows) {
    throw std::invalid_argument("input '" + std::string(name_of(input)) + "' of " +
                                std::to_string(rows) + " x " + std::to_string(cols) +
                                ": must be at most " + std::to_string(scores.rows) + " rows of " +
                                std::to_string(scores.cols));
  }
  return [&scores](std::int64_t row, std::span<float> logits) {
    const std::span<const __half> recorded = scores.row(row);
    std::transform(recorded.begin(), recorded.end(), logits.begin(),
                   [](__half x) { return static_cast<float>(x); });
  };
}

}  // namespace

std::string_view name_of(Input input) {
  return entry_of(input).name;
}

Input input_from_name(std::string_view text) {
  std::string choices;
  for (const NamedInput& entry : kInputs) {
    if (entry.name == text) return entry.input;
    choices += (choices.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw std::invalid_argument("input '" + std::string(text) + "': must be one of " + choices);
}

RowSource make_rows(Input input, DType dtype, std::int64_t rows, std::int64_t cols,
                    std::uint64_t seed) {
  if (is_real(input)) return recorded_rows(input, rows, cols);
  return [fill = entry_of(input).fill, dtype, seed](std::int64_t row, std::span<float> logits) {
    if (logits.empty()) return;
    fill({row, RowRandom(seed, row), format_of(dtype), largest_number(dtype)}, logits);
  };
}

RowSource make_gradients(Input input, DType dtype, std::uint64_t seed) {
  constexpr std::uint64_t kOtherThanLogits = 0x6772616469656e74;  // "gradient"
  return [fill = entry_of(input).fill_gradients, dtype, seed = seed ^ kOtherThanLogits](
             std::int64_t row, std::span<float> gradients) {
    if (gradients.empty()) return;
    fill({row, RowRandom(seed, row), format_of(dtype), largest_number(dtype)}, gradients);
  };
}

RowSource softmax_of(RowSource logits) {
  return forward_pass(std::move(logits), [](double, double e, double d) { return e / d; });
}

RowSource log_softmax_of(RowSource logits) {
  return forward_pass(std::move(logits),
                      [](double t, double, double d) { return t - std::log(d); });
}

}  // namespace worklog
