// The logits that the bench makes on the device: are they what their names say?
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <set>
#include <vector>

#include "bench/fill.h"
#include "common/cuda/device_buffer.h"
#include "common/cuda/stream.h"

using namespace worklog;
using bench::Values;

namespace {

constexpr int kRows = 20;
constexpr int kCols = 4000;
constexpr int kFew = 100;

using Row = std::vector<float>;

template <typename T>
std::vector<T> logits_of(Values values) {
  DeviceBuffer<T> logits(kRows * kCols);
  const Stream stream;
  bench::fill_with_logits(logits.data(), kRows, kCols, kFew, values, stream.get());
  stream.synchronize();
  return logits.download();
}

std::vector<Row> rows_of(Values values) {
  const std::vector<float> all = logits_of<float>(values);
  std::vector<Row> rows;
  for (auto begin = all.begin(); begin != all.end(); begin += kCols)
    rows.emplace_back(begin, begin + kCols);
  return rows;
}

template <typename T>
std::set<float> different(Values values) {
  std::set<float> found;
  for (const T logit : logits_of<T>(values))
    found.insert(static_cast<float>(logit));
  return found;
}

void check_each(Values values, const std::function<bool(const Row&)>& holds) {
  for (const Row& row : rows_of(values))
    CHECK(holds(row));
}

}  // namespace

TEST_SUITE("measurements") {
  TEST_CASE("hard values are what their names say, in each row") {
    check_each(Values::kAscending, [](const Row& row) {
      return std::is_sorted(row.begin(), row.end(), std::less_equal<>());
    });
    check_each(Values::kDescending, [](const Row& row) {
      return std::is_sorted(row.begin(), row.end(), std::greater_equal<>());
    });
    check_each(Values::kEqual,
               [](const Row& row) { return std::set(row.begin(), row.end()).size() == 1; });
    check_each(Values::kTwo, [](const Row& row) {
      const auto ones = std::count(row.begin(), row.end(), 1.0f);
      return std::set(row.begin(), row.end()) == std::set{1.0f, 2.0f} && ones > kCols / 3 &&
             ones < 2 * kCols / 3;
    });
    check_each(Values::kAdjacent, [](const Row& row) {
      const float next = std::nextafter(1.0f, 2.0f);
      return std::set(row.begin(), row.end()) == std::set{1.0f, next, std::nextafter(next, 2.0f)};
    });
  }

  TEST_CASE("adjacent values are an ulp of their type from each other, and sorted rows sorted") {
    CHECK(different<__half>(Values::kAdjacent) == std::set{1.0f, 1.0f + 0x1p-10f, 1.0f + 0x1p-9f});
    CHECK(different<__nv_bfloat16>(Values::kAdjacent) ==
          std::set{1.0f, 1.0f + 0x1p-7f, 1.0f + 0x1p-6f});
    const std::vector<__half> all = logits_of<__half>(Values::kDescending);
    for (auto begin = all.begin(); begin != all.end(); begin += kCols) {
      CHECK(std::is_sorted(begin, begin + kCols, [](__half a, __half b) {
        return static_cast<float>(a) > static_cast<float>(b);
      }));
    }
  }

  TEST_CASE("of few finite values there are about k in each row, and never the same ones") {
    std::set<Row> different;
    for (const Row& row : rows_of(Values::kFewFinite)) {
      const auto finite =
          std::count_if(row.begin(), row.end(), [](float x) { return std::isfinite(x); });
      CHECK(finite > kFew / 2);
      CHECK(finite < 2 * kFew);
      CHECK(std::count(row.begin(), row.end(), -INFINITY) == kCols - finite);
      different.insert(row);
    }
    CHECK(different.size() == kRows);
  }

  TEST_CASE("the usual logits are normally distributed, with a standard deviation of 3") {
    double sum = 0.0;
    double squares = 0.0;
    for (const Row& row : rows_of(Values::kNormal)) {
      for (const float x : row) {
        sum += x;
        squares += static_cast<double>(x) * x;
      }
    }
    constexpr double kCount = kRows * kCols;
    CHECK(std::abs(sum / kCount) < 5 * 3.0 / std::sqrt(kCount));
    CHECK(squares / kCount == doctest::Approx(9.0).epsilon(0.03));
  }
}
