// Comparison refuses what it must: NaN, what was never written, and errors beyond the bound that an
// absolute tolerance would let pass.
#include "common/verify/check_row.h"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "common/verify/poison.h"

namespace {

using namespace worklog;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kRow = 7;

// exp(x - m) of these are 1/4, 1/2, 1 and 1/4, so all probabilities are exact in fp32.
const std::vector<double> kLogits = {std::log(0.25), std::log(0.5), 0.0, std::log(0.25)};
const std::vector<float> kRight = {0.125f, 0.25f, 0.5f, 0.125f};

ErrorModel model(DType output) {
  return error_model(StepInfo{}, output, 4, 32);
}

template <typename T>
Comparison compare(const std::vector<double>& logits, const std::vector<T>& got,
                   DType dtype = dtype_of<T>()) {
  RowChecker checker(model(dtype), static_cast<std::int64_t>(logits.size()));
  checker.check_softmax<T>(kRow, logits, got);
  return checker.found();
}

Comparison compare_top_k(const std::vector<double>& logits, const std::vector<float>& values,
                         const std::vector<std::int64_t>& indices) {
  RowChecker checker(model(DType::kFloat32), static_cast<std::int64_t>(logits.size()));
  checker.check_softmax_top_k(kRow, logits, values, indices);
  return checker.found();
}

}  // namespace

TEST_SUITE_BEGIN("verify");

TEST_CASE("a right row passes, and its error is told") {
  const Comparison found = compare(kLogits, kRight);
  CHECK(found.wrong == 0);
  CHECK(found.failure.empty());
  CHECK(found.checked == 4);
  CHECK(found.max_ulp < 0.01);
  CHECK(found.max_sum_error == 0.0);
}

TEST_CASE("an error is told in ulp") {
  std::vector<float> got = kRight;
  got[2] += 2 * std::numeric_limits<float>::epsilon() / 2;  // ulp of 0.5 is half that of 1
  const Comparison found = compare(kLogits, got);
  CHECK(found.wrong == 0);
  CHECK(found.max_ulp == doctest::Approx(2.0).epsilon(0.01));
}

TEST_CASE("NaN never passes where a number is expected") {
  for (std::size_t col = 0; col < kRight.size(); ++col) {
    std::vector<float> got = kRight;
    got[col] = kNan;
    const Comparison found = compare(kLogits, got);
    CHECK(found.wrong == 1);
    CHECK(found.failed_row == kRow);
    CHECK(found.failure.find("column " + std::to_string(col) + ": got nan") != std::string::npos);
  }
}

TEST_CASE("no number passes where NaN is expected") {
  const std::vector<double> logits = {0.0, static_cast<double>(kNan)};
  CHECK(compare<float>(logits, {kNan, kNan}).wrong == 0);
  CHECK(compare<float>(logits, {kNan, 0.0f}).wrong == 1);
  CHECK(compare<float>(logits, {1.0f, kNan}).wrong == 1);
}

TEST_CASE("what was never written is told apart, even where NaN is expected") {
  std::vector<float> got = kRight;
  got[1] = poison<float>();
  CHECK(compare(kLogits, got).failure.find("never written") != std::string::npos);
  CHECK(compare<float>({static_cast<double>(kNan)}, {poison<float>()}).wrong == 1);
}

TEST_CASE("poison is NaN in every storage type, and a negative index") {
  CHECK(std::isnan(poison<float>()));
  CHECK(std::isnan(static_cast<float>(poison<__half>())));
  CHECK(std::isnan(static_cast<float>(poison<__nv_bfloat16>())));
  CHECK(poison<std::int64_t>() < 0);
  CHECK_FALSE(is_poison(kNan));
}

TEST_CASE("what is computed from poison is no poison") {
  const volatile float one = 1.0f;
  CHECK_FALSE(is_poison(poison<float>() * one));
  CHECK(std::isnan(poison<float>() * one));
  CHECK_FALSE(is_poison(poison<float>(Poison::kScratch)));
  const auto half = static_cast<__half>(static_cast<float>(poison<__half>()) * one);
  CHECK_FALSE(is_poison(half));
  const auto bfloat = static_cast<__nv_bfloat16>(static_cast<float>(poison<__nv_bfloat16>()) * one);
  CHECK_FALSE(is_poison(bfloat));
}

TEST_CASE("a NaN of scratch that nobody wrote is told as such") {
  const volatile float one = 1.0f;
  const auto scratch = poison<float>(Poison::kScratch);
  for (const float of_scratch : {scratch, scratch * one, one - scratch}) {
    CHECK(is_of_unwritten_scratch(of_scratch));
    std::vector<float> got = kRight;
    got[1] = of_scratch;
    CHECK(compare(kLogits, got).failure ==
          "row 7, column 1: got nan, made of scratch that was never written, expected 0.25");
  }
  CHECK_FALSE(is_of_unwritten_scratch(kNan));
  CHECK_FALSE(is_of_unwritten_scratch(poison<float>()));
  CHECK_FALSE(is_of_unwritten_scratch(1.0f));
}

TEST_CASE("a result that must be NaN is told with the logit that makes it so") {
  const auto nan = static_cast<double>(kNan);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(compare<float>({0.0, 1.0, nan, nan}, {kNan, 0.5f, kNan, kNan}).failure ==
        "row 7, column 1: got 0.5, expected nan: the logit of column 2 is nan");
  CHECK(compare<float>({infinity, 1.0}, {kNan, 0.0f}).failure ==
        "row 7, column 1: got 0, expected nan: the logit of column 0 is inf");
  CHECK(compare<float>({-infinity, -infinity}, {0.5f, 0.5f}).failure ==
        "row 7, column 0: got 0.5, expected nan: all logits of the row are -inf");
  RowChecker checker(model(DType::kFloat32), 4);
  checker.check_loss(kRow, kLogits, 4, 1.0f);
  CHECK(checker.found().failure == "row 7, label 4: got -1, expected nan: there is no such column");
}

TEST_CASE("a NaN that must be none is told with what is masked in its row") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(
      compare<float>({0.0, -infinity}, {kNan, kNan}).failure ==
      "row 7, column 0: got nan, expected 1: of the row's 2 logits 1 is -inf, the first in column "
      "1");
  CHECK(compare<float>(kLogits, {kNan, 0.25f, 0.5f, 0.125f}).failure ==
        "row 7, column 0: got nan, expected 0.125");
}

TEST_CASE("an error is told with the sum of its row") {
  const std::string failure = compare<float>(kLogits, {0.25f, 0.5f, 1.0f, 0.25f}).failure;
  CAPTURE(failure);
  CHECK(failure.starts_with("row 7, column 0: got 0.25, expected 0.125: the error is "));
  CHECK(failure.ends_with("; the row's probabilities add up to 2"));
  RowChecker checker(model(DType::kFloat32), 4);
  checker.check_log_softmax<float>(kRow, kLogits, std::vector<float>(4, 0.0f));
  CAPTURE(checker.found().failure);
  CHECK(checker.found().failure.ends_with("; the exponentials of the row's results add up to 4"));
}

TEST_CASE("an error of any size is told to its last digit") {
  const std::string failure = compare<float>(kLogits, {1e37f, 0.25f, 0.5f, 0.125f}).failure;
  CAPTURE(failure);
  CHECK(failure.find(".00 ulp and may be ") != std::string::npos);
}

TEST_CASE("an error far below any absolute tolerance is caught") {
  const std::vector<double> logits = {0.0, -20.0};
  const double exact = std::exp(-20.0) / (1.0 + std::exp(-20.0));
  const float leader = static_cast<float>(1.0 / (1.0 + std::exp(-20.0)));
  CHECK(compare<float>(logits, {leader, static_cast<float>(exact)}).wrong == 0);
  CHECK(compare<float>(logits, {leader, static_cast<float>(exact * 1.0001)}).wrong == 1);
  CHECK(compare<float>(logits, {leader, 0.0f}).wrong == 1);
}

TEST_CASE("a masked column must be exactly 0, and no probability may be negative") {
  const std::vector<double> logits = {0.0, -std::numeric_limits<double>::infinity()};
  CHECK(compare<float>(logits, {1.0f, 0.0f}).wrong == 0);
  CHECK(compare<float>(logits, {1.0f, 0x1p-149f}).wrong == 1);
  CHECK(compare<float>({0.0, -200.0}, {1.0f, -0x1p-149f}).wrong == 1);
}

TEST_CASE("probabilities that underflow: 0 only where the exact one is about to vanish") {
  const auto leader = 1.0f;
  const double vanishing = std::log(0x1p-151);
  const double lasting = std::log(0x1p-146);
  CHECK(compare<float>({0.0, vanishing}, {leader, 0.0f}).wrong == 0);
  CHECK(compare<float>({0.0, lasting}, {leader, 0x1p-146f}).wrong == 0);
  CHECK(compare<float>({0.0, lasting}, {leader, 0.0f}).wrong == 1);
}

TEST_CASE("fp16 and bf16 are held to one rounding") {
  const double third = 1.0 / 3.0;
  const std::vector<double> logits = {0.0, 0.0, 0.0};
  const auto check = [&]<typename T>(T) {
    const double one_ulp = ulp(third, format_of(dtype_of<T>()));
    const auto rounded = static_cast<T>(static_cast<float>(third));
    const auto next = static_cast<T>(static_cast<float>(rounded) + static_cast<float>(one_ulp));
    CHECK(compare<T>(logits, {rounded, rounded, rounded}).wrong == 0);
    CHECK(compare<T>(logits, {rounded, rounded, next}).wrong == 1);
  };
  check(__half{});
  check(__nv_bfloat16{});
}

TEST_CASE("top-k: each index and each value counts") {
  CHECK(compare_top_k(kLogits, {0.5f, 0.25f, 0.125f}, {2, 1, 0}).wrong == 0);
  // Column 3 has the same probability as column 0, but ties go to the lowest.
  CHECK(compare_top_k(kLogits, {0.5f, 0.25f, 0.125f}, {2, 1, 3}).wrong == 1);
  CHECK(compare_top_k(kLogits, {0.5f, 0.25f}, {1, 2}).wrong == 2);
  CHECK(compare_top_k(kLogits, {0.5f, 0.25f}, {2, -1}).wrong == 1);
  CHECK(compare_top_k(kLogits, {0.5f, kNan}, {2, 1}).wrong == 1);
  CHECK(compare_top_k(kLogits, {0.5f, 0.2500001f}, {2, 1}).wrong == 0);
  CHECK(compare_top_k(kLogits, {0.5f, 0.250001f}, {2, 1}).wrong == 1);
  const Comparison unwritten = compare_top_k(kLogits, {0.5f}, {poison<std::int64_t>()});
  CHECK(unwritten.failure.find("never written") != std::string::npos);
}

TEST_CASE("top-k of given values is exact") {
  RowChecker checker(model(DType::kFloat32), 3);
  const std::vector<double> given = {1.0, static_cast<double>(kNan), 2.0};
  const auto wrong = [&](const std::vector<float>& values, const std::vector<std::int64_t>& at) {
    const std::int64_t before = checker.found().wrong;
    checker.check_top_k(kRow, given, values, at);
    return checker.found().wrong - before;
  };
  CHECK(wrong({kNan, 2.0f}, {1, 2}) == 0);
  CHECK(wrong({kNan, std::nextafter(2.0f, 3.0f)}, {1, 2}) == 1);
  CHECK(wrong({2.0f, 1.0f}, {2, 0}) == 2);
  CHECK(wrong({poison<float>(), 2.0f}, {1, 2}) == 1);
}

TEST_CASE("of several rows, the first wrong one is reported") {
  Comparison all;
  all.merge({.checked = 4, .wrong = 1, .failed_row = 9, .failure = "late"});
  all.merge({.checked = 4, .wrong = 2, .failed_row = 3, .failure = "early"});
  all.merge(Comparison{});
  CHECK(all.checked == 8);
  CHECK(all.wrong == 3);
  CHECK(all.failure == "early");
}

TEST_SUITE_END();
