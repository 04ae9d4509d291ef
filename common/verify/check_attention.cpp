#include "common/verify/check_attention.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "common/reference/attention_row.h"
#include "common/verify/arithmetic.h"
#include "common/verify/poison.h"

namespace worklog {

namespace {

constexpr double kOnce = 16.0;  // roundings that happen once
constexpr std::size_t kLanes = 32;
constexpr int kLevels = 5;  // of a combination of all lanes
constexpr auto kElements = static_cast<std::size_t>(kHeadDim);

// How often the maximum of the scores of every `stride`-th column rises behind each column.
std::vector<int> rises_behind(std::span<const double> scores, std::size_t stride) {
  std::vector<bool> rises(scores.size());
  std::vector<double> maxima(stride, -INFINITY);
  for (std::size_t col = 0; col < scores.size(); ++col) {
    double& m = maxima[col % stride];
    rises[col] = scores[col] > m;
    m = std::max(m, scores[col]);
  }
  std::vector<int> behind(scores.size());
  for (std::size_t col = scores.size(); col-- > stride;)
    behind[col - stride] = behind[col] + (rises[col] ? 1 : 0);
  return behind;
}

// How a query's score against a key comes about.
struct Products {
  double magnitude = 0.0;  // of all, A
  double error = 0.0;      // of the score, delta
};

Products products_of(const double* query, const double* key) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(kHeadDim));
  Products products;
  double inexact = 0.0;
  int terms = 0;
  for (std::size_t i = 0; i < kElements; ++i) {
    const double product = scale * query[i] * key[i];
    if (product == 0.0) continue;
    ++terms;
    products.magnitude += std::abs(product);
    if (static_cast<double>(static_cast<float>(product)) != product) inexact += std::abs(product);
  }
  const double subnormal = inexact > 0.0 ? kHeadDim * smallest_subnormal(kArithmetic) : 0.0;
  products.error = kU * (std::max(terms - 1, 0) * products.magnitude + inexact) + subnormal;
  return products;
}

// What an element of an output adds up, each times its weight.
struct Sums {
  double magnitude = 0.0;  // of the values, S
  double errors = 0.0;     // of the weights
  double largest = 0.0;    // value
  bool is_no_number = false;

  void add(double value, double weight, double error) {
    magnitude += weight * value;
    errors += error * value;
    largest = std::max(largest, value);
    is_no_number |= !std::isfinite(value);
  }
};

}  // namespace

// What an element of an output must be, and how far it may be from that.
struct AttentionChecker::Element {
  std::int64_t row;
  std::int64_t position;
  double expected;
  double bound;
  double magnitude;   // S
  bool may_be_any;    // fp32 may not hold what it is made of
  bool is_no_number;  // a value is none

  std::string description(const std::string& got) const {
    return place_text(row, "element", position) + "got " + got + ", expected " +
           (is_no_number ? "no finite number: a value is none" : number_text(expected));
  }
};

// Of the weights of a row.
struct AttentionChecker::Errors {
  std::vector<double> of_terms;  // epsilon p, one for each column
  double sum = 0.0;              // of them
  bool overflows = false;        // fp32 may not hold a score
};

AttentionChecker::AttentionChecker(const StepInfo& step, DType output, const KeysAndValues& shared)
    : summation_(step.summation),
      storage_(format_of(output)),
      shared_(shared),
      scores_(shared.keys.size() / kElements),
      exponentials_(scores_.size()),
      output_(kElements) {}

AttentionChecker::Errors AttentionChecker::errors_of_weights(std::span<const double> query,
                                                             double m, double d) {
  Errors errors{.of_terms = std::vector<double>(scores_.size())};
  const std::vector<int> of_row = rises_behind(scores_, 1);
  const std::vector<int> of_lane = rises_behind(scores_, kLanes);
  for (std::size_t col = 0; col < scores_.size(); ++col) {
    const Products products = products_of(query.data(), &shared_.keys[col * kElements]);
    errors.overflows |=
        std::isfinite(products.magnitude) && products.magnitude > largest_finite(kArithmetic);
    if (exponentials_[col] == 0.0) continue;
    const double t = m - scores_[col];
    const int rescales = std::max(of_row[col], of_lane[col] + kLevels);
    const double epsilon = std::expm1(products.error + kU * (t + 3.0 * rescales + kOnce));
    errors.of_terms[col] = epsilon * exponentials_[col] / d;
    errors.sum += errors.of_terms[col];
  }
  return errors;
}

template <typename T>
void AttentionChecker::check_element(const Element& element, T stored) {
  ++found_.checked;
  const auto got = static_cast<double>(static_cast<float>(stored));
  if (is_poison(stored)) {
    found_.fail(element.row, element.description("nothing: never written"));
    return;
  }
  if (is_of_unwritten_scratch(stored)) {
    found_.fail(element.row,
                element.description(number_text(got) + ", made of scratch that was never written"));
    return;
  }
  if (element.may_be_any) return;
  if (element.is_no_number || std::isnan(element.expected)) {
    const bool right = element.is_no_number ? !std::isfinite(got) : std::isnan(got);
    if (!right) found_.fail(element.row, element.description(number_text(got)));
    return;
  }
  const double error = std::abs(got - element.expected);
  const double one_ulp = ulp(element.magnitude, storage_);
  // Written so that a NaN fails: every comparison with it is false.
  if (!(error <= element.bound)) {
    const std::string how_far = std::isnan(error)
                                    ? ""
                                    : fmt::format(": the error is {:.2f} ulp and may be {:.2f}",
                                                  error / one_ulp, element.bound / one_ulp);
    found_.fail(element.row, element.description(number_text(got)) + how_far);
  }
  if (!std::isfinite(error)) return;
  raise_maximum(found_.max_ulp, error, one_ulp);
  raise_maximum(found_.max_excess, error, one_ulp);
  raise_maximum(found_.max_share_of_bound, error, element.bound);
}

template <typename T>
void AttentionChecker::check(std::int64_t row, std::span<const double> query,
                             std::span<const T> got) {
  attention_scores(query, shared_.keys, scores_);
  const SoftmaxRow softmax = softmax_row(scores_, exponentials_);
  attention_output(softmax, exponentials_, shared_.values, output_);
  const bool is_nan = softmax.is_nan;
  const Errors errors = is_nan ? Errors{} : errors_of_weights(query, softmax.m, softmax.d);
  std::vector<Sums> sums(kElements);
  for (std::size_t col = 0; col < scores_.size() && !is_nan; ++col) {
    const double p = exponentials_[col] / softmax.d;
    for (std::size_t i = 0; i < kElements; ++i)
      sums[i].add(std::abs(shared_.values[col * kElements + i]), p, errors.of_terms[col]);
  }
  const auto columns = static_cast<double>(scores_.size());
  const double additions = summation_ == Summation::kSerial ? columns : columns / kLanes + kLevels;
  for (std::size_t i = 0; i < kElements; ++i) {
    const Sums& of = sums[i];
    const double o = std::abs(output_[i]);
    const double of_sums = kU * ((4.0 * std::sqrt(columns) + kOnce) * of.magnitude + additions * o);
    const double spacing = columns * smallest_subnormal(kArithmetic) * (1.0 + of.largest);
    const double error = of.errors + o * errors.sum + of_sums + spacing;
    const bool overflows =
        errors.overflows || of.magnitude * softmax.d > largest_finite(kArithmetic);
    check_element(Element{.row = row,
                          .position = static_cast<std::int64_t>(i),
                          .expected = output_[i],
                          .bound = error + 0.5 * ulp(o + error, storage_),
                          .magnitude = of.magnitude,
                          .may_be_any = overflows && !of.is_no_number,
                          .is_no_number = of.is_no_number},
                  got[i]);
  }
}

template void AttentionChecker::check(std::int64_t, std::span<const double>,
                                      std::span<const float>);
template void AttentionChecker::check(std::int64_t, std::span<const double>,
                                      std::span<const __half>);
template void AttentionChecker::check(std::int64_t, std::span<const double>,
                                      std::span<const __nv_bfloat16>);

}  // namespace worklog
