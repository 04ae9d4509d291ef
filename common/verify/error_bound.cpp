#include "common/verify/error_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace worklog {

namespace {

constexpr double kDeviations = 4.0;  // Hoeffding: exceeded with probability 2 exp(-4^2 / 2)
constexpr double kSerialBase = 4.0;
constexpr double kLeaderDeviations = 3.0;
constexpr double kFinalRounding = 0.5;

// Of a step with exact_difference: ulp of fp32, and of a narrower storage type.
constexpr double kExactUlp = 3.0;
constexpr double kExactNarrowUlp = 0.51;

// What a GPU's exponential function may add to the host's, and what one with fast_exponential comes
// to. Of all floats from -1/2 to 1/2, an H200's special function unit has one whose
// power of two is off by 2.45 u. Where the argument is off by most, by 0.35 u at 1/2, the power is
// next to 1.4 and the unit's error less of it: with 2.6 u for both, of the exponential and of d,
// and the last rounding, that is 5.7 ulp. (Parts of a row whose maxima lie on both sides of a
// multiple of 2^20 take one power more, which no test found to show.)
#ifdef SIMT_EXECUTOR
constexpr double kDeviceExponential = 0.0;
constexpr double kFastUlp = kExactUlp;
#else
constexpr double kDeviceExponential = 1.0;
constexpr double kFastUlp = 6.0;
#endif

double tree_base(std::int64_t cols) {
  constexpr std::int64_t kShort = 4096;
  constexpr std::int64_t kLong = 100000;
  if (cols <= kShort) return kDeviceExponential + 5.0;
  if (cols <= kLong) return kDeviceExponential + 8.0;
  return kDeviceExponential + 8.0 +
         2.0 * std::log2(static_cast<double>(cols) / static_cast<double>(kLong));
}

// Additions on one column's way into d that can round: those of threads without a column add 0.
double additions(std::int64_t cols, int threads) {
  if (cols <= 1) return 0.0;
  const std::int64_t busy = std::min<std::int64_t>(cols, threads);
  return static_cast<double>((cols + threads - 1) / threads) + std::log2(static_cast<double>(busy));
}

// Terms with the same key are one number once they are rounded to the arithmetic's precision.
std::uint32_t key_of(double term, FloatingFormat format) {
  constexpr int kFloatPrecision = 24;
  return std::bit_cast<std::uint32_t>(static_cast<float>(term)) >>
         (kFloatPrecision - format.precision);
}

// Sums of values by their key: a hash table, which takes a fraction of the time that sorting takes.
class SumsByKey {
 public:
  explicit SumsByKey(std::size_t most_keys) : sums_(std::bit_ceil(2 * most_keys + 1)) {}

  void add(std::uint32_t key, double value) {
    constexpr std::uint32_t kMultiplier = 0x9e3779b1;  // Knuth's, 2^32 over the golden ratio
    const std::size_t mask = sums_.size() - 1;
    std::size_t place = (key * kMultiplier >> 8) & mask;
    while (sums_[place].is_used && sums_[place].key != key)
      place = (place + 1) & mask;
    sums_[place] = {key, true, sums_[place].value + value};
  }

  double sum_of_squares() const {
    double squares = 0.0;
    for (const Sum& sum : sums_)
      squares += sum.value * sum.value;
    return squares;
  }

 private:
  struct Sum {
    std::uint32_t key = 0;
    bool is_used = false;
    double value = 0.0;
  };
  std::vector<Sum> sums_;
};

// The errors of a row's additions, in three parts that are combined differently.
class SerialSum {
 public:
  SerialSum(FloatingFormat format, std::size_t terms) : format_(format), rounded_(terms) {}

  void add(double term) {
    sum_ += term;
    const double spacing = ulp(sum_, format_);
    if (term == 1.0 && spacing <= 1.0) return;
    if (term < 0.5 * spacing) {
      lost_ += term;
    } else {
      rounded_.add(key_of(term, format_), unit_roundoff(format_) * sum_);
    }
  }

  double error() const { return lost_ + kDeviations * std::sqrt(rounded_.sum_of_squares()); }

 private:
  FloatingFormat format_;
  double sum_ = 0.0;
  double lost_ = 0.0;
  SumsByKey rounded_;  // what rounds alike adds up
};

double serial_sum_error(FloatingFormat arithmetic, std::span<const double> exponentials) {
  SerialSum sum(arithmetic, exponentials.size());
  double of_terms = 0.0;
  for (const double e : exponentials) {
    sum.add(e);
    if (e > 0.0 && e < 1.0) of_terms += unit_roundoff(arithmetic) * e * -std::log(e);
  }
  return sum.error() + of_terms;
}

double stored_terms_error(FloatingFormat storage, std::span<const double> exponentials) {
  double error = 0.0;
  for (const double e : exponentials) {
    if (e > 0.0 && e < 1.0) error += std::min(e, 0.5 * ulp(e, storage));
  }
  return error;
}

}  // namespace

ErrorModel error_model(const StepInfo& step, DType output, std::int64_t cols, int block_size) {
  ErrorModel model{.storage = format_of(output), .arithmetic = format_of(DType::kFloat32)};
  if (step.storage_arithmetic) model.arithmetic = model.storage;
  model.summation = step.summation;
  const bool narrow = model.storage != format_of(DType::kFloat32);
  model.rounds_exponentials = narrow && (step.stores_exponentials || step.storage_arithmetic);
  model.exact_difference = step.exact_difference;
  if (step.exact_difference) {
    model.base_ulp = step.fast_exponential ? kFastUlp : kExactUlp;
  } else if (step.summation == Summation::kSerial) {
    model.base_ulp = kSerialBase;
  } else {
    model.base_ulp = tree_base(cols);
    model.leader_ulp = kLeaderDeviations * std::sqrt(additions(cols, block_size));
    if (!step.expected_failure.empty()) model.equal_ulp = additions(cols, block_size);
  }
  return model;
}

RowBound::RowBound(const ErrorModel& model, const SoftmaxRow& row,
                   std::span<const double> exponentials)
    : model_(model), d_(row.d), smallest_d_(row.d) {
  if (row.is_nan) return;
  double error = 0.0;
  if (model.summation == Summation::kSerial) {
    error += serial_sum_error(model.arithmetic, exponentials);
  }
  if (model.rounds_exponentials) error += stored_terms_error(model.storage, exponentials);
  smallest_d_ = std::max(1.0, d_ - error);  // the maximum alone contributes 1
  if (d_ == static_cast<double>(exponentials.size())) model_.base_ulp += model_.equal_ulp;
  ulps_ = model_.base_ulp - kFinalRounding + model_.leader_ulp / d_;
  subnormal_over_d_ = smallest_subnormal(model_.arithmetic) / d_;
  of_d_ = 1.0 / smallest_d_ - 1.0 / d_;
}

double RowBound::of_difference(double t, double p) const {
  if (model_.exact_difference) return 0.0;
  return p > 0.0 ? -t * unbounded_ulp(p, model_.arithmetic) : 0.0;
}

double RowBound::of_logarithm(double t, double y) const {
  if (std::isinf(t)) return 0.0;  // a masked column: exactly -inf
  const double u = unit_roundoff(model_.arithmetic);
  const double of_d =
      2.0 * u * (model_.base_ulp + model_.leader_ulp / d_) + (d_ - smallest_d_) / smallest_d_;
  const double error = of_d + u * (std::abs(t) + 2.0 * std::log(d_));
  return error + 0.5 * ulp(std::abs(y) + error, model_.storage);
}

double RowBound::of(double t, double e) const {
  if (std::isinf(t)) return 0.0;  // a masked column: exactly 0
  const double p = e / d_;
  if (model_.exact_difference && model_.storage != model_.arithmetic) {
    return subnormal_over_d_ + kExactNarrowUlp * ulp(p, model_.storage);
  }
  double bound = ulps_ * unbounded_ulp(p, model_.arithmetic) + of_difference(t, p);
  bound += subnormal_over_d_ + e * of_d_;
  if (model_.rounds_exponentials && e < 1.0) bound += 0.5 * ulp(e, model_.storage) / d_;
  // The value that is rounded last may lie beyond the next power of two, where numbers are sparser.
  return bound + kFinalRounding * ulp(p + bound, model_.storage);
}

}  // namespace worklog
