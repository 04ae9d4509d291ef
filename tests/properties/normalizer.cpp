// Properties of the operator that everything here rests on: Milakov and Gimelshein, "Online
// normalizer calculation for softmax", section 3.1. The operator under test is step 05's own
// `combine`, compiled for the host from the step's file.
//
// Tolerances. With u = 2^-24, half the distance between 1 and the next float, one combination
// multiplies each of its two d by a factor that is off by at most
//     |m_i - m| u   rounding m_i - m, which exp turns into a relative error
//     4 u           expf, two units in the last place: CUDA and the host's library promise less
//     u             the product
// and rounds their sum once (u). All terms are positive, so relative errors do not grow in the sum;
// and the rescalings of one term add up to at most `spread`, the largest m minus the smallest.
// After `depth` combinations d is therefore within (spread + 6 depth) u of its exact value, to
// first order.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <rapidcheck.h>
#include <utility>
#include <vector>

#define WORKLOG_STEP_NAME "05_warp_shuffle"
#define WORKLOG_STEP_VARIANT ""
#include "softmax.cu.cpp"  // steps/05_warp_shuffle/softmax.cu, translated for the host

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kHalfUlpOfOne = 0x1p-24;
constexpr int kLargestCount = 1 << 20;  // of columns that an (m, d) stands for

double tolerance(double spread, double depth) {
  return (spread + 6 * depth) * kHalfUlpOfOne;
}

double relative_error(double got, double exact) {
  return std::abs(got - exact) / exact;
}

// d relative to maximum m in exact arithmetic, as far as double is.
double exact_d(const std::vector<Normalizer>& terms, double m) {
  double d = 0;
  for (const Normalizer& term : terms) {
    d += term.d * std::exp(static_cast<double>(term.m) - m);
  }
  return d;
}

double spread_of(const std::vector<Normalizer>& terms) {
  const auto [low, high] =
      std::minmax_element(terms.begin(), terms.end(),
                          [](const Normalizer& a, const Normalizer& b) { return a.m < b.m; });
  return static_cast<double>(high->m) - low->m;
}

float any_logit() {
  return static_cast<float>(*rc::gen::inRange(-60'000, 60'001)) / 1000.0f;
}

// What a thread, a warp or a block may hold: some columns' maximum, and 1 <= d <= their count.
Normalizer any_normalizer() {
  const int columns = *rc::gen::inRange(1, kLargestCount + 1);
  const float part = static_cast<float>(*rc::gen::inRange(0, 1001)) / 1000.0f;
  return {any_logit(), 1.0f + part * static_cast<float>(columns - 1)};
}

std::vector<float> any_row() {
  std::vector<float> row(*rc::gen::inRange(1, 300));
  for (float& logit : row)
    logit = any_logit();
  return row;
}

// One column, as the kernels take it in: from the right.
Normalizer of_column(float logit) {
  return combine(Normalizer{}, {logit, 1.0f});
}

// Combines random neighbours until one is left: any grouping, and with shuffled leaves any order.
Normalizer fold_at_random(std::vector<Normalizer> terms) {
  while (terms.size() > 1) {
    const auto at = *rc::gen::inRange<std::size_t>(0, terms.size() - 1);
    terms[at] = combine(terms[at], terms[at + 1]);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return terms.front();
}

void shuffle(std::vector<float>& row) {
  for (std::size_t i = row.size(); i > 1; --i) {
    std::swap(row[i - 1], row[*rc::gen::inRange<std::size_t>(0, i)]);
  }
}

}  // namespace

TEST_SUITE("normalizer") {
  TEST_CASE("(-inf, 0) is the identity, exactly and on both sides") {
    CHECK(rc::check([] {
      const Normalizer a = any_normalizer();
      const Normalizer left = combine(Normalizer{}, a);
      const Normalizer right = combine(a, Normalizer{});
      RC_ASSERT(left.m == a.m);
      RC_ASSERT(left.d == a.d);
      RC_ASSERT(right.m == a.m);
      RC_ASSERT(right.d == a.d);
    }));
    const Normalizer nothing = combine(Normalizer{}, Normalizer{});
    CHECK(nothing.m == -kInfinity);
    CHECK(nothing.d == 0.0f);
  }

  // A compiler that fuses one product and the sum rounds the two sides apart, by one rounding each.
  TEST_CASE("the operator is commutative") {
    CHECK(rc::check([] {
      const Normalizer a = any_normalizer(), b = any_normalizer();
      const Normalizer ab = combine(a, b), ba = combine(b, a);
      RC_ASSERT(ab.m == ba.m);
      RC_ASSERT(relative_error(ab.d, ba.d) <= 2 * kHalfUlpOfOne);
    }));
  }

  TEST_CASE("the operator is associative, within the stated rounding") {
    CHECK(rc::check([] {
      const std::vector<Normalizer> terms = {any_normalizer(), any_normalizer(), any_normalizer()};
      const Normalizer left = combine(combine(terms[0], terms[1]), terms[2]);
      const Normalizer right = combine(terms[0], combine(terms[1], terms[2]));
      const double exact = exact_d(terms, left.m);
      const double allowed = tolerance(spread_of(terms), 2);
      RC_ASSERT(left.m == right.m);
      RC_ASSERT(relative_error(left.d, exact) <= allowed);
      RC_ASSERT(relative_error(right.d, exact) <= allowed);
    }));
  }

  // Section 3.1's guarantee. No tolerance: rounding is monotone, and 1 and V are floats.
  TEST_CASE("1 <= d <= V, and m is the row's maximum") {
    CHECK(rc::check([] {
      std::vector<float> row = any_row();
      std::vector<Normalizer> columns(row.size());
      std::transform(row.begin(), row.end(), columns.begin(), of_column);
      const Normalizer result = fold_at_random(columns);
      RC_ASSERT(result.d >= 1.0f);
      RC_ASSERT(result.d <= static_cast<float>(row.size()));
      RC_ASSERT(result.m == *std::max_element(row.begin(), row.end()));
    }));
  }

  TEST_CASE("d = V for equal logits, whatever their value") {
    CHECK(rc::check([] {
      const auto columns = *rc::gen::inRange<std::size_t>(1, 300);
      const std::vector<Normalizer> terms(columns, of_column(any_logit()));
      RC_ASSERT(fold_at_random(terms).d == static_cast<float>(columns));
    }));
  }

  TEST_CASE("any order and any grouping agree with the sum in double precision") {
    CHECK(rc::check([] {
      std::vector<float> row = any_row();
      std::vector<Normalizer> in_order(row.size());
      std::transform(row.begin(), row.end(), in_order.begin(), of_column);
      const double m = *std::max_element(row.begin(), row.end());
      const double exact = exact_d(in_order, m);

      shuffle(row);
      std::vector<Normalizer> shuffled(row.size());
      std::transform(row.begin(), row.end(), shuffled.begin(), of_column);
      const double allowed = tolerance(spread_of(in_order), static_cast<double>(row.size() - 1));
      RC_ASSERT(relative_error(fold_at_random(shuffled).d, exact) <= allowed);
    }));
  }

  TEST_CASE("masked columns change nothing, in any place") {
    CHECK(rc::check([] {
      const std::vector<float> row = any_row();
      Normalizer without, with;
      for (const float logit : row) {
        if (*rc::gen::arbitrary<bool>()) with = combine(with, {-kInfinity, 1.0f});
        without = combine(without, {logit, 1.0f});
        with = combine(with, {logit, 1.0f});
      }
      RC_ASSERT(with.m == without.m);
      RC_ASSERT(with.d == without.d);
    }));
  }

  // A row with a NaN or +inf is NaN throughout: every y = exp(x - m) / d, and d is NaN.
  TEST_CASE("one NaN or +inf makes d NaN, wherever it stands and however the row is folded") {
    CHECK(rc::check([] {
      std::vector<float> row = any_row();
      for (float& logit : row) {
        if (*rc::gen::inRange(0, 4) == 0) logit = -kInfinity;
      }
      row[*rc::gen::inRange<std::size_t>(0, row.size())] = *rc::gen::element(kNan, kInfinity);
      std::vector<Normalizer> columns(row.size());
      std::transform(row.begin(), row.end(), columns.begin(), of_column);
      RC_ASSERT(std::isnan(fold_at_random(columns).d));
    }));
  }
}
